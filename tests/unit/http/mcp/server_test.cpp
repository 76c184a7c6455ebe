// The endpoint with a real server: messages, questions and streams of handlers arrive on the right
// stream and never reach another client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "lanyard/json.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/server/server.hpp"
#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = RecordingReply::State;
using namespace std::chrono_literals;

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, really)

struct Echo {
    std::string nonce;
    int delay_ms = 0;
};
LANYARD_STRUCT(Echo, nonce, (delay_ms, defaulted))

std::string call_text(std::string_view tool, std::string_view arguments = "{}", int id = 2,
                      std::string_view meta = "") {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
           R"(","arguments":)" + std::string(arguments) + std::string(meta) + "}}";
}
constexpr std::string_view with_progress = R"(,"_meta":{"progressToken":"p"})";

std::shared_ptr<Principal const> principal(int number) {
    auto made = std::make_shared<Principal>();
    made->subject = "user" + std::to_string(number);
    return made;
}

class RealServer : public ::testing::Test {
protected:
    explicit RealServer(McpHttpOptions const& options = {})
        : server(Implementation{.name = "test", .version = "1"}, ServerOptions().time(time)),
          bench(server, time, options) {
        server.tool("fast", "", [] { return "done"; }, ToolOptions().inline_());
        server.tool("slow", "", [this](Context&) -> Task<std::string> {
            co_await sleep_until(time, time.now() + 10s);
            co_return "done";
        });
        server.tool("steps", "", [this](Context& ctx) -> Task<std::string> {
            for (int i = 1; i <= 3; ++i) {
                ctx.report_progress(i, 3);
                co_await sleep_until(time, time.now() + 1s);
            }
            co_return "done";
        });
        server.tool("ask", "", [](Context& ctx) -> Task<std::string> {
            auto const sure = co_await ctx.elicit<Confirm>("sure", "Sure?");
            co_return sure && sure->really ? "yes" : "no";
        });
        server.tool("polled", "", [this](Context& ctx) -> Task<std::string> {
            ctx.release_stream();
            co_await sleep_until(time, time.now() + 1s);
            co_return "polled";
        });
        server.tool("whoami", "", [this](Echo in, Context& ctx) -> Task<std::string> {
            std::string answer(ctx.identity());
            answer += " " + in.nonce;
            if (in.delay_ms > 0) {
                co_await sleep_until(time, time.now() + std::chrono::milliseconds(in.delay_ms));
            }
            co_return answer;
        });
        server.resource("test://watched", "watched", "text");
    }

    // Opens a session whose client supports elicitation.
    Headers open(std::shared_ptr<Principal const> const& who = nullptr,
                 std::string_view version = "2025-11-25") {
        std::string text(initialize_text);
        text.replace(text.find("2025-11-25"), 10, version);
        text.replace(text.find(R"("capabilities":{})"), 17, R"("capabilities":{"elicitation":{}})");
        auto const opened = bench.post(text, {}, who);
        EXPECT_TRUE(opened->is_json()) << opened->text();
        Headers headers{{"Mcp-Session-Id", opened->reply.session_id()}};
        bench.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", headers, who);
        return headers;
    }

    testing::FakeTime time;
    Server server;
    McpBench bench;
};

TEST_F(RealServer, a_second_initialize_in_a_session_is_refused_and_changes_nothing) {
    auto const session = open();
    auto const refused = bench.post(initialize_text, session);
    EXPECT_THAT(refused->text(), HasSubstr("already_initialized"));
    ASSERT_THAT(server.sessions(), SizeIs(1));
    EXPECT_EQ(server.sessions().front().handshakes, 1U);
    EXPECT_THAT(bench.post(call_text("fast"), session)->text(), HasSubstr("done"));
}

TEST_F(RealServer, a_tool_that_answers_at_once_is_answered_as_json) {
    auto const session = open();
    auto const call = bench.post(call_text("fast"), session);
    EXPECT_TRUE(call->is_json());
    EXPECT_THAT(call->text(), HasSubstr(R"("text":"done")"));
    auto const list = bench.post(request("tools/list"), session);
    EXPECT_TRUE(list->is_json());
}

TEST_F(RealServer, a_slow_tool_is_answered_as_a_stream) {
    auto const session = open();
    auto const call = bench.post(call_text("slow"), session);
    EXPECT_TRUE(call->is_stream());
    EXPECT_THAT(call->messages(), IsEmpty());
    bench.advance(10s);
    EXPECT_THAT(call->messages(), ElementsAre(HasSubstr(R"("text":"done")")));
    EXPECT_EQ(call->reply.state(), State::finished);
}

TEST_F(RealServer, progress_is_sent_on_the_stream_of_its_call) {
    auto const session = open();
    auto const stream = bench.get(session);
    auto const call = bench.post(call_text("steps", "{}", 2, with_progress), session);
    for (int i = 0; i < 4; ++i) bench.advance(1s);
    EXPECT_THAT(call->messages(),
                ElementsAre(HasSubstr(R"("progress":1)"), HasSubstr(R"("progress":2)"),
                            HasSubstr(R"("progress":3)"), HasSubstr(R"("text":"done")")));
    EXPECT_THAT(stream->messages(), IsEmpty());
}

TEST_F(RealServer, a_question_is_sent_on_the_stream_of_its_call_and_its_answer_is_posted) {
    auto const session = open();
    auto const stream = bench.get(session);
    auto const call = bench.post(call_text("ask"), session);
    ASSERT_THAT(call->messages(), ElementsAre(HasSubstr("elicitation/create")));
    EXPECT_THAT(stream->messages(), IsEmpty());
    auto const text = call->messages().front();
    auto const at = text.find(R"("id":)") + 5;
    auto const id = text.substr(at, text.find(',', at) - at);
    auto const answer =
        bench.post(R"({"jsonrpc":"2.0","id":)" + id +
                       R"(,"result":{"action":"accept","content":{"really":true}}})",
                   session);
    EXPECT_EQ(answer->status(), Status::accepted);
    ASSERT_THAT(call->messages(), SizeIs(2));
    EXPECT_THAT(call->messages().back(), HasSubstr(R"("text":"yes")"));
    EXPECT_EQ(call->reply.state(), State::finished);
}

TEST_F(RealServer, a_question_ends_with_an_answer_that_cannot_be_read) {
    auto const session = open();
    auto const call = bench.post(call_text("ask"), session);
    ASSERT_THAT(call->messages(), SizeIs(1));
    auto const text = call->messages().front();
    auto const at = text.find(R"("id":)") + 5;
    auto const id = text.substr(at, text.find(',', at) - at);
    auto const answer =
        bench.post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"action":NaN}})", session);
    EXPECT_EQ(answer->status(), Status::bad_request);
    EXPECT_EQ(answer->text().find(R"("id":)" + id), std::string::npos)
        << "the id is none of the client's: " << answer->text();
    EXPECT_THAT(call->messages(), SizeIs(2));
    EXPECT_EQ(call->reply.state(), State::finished);
}

TEST_F(RealServer, an_argument_that_was_cut_inside_of_a_character_is_read) {
    auto const session = open();
    auto const call = bench.post(call_text("whoami", R"({"nonce":"Hello \ud83d"})"), session);
    EXPECT_THAT(call->text(), HasSubstr("Hello \xEF\xBF\xBD"));
}

TEST_F(RealServer, a_request_that_cannot_be_read_is_refused_with_its_id) {
    auto const refused = bench.post(
        R"({"method":"tools/call","params":{"name":"fast","x":1e400},"jsonrpc":"2.0","id":"q"})",
        open());
    EXPECT_EQ(refused->status(), Status::bad_request);
    EXPECT_THAT(refused->text(), HasSubstr(R"("id":"q")"));
}

TEST_F(RealServer, a_call_that_releases_its_stream_can_be_polled) {
    auto const session = open();
    auto const call = bench.post(call_text("polled"), session);
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_THAT(call->messages(), IsEmpty());
    EXPECT_NE(call->last_id(), "");
    auto const early = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_EQ(early->reply.state(), State::streaming);
    bench.advance(1s);
    EXPECT_THAT(early->messages(), ElementsAre(HasSubstr(R"("text":"polled")")));
    auto const late = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_EQ(late->messages(), early->messages());
    EXPECT_EQ(late->reply.state(), State::finished);
}

TEST_F(RealServer, a_cancelled_call_ends_its_stream_without_an_answer) {
    auto const session = open();
    auto const call = bench.post(call_text("slow"), session);
    bench.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})",
               session);
    bench.advance(1s);
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_THAT(call->messages(), IsEmpty());
    bench.advance(1min);
    EXPECT_EQ(bench.post(call_text("fast"), session)->status(), Status::ok);
}

TEST_F(RealServer, a_lost_connection_loses_no_answer) {
    auto const session = open();
    auto const call = bench.post(call_text("slow"), session);
    call->reply.disconnect();
    bench.advance(10s);
    auto const again = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_THAT(again->messages(), ElementsAre(HasSubstr(R"("text":"done")")));
}

TEST_F(RealServer, notifications_of_the_session_are_sent_on_its_own_stream) {
    auto const session = open();
    auto const stream = bench.get(session);
    bench.post(R"({"jsonrpc":"2.0","id":4,"method":"resources/subscribe",)"
               R"("params":{"uri":"test://watched"}})",
               session);
    server.tool("another", "", [] { return "x"; });
    server.resource_updated("test://watched");
    for (int i = 0; i < 5; ++i) bench.advance(1s);
    EXPECT_THAT(stream->messages(),
                ::testing::UnorderedElementsAre(HasSubstr("notifications/tools/list_changed"),
                                                HasSubstr("notifications/resources/updated")));
}

TEST_F(RealServer, no_pings_are_sent) {
    auto const session = open();
    auto const stream = bench.get(session);
    for (int i = 0; i < 20; ++i) bench.advance(30s);
    EXPECT_THAT(stream->messages(), IsEmpty());
    EXPECT_EQ(bench.post(call_text("fast"), session)->status(), Status::ok);
}

TEST_F(RealServer, a_handshake_that_is_not_completed_ends_the_session) {
    auto const opened = bench.post(initialize_text);
    Headers const session{{"Mcp-Session-Id", opened->reply.session_id()}};
    for (int i = 0; i < 7; ++i) bench.advance(10s);
    EXPECT_EQ(bench.post(request("tools/list"), session)->status(), Status::not_found);
    EXPECT_EQ(bench.counters().sessions, 0U);
}

TEST_F(RealServer, a_bad_handshake_opens_nothing) {
    auto const call = bench.post(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
    EXPECT_THAT(call->text(), HasSubstr("-32602"));
    EXPECT_EQ(call->reply.session_id(), "");
    EXPECT_EQ(bench.counters().sessions, 0U);
}

TEST_F(RealServer, an_unknown_revision_is_answered_with_the_newest) {
    std::string text(initialize_text);
    text.replace(text.find("2025-11-25"), 10, "2024-01-01");
    auto const call = bench.post(text);
    EXPECT_THAT(call->text(), HasSubstr(R"("protocolVersion":"2025-11-25")"));
    EXPECT_NE(call->reply.session_id(), "");
}

TEST_F(RealServer, S10_an_id_in_use_is_refused_and_the_first_request_continues) {
    auto const session = open();
    auto const first = bench.post(call_text("slow", "{}", 1), session);
    auto const second = bench.post(call_text("fast", "{}", 1), session);
    EXPECT_THAT(second->text(), HasSubstr("-32600"));
    bench.advance(10s);
    EXPECT_THAT(first->messages(), ElementsAre(HasSubstr(R"("text":"done")")));
}

TEST_F(RealServer, a_batch_is_answered_as_one) {
    auto const session = open(nullptr, "2025-03-26");
    auto const call = bench.post(
        "[1," + call_text("fast", "{}", 5) + "," + call_text("slow", "{}", 6) + "]", session);
    bench.advance(10s);
    ASSERT_THAT(call->messages(), SizeIs(1));
    EXPECT_THAT(call->messages().front(), ::testing::StartsWith("["));
    for (auto const* part : {"-32600", R"("id":5)", R"("id":6)"}) {
        EXPECT_THAT(call->messages().front(), HasSubstr(part));
    }
    auto const bad = bench.post("[1]", session);
    EXPECT_THAT(bad->text(), HasSubstr("-32600"));
    EXPECT_TRUE(bad->reply.ended());
}

TEST_F(RealServer, a_notification_reaches_its_handler_with_the_principal_of_the_session) {
    server.executor(bench.io.get_executor());
    std::vector<ClientNotification> taken;
    server.on_roots_changed([&](ClientNotification const& each) { taken.push_back(each); });
    auto const session = open(principal(1));
    auto const posted = bench.post(
        R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})", session, principal(1));
    EXPECT_EQ(posted->status(), Status::accepted);
    ASSERT_THAT(taken, SizeIs(1));
    EXPECT_THAT(taken[0].sender.identity, HasSubstr("user1"));
    EXPECT_EQ(taken[0].sender.session_id, session.front().second);
    EXPECT_EQ(taken[0].sender.transport, "http");
}

TEST_F(RealServer, progress_of_a_question_is_posted_by_the_client) {
    std::vector<double> seen;
    server.tool("patient", "", [&](Context& context) -> Task<std::string> {
        auto question = ask_form<Confirm>("sure", "Sure?");
        auto const note = [&seen](ProgressParams const& each) { seen.push_back(each.progress); };
        question.on_progress(note);
        auto const sure = co_await context.ask(question);
        co_return sure && sure->really ? "yes" : "no";
    });
    auto const session = open();
    auto const call = bench.post(call_text("patient"), session);
    ASSERT_THAT(call->messages(), SizeIs(1));
    auto const asked = json::parse(call->messages().front()).value().as_object();
    auto const token = asked.at("params").at("_meta").at("progressToken").as_string();
    bench.post(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":")" +
                   std::string(token) + R"(","progress":0.5}})",
               session);
    bench.post(R"({"jsonrpc":"2.0","id":)" + json::serialize(asked.at("id")) +
                   R"(,"result":{"action":"accept","content":{"really":true}}})",
               session);
    EXPECT_THAT(seen, ElementsAre(0.5));
    EXPECT_THAT(call->messages().back(), HasSubstr("yes"));
}

TEST_F(RealServer, S11_progress_of_two_clients_never_crosses) {
    auto const one = open();
    auto const other = open();
    auto const first =
        bench.post(call_text("steps", "{}", 2, R"(,"_meta":{"progressToken":"one"})"), one);
    auto const second =
        bench.post(call_text("steps", "{}", 2, R"(,"_meta":{"progressToken":"other"})"), other);
    for (int i = 0; i < 4; ++i) bench.advance(1s);
    for (auto const& message : first->messages()) EXPECT_THAT(message, Not(HasSubstr("other")));
    for (auto const& message : second->messages()) {
        EXPECT_THAT(message, Not(HasSubstr(R"("one")")));
    }
    EXPECT_THAT(first->messages(), SizeIs(4));
    EXPECT_THAT(second->messages(), SizeIs(4));
}

struct Sent {
    std::shared_ptr<Call> call;
    std::string expected;
};

std::string answer_of(Call const& call) {
    return call.is_stream() ? (call.messages().empty() ? "" : call.messages().back()) : call.text();
}

TEST_F(RealServer, S10_the_same_id_in_many_sessions_is_independent) {
    std::vector<Sent> sent;
    std::map<int, Headers> sessions;
    for (int i = 0; i < 50; ++i) sessions[i] = open(principal(i));
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 50; ++i) {
            auto const nonce = std::to_string(round * 1000 + i);
            auto const delay = (i * 7919 + round * 104729) % 50;
            sent.push_back({bench.post(call_text("whoami",
                                                 R"({"nonce":")" + nonce + R"(","delay_ms":)" +
                                                     std::to_string(delay) + "}",
                                                 1),
                                       sessions[i], principal(i)),
                            "user" + std::to_string(i) + " " + nonce});
        }
        for (int step = 0; step < 10; ++step) bench.advance(5ms);
    }
    for (auto const& [call, expected] : sent) {
        EXPECT_THAT(answer_of(*call), HasSubstr(R"("text":")" + expected + "\""));
        EXPECT_TRUE(call->reply.ended());
    }
}

TEST_F(RealServer, streams_and_calls_end_when_the_server_stops) {
    auto const session = open();
    auto const stream = bench.get(session);
    auto const call = bench.post(call_text("slow"), session);
    bench.on_executor([&] { bench.endpoint->stop(30s); });
    EXPECT_EQ(stream->reply.state(), State::finished);
    bench.advance(10s);
    EXPECT_THAT(call->messages(), ElementsAre(HasSubstr(R"("text":"done")")));
    EXPECT_EQ(bench.counters().sessions, 0U);
}

TEST_F(RealServer, http_with_sse_serves_clients_of_2024) {
    McpBench sse(server, time, McpHttpOptions().sse());
    auto const stream = sse.send("GET", "/sse", "", {});
    auto const target = stream->messages().front();
    std::string text(initialize_text);
    text.replace(text.find("2025-11-25"), 10, "2024-11-05");
    sse.send("POST", target, text, {});
    sse.send("POST", target, notification("notifications/initialized"), {});
    sse.send("POST", target, call_text("steps", "{}", 2, with_progress), {});
    for (int i = 0; i < 4; ++i) sse.advance(1s);
    EXPECT_THAT(stream->messages(),
                ElementsAre(target, HasSubstr("2024-11-05"), HasSubstr(R"("progress":1)"),
                            HasSubstr(R"("progress":2)"), HasSubstr(R"("progress":3)"),
                            HasSubstr(R"("text":"done")")));
}

// Stateless requests.

std::string stateless_call(std::string_view tool, std::string_view arguments = "{}",
                           std::string_view more_meta = "") {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
           std::string(tool) + R"(","arguments":)" + std::string(arguments) +
           R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}})" +
           std::string(more_meta) + "}}}";
}
Headers call_headers(std::string_view tool) {
    return with(stateless_headers("tools/call"), "Mcp-Name", std::string(tool));
}

TEST_F(RealServer, S10_a_thousand_stateless_requests_with_one_id_get_their_own_answers) {
    std::vector<Sent> sent;
    for (int i = 0; i < 1000; ++i) {
        auto const nonce = std::to_string(i * 31);
        auto const delay = (i * 7919) % 97;
        sent.push_back(
            {bench.post(stateless_call("whoami", R"({"nonce":")" + nonce + R"(","delay_ms":)" +
                                                     std::to_string(delay) + "}"),
                        call_headers("whoami"), principal(i % 50)),
             "user" + std::to_string(i % 50) + " " + nonce});
        if (i % 100 == 99) bench.advance(10ms);
    }
    for (int step = 0; step < 20; ++step) bench.advance(10ms);
    for (auto const& [call, expected] : sent) {
        EXPECT_TRUE(call->is_json());
        EXPECT_THAT(call->text(), HasSubstr(R"("text":")" + expected + "\""));
    }
}

TEST_F(RealServer, progress_makes_the_answer_to_a_stateless_request_a_stream) {
    auto const call =
        bench.post(stateless_call("steps", "{}", R"(,"progressToken":"p")"), call_headers("steps"));
    EXPECT_TRUE(call->is_stream());
    EXPECT_EQ(call->reply.flushed(), call->text());
    for (int i = 0; i < 4; ++i) bench.advance(1s);
    EXPECT_THAT(call->messages(), SizeIs(4));
    EXPECT_EQ(call->last_id(), "");
    EXPECT_EQ(call->reply.state(), State::finished);
}

TEST_F(RealServer, a_question_is_part_of_the_answer_to_a_stateless_request) {
    auto const call = bench.post(stateless_call("ask"), call_headers("ask"));
    EXPECT_TRUE(call->is_json());
    EXPECT_THAT(call->text(), HasSubstr(R"("resultType":"input_required")"));
}

TEST_F(RealServer, M42_a_closed_connection_cancels_the_handler) {
    bool unwound = false;
    server.tool("guarded", "", [&](Context&) -> Task<std::string> {
        struct Guard {
            ~Guard() { flag = true; }
            bool& flag;
        } const guard{unwound};
        co_await sleep_until(time, time.now() + 1h);
        co_return "never";
    });
    auto const call = bench.post(stateless_call("guarded"), call_headers("guarded"));
    EXPECT_EQ(call->reply.state(), State::pending);
    call->reply.disconnect();
    bench.run();
    EXPECT_TRUE(unwound);
}

TEST_F(RealServer, M45_methods_that_do_not_exist_are_404_with_an_error) {
    for (auto const* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                               "resources/unsubscribe", "unknown/method"}) {
        auto const call = bench.post(stateless_request(method), stateless_headers(method));
        EXPECT_EQ(call->status(), Status::not_found) << method;
        EXPECT_THAT(call->text(), HasSubstr("-32601"));
        EXPECT_THAT(call->text(), HasSubstr(R"("id":7)"));
    }
}

TEST_F(RealServer, M19_missing_metadata_is_400) {
    auto const meta = [&](std::string_view inside) {
        auto const call =
            bench.post(R"({"jsonrpc":"2.0","id":7,"method":"server/discover","params":{)" +
                           std::string(inside) + "}}",
                       stateless_headers("server/discover"));
        EXPECT_EQ(call->status(), Status::bad_request);
        EXPECT_THAT(call->text(), HasSubstr("-32602")) << inside;
        EXPECT_THAT(call->text(), HasSubstr(R"("id":7)"));
    };
    meta("");
    meta(R"("_meta":{})");
    meta(R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})");
    meta(R"("_meta":{"io.modelcontextprotocol/clientCapabilities":{}})");
}

TEST_F(RealServer, M44_an_unknown_revision_is_400_and_named) {
    auto const call = bench.post(stateless_request("server/discover", "", "v999.0.0"),
                                 stateless_headers("server/discover", "v999.0.0"));
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr("-32022"));
}

TEST_F(RealServer, M66_a_listen_stream_is_acknowledged_before_its_notifications) {
    auto const call = bench.post(
        stateless_request("subscriptions/listen", R"(,"notifications":{"toolsListChanged":true})"),
        stateless_headers("subscriptions/listen"));
    EXPECT_TRUE(call->is_stream());
    ASSERT_THAT(call->messages(), ElementsAre(HasSubstr("subscriptions/acknowledged")));
    EXPECT_EQ(call->reply.flushed(), call->text());
    server.tool("another", "", [] { return "x"; });
    for (int i = 0; i < 5; ++i) bench.advance(1s);
    ASSERT_THAT(call->messages(), SizeIs(2));
    EXPECT_THAT(call->messages().back(), HasSubstr("notifications/tools/list_changed"));
    bench.on_executor([&] { bench.endpoint->stop(5s); });
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_THAT(call->messages().back(), HasSubstr(R"("result":)"));
}

TEST_F(RealServer, a_closed_listen_stream_is_removed) {
    auto const call = bench.post(
        stateless_request("subscriptions/listen", R"(,"notifications":{"toolsListChanged":true})"),
        stateless_headers("subscriptions/listen"));
    call->reply.disconnect();
    server.tool("another", "", [] { return "x"; });
    for (int i = 0; i < 5; ++i) bench.advance(1s);
    EXPECT_THAT(call->messages(), SizeIs(1));
}

class StatelessServer : public RealServer {
protected:
    StatelessServer() : RealServer(McpHttpOptions().sessions(Sessions::stateless)) {}
};

TEST_F(StatelessServer, S10_a_thousand_requests_with_one_id_get_their_own_answers) {
    std::vector<Sent> sent;
    for (int i = 0; i < 1000; ++i) {
        auto const nonce = std::to_string(i * 31);
        auto const delay = (i * 7919) % 97;
        sent.push_back({bench.post(call_text("whoami",
                                             R"({"nonce":")" + nonce + R"(","delay_ms":)" +
                                                 std::to_string(delay) + "}",
                                             1),
                                   {{"MCP-Protocol-Version", "2025-06-18"}}, principal(i % 50)),
                        "user" + std::to_string(i % 50) + " " + nonce});
        if (i % 100 == 99) bench.advance(10ms);
    }
    for (int step = 0; step < 20; ++step) bench.advance(10ms);
    for (auto const& [call, expected] : sent) {
        EXPECT_THAT(answer_of(*call), HasSubstr(R"("text":")" + expected + "\""));
        EXPECT_TRUE(call->reply.ended());
    }
}

TEST_F(StatelessServer, requests_are_served_without_a_handshake) {
    EXPECT_THAT(bench.post(request("tools/list"))->text(), HasSubstr("whoami"));
    EXPECT_THAT(bench.post(call_text("fast"))->text(), HasSubstr("done"));
    EXPECT_EQ(server.sessions().front().requests, 2U) << "no handshake was sent";
    EXPECT_THAT(answer_of(*bench.post(call_text("ask"))), HasSubstr("elicitation"))
        << "nobody has said that the client can be asked";
    EXPECT_THAT(bench.post(std::string(initialize_text))->text(), HasSubstr("2025-11-25"));
}

}  // namespace
}  // namespace lanyard::test
