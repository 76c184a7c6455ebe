// Stateless requests (2026-07-28): statuses, headers that repeat the body, JSON or a stream,
// closing as cancelling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using State = RecordingReply::State;

std::string const tools_list = stateless_request("tools/list");
std::string const answered_at_once = stateless_request("tools/list", R"(,"now":1)");

TEST(Rule, M38_an_immediate_answer_is_json) {
    McpBench bench;
    auto const call = bench.post(answered_at_once, stateless_headers("tools/list"));
    EXPECT_EQ(call->reply.state(), State::whole);
    EXPECT_EQ(call->status(), Status::ok);
    EXPECT_TRUE(call->is_json());
    EXPECT_EQ(call->text(), R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}})");
    EXPECT_EQ(call->reply.session_id(), "");
    EXPECT_EQ(bench.counters().stateless_requests, 1U);
}

TEST(Rule, M38_a_later_answer_is_json_if_no_notification_was_sent_before) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    EXPECT_EQ(call->reply.state(), State::pending);
    EXPECT_TRUE(call->reply.watched());
    bench.scripted.held.front()->answer("{}");
    EXPECT_EQ(call->reply.state(), State::whole);
    EXPECT_TRUE(call->is_json());
}

TEST(Rule, M40_a_notification_turns_the_answer_into_a_stream_that_ends_with_the_result) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    auto& held = *bench.scripted.held.front();
    held.responder->notify("notifications/progress", R"({"progressToken":1,"progress":1})");
    EXPECT_TRUE(call->is_stream());
    EXPECT_EQ(call->reply.flushed(), "");
    held.responder->flush();
    EXPECT_THAT(call->reply.flushed(), StartsWith("event: message\ndata: "));
    held.answer("{}");
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_EQ(call->messages(),
              (std::vector<std::string>{R"({"jsonrpc":"2.0","method":"notifications/progress",)"
                                        R"("params":{"progressToken":1,"progress":1}})",
                                        R"({"jsonrpc":"2.0","id":7,"result":{}})"}));
    EXPECT_EQ(call->last_id(), "") << "there is nothing to resume";
    EXPECT_EQ(call->reply.misuses(), 0U);
}

TEST(Hardening, R08_a_call_without_output_becomes_a_stream) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    call->reply.stay_silent();
    EXPECT_EQ(call->reply.state(), State::streaming);
    EXPECT_TRUE(call->is_stream());
    call->reply.stay_silent();
    bench.scripted.held.front()->answer("{}");
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_THAT(call->messages(), SizeIs(1));
    EXPECT_EQ(call->reply.misuses(), 0U);
}

TEST(Hardening, R08_an_answer_that_has_to_be_json_has_no_heartbeats) {
    McpBench bench(McpHttpOptions().answers(HttpAnswers::json));
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    call->reply.stay_silent();
    EXPECT_EQ(call->reply.state(), State::pending);
    bench.scripted.held.front()->answer("{}");
    EXPECT_TRUE(call->is_json());
}

TEST(Rule, M40_an_error_after_a_notification_is_the_last_event) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    auto& held = *bench.scripted.held.front();
    held.responder->notify("notifications/message", "{}");
    held.fail(wire::translate(wire::Condition::method_not_found, newest_version));
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_EQ(call->status(), Status::ok) << "the head had gone out before";
    EXPECT_THAT(call->messages().back(), HasSubstr("-32601"));
}

TEST(Rule, M45_an_error_has_the_status_of_its_condition) {
    McpBench bench;
    auto const status_of = [&](wire::Condition condition) {
        auto const call = bench.post(tools_list, stateless_headers("tools/list"));
        bench.scripted.held.back()->fail(wire::translate(condition, newest_version));
        EXPECT_THAT(call->text(), HasSubstr(R"("id":7)"));
        return call;
    };
    EXPECT_EQ(status_of(wire::Condition::method_not_found)->status(), Status::not_found);
    EXPECT_EQ(status_of(wire::Condition::unknown_tool)->status(), Status::ok);
    EXPECT_EQ(status_of(wire::Condition::missing_metadata)->status(), Status::bad_request);
    auto const busy = status_of(wire::Condition::overloaded);
    EXPECT_EQ(busy->status(), Status::service_unavailable);
    EXPECT_EQ(busy->reply.more(), "Retry-After: 1\r\n");
}

TEST(Retry, a_request_that_may_have_run_gets_no_retry_after) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    auto error = wire::translate(wire::Condition::shutting_down, newest_version);
    error.may_have_run = true;
    bench.scripted.held.back()->fail(error);
    EXPECT_EQ(call->status(), Status::service_unavailable);
    EXPECT_EQ(call->reply.more(), "");
}

TEST(Rule, M37_a_notification_is_accepted_without_a_body_and_without_headers) {
    McpBench bench;
    auto const call = bench.post(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"_meta":{)"
        R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
    EXPECT_EQ(call->status(), Status::accepted);
    EXPECT_EQ(call->text(), "");
    EXPECT_THAT(bench.scripted.held, SizeIs(0));
    EXPECT_THAT(bench.scripted.connections, SizeIs(0));
    auto const by_header = bench.post(notification("notifications/cancelled"),
                                      {{"MCP-Protocol-Version", "2026-07-28"}});
    EXPECT_EQ(by_header->status(), Status::accepted);
}

TEST(Rule, M34_an_answer_of_the_client_is_refused) {
    McpBench bench;
    for (auto const* body : {R"({"jsonrpc":"2.0","id":1,"result":{}})",
                             R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"}) {
        auto const call = bench.post(body, {{"MCP-Protocol-Version", "2026-07-28"}});
        EXPECT_EQ(call->status(), Status::bad_request);
        EXPECT_THAT(call->text(), HasSubstr("-32600"));
    }
}

TEST(Rule, M34_a_batch_is_refused) {
    McpBench bench;
    auto const call = bench.post("[" + tools_list + "]", stateless_headers("tools/list"));
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr("-32600"));
    EXPECT_THAT(call->text(), Not(HasSubstr("\"id\"")));
    EXPECT_THAT(bench.scripted.held, SizeIs(0));
}

TEST(Rule, M42_closing_the_connection_cancels_the_request) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    call->reply.disconnect();
    auto& held = *bench.scripted.held.front();
    EXPECT_EQ(held.cancelled, "the client has closed the connection");
    EXPECT_EQ(call->text(), "");
    // The responder can be used for the next request.
    auto const next = bench.post(answered_at_once, stateless_headers("tools/list"));
    EXPECT_EQ(next->status(), Status::ok);
}

TEST(Rule, M42_closing_a_stream_cancels_the_request_and_nothing_more_is_sent) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    auto& held = *bench.scripted.held.front();
    auto* const responder = held.responder;
    responder->notify("notifications/message", "{}");
    call->reply.disconnect();
    EXPECT_FALSE(responder->active());
    EXPECT_FALSE(responder->attach(held));
    EXPECT_EQ(responder->begin_result(), nullptr);
    responder->notify("notifications/message", "{}");
    responder->fail(wire::translate(wire::Condition::internal_error, newest_version));
    responder->abandon();
    responder->flush();
    EXPECT_THAT(call->messages(), SizeIs(1));
}

TEST(StatelessRequest, an_abandoned_request_ends) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    std::exchange(bench.scripted.held.back()->responder, nullptr)->abandon();
    EXPECT_EQ(call->reply.state(), State::whole);
    EXPECT_THAT(call->text(), HasSubstr("\"error\""));
    auto const stream = bench.post(tools_list, stateless_headers("tools/list"));
    bench.scripted.held.back()->responder->notify("notifications/message", "{}");
    std::exchange(bench.scripted.held.back()->responder, nullptr)->abandon();
    EXPECT_EQ(stream->reply.state(), State::finished);
}

TEST(StatelessRequest, notifications_to_a_client_that_does_not_read_are_dropped) {
    McpBench bench;
    auto const call = bench.post(tools_list, stateless_headers("tools/list"));
    auto& held = *bench.scripted.held.front();
    held.responder->notify("notifications/message", R"({"n":1})");
    call->reply.set_unsent(2'000'000, true);
    held.responder->notify("notifications/message", R"({"n":2})");
    call->reply.set_unsent(0, false);
    held.answer("{}");
    EXPECT_THAT(call->messages(), SizeIs(2));
}

TEST(StatelessRequest, answers_can_be_forced_into_one_form) {
    McpBench json(McpHttpOptions().answers(HttpAnswers::json));
    auto const plain = json.post(tools_list, stateless_headers("tools/list"));
    EXPECT_FALSE(json.scripted.held.front()->responder->can_stream());
    json.scripted.held.front()->responder->notify("notifications/message", "{}");
    json.scripted.held.front()->answer("{}");
    EXPECT_TRUE(plain->is_json());
    EXPECT_EQ(plain->text(), R"({"jsonrpc":"2.0","id":7,"result":{}})");

    McpBench stream(McpHttpOptions().answers(HttpAnswers::stream));
    auto const streamed = stream.post(answered_at_once, stateless_headers("tools/list"));
    EXPECT_TRUE(streamed->is_stream());
    EXPECT_THAT(streamed->messages(), SizeIs(1));
    EXPECT_EQ(streamed->reply.state(), State::finished);
}

struct Mismatch {
    char const* name;
    std::string body;
    Headers headers;
    char const* code;
};

class HeaderChecks : public ::testing::TestWithParam<Mismatch> {};

TEST_P(HeaderChecks, are_refused_with_400) {
    McpBench bench;
    auto const call = bench.post(GetParam().body, GetParam().headers);
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr(GetParam().code)) << call->text();
    EXPECT_THAT(call->text(), HasSubstr(R"("id":7)"));
    EXPECT_THAT(bench.scripted.held, SizeIs(0)) << "it must not be served";
}

std::string const tools_call = stateless_request("tools/call", R"(,"name":"add")");

INSTANTIATE_TEST_SUITE_P(
    S25, HeaderChecks,
    ::testing::Values(
        Mismatch{"version_missing", tools_list, {{"Mcp-Method", "tools/list"}}, "-32020"},
        Mismatch{"version_differs", tools_list, stateless_headers("tools/list", "2025-11-25"),
                 "-32020"},
        Mismatch{"version_differs_before_it_is_unknown",
                 stateless_request("tools/list", "", "v999.0.0"), stateless_headers("tools/list"),
                 "-32020"},
        Mismatch{"method_missing", tools_list, {{"MCP-Protocol-Version", "2026-07-28"}}, "-32020"},
        Mismatch{"method_differs", tools_list, stateless_headers("tools/call"), "-32020"},
        Mismatch{"method_in_another_case", tools_list, stateless_headers("TOOLS/LIST"), "-32020"},
        Mismatch{"name_missing", tools_call, stateless_headers("tools/call"), "-32020"},
        Mismatch{"name_differs", tools_call,
                 with(stateless_headers("tools/call"), "Mcp-Name", "subtract"), "-32020"},
        Mismatch{"name_in_another_case", tools_call,
                 with(stateless_headers("tools/call"), "Mcp-Name", "Add"), "-32020"},
        Mismatch{"name_of_bad_base64", tools_call,
                 with(stateless_headers("tools/call"), "Mcp-Name", "=?base64?YWRk!?="), "-32020"},
        Mismatch{"name_of_other_base64", tools_call,
                 with(stateless_headers("tools/call"), "Mcp-Name", "=?base64?YWRl?="), "-32020"},
        Mismatch{"uri_differs", stateless_request("resources/read", R"(,"uri":"file:///a")"),
                 with(stateless_headers("resources/read"), "Mcp-Name", "file:///b"), "-32020"},
        Mismatch{"metadata_missing", request("tools/list", 7), stateless_headers("tools/list"),
                 "-32602"}),
    [](auto const& tested) { return tested.param.name; });

// The endpoint passes such a request on, because the request entry checks its metadata first.
TEST(Rule, M19_incomplete_metadata_is_reported_before_headers_that_disagree) {
    McpBench bench;
    auto const body = R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{)"
                      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
    bench.post(body, {{"MCP-Protocol-Version", "2026-07-28"}});
    EXPECT_THAT(bench.scripted.held, SizeIs(1));
}

TEST(Rule, M44_an_unsupported_revision_is_reported_before_other_headers_that_disagree) {
    McpBench bench;
    auto const call = bench.post(stateless_request("tools/list", "", "v999.0.0"),
                                 {{"MCP-Protocol-Version", "v999.0.0"}});
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr("-32022"));
    EXPECT_THAT(call->text(), HasSubstr(R"("requested":"v999.0.0")"));
    EXPECT_THAT(call->text(), HasSubstr(R"("supported":["2026-07-28")"));
}

TEST(Rule, M51_names_are_compared_after_decoding) {
    McpBench bench;
    auto const accepts = [&](std::string const& body, std::string_view method,
                             std::string const& name) {
        auto const before = bench.scripted.held.size();
        bench.post(body, with(stateless_headers(method), "mCP-nAME", name));
        return bench.scripted.held.size() == before + 1;
    };
    EXPECT_TRUE(accepts(tools_call, "tools/call", "add"));
    EXPECT_TRUE(accepts(tools_call, "tools/call", "  add\t"));
    EXPECT_TRUE(accepts(tools_call, "tools/call", "=?base64?YWRk?="));
    EXPECT_TRUE(accepts(stateless_request("tools/call", R"(,"name":"\u00e9")"), "tools/call",
                        "=?base64?w6k=?="));
    EXPECT_TRUE(accepts(stateless_request("prompts/get", R"(,"name":"=?base64?x")"), "prompts/get",
                        "=?base64?x"));
    EXPECT_TRUE(accepts(stateless_request("resources/read", R"(,"uri":"file:///a%20b")"),
                        "resources/read", "file:///a%20b"));
    // A missing or invalid name is passed on: the request entry refuses the name, not its header.
    EXPECT_TRUE(accepts(stateless_request("tools/call", R"(,"name":1)"), "tools/call", "add"));
    EXPECT_TRUE(accepts(stateless_request("tools/call"), "tools/call", "add"));
}

TEST(Rule, M51_a_name_with_bytes_that_are_invalid_in_headers_is_refused) {
    McpBench bench;
    auto const call = bench.post(stateless_request("tools/call", ",\"name\":\"\xC3\xA9\""),
                                 with(stateless_headers("tools/call"), "Mcp-Name", "\xC3\xA9"));
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr("-32020"));
}

TEST(Rule, M56_get_and_delete_are_not_served_without_sessions) {
    McpBench bench({}, {Version::v2026_07_28});
    for (auto const& call : {bench.get(), bench.del()}) {
        EXPECT_EQ(call->status(), Status::method_not_allowed);
        EXPECT_EQ(call->reply.more(), "Allow: POST\r\n");
    }
}

TEST(Rule, M56_the_headers_of_sessions_are_ignored) {
    McpBench bench;
    auto headers = stateless_headers("tools/list");
    headers.emplace_back("Mcp-Session-Id", "nonsense");
    headers.emplace_back("Last-Event-ID", "nonsense");
    auto const call = bench.post(answered_at_once, headers);
    EXPECT_EQ(call->status(), Status::ok);
    EXPECT_EQ(call->reply.session_id(), "");
}

TEST(Rule, M31_a_server_without_sessions_answers_a_handshake_with_its_revisions) {
    McpBench bench({}, {Version::v2026_07_28});
    auto const call = bench.post(initialize_text);
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr(R"("supported":["2026-07-28"])"));
    auto const other = bench.post(request("tools/list"));
    EXPECT_EQ(other->status(), Status::bad_request);
    EXPECT_THAT(other->text(), HasSubstr("-32602"));
    auto const answer = bench.post(result(1));
    EXPECT_EQ(answer->status(), Status::bad_request);
}

TEST(StatelessRequest, a_server_with_sessions_only_answers_a_stateless_request_with_its_revisions) {
    McpBench bench({}, {Version::v2025_11_25, Version::v2025_06_18});
    auto const call = bench.post(answered_at_once, stateless_headers("tools/list"));
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr("-32022"));
    EXPECT_THAT(call->text(), HasSubstr(R"("supported":["2025-11-25","2025-06-18"])"));
    auto const incomplete =
        bench.post(R"({"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{)"
                   R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})",
                   stateless_headers("x"));
    EXPECT_THAT(incomplete->text(), HasSubstr("-32602"));
}

TEST(Rule, M01_an_invalid_message_is_refused_with_400) {
    McpBench bench;
    auto const refused = [&](std::string_view body, std::string_view version) {
        auto const call = bench.post(body, {{"MCP-Protocol-Version", std::string(version)}});
        EXPECT_EQ(call->status(), Status::bad_request);
        return call->text();
    };
    EXPECT_THAT(refused("{", "2026-07-28"), HasSubstr("-32700"));
    EXPECT_THAT(refused("{", "2026-07-28"), Not(HasSubstr("\"id\"")));
    EXPECT_THAT(refused("{", "2025-06-18"), HasSubstr(R"("id":null)"));
    EXPECT_THAT(refused(R"({"jsonrpc":"2.0","id":"a\"b","method":1})", "2026-07-28"),
                HasSubstr(R"("id":"a\"b")"));
    EXPECT_THAT(refused(R"({"jsonrpc":"2.0","id":1,"id":1,"method":"x"})", "2026-07-28"),
                HasSubstr("-32600"));
    EXPECT_EQ(bench.counters().refused, 5U);
}

TEST(Rule, M32_one_endpoint_serves_both_eras_at_the_same_time) {
    McpBench bench;
    auto const session = bench.open();
    auto const old_call = bench.post(request("later"), session);
    auto const new_call = bench.post(tools_list, stateless_headers("tools/list"));
    bench.scripted.held.front()->answer("{}");
    bench.server_sends(result(), bench.last_origin(), rpc::Route::Kind::answer);
    EXPECT_TRUE(new_call->is_json());
    EXPECT_EQ(old_call->messages(), std::vector<std::string>{result()});
}

TEST(Rule, M32_initialize_with_modern_metadata_opens_no_session) {
    McpBench bench;
    bench.post(stateless_request("initialize"), stateless_headers("initialize"));
    EXPECT_THAT(bench.scripted.held, SizeIs(1));
    EXPECT_THAT(bench.scripted.connections, SizeIs(0));
}

TEST(StatelessRequest, peer_information_has_the_identity_but_no_credentials) {
    McpBench bench;
    auto const ada = std::make_shared<Principal>();
    ada->subject = "ada";
    auto headers = stateless_headers("tools/list");
    headers.emplace_back("Authorization", "Bearer secret");
    headers.emplace_back("X-Own", "value");
    bench.post(tools_list, headers, ada);
    auto const& info = *bench.scripted.held.back()->info;
    EXPECT_EQ(info.transport, "http");
    EXPECT_TRUE(info.headers_of_request);
    EXPECT_EQ(info.identity, "ada");
    EXPECT_EQ(info.session_id, "");
    bool own = false;
    for (auto const& header : info.headers) {
        EXPECT_NE(header.name, "Authorization");
        EXPECT_NE(header.name, "Content-Length");
        own = own || (header.name == "X-Own" && header.value == "value");
    }
    EXPECT_TRUE(own);
}

TEST(StatelessRequest, equal_requests_of_a_connection_share_peer_information) {
    McpBench bench;
    auto const send = [&](std::shared_ptr<void> attachment, std::string own,
                          std::shared_ptr<Principal const> principal) {
        return bench.send("POST", "/mcp", tools_list,
                          with(stateless_headers("tools/list"), "X-Own", std::move(own)),
                          std::move(principal), std::move(attachment));
    };
    auto const first = send(nullptr, "a", nullptr);
    auto const again = send(first->attachment, "a", nullptr);
    EXPECT_EQ(bench.scripted.held[0]->info, bench.scripted.held[1]->info);
    // The first requests still use these information, so they must not change.
    auto const other = send(first->attachment, "b", nullptr);
    EXPECT_NE(bench.scripted.held[1]->info, bench.scripted.held[2]->info);
    EXPECT_EQ(bench.scripted.held[1]->info->headers.back().value, "a");
    auto const eve = std::make_shared<Principal>();
    eve->subject = "eve";
    auto const foreign = send(first->attachment, "a", eve);
    EXPECT_EQ(bench.scripted.held[3]->info->identity, "eve");
    EXPECT_EQ(bench.scripted.held[0]->info->identity, "");
}

}  // namespace
}  // namespace lanyard::test
