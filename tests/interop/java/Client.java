// Client stdio PATH_OF_LANYARD ERA | Client http URL ERA: the client of the official Java SDK against `lanyard serve --demo`.
// Prints one line per check: `check NAME ok|fail|na DETAIL`.

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.*;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

public final class Client {
    private static final String COUNTER = "demo://counter";
    private static final Map<String, Object> FORM =
        Map.of("name", "Ada", "guests", 3, "place", "Bergen", "day", "2026-12-24");

    private interface Check {
        void run(Client peer) throws Exception;
    }

    private final List<String> seen = new CopyOnWriteArrayList<>(); // notifications
    private final McpSyncClient client;

    private Client(String transport, String address) {
        McpClientTransport connection;
        if (transport.equals("stdio")) {
            var parameters = ServerParameters.builder(address).args("serve", "--demo").build();
            var stdio = new StdioClientTransport(parameters, McpJsonDefaults.getMapper());
            stdio.setStdErrorHandler(line -> { });
            connection = stdio;
        } else {
            URI uri = URI.create(address);
            connection = HttpClientStreamableHttpTransport.builder("http://" + uri.getAuthority())
                .endpoint(uri.getPath()).openConnectionOnStartup(true).build();
        }
        client = McpClient.sync(connection)
            .requestTimeout(Duration.ofSeconds(30))
            .capabilities(ClientCapabilities.builder().elicitation(true, true).sampling().roots(true).build())
            .roots(new Root("file:///tmp/work", "work"))
            .elicitation(request -> ElicitResult.builder(ElicitResult.Action.ACCEPT).content(answer(request)).build())
            .urlElicitation(request -> ElicitResult.builder(ElicitResult.Action.ACCEPT).build())
            .sampling(request -> CreateMessageResult.builder(Role.ASSISTANT, "forty-two", "test-model").build())
            .loggingConsumer(message -> seen.add(message.level().name().toLowerCase()))
            .progressConsumer(step -> seen.add(step.progress() + "/" + step.total() + " " + step.message()))
            .toolsChangeConsumer(tools -> seen.add("tools"))
            .promptsChangeConsumer(prompts -> seen.add("prompts"))
            .resourcesChangeConsumer(resources -> seen.add("resources"))
            .resourcesUpdateConsumer(contents -> contents.forEach(each -> seen.add(each.uri())))
            .build();
        client.initialize();
    }

    private static Map<String, Object> answer(ElicitFormRequest request) {
        Map<String, Object> content = new LinkedHashMap<>();
        for (Object name : ((Map<?, ?>) request.requestedSchema().get("properties")).keySet()) {
            if (FORM.containsKey(name)) content.put((String) name, FORM.get(name));
        }
        return content;
    }

    private CallToolResult call(String tool, Map<String, Object> arguments) {
        return client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
    }

    private static String textOf(CallToolResult result) {
        StringBuilder text = new StringBuilder();
        for (Content block : result.content()) {
            if (block instanceof TextContent words) text.append(words.text());
        }
        return text.toString();
    }

    private String text(String tool, Map<String, Object> arguments) {
        return textOf(call(tool, arguments));
    }

    private String read(String uri) {
        ResourceContents contents = client.readResource(ReadResourceRequest.builder(uri).build()).contents().get(0);
        return contents instanceof TextResourceContents words ? words.text() : ((BlobResourceContents) contents).blob();
    }

    private String prompt(String name, Map<String, Object> arguments) {
        var message = client.getPrompt(new GetPromptRequest(name, arguments)).messages().get(0);
        return ((TextContent) message.content()).text();
    }

    private List<String> complete(String prompt, String name, String value, Map<String, String> known) {
        var request = new CompleteRequest(PromptReference.builder(prompt).build(),
            new CompleteRequest.CompleteArgument(name, value),
            known == null ? null : new CompleteRequest.CompleteContext(known));
        return client.completeCompletion(request).completion().values();
    }

    private static void equal(Object got, Object want) {
        if (!Objects.equals(got, want)) throw new AssertionError("got " + got + ", want " + want);
    }

    private static void holds(boolean condition, String what) {
        if (!condition) throw new AssertionError(what);
    }

    private static void refused(Runnable action, String what) {
        try {
            action.run();
        } catch (RuntimeException expected) {
            return;
        }
        throw new AssertionError(what + " was not refused");
    }

    private void came(String... wanted) throws InterruptedException {
        BooleanSupplier all = () -> seen.containsAll(List.of(wanted));
        for (int i = 0; i < 1000 && !all.getAsBoolean(); ++i) Thread.sleep(20);
        holds(all.getAsBoolean(), "notifications: " + seen);
    }

    private static String kind(Content block) {
        return block.type();
    }

    private void checkErrors() {
        CallToolResult failed = call("fail", Map.of());
        holds(failed.isError() && textOf(failed).contains("this tool always fails"), textOf(failed));
        CallToolResult wrong = call("weather", Map.of("city", "Oslo", "units", "kelvin"));
        holds(wrong.isError() && textOf(wrong).contains("units"), textOf(wrong));
        refused(() -> call("fail", Map.of("way", "refusal")), "the call");
        equal(text("echo", Map.of("text", "alive")), "alive");
    }

    private void checkProgress() throws InterruptedException {
        var request = CallToolRequest.builder("count_down").arguments(Map.of("from", 3, "delay_ms", 20))
            .progressToken("token").build();
        equal(textOf(client.callTool(request)), "counted down from 3");
        came("1.0/3.0 2 to go", "2.0/3.0 1 to go", "3.0/3.0 0 to go");
        equal(seen.size(), 3);
    }

    private void checkResources() {
        List<String> uris = client.listResources().resources().stream().map(Resource::uri).toList();
        holds(uris.containsAll(List.of("demo://readme", "demo://picture", COUNTER)), uris.toString());
        holds(read("demo://readme").contains("demonstration"), "demo://readme");
        holds(read("demo://picture").startsWith("iVBORw0KGgo"), "demo://picture");
        refused(() -> read("demo://nothing"), "a resource that does not exist");
    }

    private void checkPrompts() {
        List<String> names = client.listPrompts().prompts().stream().map(Prompt::name).toList();
        holds(names.containsAll(List.of("review", "tip")), names.toString());
        equal(prompt("review", Map.of("language", "cpp", "code", "int x;")), "Review this C++ code:\n\nint x;");
        refused(() -> prompt("review", Map.of("language", "cobol", "code", "x")), "a language that does not exist");
    }

    private void checkElicitation() {
        equal(text("book_table", Map.of()), "a table for 3 in the name of Ada, inside");
        String trip = text("plan_trip", Map.of());
        holds(trip.endsWith(": Bergen on 2026-12-24"), trip);
        equal(text("open_page", Map.of()), "the user agreed");
    }

    private void checkLog() throws InterruptedException {
        client.setLoggingLevel(LoggingLevel.WARNING);
        call("log_everything", Map.of());
        came("warning", "error", "critical", "alert", "emergency"); // the SDK handles them in threads, in any order
        equal(seen.size(), 5);
    }

    private void checkChanges() throws InterruptedException {
        client.subscribeResource(new SubscribeRequest(COUNTER));
        call("set_extras", Map.of("on", true));
        try {
            came("tools", "prompts", "resources");
            equal(text("extra", Map.of()), "still here");
            call("increment", Map.of());
            came(COUNTER);
        } finally {
            call("set_extras", Map.of("on", false));
        }
    }

    private void checkParallel() {
        var threads = Executors.newFixedThreadPool(100);
        try {
            List<CompletableFuture<String>> calls = new ArrayList<>();
            for (int i = 0; i < 100; ++i) {
                String number = String.valueOf(i);
                calls.add(CompletableFuture.supplyAsync(() -> text("echo", Map.of("text", number)), threads));
            }
            for (int i = 0; i < 100; ++i) equal(calls.get(i).join(), String.valueOf(i));
        } finally {
            threads.shutdownNow();
        }
    }

    private static Map<String, Check> checks() {
        Map<String, Check> all = new LinkedHashMap<>();
        all.put("list", peer -> {
            List<String> names = peer.client.listTools().tools().stream().map(Tool::name).toList();
            holds(names.containsAll(List.of("echo", "add", "weather", "count_down", "wait", "mix", "fail")), names.toString());
        });
        all.put("call", peer -> equal(peer.text("echo", Map.of("text", "Grüße\n🙂")), "Grüße\n🙂"));
        all.put("structured", peer -> equal(
            ((Map<?, ?>) peer.call("add", Map.of("a", 1.5, "b", 2)).structuredContent()).get("sum"), 3.5));
        all.put("errors", Client::checkErrors);
        all.put("progress", Client::checkProgress);
        all.put("cancel", null);
        all.put("media", peer -> equal(peer.call("mix", Map.of()).content().stream().map(Client::kind).toList(),
            List.of("text", "image", "audio", "resource_link", "resource")));
        all.put("resources", Client::checkResources);
        all.put("templates", peer -> {
            var templates = peer.client.listResourceTemplates().resourceTemplates();
            equal(templates.stream().map(ResourceTemplate::uriTemplate).sorted().toList(),
                List.of("demo://greeting/{name}", "demo://table/{table}/{row}"));
            equal(peer.read("demo://greeting/Ada"), "Hello, Ada!");
        });
        all.put("prompts", Client::checkPrompts);
        all.put("completion", peer -> {
            equal(peer.complete("review", "language", "c", null), List.of("c", "cpp"));
            equal(peer.complete("visit", "city", "O", Map.of("country", "norway")), List.of("Oslo"));
        });
        all.put("elicitation", Client::checkElicitation);
        all.put("sampling", peer -> equal(peer.text("ask_model", Map.of("question", "?")), "test-model says: forty-two"));
        all.put("roots", peer -> equal(peer.text("list_folders", Map.of()), "1 open folders\nfile:///tmp/work"));
        all.put("log", Client::checkLog);
        all.put("changes", Client::checkChanges);
        all.put("large", peer -> {
            String large = "0123456789".repeat(120_000);
            holds(peer.text("echo", Map.of("text", large)).equals(large), "another text came back");
        });
        all.put("parallel", Client::checkParallel);
        all.put("reuse", peer -> {
            for (int i = 0; i < 5; ++i) equal(peer.text("echo", Map.of("text", "again")), "again");
        });
        return all;
    }

    private static void run(Check check, String transport, String address) throws Exception {
        Client peer = new Client(transport, address);
        try {
            check.run(peer);
        } finally {
            peer.client.closeGracefully();
        }
    }

    public static void main(String[] words) {
        var threads = Executors.newCachedThreadPool();
        checks().forEach((name, check) -> {
            if (check == null) {
                System.out.println("check " + name + " na the Java SDK does not offer it");
                return;
            }
            var work = threads.submit(() -> {
                run(check, words[0], words[1]);
                return null;
            });
            try {
                work.get(60, TimeUnit.SECONDS);
                System.out.println("check " + name + " ok");
            } catch (Exception problem) {
                Throwable cause = problem.getCause() == null ? problem : problem.getCause();
                String shown = cause.toString().replaceAll("\\s+", " ");
                System.out.println("check " + name + " fail " + shown.substring(0, Math.min(shown.length(), 300)));
                work.cancel(true);
            }
        });
        System.exit(0);
    }
}
