// The properties of outgoing messages that a client's HTTP transport uses.
#include "http/client/outgoing_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = OutgoingMessage::Kind;

OutgoingMessage read(std::string_view text) {
    return read_outgoing(text, MirroredArguments());
}

TEST(OutgoingMessage, requests_want_an_answer) {
    auto const request = read(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
    EXPECT_EQ(request.kind, Kind::request);
    EXPECT_EQ(request.method, "tools/list");
    EXPECT_THAT(request.ids, ElementsAre(7));
    EXPECT_EQ(request.version, "");
    EXPECT_EQ(request.mirrored, "");
}

TEST(OutgoingMessage, only_tools_and_the_unknown_do_something) {
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})").repeatable);
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":7,"method":"initialize"})").repeatable);
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").repeatable);
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":7,"result":{}})").repeatable);
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":7,"method":"tools/call"})").repeatable);
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":7,"method":"acme/launch"})").repeatable);
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","method":"acme/launched"})").repeatable);
    EXPECT_FALSE(read(R"([{"jsonrpc":"2.0","id":7,"method":"tools/list"}])").repeatable);
}

TEST(OutgoingMessage, answers_want_none) {
    for (auto const* text : {R"({"jsonrpc":"2.0","id":"q","result":{}})",
                             R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"}) {
        EXPECT_EQ(read(text).kind, Kind::answer);
        EXPECT_THAT(read(text).ids, IsEmpty());
    }
}

TEST(OutgoingMessage, a_batch_wants_what_its_requests_want) {
    auto const mixed = read(R"([{"jsonrpc":"2.0","id":1,"method":"a"},
        {"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"},{"broken":1}])");
    EXPECT_EQ(mixed.kind, Kind::request);
    EXPECT_THAT(mixed.ids, ElementsAre(1, 2));
    EXPECT_EQ(read(R"([{"jsonrpc":"2.0","method":"n"}])").kind, Kind::notification);
}

TEST(OutgoingMessage, knows_what_is_cancelled) {
    EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                   R"("params":{"requestId":9}})")
                  .cancels,
              9);
    EXPECT_FALSE(
        read(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})").cancels);
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})").cancels);
}

TEST(OutgoingMessage, mirrors_only_what_names_its_version) {
    auto const meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})";
    auto const with = [&](std::string const& method, std::string const& params) {
        return read(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
                    meta + "}");
    };
    EXPECT_EQ(with("tools/list", "").version, "2026-07-28");
    EXPECT_EQ(with("tools/list", "").mirrored, "Mcp-Method: tools/list\r\n");
    EXPECT_EQ(with("prompts/get", R"("name":"p",)").mirrored,
              "Mcp-Method: prompts/get\r\nMcp-Name: p\r\n");
    EXPECT_EQ(with("prompts/get", R"("name":5,)").mirrored, "Mcp-Method: prompts/get\r\n");
    EXPECT_EQ(with("prompts/get", "").mirrored, "Mcp-Method: prompts/get\r\n");
    EXPECT_EQ(with("acme/x", R"("name":"p",)").mirrored, "Mcp-Method: acme/x\r\n");
    EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{}}})").mirrored, "");
    EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":)"
                   R"({"io.modelcontextprotocol/protocolVersion":5}}})")
                  .version,
              "");
}

TEST(OutgoingMessage, what_is_no_message_wants_nothing) {
    EXPECT_THAT(read("nonsense").ids, IsEmpty());
}

TEST(MirroredArguments, hold_as_much_as_the_limit) {
    MirroredArguments tools;
    auto const padding = std::string(1024 * 1024, 'x');
    for (int i = 0; i < 40; ++i) {
        auto const list = R"({"tools":[{"name":"t)" + std::to_string(i) +
                          R"(","inputSchema":{"type":"object","title":")" + padding +
                          R"(","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}]})";
        json::Document document;
        auto const parsed = document.parse(list);
        ASSERT_TRUE(parsed);
        tools.learn(*parsed);
        EXPECT_LE(tools.bytes(), MirroredArguments::max_bytes);
        EXPECT_GT(tools.bytes(), padding.size());
        tools.learn(*parsed);
    }
    EXPECT_LT(tools.bytes(), 15 * 1024 * 1024U) << "it has started again";
}

}  // namespace
}  // namespace lanyard::http
