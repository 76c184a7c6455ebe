// Suspended sessions: the server's state is released, without a visible effect for clients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/reflect.hpp"
#include "lanyard/server/server.hpp"
#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, really)

std::string call_text(std::string_view tool, int id = 2) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
           R"(","arguments":{}}})";
}

std::string answer_text(int id) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"result":{"action":"accept","content":{"really":true}}})";
}

std::string subscribe_text(std::string_view method) {
    return R"({"jsonrpc":"2.0","id":4,"method":"resources/)" + std::string(method) +
           R"(","params":{"uri":"test://watched"}})";
}

std::shared_ptr<Principal const> principal(std::string subject) {
    auto made = std::make_shared<Principal>();
    made->subject = std::move(subject);
    return made;
}

class SuspendedSessionTest : public ::testing::Test {
protected:
    explicit SuspendedSessionTest(McpHttpOptions const& options = {})
        : server(Implementation{.name = "test", .version = "1"},
                 ServerOptions().time(time).on_log(
                     [this](auto, auto text) { logged.emplace_back(text); })),
          bench(server, time, options) {
        server.tool("fast", "", [] { return "done"; }, ToolOptions().inline_());
        server.tool("slow", "", [this](Context&) -> Task<std::string> {
            co_await sleep_until(time, time.now() + 100s);
            co_return "done";
        });
        server.tool("ask", "", [](Context& ctx) -> Task<std::string> {
            auto const sure = co_await ctx.elicit<Confirm>("sure", "Sure?");
            co_return sure && sure->really ? "yes" : "no";
        });
        server.tool("visit", "", [](Context& ctx) -> Task<std::string> {
            co_await ctx.elicit_url("pay", "Please pay", "https://pay.example/1", "visit-1");
            co_return "visited";
        });
        server.tool(
            "who", "", [](Context& ctx) { return std::string(ctx.identity()); },
            ToolOptions().inline_());
        server.resource("test://watched", "watched", "text");
    }

    // Opens a session whose client supports elicitation.
    Headers open(std::shared_ptr<Principal const> const& who = nullptr,
                 std::string_view version = "2025-11-25") {
        std::string text(initialize_text);
        text.replace(text.find("2025-11-25"), 10, version);
        text.replace(text.find(R"("capabilities":{})"), 17,
                     R"("capabilities":{"elicitation":{"form":{},"url":{}},"x":{"y":[1]}})");
        auto const opened = bench.post(text, {}, who);
        EXPECT_TRUE(opened->is_json()) << opened->text();
        Headers headers{{"Mcp-Session-Id", opened->reply.session_id()}};
        bench.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", headers, who);
        return headers;
    }
    // Lets more than half a minute pass without requests, so that idle sessions are suspended.
    void become_idle() {
        for (int i = 0; i < 5; ++i) bench.advance(8s);
    }
    std::size_t suspended() const { return bench.counters().sessions_suspended; }

    testing::FakeTime time;
    std::vector<std::string> logged;  // the server's log lines
    Server server;
    McpBench bench;
};

TEST_F(SuspendedSessionTest, an_idle_session_is_suspended_and_restored_by_the_next_request) {
    auto const session = open();
    EXPECT_EQ(bench.post(call_text("fast"), session)->status(), Status::ok);
    bench.advance(29s);
    EXPECT_EQ(suspended(), 0U) << "not at once";
    become_idle();
    EXPECT_EQ(suspended(), 1U);
    EXPECT_EQ(bench.counters().sessions, 1U);
    auto const call = bench.post(call_text("fast"), session);
    EXPECT_EQ(suspended(), 0U);
    EXPECT_TRUE(call->is_json()) << "answered at once";
    EXPECT_THAT(call->text(), HasSubstr(R"("text":"done")"));
    become_idle();
    EXPECT_EQ(suspended(), 1U) << "again and again";
    EXPECT_EQ(bench.post(call_text("fast"), session)->status(), Status::ok);
    EXPECT_THAT(logged, IsEmpty());
}

TEST_F(SuspendedSessionTest, suspending_is_no_change_of_the_phase) {
    server.executor(bench.io.get_executor());
    std::vector<std::string> phases;
    server.on_phase([&](SessionInfo const& each) { phases.push_back(each.phases.back().name); });
    auto const session = open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    bench.post(call_text("fast"), session);
    EXPECT_EQ(suspended(), 0U);
    EXPECT_THAT(phases, ElementsAre("initialized", "ready"));
    bench.del(session);
    EXPECT_THAT(phases, ElementsAre("initialized", "ready", "closed"));
}

TEST_F(SuspendedSessionTest, a_session_is_not_suspended_while_a_notification_is_handled) {
    std::vector<std::function<void()>> posted;
    server.executor([&](std::function<void()> each) { posted.push_back(std::move(each)); });
    int handled = 0;
    server.on_roots_changed([&](ClientNotification const&) { ++handled; });
    auto const session = open();
    bench.post(notification("notifications/roots/list_changed"), session);
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    ASSERT_THAT(posted, SizeIs(1));
    posted.front()();
    EXPECT_EQ(handled, 1);
    become_idle();
    EXPECT_EQ(suspended(), 1U);
}

TEST_F(SuspendedSessionTest, the_restored_session_is_unchanged_for_the_server) {
    auto const session = open();
    bench.post(call_text("fast"), session);
    auto const before = server.sessions();
    become_idle();
    auto const meanwhile = server.sessions();
    bench.post(notification("notifications/roots/list_changed"), session);
    auto const after = server.sessions();
    EXPECT_EQ(suspended(), 0U);
    ASSERT_THAT(before, SizeIs(1));
    for (auto const& sessions : {meanwhile, after}) {
        ASSERT_THAT(sessions, SizeIs(1));
        EXPECT_EQ(sessions[0].id, before[0].id);
        EXPECT_EQ(sessions[0].transport.kind, "http");
        EXPECT_EQ(sessions[0].transport.messages_out, 2U);
        EXPECT_EQ(sessions[0].client, before[0].client);
        EXPECT_EQ(sessions[0].version, "2025-11-25");
        EXPECT_EQ(sessions[0].requests, 2U);
        ASSERT_THAT(sessions[0].phases, SizeIs(2));
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(sessions[0].phases[i].name, before[0].phases[i].name);
            EXPECT_EQ(sessions[0].phases[i].at, before[0].phases[i].at);
        }
    }
    EXPECT_EQ(server.stateless_info().requests, 0U);
}

TEST_F(SuspendedSessionTest, middleware_is_not_called_for_restoring) {
    std::vector<std::string> seen;
    server.use([&](Context& ctx, Next next) -> Task<RawJson> {
        seen.emplace_back(ctx.method());
        co_return co_await next();
    });
    auto const session = open();
    become_idle();
    bench.post(call_text("fast"), session);
    EXPECT_THAT(seen, ElementsAre("tools/call"));
}

TEST_F(SuspendedSessionTest, client_capabilities_and_the_next_id_are_kept) {
    auto const session = open();
    auto const first = bench.post(call_text("ask"), session);
    EXPECT_THAT(first->messages(),
                ElementsAre(AllOf(HasSubstr("elicitation/create"), HasSubstr(R"("id":1,)"))));
    bench.post(answer_text(1), session);
    for (int i = 0; i < 50; ++i) bench.advance(8s);
    ASSERT_EQ(suspended(), 1U);
    auto const second = bench.post(call_text("ask"), session);
    ASSERT_THAT(second->messages(),
                ElementsAre(AllOf(HasSubstr("elicitation/create"), HasSubstr(R"("id":2,)"))));
    bench.post(answer_text(2), session);
    EXPECT_THAT(second->messages().back(), HasSubstr(R"("text":"yes")"));
}

TEST_F(SuspendedSessionTest, the_negotiated_revision_is_kept) {
    auto const session = open(nullptr, "2025-03-26");
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    EXPECT_EQ(server.sessions().front().version, "2025-03-26");
    auto const other = with(session, "MCP-Protocol-Version", "1999-01-01");
    EXPECT_EQ(bench.post(request("ping"), other)->status(), Status::bad_request);
    EXPECT_EQ(suspended(), 1U) << "a refused request does not restore it";
    auto const batch =
        bench.post("[" + request("ping", 1) + "," + request("ping", 2) + "]", session);
    EXPECT_EQ(batch->status(), Status::ok) << "only this revision has batches";
    EXPECT_EQ(suspended(), 0U);
}

TEST_F(SuspendedSessionTest, a_second_handshake_is_still_refused) {
    auto const session = open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    EXPECT_THAT(bench.post(initialize_text, session)->text(), HasSubstr(R"("error")"));
    EXPECT_EQ(bench.post(call_text("fast"), session)->status(), Status::ok);
}

TEST_F(SuspendedSessionTest, the_declared_server_capabilities_are_kept) {
    auto const session = open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    server.prompt("greet", "", [] { return "Hello"; });
    bench.advance(1s);
    EXPECT_THAT(bench.post(request("prompts/list"), session)->text(), HasSubstr(R"("error")"));
    auto const stream = bench.get(session);
    EXPECT_THAT(stream->messages(), IsEmpty()) << "and no change of prompts is announced";
}

TEST_F(SuspendedSessionTest, a_suspended_session_belongs_to_its_principal) {
    auto const ann = principal("ann");
    auto const session = open(ann);
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    EXPECT_EQ(bench.post(call_text("who"), session, principal("bob"))->status(), Status::not_found);
    EXPECT_EQ(bench.post(call_text("who"), session)->status(), Status::not_found);
    EXPECT_EQ(suspended(), 1U);
    EXPECT_THAT(bench.post(call_text("who"), session, ann)->text(), HasSubstr("ann"));
}

TEST_F(SuspendedSessionTest, a_suspended_session_expires_and_can_be_deleted) {
    auto const deleted = open();
    auto const expired = open();
    become_idle();
    ASSERT_EQ(suspended(), 2U);
    EXPECT_EQ(bench.del(deleted)->status(), Status::no_content);
    EXPECT_EQ(suspended(), 1U);
    EXPECT_THAT(server.sessions(), SizeIs(1));
    for (int i = 0; i < 18; ++i) bench.advance(30s);
    EXPECT_EQ(bench.counters().sessions, 1U) << "not before ten minutes";
    for (int i = 0; i < 3; ++i) bench.advance(30s);
    EXPECT_EQ(bench.counters().sessions, 0U);
    EXPECT_EQ(bench.counters().sessions_expired, 1U);
    EXPECT_EQ(suspended(), 0U);
    EXPECT_THAT(server.sessions(), IsEmpty());
    EXPECT_EQ(bench.post(call_text("fast"), expired)->status(), Status::not_found);
}

TEST_F(SuspendedSessionTest, changes_of_lists_are_announced_once) {
    auto const session = open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    server.tool("another", "", [] { return "x"; });
    server.tool("third", "", [] { return "x"; });
    for (int i = 0; i < 5; ++i) bench.advance(1s);
    EXPECT_EQ(suspended(), 1U) << "it need not wake up for that";
    auto const stream = bench.get(session);
    EXPECT_THAT(stream->messages(), ElementsAre(HasSubstr("notifications/tools/list_changed"),
                                                HasSubstr("notifications/tools/list_changed")))
        << "at once, and after the last of several";
    EXPECT_EQ(suspended(), 0U);
    server.tool("fourth", "", [] { return "x"; });
    for (int i = 0; i < 5; ++i) bench.advance(1s);
    EXPECT_THAT(stream->messages(), SizeIs(3));
}

TEST_F(SuspendedSessionTest, a_change_during_suspension_is_announced) {
    auto const session = open();
    time.advance(40s);
    server.tool("another", "", [] { return "x"; });
    bench.run();
    ASSERT_EQ(suspended(), 1U);
    bench.advance(1s);
    EXPECT_THAT(bench.get(session)->messages(),
                ::testing::Contains(HasSubstr("notifications/tools/list_changed")));
}

TEST_F(SuspendedSessionTest, log_messages_are_delivered_from_the_level_of_the_client_on) {
    auto const session = open();
    bench.post(R"({"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"error"}})",
               session);
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    server.log(LoggingLevel::warning, Json("no"));
    server.log(LoggingLevel::error, Json("yes"));
    bench.run();
    EXPECT_EQ(suspended(), 1U);
    auto const stream = bench.get(session);
    ASSERT_EQ(suspended(), 0U);
    server.log(LoggingLevel::warning, Json("no"));
    server.log(LoggingLevel::critical, Json("too"));
    bench.run();
    EXPECT_THAT(stream->messages(), ElementsAre(HasSubstr(R"("yes")"), HasSubstr(R"("too")")));
}

TEST_F(SuspendedSessionTest, a_flood_of_log_messages_is_limited) {
    auto const session = open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    for (int i = 0; i < 300; ++i) server.log(LoggingLevel::info, Json(i));
    server.log(LoggingLevel::error, Json("grave"));
    bench.run();
    EXPECT_EQ(bench.counters().messages_dropped + bench.get(session)->messages().size(), 201U);
    EXPECT_EQ(server.limit_counts().dropped_log_messages, 100U);
}

TEST_F(SuspendedSessionTest, a_session_with_a_subscription_is_not_suspended) {
    auto const session = open();
    bench.post(subscribe_text("subscribe"), session);
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    bench.post(subscribe_text("unsubscribe"), session);
    become_idle();
    EXPECT_EQ(suspended(), 1U);
}

TEST_F(SuspendedSessionTest, a_session_with_an_open_stream_is_not_suspended) {
    auto const session = open();
    auto const stream = bench.get(session);
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    stream->reply.disconnect();
    become_idle();
    EXPECT_EQ(suspended(), 1U) << "the stream is closed";
}

TEST_F(SuspendedSessionTest, a_stream_that_was_lost_before_is_resumed) {
    auto const session = open();
    auto const stream = bench.get(session);
    auto const place = stream->last_id();
    stream->reply.disconnect();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    server.tool("another", "", [] { return "x"; });
    bench.advance(1s);
    auto const again = bench.get(with(session, "Last-Event-ID", place));
    EXPECT_THAT(again->messages(), ElementsAre(HasSubstr("notifications/tools/list_changed")));
    EXPECT_EQ(bench.counters().streams_resumed, 1U);
    EXPECT_EQ(suspended(), 0U) << "it has an open stream now";
}

TEST_F(SuspendedSessionTest, an_event_id_that_is_no_longer_known_opens_a_new_stream) {
    auto const session = open();
    auto const call = bench.post(call_text("ask"), session);
    bench.post(answer_text(1), session);
    for (int i = 0; i < 50; ++i) bench.advance(8s);
    ASSERT_EQ(suspended(), 1U);
    auto const again = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_TRUE(again->is_stream());
    EXPECT_THAT(again->messages(), IsEmpty());
    EXPECT_EQ(bench.counters().resumes_unknown, 1U);
}

TEST_F(SuspendedSessionTest, a_session_with_a_pending_request_is_not_suspended) {
    auto const session = open();
    auto const call = bench.post(call_text("slow"), session);
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    call->reply.disconnect();
    become_idle();
    EXPECT_EQ(suspended(), 0U) << "its client may come back for the answer";
}

TEST_F(SuspendedSessionTest, a_session_with_kept_events_is_not_suspended) {
    auto const session = open();
    bench.post(call_text("ask"), session);
    bench.post(answer_text(1), session);
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    for (int i = 0; i < 40; ++i) bench.advance(8s);
    EXPECT_EQ(suspended(), 1U) << "five minutes later they are not";
}

TEST_F(SuspendedSessionTest, a_session_with_undelivered_messages_is_not_suspended) {
    auto const session = open();
    server.tool("another", "", [] { return "x"; });
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    auto const stream = bench.get(session);
    EXPECT_THAT(stream->messages(), SizeIs(1));
}

TEST_F(SuspendedSessionTest, a_session_that_may_get_a_late_answer_is_not_suspended) {
    auto const session = open();
    auto const call = bench.post(call_text("ask"), session);
    bench.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})",
               session);
    bench.advance(1s);
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    EXPECT_EQ(bench.post(answer_text(1), session)->status(), Status::accepted);
    EXPECT_THAT(logged, IsEmpty()) << "it is recognised as late";
}

TEST_F(SuspendedSessionTest, a_session_with_an_open_url_elicitation_is_not_suspended) {
    auto const session = open();
    bench.post(call_text("visit"), session);
    bench.post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})", session);
    for (int i = 0; i < 50; ++i) bench.advance(8s);
    EXPECT_EQ(suspended(), 0U);
    server.elicitation_complete("visit-1");
    bench.run();
    EXPECT_THAT(bench.get(session)->messages(),
                ElementsAre(HasSubstr("notifications/elicitation/complete")));
}

TEST_F(SuspendedSessionTest, a_change_that_was_held_back_is_announced_by_the_restored_session) {
    auto const session = open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    server.tool("one", "", [] { return "1"; });
    bench.run();
    server.tool("two", "", [] { return "2"; });
    bench.run();
    bench.post(call_text("fast"), session);
    ASSERT_EQ(suspended(), 0U);
    bench.advance(200ms);
    EXPECT_THAT(bench.get(session)->messages(),
                ElementsAre(HasSubstr("notifications/tools/list_changed"),
                            HasSubstr("notifications/tools/list_changed")));
}

TEST_F(SuspendedSessionTest, a_session_without_a_complete_handshake_is_not_suspended) {
    bench.post(initialize_text);
    become_idle();
    EXPECT_EQ(suspended(), 0U);
    EXPECT_EQ(bench.counters().sessions, 1U);
}

TEST_F(SuspendedSessionTest, suspended_sessions_count_for_the_limits) {
    McpBench small(server, time, McpHttpOptions().max_sessions(1).evict_expiry(1h));
    auto const session = small.open();
    for (int i = 0; i < 5; ++i) small.advance(8s);
    ASSERT_EQ(small.counters().sessions_suspended, 1U);
    EXPECT_EQ(small.post(initialize_text)->status(), Status::service_unavailable);
    EXPECT_EQ(small.post(call_text("fast"), session)->status(), Status::ok);
}

TEST_F(SuspendedSessionTest, many_sessions_are_suspended_a_few_at_a_time) {
    for (int i = 0; i < 250; ++i) open();
    bench.advance(40s);
    EXPECT_EQ(suspended(), 100U);
    bench.advance(10ms);
    EXPECT_EQ(suspended(), 200U);
    bench.advance(10ms);
    EXPECT_EQ(suspended(), 250U);
    EXPECT_THAT(server.sessions(), SizeIs(250));
}

TEST_F(SuspendedSessionTest, no_session_is_suspended_if_that_is_switched_off) {
    McpBench unsuspended(server, time, McpHttpOptions().suspend_after(Duration::max()));
    unsuspended.open();
    for (int i = 0; i < 5; ++i) unsuspended.advance(60s);
    EXPECT_EQ(unsuspended.counters().sessions_suspended, 0U);
    EXPECT_EQ(unsuspended.counters().sessions, 1U);
}

TEST_F(SuspendedSessionTest, stopping_the_server_ends_suspended_sessions) {
    auto const session = open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    bench.on_executor([&] { bench.endpoint->stop(30s); });
    EXPECT_EQ(bench.counters().sessions, 0U);
    EXPECT_EQ(suspended(), 0U);
    EXPECT_EQ(bench.post(call_text("fast"), session)->status(), Status::service_unavailable);
}

TEST_F(SuspendedSessionTest, the_endpoint_may_be_destroyed_with_suspended_sessions) {
    open();
    become_idle();
    ASSERT_EQ(suspended(), 1U);
    bench.endpoint.reset();
    EXPECT_THAT(server.sessions(), IsEmpty());
}

}  // namespace
}  // namespace lanyard::test
