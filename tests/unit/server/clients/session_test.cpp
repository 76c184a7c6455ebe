#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

struct Sum {
    int sum = 0;
};
LANYARD_STRUCT(Sum, sum)
struct Add {
    int a = 0;
    int b = 0;
};
LANYARD_STRUCT(Add, a, b)

class SessionTest : public ::testing::Test {
protected:
    SessionTest() {
        server.tool(
            "greet", "Say hello", [](Greet in) { return "Hello, " + in.name; },
            ToolOptions().inline_());
        server.tool("add", "Add", [](Add in) { return Sum{in.a + in.b}; }, ToolOptions().inline_());
    }
    static std::string call(int id, std::string_view params) {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
               R"(,"method":"tools/call","params":{)" + std::string(params) + "}}";
    }

    testing::FakeTime time;
    Server server{"greeter", "1.0.0", ServerOptions().time(time).on_log([this](auto, auto text) {
                      logged.emplace_back(text);
                  })};
    boost::asio::io_context context;
    RawClient client{context, server};
    std::vector<std::string> logged;
};

TEST_F(SessionTest, the_handshake_opens_a_session) {
    auto const result = client.initialize();
    EXPECT_EQ(at(result, "result", "protocolVersion"), "2025-11-25");
    EXPECT_EQ(at(result, "result", "serverInfo", "name"), "greeter");
    EXPECT_EQ(at(result, "result", "capabilities", "tools", "listChanged"), true);
    EXPECT_TRUE(at(result, "result", "capabilities", "logging").is_object());
}

TEST_F(SessionTest, a_typed_tool_is_called_in_every_revision_with_a_handshake) {
    for (auto const* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
        RawClient one(context, server);
        EXPECT_EQ(at(one.initialize(version), "result", "protocolVersion"), version);
        one.send(call(1, R"("name":"greet","arguments":{"name":"Ada"})"));
        EXPECT_EQ(
            one.next(),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada"}]}})");
        one.close();
        one.poll();
        EXPECT_TRUE(one.served());
    }
}

TEST_F(SessionTest, structured_output_is_repeated_as_text) {
    client.initialize();
    client.send(call(1, R"("name":"add","arguments":{"a":1,"b":2})"));
    EXPECT_EQ(
        client.next(),
        R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"sum\":3}"}],)"
        R"("structuredContent":{"sum":3}}})");
}

TEST_F(SessionTest, structured_output_is_sent_in_every_revision) {
    for (auto const* version : {"2024-11-05", "2025-03-26", "2025-06-18"}) {
        RawClient one(context, server);
        one.initialize(version);
        auto const list = one.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
        EXPECT_EQ(at(list, "result", "tools", 0, "outputSchema", "type"), "object");
        auto const answer = one.ask(call(2, R"("name":"add","arguments":{"a":1,"b":2})"));
        EXPECT_EQ(at(answer, "result", "content", 0, "text"), R"({"sum":3})");
        EXPECT_EQ(at(answer, "result", "structuredContent", "sum"), 3);
        one.close();
        one.poll();
    }
}

TEST_F(SessionTest, content_that_a_revision_lacks_does_not_fail_the_call) {
    server.tool("mix", "", [] {
        CallToolResult result;
        result.content.emplace_back(TextContent{.text = "t"});
        result.content.emplace_back(AudioContent{.data = "AAAA", .mime_type = "audio/wav"});
        ResourceLink link;
        link.resource.uri = "file:///a";
        link.resource.name = "a";
        result.content.emplace_back(link);
        return result;
    });
    client.initialize("2024-11-05");
    auto const answer = client.answer(call(1, R"("name":"mix")"));
    EXPECT_EQ(at(answer, "result", "content", 0, "text"), "t");
    EXPECT_EQ(at(answer, "result", "content", 1, "text"), "[audio of type audio/wav is left out]");
    EXPECT_EQ(at(answer, "result", "content", 2, "text"), "Resource: a (file:///a)");
}

TEST_F(SessionTest, a_request_with_metadata_needs_no_handshake) {
    auto const params = RawClient::meta();
    client.send(call(7, R"("name":"greet","arguments":{"name":"Ada"},)" + params));
    EXPECT_EQ(
        client.next(),
        R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":)"
        R"([{"type":"text","text":"Hello, Ada"}],"_meta":{"io.modelcontextprotocol/serverInfo":)"
        R"({"name":"greeter","version":"1.0.0"}}}})");
    auto const list =
        client.ask(R"({"jsonrpc":"2.0","id":8,"method":"tools/list","params":{)" + params + "}}");
    EXPECT_EQ(at(list, "result", "tools", 0, "name"), "add");
    EXPECT_EQ(at(list, "result", "resultType"), "complete");
}

TEST_F(SessionTest, discovery_does_not_decide_the_era) {
    auto const probe = R"({"jsonrpc":"2.0","id":"d","method":"server/discover","params":{)" +
                       RawClient::meta() + "}}";
    auto const result = client.ask(probe);
    EXPECT_EQ(at(result, "result", "supportedVersions", 0), "2026-07-28");
    EXPECT_TRUE(at(result, "result", "capabilities", "tools").is_object());
    EXPECT_EQ(at(client.initialize(), "result", "protocolVersion"), "2025-11-25");
    EXPECT_EQ(at(client.ask(call(1, R"("name":"greet","arguments":{"name":"B"})")), "result",
                 "content", 0, "text"),
              "Hello, B");
}

TEST_F(SessionTest, bad_arguments_are_reported_to_the_model) {
    client.initialize();
    auto const answer = client.ask(call(1, R"("name":"greet","arguments":{"name":5})"));
    EXPECT_EQ(at(answer, "result", "isError"), true);
    EXPECT_EQ(at(answer, "result", "_meta", "lanyard/errorKind"), "invalid_arguments");
}

TEST_F(SessionTest, an_unknown_tool_is_an_error) {
    client.initialize();
    auto const answer = client.ask(call(1, R"("name":"nope")"));
    EXPECT_EQ(at(answer, "error", "code"), -32602);
}

TEST_F(SessionTest, ping_is_answered_before_the_handshake) {
    client.send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    EXPECT_EQ(client.next(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

}  // namespace
}  // namespace lanyard::server
