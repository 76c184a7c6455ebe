// Server stdio|stateful|stateless plain|list|text [PORT]: a server of the official Java SDK.

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import jakarta.servlet.http.HttpServlet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.AbstractHttp11Protocol;

public final class Server {
    private static final McpJsonMapper JSON = McpJsonDefaults.getMapper();
    private static final String SENTENCE =
        "The quick brown fox \"jumps\" over the lazy dog, and nobody minds it at all.\n";
    private static final String MEGABYTE = SENTENCE.repeat(1_000_000 / SENTENCE.length() + 1).substring(0, 1_000_000);

    private static CallToolResult words(String text) {
        return CallToolResult.builder().addTextContent(text).build();
    }

    private static double number(Map<String, Object> arguments, String name) {
        return ((Number) arguments.get(name)).doubleValue();
    }

    private static Map<Tool, Function<Map<String, Object>, CallToolResult>> tools(String set) {
        Map<Tool, Function<Map<String, Object>, CallToolResult>> tools = new LinkedHashMap<>();
        switch (set) {
            case "list" -> {
                String schema = """
                    {"type":"object","properties":{"path":{"type":"string","description":"Where to look"},
                     "limit":{"type":"integer","minimum":1,"maximum":100},"recursive":{"type":"boolean","default":false}},
                     "required":["path","limit"]}""";
                for (int i = 0; i < 80; ++i) {
                    Tool tool = Tool.builder("tool_" + i, JSON, schema).title("Tool number " + i)
                        .description("Does one of the many things that a tool can do, and says so in a sentence of "
                            + "ordinary length.").build();
                    tools.put(tool, arguments -> words((String) arguments.get("path")));
                }
            }
            case "text" -> tools.put(Tool.builder("text", JSON, "{\"type\":\"object\"}")
                .description("Gives a megabyte of text").build(), arguments -> words(MEGABYTE));
            default -> {
                tools.put(Tool.builder("echo", JSON, """
                    {"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}""")
                    .description("Says the text back").build(), arguments -> words((String) arguments.get("text")));
                tools.put(Tool.builder("add", JSON, """
                    {"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}""")
                    .outputSchema(JSON, """
                    {"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}""")
                    .description("Adds two numbers").build(), arguments -> {
                        double sum = number(arguments, "a") + number(arguments, "b");
                        return CallToolResult.builder().structuredContent(Map.of("sum", sum))
                            .addTextContent("{\"sum\":" + sum + "}").build();
                    });
            }
        }
        return tools;
    }

    private static void serve(HttpServlet servlet, int port) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(port);
        var connector = tomcat.getConnector();
        connector.setProperty("address", "127.0.0.1");
        ((AbstractHttp11Protocol<?>) connector.getProtocolHandler()).setMaxKeepAliveRequests(-1);
        var context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "mcp", servlet).setAsyncSupported(true);
        context.addServletMappingDecoded("/mcp", "mcp");
        tomcat.start();
        tomcat.getServer().await();
    }

    public static void main(String[] words) throws Exception {
        // Tomcat logs with java.util.logging.
        java.util.logging.LogManager.getLogManager().reset();
        var tools = tools(words[1]);
        var able = ServerCapabilities.builder().tools(false).build();
        switch (words[0]) {
            case "stateless" -> {
                var transport = HttpServletStatelessServerTransport.builder().jsonMapper(JSON).messageEndpoint("/mcp").build();
                var server = McpServer.sync(transport).serverInfo("java-sdk", "1").capabilities(able).immediateExecution(true);
                tools.forEach((tool, call) -> server.toolCall(tool, (context, request) -> call.apply(request.arguments())));
                server.build();
                serve(transport, Integer.parseInt(words[2]));
            }
            case "stateful" -> {
                var transport = HttpServletStreamableServerTransportProvider.builder().jsonMapper(JSON).mcpEndpoint("/mcp").build();
                var server = McpServer.sync(transport).serverInfo("java-sdk", "1").capabilities(able).immediateExecution(true);
                tools.forEach((tool, call) -> server.toolCall(tool, (exchange, request) -> call.apply(request.arguments())));
                server.build();
                serve(transport, Integer.parseInt(words[2]));
            }
            default -> {
                var transport = new StdioServerTransportProvider(JSON);
                var server = McpServer.sync(transport).serverInfo("java-sdk", "1").capabilities(able).immediateExecution(true);
                tools.forEach((tool, call) -> server.toolCall(tool, (exchange, request) -> call.apply(request.arguments())));
                server.build();
            }
        }
    }
}
