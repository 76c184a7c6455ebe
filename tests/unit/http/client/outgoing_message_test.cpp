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

TEST(OutgoingMessage, requests_expect_an_answer) {
    auto const request = read(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
    EXPECT_EQ(request.kind, Kind::request);
    EXPECT_EQ(request.method, "tools/list");
    EXPECT_THAT(request.ids, ElementsAre(7));
    EXPECT_EQ(request.version, "");
    EXPECT_EQ(request.mirrored, "");
}

TEST(OutgoingMessage, only_tool_calls_unknown_methods_and_batches_are_not_repeatable) {
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})").is_repeatable());
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":7,"method":"initialize"})").is_repeatable());
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").is_repeatable());
    EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":7,"result":{}})").is_repeatable());
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":7,"method":"tools/call"})").is_repeatable());
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":7,"method":"acme/launch"})").is_repeatable());
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","method":"acme/launched"})").is_repeatable());
    EXPECT_FALSE(read(R"([{"jsonrpc":"2.0","id":7,"method":"tools/list"}])").is_repeatable());
}

TEST(OutgoingMessage, answers_expect_no_answer) {
    for (auto const* text : {R"({"jsonrpc":"2.0","id":"q","result":{}})",
                             R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"}) {
        EXPECT_EQ(read(text).kind, Kind::answer);
        EXPECT_THAT(read(text).ids, IsEmpty());
    }
}

TEST(OutgoingMessage, a_batch_expects_the_answers_to_its_requests) {
    auto const mixed = read(R"([{"jsonrpc":"2.0","id":1,"method":"a"},
        {"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"},{"broken":1}])");
    EXPECT_EQ(mixed.kind, Kind::request);
    EXPECT_THAT(mixed.ids, ElementsAre(1, 2));
    EXPECT_EQ(read(R"([{"jsonrpc":"2.0","method":"n"}])").kind, Kind::notification);
}

TEST(OutgoingMessage, finds_the_id_of_a_cancelled_request) {
    EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                   R"("params":{"requestId":9}})")
                  .cancels,
              9);
    EXPECT_FALSE(
        read(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})").cancels);
    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})").cancels);
}

TEST(OutgoingMessage, mirrors_only_requests_with_a_version) {
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

// The texts are not messages, so all properties must come from the routes.
TEST(OutgoingMessage, a_route_replaces_the_text) {
    using Route = rpc::Route;
    MirroredArguments const tools;
    Route route{0, Route::Kind::request, "tools/call", 7, "greet"};
    auto const legacy = describe_outgoing("-", route, tools);
    EXPECT_EQ(legacy.kind, Kind::request);
    EXPECT_EQ(legacy.method, "tools/call");
    EXPECT_THAT(legacy.ids, ElementsAre(7));
    EXPECT_EQ(legacy.version, "");
    EXPECT_EQ(legacy.mirrored, "");
    EXPECT_FALSE(legacy.is_repeatable());

    route.version = Version::v2026_07_28;
    auto const modern = describe_outgoing("-", route, tools);
    EXPECT_EQ(modern.version, "2026-07-28");
    EXPECT_EQ(modern.mirrored, "Mcp-Method: tools/call\r\nMcp-Name: greet\r\n");
    route.method = "tools/list";
    route.name = "";
    auto const list = describe_outgoing("-", route, tools);
    EXPECT_EQ(list.mirrored, "Mcp-Method: tools/list\r\n");
    EXPECT_TRUE(list.is_repeatable());

    Route const cancelling{0, Route::Kind::notification, "notifications/cancelled", 7};
    auto const cancelled = describe_outgoing("-", cancelling, tools);
    EXPECT_EQ(cancelled.kind, Kind::notification);
    EXPECT_EQ(cancelled.cancels, 7);
    EXPECT_THAT(cancelled.ids, IsEmpty());

    auto const answer = describe_outgoing("-", {0, Route::Kind::answer}, tools);
    EXPECT_EQ(answer.kind, Kind::answer);
    EXPECT_TRUE(answer.is_repeatable());
}

TEST(OutgoingMessage, a_message_without_a_method_in_its_route_is_read) {
    auto const text = R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})";
    for (auto const kind : {rpc::Route::Kind::notification, rpc::Route::Kind::request}) {
        auto const request = describe_outgoing(text, {0, kind}, MirroredArguments());
        EXPECT_EQ(request.kind, Kind::request);
        EXPECT_EQ(request.method, "tools/list");
        EXPECT_THAT(request.ids, ElementsAre(7));
    }
}

TEST(OutgoingMessage, a_call_with_mirrored_arguments_is_read) {
    MirroredArguments tools;
    json::Document document;
    auto const listed =
        document.parse(R"({"tools":[{"name":"t","inputSchema":{"type":"object",)"
                       R"("properties":{"city":{"type":"string","x-mcp-header":"City"}}}}]})");
    tools.learn(listed.value());
    rpc::Route route{0, rpc::Route::Kind::request, "tools/call", 7, "t", Version::v2026_07_28};
    auto const text = R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t",)"
                      R"("arguments":{"city":"Ulm"},)"
                      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
    EXPECT_EQ(describe_outgoing(text, route, tools).mirrored,
              "Mcp-Method: tools/call\r\nMcp-Name: t\r\nMcp-Param-City: Ulm\r\n");
    route.name = "other";
    EXPECT_EQ(describe_outgoing(text, route, tools).mirrored,
              "Mcp-Method: tools/call\r\nMcp-Name: other\r\n");
}

TEST(OutgoingMessage, invalid_messages_expect_no_answer) {
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
