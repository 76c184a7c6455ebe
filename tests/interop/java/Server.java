// Server [--http]: a server of the official Java SDK with the features that tests/interop/sdk_server_test.py expects, over
// stdin and stdout, or with --http at a URL that it prints.

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.*;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.*;
import jakarta.servlet.http.HttpServlet;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.catalina.startup.Tomcat;

public final class Server {
    private static final McpJsonMapper JSON = McpJsonDefaults.getMapper();
    private static final String NUMBERS =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}}}";

    private static CallToolResult words(String text) {
        return CallToolResult.builder().addTextContent(text).build();
    }

    private static Tool tool(String name, String properties) {
        return Tool.builder(name, JSON, "{\"type\":\"object\",\"properties\":{" + properties + "}}").description(name).build();
    }

    private static double number(CallToolRequest request, String name) {
        return ((Number) request.arguments().get(name)).doubleValue();
    }

    private static CallToolResult add(McpSyncServerExchange exchange, CallToolRequest request) {
        double sum = number(request, "a") + number(request, "b");
        return CallToolResult.builder().structuredContent(Map.of("sum", sum)).addTextContent("{\"sum\":" + sum + "}").build();
    }

    private static CallToolResult countDown(McpSyncServerExchange exchange, CallToolRequest request) {
        int start = (int) number(request, "start");
        Object token = request.progressToken();
        for (int step = 1; token != null && step <= start; ++step) {
            exchange.progressNotification(
                new ProgressNotification(token, (double) step, (double) start, (start - step) + " to go"));
        }
        return words("done");
    }

    private static CallToolResult askUser(McpSyncServerExchange exchange, CallToolRequest request) {
        Map<String, Object> schema =
            Map.of("type", "object", "properties", Map.of("name", Map.of("type", "string")), "required", List.of("name"));
        ElicitResult answer = exchange.createElicitation(ElicitFormRequest.builder("What is your name?", schema).build());
        return words("Hello, " + answer.content().get("name") + "!");
    }

    private static CallToolResult askModel(McpSyncServerExchange exchange, CallToolRequest request) {
        var question = new SamplingMessage(Role.USER, new TextContent("six times seven"));
        CreateMessageResult answer = exchange.createMessage(CreateMessageRequest.builder(List.of(question), 10).build());
        return words("the model says " + ((TextContent) answer.content()).text());
    }

    private static ReadResourceResult contents(String uri, String text) {
        return new ReadResourceResult(List.of(new TextResourceContents(uri, "text/plain", text)));
    }

    private static <T extends McpServer.SyncSpecification<T>> void build(McpServer.SyncSpecification<T> server) {
        server.serverInfo("java-peer", "1")
            .capabilities(ServerCapabilities.builder().tools(false).resources(false, false).prompts(false).completions().build())
            .toolCall(tool("echo", "\"text\":{\"type\":\"string\"}"),
                (exchange, request) -> words((String) request.arguments().get("text")))
            .toolCall(Tool.builder("add", JSON, NUMBERS)
                .outputSchema(JSON, "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"number\"}}}").build(), Server::add)
            .toolCall(tool("count_down", "\"start\":{\"type\":\"integer\"}"), Server::countDown)
            .toolCall(tool("fail", ""), (exchange, request) ->
                CallToolResult.builder().addTextContent("on purpose").isError(true).build())
            .toolCall(tool("ask_user", ""), Server::askUser)
            .toolCall(tool("ask_model", ""), Server::askModel)
            .resources(new SyncResourceSpecification(Resource.builder("peer://text", "text").build(),
                (exchange, request) -> contents(request.uri(), "some text")))
            .resourceTemplates(new SyncResourceTemplateSpecification(
                ResourceTemplate.builder("peer://item/{number}", "item").build(),
                (exchange, request) -> contents(request.uri(), "item " + request.uri().substring("peer://item/".length()))))
            .prompts(new SyncPromptSpecification(
                new Prompt("greet", "Greet somebody", List.of(new PromptArgument("name", "Who", true))),
                (exchange, request) -> new GetPromptResult("", List.of(new PromptMessage(Role.USER,
                    new TextContent("Say hello to " + request.arguments().get("name")))))))
            .completions(new SyncCompletionSpecification(PromptReference.builder("greet").build(), (exchange, request) ->
                new CompleteResult(new CompleteResult.CompleteCompletion(Stream.of("Ada", "Alan", "Grace")
                    .filter(name -> name.startsWith(request.argument().value())).toList(), null, false))))
            .build();
    }

    private static void serve(HttpServlet servlet) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        var context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "mcp", servlet).setAsyncSupported(true);
        context.addServletMappingDecoded("/mcp", "mcp");
        tomcat.start();
        System.out.println("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/mcp");
        InputStream input = System.in;
        input.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    public static void main(String[] words) throws Exception {
        java.util.logging.LogManager.getLogManager().reset(); // Tomcat logs with java.util.logging
        if (words.length == 0) {
            build(McpServer.sync(new StdioServerTransportProvider(JSON)));
            return;
        }
        var transport = HttpServletStreamableServerTransportProvider.builder().jsonMapper(JSON).mcpEndpoint("/mcp").build();
        build(McpServer.sync(transport));
        serve(transport);
    }
}
