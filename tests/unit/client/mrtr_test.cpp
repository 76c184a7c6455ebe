// Results that ask for input first, and subscription streams, which replace the requests of the
// server since 2026-07-28.
#include "client_fixture.hpp"

namespace lanyard {
namespace {

constexpr auto modern = Version::v2026_07_28;

ElicitResult accept_sure() {
    ElicitResult result;
    result.action = ElicitAction::accept;
    result.content = JsonObject{{"sure", true}};
    return result;
}

constexpr auto question =
    R"({"method":"elicitation/create","params":{"message":"?","requestedSchema":)"
    R"({"type":"object","properties":{"sure":{"type":"boolean"}},"required":["sure"]}}})";

std::string asks(std::string_view requests, std::string_view state = {}) {
    std::string text = R"({"resultType":"input_required")";
    if (!requests.empty()) text += R"(,"inputRequests":)" + std::string(requests);
    if (!state.empty()) text += R"(,"requestState":)" + std::string(state);
    return text + "}";
}

constexpr auto done = R"({"resultType":"complete","content":[{"type":"text","text":"done"}]})";

class Mrtr : public ClientTest {
protected:
    ClientOptions answering() {
        ClientOptions options;
        options.on_elicitation([](ElicitFormParams) { return accept_sure(); });
        options.on_sampling([](CreateMessageParams) {
            CreateMessageResult result;
            result.model = "m";
            result.content.emplace_back(TextContent{"sampled"});
            return result;
        });
        options.roots({Root{"file:///a", ""}});
        return options;
    }
};

TEST_F(Mrtr, questions_are_answered_and_the_request_is_sent_again) {
    open(modern, answering());
    auto calling = start(client.call_tool("purge", {{"path", "/x"}}));
    auto const first = server->expect("tools/call");
    EXPECT_EQ(first.at("params")
                  .at("_meta")
                  .at("io.modelcontextprotocol/clientCapabilities")
                  .at("elicitation"),
              json_of(R"({"form":{}})"));
    server->result(
        first,
        asks(
            R"({"a":)" + std::string(question) +
                R"(,"b":{"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[]}},)"
                R"("c":{"method":"roots/list"}})",
            R"("st\u00e4te\"1")"));
    auto const second = server->expect("tools/call");
    EXPECT_NE(second.at("id"), first.at("id"));
    EXPECT_EQ(second.at("params").at("name"), "purge");
    EXPECT_EQ(second.at("params").at("arguments"), json_of(R"({"path":"/x"})"));
    EXPECT_EQ(second.at("params").at("requestState"), "st\xc3\xa4te\"1");
    auto const& responses = second.at("params").at("inputResponses");
    EXPECT_EQ(responses.at("a"), json_of(R"({"action":"accept","content":{"sure":true}})"));
    EXPECT_EQ(responses.at("b").at("model"), "m");
    EXPECT_EQ(responses.at("c"), json_of(R"({"roots":[{"uri":"file:///a"}]})"));
    server->result(second, done);
    EXPECT_EQ(std::get<TextContent>(calling.value().content.at(0)).text, "done");
}

TEST_F(Mrtr, a_state_is_sent_back_only_if_the_server_sent_one) {
    open(modern, answering());
    auto calling = start(client.get_prompt("p"));
    server->result(server->expect("prompts/get"), asks("", R"("s1")"));
    auto const second = server->expect("prompts/get");
    EXPECT_EQ(second.at("params").at("requestState"), "s1");
    EXPECT_FALSE(second.at("params").as_object().contains("inputResponses"));
    server->result(second, asks(R"({"a":)" + std::string(question) + "}"));
    auto const third = server->expect("prompts/get");
    EXPECT_FALSE(third.at("params").as_object().contains("requestState"));
    server->result(third, R"({"resultType":"complete","messages":[]})");
    EXPECT_TRUE(calling.value().messages.empty());
}

TEST_F(Mrtr, a_call_has_at_most_ten_rounds) {
    open(modern, answering());
    auto calling = start(client.call_tool("x"));
    for (int i = 0; i < 11; ++i) {
        EXPECT_FALSE(calling.done());
        EXPECT_EQ(client.limit_counts().rounds, 0U);
        server->result(server->expect("tools/call"), asks("", R"("s")"));
    }
    EXPECT_TRUE(calling.error().is(Errc::failed));
    EXPECT_EQ(client.limit_counts().rounds, 1U);
    EXPECT_TRUE(server->silent());
}

TEST_F(Mrtr, the_number_of_rounds_is_an_option) {
    open(modern, answering().max_input_rounds(0));
    auto calling = start(client.call_tool("x"));
    server->result(server->expect("tools/call"), asks("", R"("s")"));
    EXPECT_TRUE(calling.error().is(Errc::failed));
}

TEST_F(Mrtr, a_retry_is_never_cached) {
    open(modern, answering());
    auto const contents =
        R"({"resultType":"complete","contents":[],"ttlMs":60000,"cacheScope":"public"})";
    for (int i = 0; i < 2; ++i) {
        auto reading = start(client.read_resource("a:b"));
        server->result(server->expect("resources/read"), asks("", R"("s")"));
        server->result(server->expect("resources/read"), contents);
        EXPECT_TRUE(reading.value().contents.empty());
    }
}

TEST_F(Mrtr, a_question_without_a_handler_is_a_violation) {
    open(modern);
    for (auto const* request :
         {question, R"({"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[]}})",
          R"({"method":"roots/list"})"}) {
        auto calling = start(client.call_tool("x"));
        server->result(server->expect("tools/call"), asks(R"({"q":)" + std::string(request) + "}"));
        EXPECT_TRUE(calling.error().is(Errc::protocol_violation)) << calling.error().what();
        EXPECT_TRUE(server->silent());
    }
}

TEST_F(Mrtr, other_results_that_are_not_complete_are_violations) {
    open(modern, answering());
    auto odd = start(client.call_tool("x"));
    server->result(server->expect("tools/call"), R"({"resultType":"maybe","content":[]})");
    EXPECT_TRUE(odd.error().is(Errc::protocol_violation));
    auto task = start(client.call_tool("x"));
    server->result(server->expect("tools/call"), R"({"resultType":"task","taskId":"t"})");
    EXPECT_TRUE(task.error().is(Errc::protocol_violation));
    auto list = start(client.list_tools());
    server->result(server->expect("tools/list"), asks("", R"("s")"));
    EXPECT_TRUE(list.error().is(Errc::protocol_violation));
    auto empty = start(client.call_tool("x"));
    server->result(server->expect("tools/call"), asks(""));
    EXPECT_TRUE(empty.error().is(Errc::protocol_violation));
    auto bare = start(client.call_tool("x"));
    server->result(server->expect("tools/call"), R"({"content":[]})");
    EXPECT_TRUE(bare.value().content.empty());
}

TEST_F(Mrtr, a_handler_that_fails_ends_the_call) {
    int round = 0;
    ClientOptions options;
    options.on_elicitation([&](ElicitFormParams) -> ElicitResult {
        switch (round++) {
            case 0:
                throw std::runtime_error("no terminal");
            case 1:
                throw 7;
            case 2:
                throw Error(Errc::unauthorized, "not you");
            case 3:
                throw boost::system::system_error(make_error_code(boost::system::errc::io_error));
            default:
                return accept_sure();
        }
    });
    open(modern, options);
    std::string_view const expected[] = {"no terminal", "unknown", "not you", "could not be"};
    for (auto const text : expected) {
        auto calling = start(client.call_tool("x"));
        server->result(server->expect("tools/call"),
                       asks(R"({"q":)" + std::string(question) + "}"));
        EXPECT_NE(calling.error().message().find(text), std::string::npos)
            << calling.error().what();
    }
    EXPECT_TRUE(server->silent());
}

TEST_F(Mrtr, cancelling_while_a_question_is_open_ends_the_call) {
    ClientOptions options;
    options.on_elicitation([this](ElicitFormParams) -> Task<ElicitResult> {
        co_await sleep_until(time, time.now() + 1h);
        co_return accept_sure();
    });
    open(modern, options);
    auto calling = start(client.call_tool("x"));
    server->result(server->expect("tools/call"), asks(R"({"q":)" + std::string(question) + "}"));
    EXPECT_FALSE(calling.done());
    calling.cancel();
    EXPECT_TRUE(calling.error().is(Errc::cancelled)) << calling.error().what();
    EXPECT_TRUE(server->silent());
}

TEST_F(Mrtr, the_log_level_is_sent_with_every_request) {
    std::vector<std::string> seen;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams message) { seen.push_back(message.logger); });
    open(modern, options);
    auto before = start(client.call_tool("x"));
    // With a handler alone, the client requests messages of the level `info` and above.
    auto const first = server->expect("tools/call");
    EXPECT_EQ(first.at("params").at("_meta").at("io.modelcontextprotocol/logLevel"), "info");
    EXPECT_TRUE(start(client.set_log_level(LoggingLevel::warning)).value());
    EXPECT_TRUE(server->silent());
    auto calling = start(client.call_tool("x"));
    auto const request = server->expect("tools/call");
    EXPECT_EQ(request.at("params").at("_meta").at("io.modelcontextprotocol/logLevel"), "warning");
    server->notify("notifications/message", R"({"level":"error","logger":"l","data":1})");
    EXPECT_EQ(seen, std::vector<std::string>{"l"});
}

TEST_F(ClientTest, the_log_level_is_set_by_a_request_in_the_legacy_era) {
    open(Version::v2025_11_25);
    auto setting = start(client.set_log_level(LoggingLevel::warning));
    auto const request = server->expect("logging/setLevel");
    EXPECT_EQ(request.at("params").at("level"), "warning");
    server->result(request, "{}");
    EXPECT_TRUE(setting.value());
}

TEST_F(Mrtr, discovery_can_be_repeated) {
    open(modern);
    auto discovering = start(client.discover());
    server->result(server->expect("server/discover"), discovery());
    EXPECT_EQ(discovering.value().supported_versions, std::vector<std::string>{"2026-07-28"});
}

}  // namespace
}  // namespace lanyard
