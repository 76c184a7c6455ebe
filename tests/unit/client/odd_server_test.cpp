// Servers that deviate from the protocol: what the client accepts, what it reports, and that no
// call keeps waiting once its answer has arrived.
#include "client_fixture.hpp"

#include <gmock/gmock.h>

namespace lanyard {
namespace {

using ::testing::HasSubstr;

class OddServer : public EachEra {
protected:
    void SetUp() override { open(GetParam()); }

    /// Calls a tool and sends this line as its answer, with "@" replaced by the id.
    Running<CallToolResult> call_answered_with(std::string line) {
        JsonObject const none;
        auto calling = start(client.call_tool("t", none));
        auto const id = boost::json::serialize(server->expect("tools/call").at("id"));
        if (auto const at = line.find('@'); at != std::string::npos) line.replace(at, 1, id);
        server->send(line);
        return calling;
    }
};

TEST_P(OddServer, gets_no_answer_to_lines_that_are_no_messages) {
    for (auto const* line :
         {"{}", "unknown message", "[1,2]", R"({"jsonrpc":"2.0","id":999,"result":{}})",
          R"({"jsonrpc":"2.0","id":999,"result":{"a":NaN}})", R"({"jsonrpc":"2.0","id":999})",
          R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})"}) {
        auto const before = client.limit_counts().violations;
        diagnostics.clear();
        server->send(line);
        EXPECT_TRUE(server->silent()) << line;
        EXPECT_EQ(client.limit_counts().violations, before + 1) << line;
        EXPECT_EQ(diagnostics.size(), 1U) << line;
    }
    auto calling = call_answered_with(R"({"jsonrpc":"2.0","id":@,"result":)" +
                                      complete(R"("content":[])") + "}");
    EXPECT_TRUE(calling.value().content.empty()) << "the connection goes on";
}

TEST_P(OddServer, an_answer_that_cannot_be_read_ends_its_call_at_once) {
    struct Case {
        char const* answer;
        char const* reason;
    };
    for (auto const& [answer, reason] : std::initializer_list<Case>{
             {R"({"jsonrpc":"2.0","id":@,"result":{"content":[],"n":1e400}})", "out of range"},
             {R"({"result":{"content":[],"content":[]},"jsonrpc":"2.0","id":@})", "duplicate key"},
             {R"({"jsonrpc":"2.0","id":@,"result":{"n":NaN}})", "expected a value"},
             {"{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"n\":\"\xff\"}}", "invalid UTF-8"},
             {R"({"jsonrpc":"2.0","id":@,"result":"x"})", "result must be an object"},
             {R"({"jsonrpc":"2.0","id":@,"error":"the disk is full"})", "the disk is full"},
             {R"({"jsonrpc":"2.0","id":@})", "needs method, result or error"},
         }) {
        auto calling = call_answered_with(answer);
        ASSERT_TRUE(calling.done()) << answer;
        EXPECT_TRUE(calling.error().is(Errc::protocol_violation)) << answer;
        EXPECT_THAT(calling.error().message(), HasSubstr(reason));
        EXPECT_TRUE(server->silent()) << "nothing is left to cancel";
    }
    EXPECT_EQ(client.limit_counts().timeouts, 0U);
}

TEST_P(OddServer, the_error_names_the_missing_member_of_a_result) {
    auto calling = call_answered_with(R"({"jsonrpc":"2.0","id":@,"result":null})");
    EXPECT_TRUE(calling.error().is(Errc::protocol_violation));
    EXPECT_THAT(calling.error().message(), HasSubstr("missing required property \"content\""));
}

TEST_P(OddServer, errors_of_any_shape_reach_the_caller) {
    auto without = call_answered_with(R"({"jsonrpc":"2.0","id":@,"error":{"code":-32000}})");
    EXPECT_EQ(without.error().peer_code(), -32000);
    auto real = call_answered_with(
        R"({"jsonrpc":"2.0","id":@,"result":null,"error":{"code":-32001.0,"message":"no"}})");
    EXPECT_EQ(real.error().peer_code(), -32001);
}

TEST_P(OddServer, an_id_as_a_string_and_a_null_error_are_accepted) {
    auto calling = call_answered_with(R"({"jsonrpc":"2.0","id":"@","error":null,"result":)" +
                                      complete(R"("content":[])") + "}");
    EXPECT_TRUE(calling.value().content.empty());
}

TEST_P(OddServer, text_that_was_cut_inside_of_a_character_is_read) {
    auto calling = call_answered_with(
        R"({"jsonrpc":"2.0","id":@,"result":)" +
        complete(R"("content":[{"type":"text","text":"Hello \ud83d"}],"structuredContent":)"
                 R"({"n":123456789012345678901234567890})") +
        "}");
    auto const result = calling.value();
    EXPECT_EQ(std::get<TextContent>(result.content.at(0)).text, "Hello \xEF\xBF\xBD");
    EXPECT_EQ(result.structured_content.to_json().at("n").as_double(),
              123456789012345678901234567890.0);
}

TEST_P(OddServer, one_bad_entry_of_a_list_does_not_hide_the_others) {
    auto listing = start(client.list_tools());
    server->result(server->expect("tools/list"),
                   complete(R"("tools":[{"name":"a","inputSchema":{"type":"object"}},)"
                            R"({"name":7},null,)"
                            R"({"name":"b","description":null,"inputSchema":{"type":"object"}}])"));
    auto const tools = listing.value();
    ASSERT_EQ(tools.size(), 2U);
    EXPECT_EQ(tools[0].name, "a");
    EXPECT_EQ(tools[1].name, "b");
    EXPECT_EQ(client.limit_counts().violations, 2U);
    ASSERT_EQ(diagnostics.size(), 2U);
    EXPECT_THAT(diagnostics[0], HasSubstr("/tools/1/name: must be a string, got an integer"));
    EXPECT_THAT(diagnostics[1], HasSubstr("/tools/2"));
}

TEST_P(OddServer, content_of_an_unknown_kind_does_not_fail_the_result) {
    auto calling = call_answered_with(
        R"({"jsonrpc":"2.0","id":@,"result":)" +
        complete(R"("content":[{"type":"hologram","data":[1]},{"type":"text","text":"a"}],)"
                 R"("isError":null,"_meta":null)") +
        "}");
    auto const result = calling.value();
    ASSERT_EQ(result.content.size(), 2U);
    EXPECT_EQ(std::get<UnknownContent>(result.content[0]).json.text(),
              R"({"type":"hologram","data":[1]})");
    EXPECT_EQ(std::get<TextContent>(result.content[1]).text, "a");
    EXPECT_FALSE(result.is_error);
}

LANYARD_EACH_ERA(OddServer);

}  // namespace
}  // namespace lanyard
