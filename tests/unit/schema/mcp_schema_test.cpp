// The official MCP schemas of every revision compile and validate messages.
#include <algorithm>

#include <gtest/gtest.h>

#include "lanyard/json.hpp"
#include "lanyard/schema.hpp"
#include "support/data.hpp"

namespace lanyard::schema {
namespace {

struct Revision {
    char const* name;
    char const* definitions;  // where the schema keeps its types
};

class McpSchema : public testing::TestWithParam<Revision> {
protected:
    void SetUp() override {
        auto const folder = test::data_folder(std::string("mcp-schema/") + GetParam().name);
        if (!folder) LANYARD_SKIP_WITHOUT_DATA("mcp-schema");
        document_ = json::parse(test::read_file(*folder / "schema.json")).value();
    }

    std::string verdict(std::string_view type, std::string_view message) const {
        // Both by a location in the compiled schema and by a reference to the registered document.
        auto const whole = Validator::compile(document_);
        if (!whole) return whole.error().to_string();
        auto const location = std::string(GetParam().definitions) + std::string(type);
        auto const entered = whole->at(location);
        auto const referring = Validator::compile({{"$ref", "mcp.json" + location}},
                                                  Options().document("mcp.json", document_));
        if (!entered) return entered.error().to_string();
        if (!referring) return referring.error().to_string();
        auto const instance = json::parse(message).value();
        auto const result = entered->validate(instance);
        EXPECT_EQ(result.has_value(), referring->is_valid(instance));
        return result ? "valid" : result.error().to_string();
    }

    Json document_;
};

TEST_P(McpSchema, accepts_a_tool_call) {
    bool const modern = std::string_view(GetParam().name) == "2026-07-28";
    std::string const meta =
        modern ? R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                  "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
                  "io.modelcontextprotocol/clientCapabilities":{}},)"
               : "";
    auto const call = [&](std::string_view arguments) {
        return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" + meta +
               R"("name":"greet","arguments":)" + std::string(arguments) + "}}";
    };
    EXPECT_EQ(verdict("CallToolRequest", call(R"({"times":3})")), "valid");
    EXPECT_EQ(verdict("CallToolRequest", call("[]")),
              "/params/arguments: must be an object, got an array");
    EXPECT_NE(verdict("CallToolRequest", R"({"method":"tools/list","params":{}})"), "valid");
}

TEST_P(McpSchema, errors_name_the_closest_content_block) {
    bool const modern = std::string_view(GetParam().name) == "2026-07-28";
    auto const result = [&](std::string_view block) {
        return std::string(modern ? R"({"resultType":"complete",)" : "{") + R"("content":[)" +
               std::string(block) + "]}";
    };
    EXPECT_EQ(verdict("CallToolResult", result(R"({"type":"text","text":"hello"})")), "valid");
    EXPECT_EQ(verdict("CallToolResult", result(R"({"type":"text","text":5})")),
              "/content/0/text: must be a string, got 5");
    EXPECT_EQ(verdict("CallToolResult", result(R"({"type":"image","data":"AA=="})")),
              "/content/0: missing required property \"mimeType\"");
}

INSTANTIATE_TEST_SUITE_P(Revisions, McpSchema,
                         testing::Values(Revision{"2024-11-05", "#/definitions/"},
                                         Revision{"2025-03-26", "#/definitions/"},
                                         Revision{"2025-06-18", "#/definitions/"},
                                         Revision{"2025-11-25", "#/$defs/"},
                                         Revision{"2026-07-28", "#/$defs/"}),
                         [](auto const& info) {
                             std::string name = info.param.name;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace lanyard::schema
