// Calls: typed requests and results, guards, errors, timeouts, progress, cancellation.
#include "client_fixture.hpp"

#include <thread>

#include "lanyard/protocol/error_data.hpp"

namespace lanyard {
namespace {

struct Sum {
    int a = 0;
    int b = 0;
    std::string label{};
};
LANYARD_STRUCT(Sum, (a), (b), (label))

class Calls : public EachEra {
protected:
    void SetUp() override { open(GetParam()); }
};

TEST_P(Calls, a_tool_is_called_with_its_arguments) {
    auto calling = start(client.call_tool("add", {{"a", 1}, {"b", 2}}));
    auto const request = server->expect("tools/call");
    EXPECT_EQ(request.at("params").at("name"), "add");
    EXPECT_EQ(request.at("params").at("arguments"), json_of(R"({"a":1,"b":2})"));
    EXPECT_EQ(request.at("params").as_object().contains("_meta"), is_modern());
    server->result(request, complete(R"("content":[{"type":"text","text":"3"}])"));
    auto const result = calling.value();
    EXPECT_FALSE(result.is_error);
    EXPECT_EQ(std::get<TextContent>(result.content.at(0)).text, "3");
}

TEST_P(Calls, arguments_and_results_may_be_structs) {
    Sum const in{1, 2, "x"};
    auto calling = start(client.call<Sum>("add", in));
    auto const request = server->expect("tools/call");
    EXPECT_EQ(request.at("params").at("arguments"), json_of(R"({"a":1,"b":2,"label":"x"})"));
    server->result(request,
                   complete(R"("content":[],"structuredContent":{"a":3,"b":4,"label":"y"})"));
    auto const out = calling.value();
    EXPECT_EQ(out.a, 3);
    EXPECT_EQ(out.label, "y");
}

TEST_P(Calls, text_comes_out_as_a_string_and_as_json) {
    Sum const in;
    auto text = start(client.call<std::string>("say", in));
    server->result(
        server->expect("tools/call"),
        complete(R"("content":[{"type":"text","text":"a"},{"type":"text","text":"b"}])"));
    EXPECT_EQ(text.value(), "a\nb");
    auto json = start(client.call<int>("count"));
    server->result(server->expect("tools/call"),
                   complete(R"("content":[{"type":"text","text":"7"}])"));
    EXPECT_EQ(json.value(), 7);
    auto wrapped = start(client.call<std::vector<int>>("list"));
    server->result(server->expect("tools/call"),
                   complete(R"("content":[],"structuredContent":{"result":[1,2]})"));
    EXPECT_EQ(wrapped.value(), (std::vector<int>{1, 2}));
    auto nothing = start(client.call<void>("run"));
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_TRUE(nothing.value());
    auto whole = start(client.call<CallToolResult>("run"));
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_TRUE(whole.value().content.empty());
}

TEST_P(Calls, an_error_names_the_pages_the_user_has_to_visit) {
    auto calling = start(client.call_tool("pay"));
    auto const request = server->expect("tools/call");
    server->send(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) +
                 R"(,"error":{"code":-32042,"message":"Visit first","data":{"elicitations":[)"
                 R"({"mode":"url","elicitationId":"v1","message":"Please pay",)"
                 R"("url":"https://pay.example/1"}]}}})");
    auto const error = calling.error();
    EXPECT_EQ(error.peer_code(), -32042);
    auto const required = url_elicitation_required(error);
    ASSERT_TRUE(required);
    ASSERT_EQ(required->elicitations.size(), 1U);
    EXPECT_EQ(required->elicitations[0].url, "https://pay.example/1");
    EXPECT_EQ(required->elicitations[0].message, "Please pay");
    EXPECT_EQ(required->elicitations[0].elicitation_id, "v1");
}

TEST(UrlElicitationRequiredTest, other_errors_and_malformed_data_have_no_pages) {
    EXPECT_FALSE(url_elicitation_required(Error(Errc::timeout, "late")));
    EXPECT_FALSE(url_elicitation_required(Error::from_peer(-32602, "bad")));
    EXPECT_FALSE(url_elicitation_required(Error::from_peer(-32042, "visit")));
    EXPECT_FALSE(url_elicitation_required(Error::from_peer(-32042, "visit", R"({"x":1})")));
}

TEST_P(Calls, output_of_another_type_is_an_error) {
    auto wrong = start(client.call<int>("count"));
    server->result(server->expect("tools/call"),
                   complete(R"("content":[{"type":"text","text":"seven"}])"));
    EXPECT_TRUE(wrong.error().is(Errc::protocol_violation));
    auto none = start(client.call<int>("count"));
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_TRUE(none.error().is(Errc::protocol_violation));
}

TEST_P(Calls, a_tool_that_failed_throws_its_text) {
    auto calling = start(client.call<int>("count"));
    server->result(server->expect("tools/call"),
                   complete(R"("isError":true,"content":[{"type":"text","text":"try later"}],)"
                            R"("_meta":{"lanyard/errorKind":"timeout"})"));
    try {
        calling.value();
        FAIL();
    } catch (ToolError const& error) {
        EXPECT_STREQ(error.what(), "try later");
        EXPECT_EQ(error.kind(), ToolErrorKind::timeout);
    }
    auto attempted = start(attempt(client.call<int>("count")));
    server->result(server->expect("tools/call"),
                   complete(R"("isError":true,"content":[],"_meta":{"lanyard/errorKind":"odd"})"));
    auto const outcome = attempted.value();
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(Errc::failed));
    EXPECT_EQ(outcome.error().message(), "the tool failed without saying why");
    auto plain = start(client.call_tool("count"));
    server->result(server->expect("tools/call"), complete(R"("isError":true,"content":[])"));
    EXPECT_TRUE(plain.value().is_error);
}

TEST_P(Calls, an_error_of_the_server_reaches_the_caller) {
    auto calling = start(client.call_tool("nope"));
    server->error(server->expect("tools/call"), -32602, R"({"tool":"nope"})");
    EXPECT_EQ(calling.error().peer_code(), -32602);
    EXPECT_EQ(calling.error().data(), R"({"tool":"nope"})");
    auto attempted = start(attempt(client.call_tool("nope")));
    server->error(server->expect("tools/call"), -32602);
    EXPECT_FALSE(attempted.value());
}

TEST_P(Calls, ping_works_in_every_revision) {
    auto const method = is_modern() ? "server/discover" : "ping";
    auto pinging = start(client.ping());
    server->result(server->expect(method), is_modern() ? discovery() : std::string("{}"));
    EXPECT_TRUE(pinging.done());
    pinging.value();
    auto unanswered = start(client.ping());
    server->expect(method);
    advance(5s);
    EXPECT_TRUE(unanswered.error().is(Errc::timeout));
}

TEST_P(Calls, ping_waits_for_the_ping_timeout) {
    auto const method = is_modern() ? "server/discover" : "ping";
    open(GetParam(), ClientOptions().ping_timeout(1s));
    auto short_ping = start(client.ping());
    server->expect(method);
    advance(1s);
    EXPECT_TRUE(short_ping.error().is(Errc::timeout));
    open(GetParam(), ClientOptions().ping_timeout(0s).timeout(20s));
    auto long_ping = start(client.ping());
    server->expect(method);
    advance(19s);
    EXPECT_FALSE(long_ping.done());
    advance(1s);
    EXPECT_TRUE(long_ping.error().is(Errc::timeout));
}

TEST_P(Calls, discover_returns_the_capabilities_in_every_revision) {
    auto discovering = start(client.discover());
    if (is_modern()) server->result(server->expect("server/discover"), discovery());
    auto const found = discovering.value();
    ASSERT_EQ(found.supported_versions.size(), 1U);
    EXPECT_EQ(found.supported_versions.front(), to_string(client.version()));
    EXPECT_EQ(found.capabilities, client.server_capabilities());
    EXPECT_EQ(found.instructions, client.instructions());
    EXPECT_TRUE(server->silent());
}

TEST_P(Calls, an_invalid_result_is_a_violation) {
    auto calling = start(client.call_tool("odd"));
    server->result(server->expect("tools/call"), complete(R"("content":7)"));
    EXPECT_TRUE(calling.error().is(Errc::protocol_violation));
    EXPECT_NE(calling.error().message().find("/content"), std::string::npos);
    EXPECT_TRUE(client.is_open());
}

TEST_P(Calls, every_method_returns_its_result) {
    auto reading = start(client.read_resource("file:///a"));
    auto request = server->expect("resources/read");
    EXPECT_EQ(request.at("params").at("uri"), "file:///a");
    server->result(request, complete(R"("contents":[{"uri":"file:///a","text":"x"}])"));
    EXPECT_EQ(std::get<TextResourceContents>(reading.value().contents.at(0)).text, "x");

    std::map<std::string, std::string> const arguments{{"who", "Ada"}};
    auto prompting = start(client.get_prompt("greet", arguments));
    request = server->expect("prompts/get");
    EXPECT_EQ(request.at("params").at("arguments").at("who"), "Ada");
    server->result(
        request, complete(R"("messages":[{"role":"user","content":{"type":"text","text":"hi"}}])"));
    EXPECT_EQ(prompting.value().messages.size(), 1U);

    auto completing = start(client.complete_prompt("greet", "who", "A", arguments));
    request = server->expect("completion/complete");
    EXPECT_EQ(request.at("params").at("ref"), json_of(R"({"type":"ref/prompt","name":"greet"})"));
    EXPECT_EQ(request.at("params").at("argument"), json_of(R"({"name":"who","value":"A"})"));
    EXPECT_EQ(request.at("params").at("context").at("arguments").at("who"), "Ada");
    server->result(request, complete(R"("completion":{"values":["Ada"]})"));
    EXPECT_EQ(completing.value().values, std::vector<std::string>{"Ada"});

    auto template_completing = start(client.complete_resource("file:///{p}", "p", ""));
    request = server->expect("completion/complete");
    EXPECT_EQ(request.at("params").at("ref"),
              json_of(R"({"type":"ref/resource","uri":"file:///{p}"})"));
    server->result(request, complete(R"("completion":{"values":[]})"));
    EXPECT_TRUE(template_completing.value().values.empty());
}

TEST_P(Calls, operations_that_the_version_lacks_are_refused_before_a_byte_is_sent) {
    auto const lacks = [&](auto running) {
        EXPECT_TRUE(running.error().is(Errc::unsupported_in_era)) << running.error().what();
    };
    if (is_modern()) {
        lacks(start(client.task_result("t")));
        lacks(start(client.list_tasks()));
        lacks(start(client.request("ping")));
        lacks(start(client.notify("notifications/roots/list_changed")));
    } else {
        lacks(start(client.request("server/discover")));
    }
    EXPECT_TRUE(server->silent());
}

TEST_P(Calls, any_request_can_be_sent) {
    auto calling = start(
        client.request("acme/do", RawJson::trusted(R"({"x":[1,2.5],"_meta":{"acme.com/k":1}})")));
    auto const request = server->expect("acme/do");
    EXPECT_EQ(request.at("params").at("x"), json_of("[1,2.5]"));
    EXPECT_EQ(request.at("params").at("_meta").at("acme.com/k"), 1);
    EXPECT_EQ(request.at("params").at("_meta").as_object().contains(
                  "io.modelcontextprotocol/protocolVersion"),
              is_modern());
    server->result(request, R"({"y":1})");
    EXPECT_EQ(calling.value().text(), R"({"y":1})");
    auto notifying = start(client.notify("notifications/acme", RawJson::trusted(R"({"z":1})")));
    EXPECT_TRUE(notifying.value());
    EXPECT_EQ(server->expect("notifications/acme").at("params").at("z"), 1);
    EXPECT_THROW(static_cast<void>(client.request("acme/do", RawJson::trusted("[1]"))), Error);
}

TEST_P(Calls, a_call_times_out_after_thirty_seconds_and_notifies_the_server) {
    auto calling = start(client.call_tool("slow"));
    auto const request = server->expect("tools/call");
    advance(29999ms);
    EXPECT_FALSE(calling.done());
    EXPECT_EQ(client.limit_counts().timeouts, 0U);
    advance(1ms);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    EXPECT_EQ(client.limit_counts().timeouts, 1U);
    EXPECT_EQ(server->expect("notifications/cancelled").at("params").at("requestId"),
              request.at("id"));
    server->result(request, complete(R"("content":[])"));  // a late answer is ignored
    EXPECT_TRUE(diagnostics.empty());
    auto next = start(client.call_tool("fast"));
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_TRUE(next.value().content.empty());
}

TEST_P(Calls, a_call_may_set_its_own_timeout) {
    auto calling = start(client.call_tool("slow", RawJson(), CallOptions().timeout(2s)));
    server->expect("tools/call");
    advance(2s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
}

TEST_P(Calls, progress_is_reported_and_restarts_the_timeout_up_to_a_maximum) {
    std::vector<double> seen;
    CallOptions options;
    options.timeout(10s).max_total(25s);
    options.on_progress([&](ProgressParams const& progress) {
        seen.push_back(progress.progress);
        EXPECT_EQ(progress.total, 4);
        EXPECT_EQ(progress.message, "working");
        throw std::runtime_error("a handler that throws");
    });
    auto calling = start(client.call_tool("slow", RawJson(), options));
    auto const request = server->expect("tools/call");
    auto const token = boost::json::serialize(request.at("params").at("_meta").at("progressToken"));
    for (int i = 1; i <= 3; ++i) {
        advance(8s);
        EXPECT_FALSE(calling.done());
        server->notify("notifications/progress", R"({"progressToken":)" + token +
                                                     R"(,"progress":)" + std::to_string(i) +
                                                     R"(,"total":4,"message":"working"})");
    }
    advance(1s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    EXPECT_EQ(seen, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(diagnostics.size(), 3U);
    server->notify("notifications/progress",
                   R"({"progressToken":)" + token + R"(,"progress":9,"total":4})");
    EXPECT_EQ(seen.size(), 3U);
}

TEST_P(Calls, cancelling_the_coroutine_cancels_the_call) {
    auto calling = start(client.call_tool("slow"));
    auto const request = server->expect("tools/call");
    calling.cancel();
    EXPECT_TRUE(calling.error().is(Errc::cancelled)) << calling.error().what();
    EXPECT_EQ(server->expect("notifications/cancelled").at("params").at("requestId"),
              request.at("id"));
    server->result(request, complete(R"("content":[])"));
    calling.cancel();
    EXPECT_TRUE(server->silent());
}

TEST_P(Calls, a_stop_request_from_another_thread_cancels_the_call) {
    std::stop_source source;
    auto calling =
        start(client.call_tool("slow", RawJson(), CallOptions().stop_token(source.get_token())));
    auto const request = server->expect("tools/call");
    std::thread([&] { source.request_stop(); }).join();
    EXPECT_TRUE(calling.error().is(Errc::cancelled));
    EXPECT_EQ(server->expect("notifications/cancelled").at("params").at("requestId"),
              request.at("id"));
    auto late =
        start(client.call_tool("slow", RawJson(), CallOptions().stop_token(source.get_token())));
    EXPECT_TRUE(late.error().is(Errc::cancelled));
    EXPECT_TRUE(server->silent());
}

TEST_P(Calls, an_answer_and_a_cancellation_at_once_end_the_call_once) {
    for (bool const answer_first : {true, false}) {
        std::stop_source source;
        auto calling = start(attempt(
            client.call_tool("x", RawJson(), CallOptions().stop_token(source.get_token()))));
        auto const request = server->expect("tools/call");
        auto const answer = R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) +
                            R"(,"result":)" + complete(R"("content":[])") + "}";
        if (answer_first) server->put(answer);
        source.request_stop();
        if (!answer_first) server->put(answer);
        auto const outcome = calling.value();
        // The answer and the cancellation race; if the call was cancelled, the server is notified.
        if (!outcome) {
            EXPECT_TRUE(outcome.error().is(Errc::cancelled));
            server->expect("notifications/cancelled");
        }
        EXPECT_TRUE(server->silent());
        EXPECT_TRUE(diagnostics.empty());
    }
}

TEST_P(Calls, pending_calls_can_be_listed) {
    auto first = start(client.call_tool("a"));
    advance(10s);
    auto second = start(client.list_tools(CallOptions().timeout(5s)));
    auto const pending = start(client.pending()).value();
    ASSERT_EQ(pending.size(), 2U);
    EXPECT_EQ(pending[0].method, "tools/call");
    EXPECT_EQ(pending[0].age, 10s);
    EXPECT_EQ(pending[0].left, 20s);
    EXPECT_EQ(pending[1].method, "tools/list");
    EXPECT_EQ(pending[1].left, 5s);
}

TEST_P(Calls, a_stop_request_after_the_answer_changes_nothing) {
    std::stop_source source;
    auto calling =
        start(client.call_tool("fast", RawJson(), CallOptions().stop_token(source.get_token())));
    auto const request = server->expect("tools/call");
    server->result(request, complete(R"("content":[])"));
    source.request_stop();
    EXPECT_FALSE(calling.value().is_error);
    EXPECT_TRUE(server->silent());
}

TEST_P(Calls, metadata_and_trace_context_are_sent_with_the_call) {
    CallOptions options;
    options.meta(Meta(JsonObject{{"acme.com/k", 1}}));
    options.trace(TraceContext{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "", ""});
    auto calling = start(client.call_tool("x", RawJson(), options));
    auto const request = server->expect("tools/call");
    EXPECT_EQ(request.at("params").at("_meta").at("acme.com/k"), 1);
    EXPECT_EQ(request.at("params").at("_meta").at("traceparent"),
              "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    server->result(request, complete(R"("content":[])"));
    EXPECT_FALSE(calling.value().is_error);
}

TEST_P(Calls, answers_may_come_in_any_order_and_only_once) {
    auto first = start(client.call_tool("a"));
    auto second = start(client.call_tool("b"));
    auto const a = server->expect("tools/call");
    auto const b = server->expect("tools/call");
    server->result(b, complete(R"("content":[{"type":"text","text":"b"}])"));
    server->result(b, complete(R"("content":[{"type":"text","text":"again"}])"));
    EXPECT_FALSE(first.done());
    server->result(a, complete(R"("content":[{"type":"text","text":"a"}])"));
    EXPECT_EQ(std::get<TextContent>(first.value().content.at(0)).text, "a");
    EXPECT_EQ(std::get<TextContent>(second.value().content.at(0)).text, "b");
}

TEST_P(Calls, garbage_from_the_server_is_reported_and_ignored) {
    server->send("{nonsense");
    server->send(R"({"jsonrpc":"2.0","id":4711,"result":{}})");
    server->send(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})");
    EXPECT_EQ(diagnostics.size(), 3U);
    // Only requests are answered.
    EXPECT_TRUE(server->silent());
    auto calling = start(client.call_tool("x"));
    server->result(server->expect("tools/call"), complete(R"("content":[])"));
    EXPECT_FALSE(calling.value().is_error);
}

TEST_P(Calls, many_calls_are_sent_before_any_is_waited_for) {
    std::vector<CallToolParams> calls(3);
    for (int i = 0; i < 3; ++i) calls[static_cast<std::size_t>(i)].name = "t" + std::to_string(i);
    auto calling = start(client.call_all(calls));
    std::vector<Json> requests;
    for (int i = 0; i < 3; ++i) requests.push_back(server->expect("tools/call"));
    server->result(requests[2], complete(R"("content":[{"type":"text","text":"2"}])"));
    server->error(requests[1], -32602);
    EXPECT_FALSE(calling.done());
    server->result(requests[0], complete(R"("content":[{"type":"text","text":"0"}])"));
    auto const outcomes = calling.value();
    ASSERT_EQ(outcomes.size(), 3U);
    EXPECT_EQ(std::get<TextContent>(outcomes[0]->content.at(0)).text, "0");
    EXPECT_EQ(outcomes[1].error().peer_code(), -32602);
    EXPECT_EQ(std::get<TextContent>(outcomes[2]->content.at(0)).text, "2");
    auto none = start(client.call_all({}));
    EXPECT_TRUE(none.value().empty());
}

TEST_P(Calls, cancelling_many_calls_cancels_each) {
    auto calling = start(client.call_all(std::vector<CallToolParams>(2)));
    server->expect("tools/call");
    server->expect("tools/call");
    calling.cancel();
    EXPECT_TRUE(calling.error().is(Errc::cancelled));
    server->expect("notifications/cancelled");
    server->expect("notifications/cancelled");
}

TEST_P(Calls, too_large_params_are_refused_before_they_are_sent) {
    std::string const text(17 * 1024 * 1024, 'x');
    auto calling = start(client.call_tool("x", {{"text", text}}));
    EXPECT_TRUE(calling.error().is(Errc::too_large));
    EXPECT_TRUE(server->silent());
}

LANYARD_EACH_ERA(Calls);

class Guards : public EachEra {};

TEST_P(Guards, operations_without_the_servers_capability_are_refused_before_a_byte_is_sent) {
    open(GetParam(), {}, "{}");
    auto const misses = [&](auto running, std::string_view capability) {
        auto const error = running.error();
        EXPECT_TRUE(error.is(Errc::capability_missing)) << error.what();
        EXPECT_NE(error.data().find(capability), std::string::npos) << error.data();
    };
    misses(start(client.list_tools()), "tools");
    misses(start(client.call_tool("x")), "tools");
    misses(start(client.read_resource("a:b")), "resources");
    misses(start(client.subscribe("a:b")), "resources.subscribe");
    misses(start(client.get_prompt("x")), "prompts");
    misses(start(client.complete_prompt("x", "y", "z")), "completions");
    misses(start(client.set_log_level(LoggingLevel::info)), "logging");
    misses(start(client.request("tools/call")), "tools");
    misses(start(client.set_roots({})), "roots");
    misses(start(client.notify_roots_changed()), "roots");
    EXPECT_TRUE(server->silent());
}

TEST_P(Guards, a_call_beyond_the_limit_of_pending_ones_is_refused) {
    ClientOptions options;
    options.max_pending(1);
    open(GetParam(), options);
    auto first = start(client.call_tool("a"));
    EXPECT_EQ(client.limit_counts().refused, 0U);
    auto second = start(client.call_tool("b"));
    EXPECT_TRUE(second.error().is(Errc::too_many_pending));
    EXPECT_EQ(client.limit_counts().refused, 1U);
    EXPECT_FALSE(first.done());
}

LANYARD_EACH_ERA(Guards);

}  // namespace
}  // namespace lanyard
