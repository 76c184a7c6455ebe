// Tools with which the suite tests the transport: capabilities, streams, changing lists, headers
// (basic/transports, basic/patterns).
#include <string>

#include "lanyard/reflect.hpp"
#include "server/content.hpp"
#include "server/fixtures.hpp"

namespace lanyard::conformance {

struct Approval {
    bool approved = false;
};
LANYARD_STRUCT(Approval, (approved, "Whether to go on"))

namespace {

Task<std::string> need_sampling(Context& context) {
    auto const answer = co_await context.sample("answer", to_model("Say something"));
    co_return words_of(answer);
}

Task<std::string> ask_on_a_stream(Context& context) {
    context.report_progress(1, 2);
    auto const answer = co_await context.elicit<Approval>("approval", "May I go on?");
    co_return std::string(to_string(answer.action()));
}

std::string log_once(Context& context) {
    context.log(LoggingLevel::info, "A message for clients that asked for messages");
    return "Logged";
}

/// Closes the stream of its request; the client has to resume the stream to get the answer.
Task<std::string> reconnect(Context& context) {
    context.release_stream();
    co_await pause();
    co_return "Reconnection test completed successfully";
}

void toggle_tool(Server& server) {
    if (server.remove_tool("test_extra_tool")) return;
    server.tool("test_extra_tool", "Comes and goes", [] { return "Still here"; });
}

void toggle_prompt(Server& server) {
    if (server.remove_prompt("test_extra_prompt")) return;
    server.prompt("test_extra_prompt", "Comes and goes", [] { return "Still here?"; });
}

/// A tool whose parameter is repeated in a header of the HTTP request.
Tool header_tool() {
    Tool tool;
    tool.name = "test_x_mcp_header";
    tool.description = "Takes a parameter that is repeated in a header";
    tool.input_schema = RawJson::trusted(
        R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},)"
        R"("required":["region"]})");
    return tool;
}

}  // namespace

void add_probes(Server& server) {
    server.tool("test_missing_capability", "Needs a client that has a model", need_sampling);
    server.tool("test_streaming_elicitation", "Asks the user while it runs", ask_on_a_stream);
    server.tool("test_logging_tool", "Logs a message", log_once);
    server.tool("test_reconnection", "Closes the stream of its request", reconnect);
    // The server outlives its handlers.
    server.tool("test_trigger_tool_change", "Changes the list of tools",
                [&server] { toggle_tool(server); });
    server.tool("test_trigger_prompt_change", "Changes the list of prompts",
                [&server] { toggle_prompt(server); });
    server.add_tool(header_tool(), [](JsonObject const& arguments) {
        return "Region " + std::string(arguments.at("region").as_string());
    });
}

}  // namespace lanyard::conformance
