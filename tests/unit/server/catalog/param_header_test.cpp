// Tool arguments that are repeated in HTTP headers.
#include "unit/server/clients/stateless_fixture.hpp"

namespace lanyard::server {
namespace {

class ParamHeaderTest : public StatelessPeerTest {
protected:
    ParamHeaderTest() {
        server.add_tool(
            described(R"({"type":"object","properties":{)"
                      R"("region":{"type":"string","x-mcp-header":"Region"}}})"),
            [](JsonObject const&, Context&) { return CallToolResult(); }, ToolOptions().inline_());
    }
    static Tool described(std::string schema) {
        Tool tool;
        tool.name = "deploy";
        tool.input_schema = RawJson::trusted(std::move(schema));
        return tool;
    }
    RecordingResponder& deploy(std::vector<RequestHeader> headers, std::string_view arguments) {
        info = std::make_shared<PeerInfo>(*info);
        info->headers = std::move(headers);
        return ask("tools/call", R"("name":"deploy","arguments":)" + std::string(arguments));
    }
};

TEST_F(ParamHeaderTest, headers_must_match_the_arguments) {
    auto const eu = R"({"region":"eu"})";
    EXPECT_FALSE(deploy({{"mcp-param-REGION", "eu"}}, eu).error);
    EXPECT_FALSE(deploy({{"Mcp-Param-Region", "=?base64?ZXU=?="}}, eu).error);
    EXPECT_FALSE(deploy({}, "{}").error);
    EXPECT_FALSE(deploy({}, "null").error);
    EXPECT_EQ(refusal(deploy({}, eu)), Refusal(-32020, 400));
    EXPECT_EQ(refusal(deploy({{"Mcp-Param-Region", "us"}}, eu)), Refusal(-32020, 400));
    EXPECT_EQ(refusal(deploy({{"Mcp-Param-Region", "=?base64?!!!?="}}, eu)), Refusal(-32020, 400));
    EXPECT_EQ(refusal(deploy({{"Mcp-Param-Regions", "eu"}}, eu)), Refusal(-32020, 400));
}

TEST_F(ParamHeaderTest, without_http_no_headers_are_checked) {
    info->headers_of_request = false;
    EXPECT_FALSE(deploy({}, R"({"region":"eu"})").error);
}

TEST_F(ParamHeaderTest, a_bad_annotation_is_refused_at_registration) {
    try {
        server.add_tool(described(R"({"type":"object","properties":{)"
                                  R"("region":{"type":"number","x-mcp-header":"Region"}}})"),
                        [](JsonObject const&, Context&) { return CallToolResult(); });
        FAIL();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        EXPECT_NE(error.message().find("/properties/region"), std::string::npos) << error.what();
    }
}

TEST_F(ParamHeaderTest, tools_of_providers_are_checked_too) {
    struct Clouds final : Provider {
        std::string name() const override { return "clouds"; }
        Task<std::vector<Tool>> list_tools(Context&) override {
            auto const schema = [](std::string_view type) {
                return RawJson::trusted(
                    R"({"type":"object","properties":{"region":{"x-mcp-header":)"
                    R"("Region","type":")" +
                    std::string(type) + R"("}}})");
            };
            std::vector<Tool> tools(2);
            tools[0].name = "deploy";
            tools[0].input_schema = schema("string");
            tools[1].name = "broken";
            tools[1].input_schema = schema("number");
            co_return tools;
        }
        Task<std::optional<CallToolResult>> call_tool(CallToolParams const&, Context&) override {
            co_return CallToolResult();
        }
    };
    server.remove_tool("deploy");
    server.add_provider(std::make_shared<Clouds>());
    auto const eu = R"({"region":"eu"})";
    EXPECT_FALSE(deploy({{"Mcp-Param-Region", "eu"}}, eu).error);
    EXPECT_FALSE(deploy({}, "{}").error);
    EXPECT_EQ(refusal(deploy({}, eu)), Refusal(-32020, 400));
    EXPECT_EQ(refusal(deploy({{"Mcp-Param-Region", "us"}}, eu)), Refusal(-32020, 400));
    EXPECT_TRUE(ask("tools/call", R"("name":"broken")").error);
    EXPECT_FALSE(ask("tools/call", R"("name":"not listed")").error);
    info->headers_of_request = false;
    EXPECT_FALSE(deploy({}, eu).error);
}

}  // namespace
}  // namespace lanyard::server
