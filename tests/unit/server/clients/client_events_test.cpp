// The user's handlers of what clients do: notifications and phases.
#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <thread>

#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

// The guard of waits for other threads; a test that passes does not wait this long.
constexpr auto patience = 20s;

std::string notification(std::string_view method, std::string_view params = "{}") {
    return R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"(","params":)" +
           std::string(params) + "}";
}

class ClientEventsTest : public ::testing::Test {
protected:
    ClientEventsTest() : ClientEventsTest(ServerOptions()) {}
    explicit ClientEventsTest(ServerOptions options)
        : server("s", "1", options.time(time).on_log([this](auto level, auto text) {
              logged.push_back(
                  std::string(EnumNames<LoggingLevel>::value.at(static_cast<std::size_t>(level))) +
                  ": " + std::string(text));
          })) {
        server.tool("echo", "", [] { return "echo"; }, ToolOptions().inline_());
    }
    ~ClientEventsTest() override {
        client.close();
        client.poll();
    }
    /// Runs handlers on the loop of the test instead of in worker threads.
    void handle_on_loop() { server.executor(context.get_executor()); }
    bool has_logged(std::string_view text) const {
        return std::find(logged.begin(), logged.end(), text) != logged.end();
    }

    /// Collects the functions that the server posts, until run_posted().
    void collect_posted() {
        server.executor([this](std::function<void()> each) { posted.push_back(std::move(each)); });
    }
    void run_posted() {
        while (!posted.empty()) {
            auto const next = std::move(posted.front());
            posted.pop_front();
            next();
        }
    }

    testing::FakeTime time;
    std::vector<std::string> logged;
    std::deque<std::function<void()>> posted;
    Server server;
    boost::asio::io_context context;
    RawClient client{context, server};
};

TEST_F(ClientEventsTest, a_notification_reaches_its_handler_with_its_sender) {
    handle_on_loop();
    std::vector<ClientNotification> taken;
    server.on_notification("notifications/custom",
                           [&](ClientNotification const& each) { taken.push_back(each); });
    client.initialize();
    client.send(notification("notifications/custom", R"({"a":[1,2]})"));
    client.send(R"({"jsonrpc":"2.0","method":"notifications/custom"})");
    ASSERT_EQ(taken.size(), 2U);
    EXPECT_EQ(taken[0].method, "notifications/custom");
    EXPECT_EQ(taken[0].params.text(), R"({"a":[1,2]})");
    EXPECT_EQ(taken[0].client.name, "raw");
    EXPECT_EQ(taken[0].version, "2025-11-25");
    EXPECT_EQ(taken[0].sender.transport, "memory");
    EXPECT_EQ(taken[0].sender.session_id, server.sessions().front().id);
    EXPECT_EQ(taken[1].params.text(), "{}");
}

TEST_F(ClientEventsTest, notifications_of_a_revision_without_handshake_are_handled) {
    handle_on_loop();
    std::vector<std::string> taken;
    server.on_any_notification(
        [&](ClientNotification const& each) { taken.push_back(each.version); });
    client.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + RawClient::meta() +
               "}}");
    client.send(notification("notifications/custom"));
    EXPECT_EQ(taken, std::vector<std::string>{"2026-07-28"});
}

TEST_F(ClientEventsTest, a_client_reports_that_its_roots_have_changed) {
    handle_on_loop();
    int changes = 0;
    server.on_roots_changed([&](ClientNotification const&) { ++changes; });
    client.initialize();
    client.send(notification("notifications/roots/list_changed"));
    EXPECT_EQ(changes, 1);
}

TEST_F(ClientEventsTest, all_handlers_of_a_method_are_called_before_those_of_all_methods) {
    handle_on_loop();
    std::vector<std::string> called;
    server.on_any_notification(
        [&](ClientNotification const& each) { called.push_back("any " + each.method); });
    for (auto const* name : {"first", "second"}) {
        server.on_notification("a", [&called, name](auto const&) { called.emplace_back(name); });
    }
    client.initialize();
    client.send(notification("a"));
    client.send(notification("b"));
    EXPECT_EQ(called, (std::vector<std::string>{"any notifications/initialized", "first", "second",
                                                "any a", "any b"}));
}

TEST_F(ClientEventsTest, a_handler_that_fails_is_logged_and_stops_no_other) {
    handle_on_loop();
    int called = 0;
    server.on_notification("a", [](auto const&) { throw std::runtime_error("no disk"); });
    server.on_notification("a", [](auto const&) { throw 5; });
    server.on_notification("a", [&](auto const&) { ++called; });
    client.initialize();
    client.send(notification("a"));
    EXPECT_EQ(called, 1);
    EXPECT_TRUE(has_logged("error: a handler of a failed: no disk"));
    EXPECT_TRUE(has_logged("error: a handler of a failed: an exception of unknown type"));
}

TEST_F(ClientEventsTest, messages_that_the_library_processes_have_no_handlers) {
    for (auto const* method : {"notifications/cancelled", "notifications/progress"}) {
        try {
            server.on_notification(method, [](auto const&) {});
            ADD_FAILURE() << method;
        } catch (Error const& error) {
            EXPECT_TRUE(error.is(Errc::invalid_argument));
            EXPECT_EQ(error.message(), "no handler can receive " + std::string(method) +
                                           ", because the library processes it");
        }
    }
}

TEST_F(ClientEventsTest, notifications_without_a_handler_are_logged_at_debug) {
    client.initialize();
    client.send(notification("notifications/roots/list_changed"));
    client.send(notification(std::string(1'000, 'x')));
    EXPECT_EQ(logged, (std::vector<std::string>{
                          "debug: the notification notifications/roots/list_changed has no handler",
                          "debug: the notification " + std::string(200, 'x') + " has no handler"}));
}

TEST_F(ClientEventsTest, a_notification_before_the_handshake_is_dropped_and_logged) {
    handle_on_loop();
    int called = 0;
    server.on_any_notification([&](auto const&) { ++called; });
    client.send(notification("a"));
    EXPECT_EQ(called, 0);
    EXPECT_TRUE(
        has_logged("debug: the notification a is dropped, because the connection is in "
                   "phase initialization"));
}

TEST_F(ClientEventsTest, a_handler_may_block_without_delaying_requests) {
    std::promise<void> release;
    auto const released = release.get_future().share();
    std::promise<std::vector<std::string>> all;
    std::vector<std::string> taken;
    auto const loop = std::this_thread::get_id();
    server.on_notification("a", [&](ClientNotification const& each) {
        EXPECT_NE(std::this_thread::get_id(), loop);
        if (taken.empty()) released.wait();
        taken.push_back(each.params.text());
        if (taken.size() == 3) all.set_value(taken);
    });
    client.initialize();
    for (auto const* params : {"{\"n\":1}", "{\"n\":2}", "{\"n\":3}"}) {
        client.send(notification("a", params));
    }
    auto const answer =
        client.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
    EXPECT_EQ(at(answer, "id"), 1);
    release.set_value();
    auto handled = all.get_future();
    ASSERT_EQ(handled.wait_for(patience), std::future_status::ready);
    // One at a time, in the order in which they arrived.
    EXPECT_EQ(handled.get(), (std::vector<std::string>{"{\"n\":1}", "{\"n\":2}", "{\"n\":3}"}));
}

TEST_F(ClientEventsTest, the_executor_of_the_user_runs_one_handler_at_a_time) {
    collect_posted();
    int called = 0;
    server.on_notification("a", [&](auto const&) { ++called; });
    client.initialize();
    client.send(notification("a"));
    client.send(notification("a"));
    for (int expected = 1; expected <= 2; ++expected) {
        ASSERT_EQ(posted.size(), 1U);
        while (called < expected && !posted.empty()) {
            auto const next = std::move(posted.front());
            posted.pop_front();
            next();
        }
        EXPECT_EQ(called, expected);
    }
}

TEST_F(ClientEventsTest, phases_are_reported_in_order) {
    handle_on_loop();
    std::vector<std::string> phases;
    server.on_phase([&](SessionInfo const& session) {
        EXPECT_EQ(session.transport.kind, "memory");
        phases.push_back(session.phases.back().name);
    });
    client.initialize();
    client.poll();
    EXPECT_EQ(phases, (std::vector<std::string>{"initialized", "ready"}));
    server.stop(1s);
    client.poll();
    client.close();
    client.poll();
    EXPECT_EQ(phases,
              (std::vector<std::string>{"initialized", "ready", "shutting_down", "closed"}));
}

TEST_F(ClientEventsTest, the_end_of_a_connection_is_reported_before_the_server_is_destroyed) {
    std::vector<std::string> phases;
    std::promise<void> release;
    {
        Server brief("s", "1", ServerOptions().on_log([](auto, auto) {}));
        brief.on_phase([&](SessionInfo const& session) {
            if (phases.empty()) release.get_future().wait();
            phases.push_back(session.phases.back().name);
        });
        RawClient one(context, brief);
        one.initialize();
        one.close();
        one.poll();
        release.set_value();
    }
    EXPECT_EQ(phases, (std::vector<std::string>{"initialized", "ready", "closed"}));
}

TEST_F(ClientEventsTest, no_handler_starts_after_the_server_was_destroyed) {
    int called = 0;
    {
        Server brief("s", "1", ServerOptions().on_log([](auto, auto) {}));
        brief.executor([&](std::function<void()> each) { posted.push_back(std::move(each)); });
        brief.on_any_notification([&](auto const&) { ++called; });
        brief.on_phase([&](auto const&) { ++called; });
        RawClient one(context, brief);
        one.initialize();
        one.close();
        one.poll();
    }
    ASSERT_FALSE(posted.empty());
    run_posted();
    EXPECT_EQ(called, 0);
}

class ShortQueueTest : public ClientEventsTest {
protected:
    ShortQueueTest() : ClientEventsTest(ServerOptions().max_queued_notifications(2)) {}
};

TEST_F(ShortQueueTest, a_full_queue_drops_the_oldest_notification) {
    collect_posted();
    std::vector<std::string> taken;
    std::vector<std::string> phases;
    server.on_notification("a", [&](auto const& each) { taken.push_back(each.params.text()); });
    server.on_phase([&](auto const& session) { phases.push_back(session.phases.back().name); });
    client.initialize();
    for (int i = 1; i <= 5; ++i) {
        client.send(notification("a", "{\"n\":" + std::to_string(i) + "}"));
    }
    EXPECT_EQ(server.limit_counts().dropped_notifications, 3U);
    EXPECT_TRUE(
        has_logged("warning: notifications of a client are dropped: their handlers are too slow"));
    run_posted();
    EXPECT_EQ(taken, (std::vector<std::string>{"{\"n\":4}", "{\"n\":5}"}));
    // Phases are not dropped.
    EXPECT_EQ(phases, (std::vector<std::string>{"initialized", "ready"}));
    client.send(notification("a"));
    EXPECT_EQ(server.limit_counts().dropped_notifications, 3U);
}

TEST_F(ClientEventsTest, waiting_notifications_are_limited_in_size) {
    collect_posted();
    int called = 0;
    server.on_notification("a", [&](auto const&) { ++called; });
    client.initialize();
    auto const large = R"({"text":")" + std::string(6'000'000, 'x') + "\"}";
    for (int i = 0; i < 4; ++i) client.send(notification("a", large));
    EXPECT_EQ(server.limit_counts().dropped_notifications, 2U);
    run_posted();
    EXPECT_EQ(called, 2);
}

}  // namespace
}  // namespace lanyard::server
