// Handlers and channels of notifications that are added to a client in use, and removed again.
#include "reconnect_fixture.hpp"

#include "runtime/event.hpp"

namespace lanyard {
namespace {

class LiveNotifications : public Reconnect {
protected:
    /// A notification that is not bound to a subscription.
    void send_note(int number) {
        server->notify("notifications/note", R"({"n":)" + std::to_string(number) + "}");
    }
    static std::int64_t number_in(RawJson const& params) {
        return json_of(params.text()).at("n").as_int64();
    }
    /// A handler that records the number, and then waits for `gate` if there is one.
    ClientOptions::NotificationHandler recording(runtime::Event* gate = nullptr) {
        return [this, gate](std::string, RawJson params) -> Task<> {
            seen.push_back(number_in(params));
            if (gate != nullptr) co_await gate->wait();
            ++ended;
        };
    }

    std::vector<std::int64_t> seen;
    int ended = 0;
    runtime::Event gate{context.get_executor()};
};

TEST_P(LiveNotifications, a_handler_is_called_until_its_handle_is_destroyed) {
    connect_client();
    send_note(1);
    {
        auto const handle = client.on_notification("notifications/note", recording());
        send_note(2);
        server->notify("notifications/other", R"({"n":77})");
        EXPECT_EQ(seen, std::vector<std::int64_t>{2});
    }
    send_note(3);
    EXPECT_EQ(seen, std::vector<std::int64_t>{2});
    auto handle = client.on_notification("", recording());
    server->notify("notifications/other", R"({"n":4})");
    EXPECT_EQ(seen, (std::vector<std::int64_t>{2, 4}));
    auto moved = std::move(handle);
    handle.remove();
    send_note(5);
    EXPECT_EQ(seen.back(), 5);
    moved.remove();
    moved.remove();
    send_note(6);
    EXPECT_EQ(seen.back(), 5);
}

TEST_P(LiveNotifications, a_handler_is_called_after_those_of_the_options_and_survives_a_reconnect) {
    std::vector<std::string> order;
    ClientOptions options;
    options.on_notification("notifications/note",
                            [&](std::string const&, RawJson const&) { order.push_back("option"); });
    options.on_any_notification(
        [&](std::string const&, RawJson const&) { order.push_back("any"); });
    connect_client(options);
    auto const handle = client.on_notification(
        "notifications/note", [&](std::string const&, RawJson const&) { order.push_back("live"); });
    send_note(1);
    EXPECT_EQ(order, (std::vector<std::string>{"option", "any", "live"}));
    server->close();
    recover();
    send_note(2);
    EXPECT_EQ(order.size(), 6U);
}

TEST_P(LiveNotifications, a_handler_that_throws_is_reported_and_does_not_affect_others) {
    connect_client();
    auto const bad = client.on_notification(
        "notifications/note",
        [](std::string const&, RawJson const&) { throw std::runtime_error("broken"); });
    auto const good = client.on_notification("notifications/note", recording());
    send_note(1);
    EXPECT_EQ(seen, std::vector<std::int64_t>{1});
    ASSERT_FALSE(diagnostics.empty());
    EXPECT_EQ(diagnostics.back(), "a handler of notifications/note failed: broken");
}

TEST_P(LiveNotifications, a_handler_handles_one_notification_at_a_time_by_default) {
    connect_client();
    auto const handle = client.on_notification("notifications/note", recording(&gate));
    for (int i = 1; i <= 3; ++i) send_note(i);
    EXPECT_EQ(seen, std::vector<std::int64_t>{1});
    gate.notify();
    poll();
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(ended, 1);
    for (int i = 0; i < 2; ++i) {
        gate.notify();
        poll();
    }
    EXPECT_EQ(ended, 3);
}

TEST_P(LiveNotifications, a_handler_may_handle_several_notifications_at_the_same_time) {
    connect_client();
    auto const handle = client.on_notification("notifications/note", recording(&gate), 2);
    for (int i = 1; i <= 3; ++i) send_note(i);
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2}));
    gate.notify();
    poll();
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3}));
    gate.notify();
    poll();
    EXPECT_EQ(ended, 3);
}

TEST_P(LiveNotifications, an_added_handler_subscribes_to_the_changes_that_it_needs) {
    connect_client();
    auto handle = client.on_notification("notifications/tools/list_changed",
                                         [this](std::string const&, RawJson const&) { ++ended; });
    std::string params = "{}";
    if (is_modern()) {
        auto const listen = server->expect("subscriptions/listen");
        EXPECT_EQ(listen.at("params").at("notifications").at("toolsListChanged"), true);
        EXPECT_FALSE(
            listen.at("params").at("notifications").as_object().contains("promptsListChanged"));
        acknowledge(listen);
        params = R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                 boost::json::serialize(listen.at("id")) + "}}";
    }
    EXPECT_TRUE(server->silent());
    server->notify("notifications/tools/list_changed", params);
    EXPECT_EQ(ended, 1);
    auto const other = client.on_notification("notifications/note", recording());
    EXPECT_TRUE(server->silent()) << "nothing to subscribe to";
    handle.remove();
    if (is_modern()) server->expect("notifications/cancelled");
    EXPECT_TRUE(server->silent());
}

TEST_P(LiveNotifications, a_channel_passes_notifications_to_a_coroutine) {
    connect_client();
    auto const channel = client.notification_channel("notifications/note");
    auto first = start(channel.next());
    EXPECT_FALSE(first.done());
    send_note(1);
    send_note(2);
    auto const note = first.value();
    ASSERT_TRUE(note);
    EXPECT_EQ(note->method, "notifications/note");
    EXPECT_EQ(number_in(note->params), 1);
    EXPECT_EQ(number_in(start(channel.next()).value()->params), 2);
    auto waiting = start(channel.next());
    EXPECT_FALSE(waiting.done());
    waiting.cancel();
    EXPECT_TRUE(waiting.error().is(Errc::cancelled));
    send_note(3);
    EXPECT_EQ(number_in(start(channel.next()).value()->params), 3);
}

TEST_P(LiveNotifications, a_full_channel_delays_the_notifications_after_it) {
    connect_client(ClientOptions().max_queued_notifications(3));
    auto const channel = client.notification_channel("notifications/note", 2);
    auto const handle = client.on_notification("notifications/note", recording());
    for (int i = 1; i <= 4; ++i) send_note(i);
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2})) << "the third waits for room";
    EXPECT_EQ(number_in(start(channel.next()).value()->params), 1);
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3}));
    for (int i = 2; i <= 4; ++i) {
        EXPECT_EQ(number_in(start(channel.next()).value()->params), i);
    }
    EXPECT_EQ(client.limit_counts().dropped, 0U);
}

TEST_P(LiveNotifications, a_channel_that_is_closed_delays_nothing) {
    connect_client();
    {
        auto const channel = client.notification_channel("notifications/note", 1);
        auto const handle = client.on_notification("notifications/note", recording());
        for (int i = 1; i <= 3; ++i) send_note(i);
        EXPECT_EQ(seen.size(), 1U);
        auto const copy = channel;
        copy.close();
        poll();
        EXPECT_EQ(seen.size(), 3U);
        EXPECT_FALSE(start(channel.next()).value());
    }
    auto const handle = client.on_notification("notifications/note", recording());
    {
        auto const dropped = client.notification_channel("notifications/note", 1);
        for (int i = 4; i <= 6; ++i) send_note(i);
    }
    poll();
    EXPECT_EQ(seen.size(), 6U);
}

TEST_P(LiveNotifications, a_channel_ends_with_its_client_after_the_last_notification) {
    connect_client();
    auto const channel = client.notification_channel("notifications/note", 1);
    for (int i = 1; i <= 3; ++i) send_note(i);
    client.close();
    poll();
    client = Client();
    poll();
    for (int i = 1; i <= 3; ++i) {
        auto const note = start(channel.next()).value();
        ASSERT_TRUE(note) << i;
        EXPECT_EQ(number_in(note->params), i);
    }
    EXPECT_FALSE(start(channel.next()).value());
}

TEST_P(LiveNotifications, a_full_channel_delays_nothing_when_the_client_has_ended) {
    connect_client();
    auto const channel = client.notification_channel("notifications/note", 1);
    auto const handle = client.on_notification("notifications/note", recording());
    for (int i = 1; i <= 3; ++i) send_note(i);
    EXPECT_EQ(seen.size(), 1U);
    client.close();
    poll();
    EXPECT_EQ(seen.size(), 3U);
}

TEST_P(LiveNotifications, arguments_are_checked_and_handles_may_outlive_the_client) {
    connect_client();
    auto const refused = [](auto const& call) {
        try {
            call();
        } catch (Error const& error) {
            return error.is(Errc::invalid_argument);
        }
        return false;
    };
    EXPECT_TRUE(refused([&] { auto const none = client.notification_channel("a", 0); }));
    EXPECT_TRUE(refused([&] { auto const none = client.on_notification("a", recording(), 0); }));
    auto handle = client.on_notification("notifications/note", recording());
    auto const channel = client.notification_channel("notifications/note");
    client.close();
    poll();
    client = Client();
    poll();
    handle.remove();
    EXPECT_FALSE(start(channel.next()).value());
}

LANYARD_EACH_ERA(LiveNotifications);

}  // namespace
}  // namespace lanyard
