// A client's requests over HTTP: their content, the effect of each answer, and which are retried.
#include "http/client/client_machine.hpp"

#include "unit/http/client/client_machine_harness.hpp"

namespace lanyard::http {
namespace {

using test::cancelled;
using test::initialize;
using test::MachineHarness;
using test::request;
using test::result;
using test::stateless_request;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Stage = CallLoss::Stage;

TEST(ClientMachine, posts_each_message_separately_and_accepts_both_kinds_of_answers) {
    MachineHarness harness;
    harness.open_session();
    harness.send(request(2));
    harness.send(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
    ASSERT_THAT(harness.lines(), ElementsAre("POST /mcp", "POST /mcp"));
    auto const& call = harness.calls[0];
    EXPECT_EQ(call["Accept"], "application/json, text/event-stream");
    EXPECT_EQ(call["Content-Type"], "application/json");
    EXPECT_EQ(call["Host"], "a.example");
    EXPECT_EQ(call.body, request(2));
    EXPECT_EQ(call.lane, SlotKind::call);
    EXPECT_EQ(harness.calls[1].lane, SlotKind::message);
}

TEST(ClientMachine, sends_session_and_version_once_they_are_known) {
    MachineHarness harness;
    harness.send(initialize);
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "-");
    EXPECT_EQ(harness.last()["MCP-Protocol-Version"], "-");
    MachineHarness open;
    open.open_session("s-7");
    open.send(request(2));
    EXPECT_EQ(open.last()["Mcp-Session-Id"], "s-7");
    EXPECT_EQ(open.last()["MCP-Protocol-Version"], "2025-11-25");
    EXPECT_EQ(open.last()["Mcp-Method"], "-");
}

TEST(ClientMachine, older_revisions_do_not_get_the_version_header) {
    MachineHarness harness;
    harness.open_session("s", "2025-03-26");
    harness.send(request(2));
    EXPECT_EQ(harness.last()["MCP-Protocol-Version"], "-");
}

TEST(ClientMachine, an_invalid_session_id_is_ignored) {
    MachineHarness harness;
    harness.open_session("a b");
    harness.send(request(2));
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "-");
}

TEST(ClientMachine, mirrors_the_method_and_name_of_a_modern_request) {
    MachineHarness harness;
    harness.send(stateless_request(1, "tools/call", R"("name":"größe")"));
    EXPECT_EQ(harness.last()["MCP-Protocol-Version"], "2026-07-28");
    EXPECT_EQ(harness.last()["Mcp-Method"], "tools/call");
    EXPECT_EQ(harness.last()["Mcp-Name"], "=?base64?Z3LDtsOfZQ==?=");
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "-");
    harness.send(stateless_request(2, "resources/read", R"("uri":"file:///a b")"));
    EXPECT_EQ(harness.last()["Mcp-Name"], "file:///a b");
    harness.send(stateless_request(3, "tools/list", ""));
    EXPECT_EQ(harness.last()["Mcp-Name"], "-");
    harness.send(R"({"jsonrpc":"2.0","method":"notifications/x"})");
    EXPECT_EQ(harness.last()["MCP-Protocol-Version"], "2026-07-28");
}

TEST(ClientMachine, mirrors_the_arguments_that_a_listed_tool_annotates) {
    MachineHarness harness;
    auto const call = stateless_request(
        2, "tools/call", R"("name":"t","arguments":{"region":" eu","count":3,"on":true,"x":null})");
    harness.send(call);
    EXPECT_EQ(harness.last()["Mcp-Param-Region"], "-");
    harness.send(stateless_request(1, "tools/list", ""));
    harness.answer(MachineHarness::json(result(1, R"({"tools":[{"name":"t","inputSchema":{
        "type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"},
            "count":{"type":"integer","x-mcp-header":"Count"},
            "on":{"type":"boolean","x-mcp-header":"On"},
            "x":{"type":"string","x-mcp-header":"X"},
            "y":{"type":"string","x-mcp-header":"Y"}}}},{"name":"u"},{"inputSchema":{}}]})")));
    harness.send(call);
    EXPECT_EQ(harness.last()["Mcp-Param-Region"], "=?base64?IGV1?=");
    EXPECT_EQ(harness.last()["Mcp-Param-Count"], "3");
    EXPECT_EQ(harness.last()["Mcp-Param-On"], "true");
    EXPECT_EQ(harness.last()["Mcp-Param-X"], "-");
    EXPECT_EQ(harness.last()["Mcp-Param-Y"], "-");
    // After a list without the annotation, the header is no longer sent.
    harness.send(stateless_request(3, "tools/list", ""));
    harness.answer(MachineHarness::json(
        result(3, R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})")));
    harness.send(call);
    EXPECT_EQ(harness.last()["Mcp-Param-Region"], "-");
}

TEST(ClientMachine, sends_custom_headers_and_the_whole_url_to_a_proxy) {
    ClientMachineOptions options;
    options.authorization = "Bearer abc";
    options.headers = "X-One: 1\r\n";
    options.absolute_targets = true;
    MachineHarness harness(options, "http://a.example:81/mcp?k=v");
    harness.send(stateless_request(1));
    EXPECT_EQ(harness.last().line, "POST http://a.example:81/mcp?k=v");
    EXPECT_EQ(harness.last()["Host"], "a.example:81");
    EXPECT_EQ(harness.last()["Authorization"], "Bearer abc");
    EXPECT_EQ(harness.last()["X-One"], "1");
}

TEST(ClientMachine, delivers_a_json_answer) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    harness.answer(MachineHarness::json(result(1)));
    EXPECT_THAT(harness.frames(), ElementsAre(result(1)));
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientMachine, delivers_every_message_of_a_stream_as_it_arrives) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    auto const id = harness.last().id;
    harness.feed(id, MachineHarness::stream);
    harness.feed(id, ": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre(R"({"jsonrpc":"2.0","method":"n"})"));
    harness.feed(id, "event: other\ndata: {}\n\nevent: message\ndata: " + result(1) + "\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre(result(1)));
    harness.finish(id);
    EXPECT_THAT(harness.frames(), IsEmpty());
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientMachine, a_stream_that_continues_after_its_answer_is_closed_after_a_second) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    auto const id = harness.last().id;
    harness.feed(id, std::string(MachineHarness::stream) + "data: " + result(1) + "\n\n");
    EXPECT_EQ(harness.pass(), std::chrono::seconds(1));
    EXPECT_THAT(harness.aborted, ElementsAre(id));
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientMachine, invalid_messages_of_a_stream_are_delivered_unchanged) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    harness.feed(harness.last().id, std::string(MachineHarness::stream) + "data: nonsense\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre("nonsense"));
}

TEST(ClientMachine, an_answer_that_cannot_be_read_ends_its_request_in_the_session) {
    std::string const answer = R"({"jsonrpc":"2.0","id":1,"result":{"a":NaN}})";
    MachineHarness json;
    json.send(stateless_request(1));
    json.answer(MachineHarness::json(answer));
    EXPECT_THAT(json.frames(), ElementsAre(answer));
    EXPECT_TRUE(json.machine.idle());
    MachineHarness stream;
    stream.send(stateless_request(1));
    stream.answer(std::string(MachineHarness::stream) + "data: " + answer + "\n\n");
    EXPECT_THAT(stream.frames(), ElementsAre(answer)) << "and no failure when the stream ends";
    EXPECT_TRUE(stream.machine.idle());
}

TEST(ClientMachine, an_answer_without_an_id_fails_the_request_with_the_reason) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    harness.answer(MachineHarness::json(R"({"jsonrpc":"2.0","result":{"a":NaN}})"));
    EXPECT_THAT(harness.frames(), ElementsAre(AllOf(StartsWith("failed 1 protocol_violation"),
                                                    HasSubstr("expected a value, found 'N'"))));
}

TEST(ClientMachine, an_answer_may_name_its_request_by_a_string) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    std::string const answer = R"({"jsonrpc":"2.0","id":"1","result":{}})";
    harness.answer(MachineHarness::json(answer));
    EXPECT_THAT(harness.frames(), ElementsAre(answer));
}

TEST(ClientMachine, an_event_beyond_the_limit_fails_the_request) {
    ClientMachineOptions options;
    options.max_event_bytes = 64;
    MachineHarness harness(options);
    harness.send(stateless_request(1));
    harness.feed(harness.last().id,
                 std::string(MachineHarness::stream) + "data: " + std::string(100, 'x'));
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 1 too_large")));
    EXPECT_THAT(harness.aborted, ElementsAre(harness.last().id));
}

TEST(ClientMachine, a_stream_without_the_answer_fails_a_stateless_request) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    harness.answer(std::string(MachineHarness::stream) + "id: 7\ndata:\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 1 transport_down")));
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientMachine, invalid_answers_fail_the_request) {
    struct Case {
        std::string answer;
        std::string failure;
    };
    Case const cases[] = {
        {std::string(MachineHarness::accepted), "protocol_violation: the server accepted"},
        {"HTTP/1.1 200 X\r\nContent-Type: text/html\r\n\r\n<p>",
         "protocol_violation: the server's"},
        {MachineHarness::json("nonsense"), "protocol_violation: the server's answer is no message"},
        {MachineHarness::json(result(9)), "protocol_violation: the server answered another"},
        {"HTTP/1.1 404 X\r\nContent-Type: text/html\r\n\r\n<p>Cannot\n  POST</p>",
         "failed: the server answered HTTP 404: <p>Cannot POST</p>"},
        {MachineHarness::status(400), "failed: the server answered HTTP 400"},
        {MachineHarness::status(401), "unauthorized: "},
        {MachineHarness::status(403), "unauthorized: "},
        {MachineHarness::status(408), "timeout: "},
        {MachineHarness::status(413), "too_large: "},
        {MachineHarness::status(429), "rate_limited: "},
        {MachineHarness::status(500), "unavailable: "},
        {MachineHarness::status(503), "unavailable: "},
        {MachineHarness::json(R"({"message":"no"})", "", 500),
         "unavailable: the server answered "
         "HTTP 500: no"},
        {MachineHarness::json(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"tok"}})", "",
                              401),
         "unauthorized: the server answered HTTP 401: tok"},
    };
    for (auto const& each : cases) {
        MachineHarness harness;
        harness.send(stateless_request(1));
        harness.answer(each.answer);
        auto const frames = harness.frames();
        // Other frames may come before, such as an answer to another request.
        EXPECT_THAT(frames.back(), HasSubstr("failed 1 " + each.failure)) << each.answer;
        EXPECT_TRUE(harness.machine.idle()) << each.answer;
    }
}

TEST(ClientMachine, a_refusal_reports_the_status_and_the_challenge) {
    MachineHarness harness;
    ClientInbox inbox;
    harness.send(stateless_request(1));
    harness.answer(MachineHarness::status(401, "WWW-Authenticate: Bearer scope=\"x\"\r\n"));
    EXPECT_THAT(harness.frames(), ElementsAre(HasSubstr("HTTP 401")));
}

TEST(ClientMachine, json_rpc_errors_are_delivered_for_any_status) {
    std::string const error =
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method"}})";
    for (int const status : {200, 400, 404, 500}) {
        MachineHarness harness;
        harness.send(stateless_request(1));
        harness.answer(MachineHarness::json(error, "", status));
        EXPECT_THAT(harness.frames(), ElementsAre(error)) << status;
        EXPECT_TRUE(harness.machine.idle());
    }
}

TEST(ClientMachine, an_error_without_an_id_ends_its_request) {
    for (std::string const id : {"", R"("id":null,)"}) {
        MachineHarness harness;
        harness.send(stateless_request(1));
        harness.answer(MachineHarness::json(
            R"({"jsonrpc":"2.0",)" + id + R"("error":{"code":-32000,"message":"no session"}})", "",
            400));
        EXPECT_THAT(harness.frames(), ElementsAre("failed 1 -32000: no session"));
    }
}

TEST(ClientMachine, an_http_500_is_not_taken_for_an_answer_to_the_probe) {
    MachineHarness harness;
    harness.send(stateless_request(1, "server/discover", ""));
    harness.answer(MachineHarness::json(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"oops"}})", "", 500));
    EXPECT_THAT(harness.frames(),
                ElementsAre("failed 1 unavailable: the server answered HTTP 500: oops"));
}

TEST(ClientMachine, unsent_requests_are_tried_three_more_times) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    for (int const seconds : {1, 2, 4}) {
        harness.lose(harness.last().id, Stage::unsent, false, Error(Errc::unavailable, "refused"));
        EXPECT_NEAR(std::chrono::duration<double>(harness.pass()).count(), seconds, seconds * 0.21);
    }
    EXPECT_EQ(harness.calls.size(), 4U);
    harness.lose(harness.last().id, Stage::unsent, false, Error(Errc::unavailable, "refused"));
    EXPECT_THAT(harness.frames(), ElementsAre("failed 1 unavailable: refused"));
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientMachine, unsent_requests_are_tried_as_often_as_the_options_allow) {
    ClientMachineOptions options;
    options.request_retries = unsent_backoff(1, std::chrono::seconds(10));
    MachineHarness harness(options);
    harness.send(stateless_request(1));
    harness.lose(harness.last().id, Stage::unsent, false, Error(Errc::unavailable, "refused"));
    EXPECT_NEAR(std::chrono::duration<double>(harness.pass()).count(), 10, 2.1);
    harness.lose(harness.last().id, Stage::unsent, false, Error(Errc::unavailable, "refused"));
    EXPECT_THAT(harness.frames(), ElementsAre("failed 1 unavailable: refused"));
}

TEST(ClientMachine, requests_to_a_busy_server_are_repeated_as_often_as_the_options_allow) {
    ClientMachineOptions options;
    options.max_refusal_retries = 1;
    MachineHarness harness(options);
    harness.send(stateless_request(1));
    auto const busy = MachineHarness::status(503, "Retry-After: 2\r\n");
    harness.answer(busy);
    EXPECT_EQ(harness.pass(), std::chrono::seconds(2));
    harness.answer(busy);
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 1 unavailable")));
}

TEST(ClientMachine, a_full_queue_and_a_refused_client_are_not_retried) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    harness.lose(harness.last().id, Stage::unsent, false, Error(Errc::busy, "full"));
    EXPECT_THAT(harness.frames(), ElementsAre("failed 1 busy: full"));
    harness.send(stateless_request(2));
    harness.lose(harness.last().id, Stage::unsent, false, Error(Errc::unauthorized, "who?"));
    EXPECT_THAT(harness.frames(), ElementsAre("failed 2 unauthorized: who?"));
}

TEST(ClientMachine, repeatable_requests_are_repeated_once_after_a_stale_connection) {
    MachineHarness harness;
    harness.send(stateless_request(1, "tools/list", ""));
    harness.lose(harness.last().id, Stage::unanswered, true);
    ASSERT_EQ(harness.calls.size(), 2U);
    EXPECT_TRUE(harness.last().fresh);
    harness.lose(harness.last().id, Stage::unanswered, true);
    EXPECT_THAT(harness.frames(), ElementsAre("failed 1 transport_down: gone"));
    // A tool call is not repeated, because the tool may have run.
    harness.send(stateless_request(2));
    harness.lose(harness.last().id, Stage::unanswered, true);
    EXPECT_THAT(harness.frames(), ElementsAre("failed 2 transport_down: gone"));
    // It is repeated if it was not sent.
    harness.send(stateless_request(3));
    harness.lose(harness.last().id, Stage::unsent, true);
    EXPECT_TRUE(harness.last().fresh);
    EXPECT_THAT(harness.frames(), IsEmpty());
    // A new connection is not stale, so the request is not repeated.
    harness.send(stateless_request(4, "tools/list", ""));
    harness.lose(harness.last().id, Stage::unanswered, false);
    EXPECT_THAT(harness.frames(), ElementsAre("failed 4 transport_down: gone"));
}

TEST(ClientMachine, an_answer_is_sent_again_if_its_connection_breaks) {
    MachineHarness harness;
    harness.open_session();
    auto const before = harness.calls.size();
    harness.send(result(7));
    harness.lose(harness.last().id, Stage::unanswered);
    EXPECT_EQ(harness.calls.size(), before + 1);
    harness.pass();
    ASSERT_EQ(harness.calls.size(), before + 2);
    harness.answer(MachineHarness::accepted);
    EXPECT_TRUE(harness.machine.idle());
    EXPECT_THAT(harness.frames(), IsEmpty());
}

TEST(ClientMachine, requests_to_a_busy_server_are_repeated_after_retry_after_on_a_new_connection) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    auto const busy = MachineHarness::status(503, "Retry-After: 2\r\n");
    for (int i = 0; i < 3; ++i) {
        harness.answer(busy);
        EXPECT_EQ(harness.pass(), std::chrono::seconds(2));
        EXPECT_TRUE(harness.last().fresh);
    }
    harness.answer(busy);
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 1 unavailable")));
    for (std::string const when : {"3600", "-1", "soon"}) {
        harness.send(stateless_request(2));
        harness.answer(MachineHarness::status(503, "Retry-After: " + when + "\r\n"));
        EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 2 unavailable"))) << when;
    }
}

TEST(ClientMachine, follows_redirects_to_its_own_server_only) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    harness.answer(MachineHarness::status(307, "Location: /other\r\n"));
    EXPECT_EQ(harness.last().line, "POST /other");
    EXPECT_EQ(harness.last().body, stateless_request(1));
    harness.answer(MachineHarness::status(307, "Location: http://b.example/mcp\r\n"));
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 1 failed: the server redirects")));
    harness.send(stateless_request(2));
    harness.answer(MachineHarness::status(303, "Location: /other\r\n"));
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 2 failed: the server redirects")));
    harness.send(stateless_request(3));
    for (int i = 0; i < max_redirects; ++i) {
        harness.answer(MachineHarness::status(308, "Location: /again\r\n"));
    }
    harness.answer(MachineHarness::status(308, "Location: /again\r\n"));
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 3 failed: the server redirects")));
}

TEST(ClientMachine, a_stateless_request_is_cancelled_by_closing_its_connection) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    auto const id = harness.last().id;
    harness.send(cancelled(1));
    EXPECT_EQ(harness.calls.size(), 1U) << "nothing is posted";
    EXPECT_THAT(harness.aborted, ElementsAre(id));
    EXPECT_TRUE(harness.machine.idle());
    harness.send(cancelled(1));
    harness.send(cancelled(99));
    EXPECT_EQ(harness.calls.size(), 1U);
}

TEST(ClientMachine, in_a_session_the_server_is_notified_of_a_cancellation) {
    MachineHarness harness;
    harness.open_session();
    harness.send(request(2));
    auto const id = harness.last().id;
    harness.send(cancelled(2));
    EXPECT_THAT(harness.aborted, ElementsAre(id));
    EXPECT_EQ(harness.last().body, cancelled(2));
    EXPECT_EQ(harness.last().lane, SlotKind::message);
    harness.answer(MachineHarness::accepted);
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientMachine, unsent_requests_are_cancelled_without_a_notification) {
    MachineHarness harness;
    harness.open_session();
    harness.send(request(2));
    harness.lose(harness.last().id, Stage::unsent);
    harness.send(cancelled(2));
    EXPECT_EQ(harness.calls.size(), 1U);
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientMachine, a_batch_ends_when_all_its_requests_are_answered) {
    MachineHarness harness;
    harness.open_session("s", "2025-03-26");
    harness.send("[" + request(2) + "," + request(3) + "]");
    auto const id = harness.last().id;
    harness.feed(id, std::string(MachineHarness::stream) + "id: 1\ndata: " + result(2) + "\n\n");
    harness.send(cancelled(3));
    EXPECT_EQ(harness.last().body, cancelled(3));
    harness.send("[" + request(4) + "," + request(5) + "]");
    harness.answer(MachineHarness::json("[" + result(4) + "," + result(5) + "]"));
    harness.send("[" + request(6) + "," + request(7) + "]");
    harness.answer(MachineHarness::status(500));
    EXPECT_THAT(harness.frames(), ElementsAre(result(2), "[" + result(4) + "," + result(5) + "]",
                                              StartsWith("failed 6 unavailable"),
                                              StartsWith("failed 7 unavailable")));
}

TEST(ClientMachine, a_message_that_the_server_does_not_accept_is_given_up) {
    MachineHarness harness;
    harness.open_session();
    harness.send(R"({"jsonrpc":"2.0","id":5,"result":{}})");
    EXPECT_EQ(harness.pass(), std::chrono::seconds(30));
    EXPECT_THAT(harness.aborted, ElementsAre(harness.last().id));
    EXPECT_TRUE(harness.machine.idle());
    harness.send(R"({"jsonrpc":"2.0","id":6,"error":{"code":1,"message":"x"}})");
    harness.answer(MachineHarness::status(400));
    EXPECT_TRUE(harness.machine.idle());
    EXPECT_THAT(harness.frames(), IsEmpty());
}

TEST(ClientMachine, long_streams_use_slots_for_streams) {
    MachineHarness harness;
    harness.send(stateless_request(1, "subscriptions/listen", R"("notifications":{})"));
    EXPECT_EQ(harness.last().lane, SlotKind::stream);
}

TEST(ClientMachine, counts_messages_that_the_server_has_not_accepted) {
    MachineHarness harness;
    harness.open_session();
    auto const answer = result(7);
    for (int i = 0; i < 3; ++i) harness.send(answer);
    harness.send(request(2));
    EXPECT_EQ(harness.machine.unaccepted(), 3U);
    EXPECT_EQ(harness.machine.unaccepted_bytes(), 3 * answer.size());
    harness.answer(harness.calls[0].id, MachineHarness::accepted);
    harness.lose(harness.calls[1].id, CallLoss::Stage::answering);
    EXPECT_EQ(harness.machine.unaccepted(), 1U);
    // A message that the server does not accept is dropped after 30 seconds.
    harness.pass(std::chrono::seconds(30));
    EXPECT_EQ(harness.machine.unaccepted(), 0U);
    EXPECT_EQ(harness.machine.unaccepted_bytes(), 0U);
    harness.send(answer);
    harness.machine.abandon();
    EXPECT_EQ(harness.machine.unaccepted(), 0U);
    EXPECT_EQ(harness.machine.unaccepted_bytes(), 0U);
}

}  // namespace
}  // namespace lanyard::http
