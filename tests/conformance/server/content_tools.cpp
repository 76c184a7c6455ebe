// Tools that return content of every kind, fail, report progress and log (server/tools).
#include <string>
#include <vector>

#include "lanyard/base64.hpp"
#include "server/content.hpp"
#include "server/fixtures.hpp"

namespace lanyard::conformance {
namespace {

/// A WAV file without samples.
std::string silence() {
    using namespace std::string_literals;
    return "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data"
           "\0\0\0\0"s;
}

AudioContent sound() {
    AudioContent content;
    content.data = base64::encode(silence());
    content.mime_type = "audio/wav";
    return content;
}

std::vector<ContentBlock> mixed_content() {
    std::vector<ContentBlock> blocks;
    blocks.emplace_back(text("Multiple content types test:"));
    blocks.emplace_back(image());
    blocks.emplace_back(embedded("test://mixed-content-resource", "application/json",
                                 R"({"test":"data","value":123})"));
    return blocks;
}

std::string fail() {
    throw ToolError("This tool intentionally returns an error for testing");
}

Task<std::string> log_three_times(Context& context) {
    context.log(LoggingLevel::info, "Tool execution started");
    co_await pause();
    context.log(LoggingLevel::info, "Tool processing data");
    co_await pause();
    context.log(LoggingLevel::info, "Tool execution completed");
    co_return "Tool with logging executed successfully";
}

Task<std::string> report_progress(Context& context) {
    context.report_progress(0, 100);
    co_await pause();
    context.report_progress(50, 100);
    co_await pause();
    context.report_progress(100, 100);
    co_return "Tool with progress executed successfully";
}

/// A tool whose schema uses keywords of JSON Schema 2020-12, and must be listed unchanged.
Tool json_schema_tool() {
    Tool tool;
    tool.name = "json_schema_2020_12_tool";
    tool.description = "Tests that the keywords of JSON Schema 2020-12 are preserved";
    tool.input_schema = RawJson::trusted(
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",)"
        R"("$defs":{"address":{"$anchor":"addressDef","type":"object","properties":)"
        R"({"street":{"type":"string"},"city":{"type":"string"}}}},)"
        R"("properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},)"
        R"("contactMethod":{"type":"string","enum":["phone","email"]},)"
        R"("phone":{"type":"string"},"email":{"type":"string"}},)"
        R"("allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],)"
        R"("if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},)"
        R"("then":{"required":["phone"]},"else":{"required":["email"]},)"
        R"("additionalProperties":false})");
    return tool;
}

}  // namespace

void add_content_tools(Server& server) {
    server.tool("test_simple_text", "Returns a text",
                [] { return "This is a simple text response for testing."; });
    server.tool("test_image_content", "Returns an image", image);
    server.tool("test_audio_content", "Returns a sound", sound);
    server.tool("test_embedded_resource", "Returns a resource with its text", [] {
        return embedded("test://embedded-resource", "text/plain",
                        "This is an embedded resource content.");
    });
    server.tool("test_multiple_content_types", "Returns a text, an image and a resource",
                mixed_content);
    server.tool("test_error_handling", "Fails", fail);
    server.tool("test_tool_with_logging", "Logs while it runs", log_three_times);
    server.tool("test_tool_with_progress", "Reports its progress", report_progress);
    server.add_tool(json_schema_tool(), [](JsonObject const& arguments) {
        return "Called with " + json::serialize(Json(arguments));
    });
}

}  // namespace lanyard::conformance
