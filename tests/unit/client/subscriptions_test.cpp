// Subscriptions: separate requests before 2026-07-28, one stream since then.
#include "client_fixture.hpp"

namespace lanyard {
namespace {

std::string subscription(Json const& listen) {
    return R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" +
           boost::json::serialize(listen.at("id")) + "}";
}

class Legacy : public ClientTest {
protected:
    void SetUp() override {
        ClientOptions options;
        options.on_resource_updated([this](std::string uri) { updated.push_back(uri); });
        open(Version::v2025_11_25, options);
    }
    void subscribe() {
        auto subscribing = start(client.subscribe("a:b"));
        auto const request = server->expect("resources/subscribe");
        EXPECT_EQ(request.at("params").at("uri"), "a:b");
        server->result(request, "{}");
        EXPECT_TRUE(subscribing.value());
    }
    std::vector<std::string> updated;
};

TEST_F(Legacy, subscribing_and_unsubscribing_are_requests) {
    subscribe();
    server->notify("notifications/resources/updated", R"({"uri":"a:b"})");
    EXPECT_EQ(updated, std::vector<std::string>{"a:b"});
    auto unsubscribing = start(client.unsubscribe("a:b"));
    auto const request = server->expect("resources/unsubscribe");
    EXPECT_EQ(request.at("params").at("uri"), "a:b");
    server->result(request, "{}");
    EXPECT_TRUE(unsubscribing.value());
    EXPECT_TRUE(start(client.stop()).value());
    EXPECT_TRUE(server->silent());
}

TEST_F(Legacy, an_error_to_subscribe_reaches_the_caller) {
    auto subscribing = start(client.subscribe("a:b"));
    server->error(server->expect("resources/subscribe"), -32002);
    EXPECT_EQ(subscribing.error().peer_code(), -32002);
    EXPECT_TRUE(start(client.stop()).value());
    EXPECT_TRUE(server->silent());
}

TEST_F(Legacy, stopping_unsubscribes_first) {
    subscribe();
    auto stopping = start(client.stop());
    auto const request = server->expect("resources/unsubscribe");
    EXPECT_EQ(request.at("params").at("uri"), "a:b");
    EXPECT_FALSE(stopping.done());
    server->result(request, "{}");
    EXPECT_TRUE(stopping.value());
    EXPECT_TRUE(server->ended());
}

class Stream : public ClientTest {
protected:
    ClientOptions listening() {
        ClientOptions options;
        options.on_list_changed([this](ListKind kind) { changed.push_back(kind); });
        options.on_resource_updated([this](std::string uri) { updated.push_back(uri); });
        return options;
    }
    /// Grants everything that a listen request asks for.
    void acknowledge(Json const& listen) {
        acknowledge(listen, boost::json::serialize(listen.at("params").at("notifications")));
    }
    void acknowledge(Json const& listen, std::string_view granted) {
        server->notify(
            "notifications/subscriptions/acknowledged",
            R"({"notifications":)" + std::string(granted) + "," + subscription(listen) + "}");
    }
    void notify(Json const& listen, std::string_view method, std::string_view members = {}) {
        server->notify(method, "{" + std::string(members) + (members.empty() ? "" : ",") +
                                   subscription(listen) + "}");
    }
    std::vector<ListKind> changed;
    std::vector<std::string> updated;
};

TEST_F(Stream, is_opened_by_handlers_for_changing_lists) {
    open(Version::v2026_07_28, listening());
    auto const listen = server->expect("subscriptions/listen");
    EXPECT_EQ(listen.at("params").at("notifications"),
              json_of(R"({"toolsListChanged":true,"promptsListChanged":true,)"
                      R"("resourcesListChanged":true})"));
    // Notifications before the acknowledgement, or without the id of the stream, are ignored.
    notify(listen, "notifications/tools/list_changed");
    acknowledge(listen);
    server->notify("notifications/tools/list_changed");
    server->notify("notifications/tools/list_changed",
                   R"({"_meta":{"io.modelcontextprotocol/subscriptionId":"1"}})");
    EXPECT_TRUE(changed.empty());
    notify(listen, "notifications/tools/list_changed");
    notify(listen, "notifications/prompts/list_changed");
    notify(listen, "notifications/resources/list_changed");
    EXPECT_EQ(changed,
              (std::vector<ListKind>{ListKind::tools, ListKind::prompts, ListKind::resources}));
    // The stream has no time limit.
    advance(24h);
    EXPECT_TRUE(server->silent());
}

TEST_F(Stream, requests_only_notifications_that_the_server_supports) {
    open(Version::v2026_07_28, listening(), R"({"tools":{"listChanged":true},"prompts":{}})");
    EXPECT_EQ(server->expect("subscriptions/listen").at("params").at("notifications"),
              json_of(R"({"toolsListChanged":true})"));
    open(Version::v2026_07_28, listening(), R"({"tools":{}})");
    EXPECT_TRUE(server->silent());
    ClientOptions by_name;
    by_name.on_notification("notifications/prompts/list_changed", [](std::string, RawJson) {});
    open(Version::v2026_07_28, by_name);
    EXPECT_EQ(server->expect("subscriptions/listen").at("params").at("notifications"),
              json_of(R"({"promptsListChanged":true})"));
    ClientOptions any;
    std::vector<std::string> methods;
    any.on_any_notification([&](std::string method, RawJson) { methods.push_back(method); });
    open(Version::v2026_07_28, any);
    auto const listen = server->expect("subscriptions/listen");
    acknowledge(listen);
    notify(listen, "notifications/tools/list_changed");
    EXPECT_EQ(methods, (std::vector<std::string>{"notifications/subscriptions/acknowledged",
                                                 "notifications/tools/list_changed"}));
}

TEST_F(Stream, notifications_that_the_server_does_not_grant_are_reported) {
    open(Version::v2026_07_28, listening());
    acknowledge(server->expect("subscriptions/listen"), "{}");
    EXPECT_EQ(diagnostics,
              (std::vector<std::string>{"the server does not announce changes of its tools",
                                        "the server does not announce changes of its prompts",
                                        "the server does not announce changes of its resources"}));
}

TEST_F(Stream, subscribing_opens_a_new_stream_and_closes_the_old_one_when_acknowledged) {
    open(Version::v2026_07_28, listening(),
         R"({"tools":{"listChanged":true},"resources":{"subscribe":true}})");
    auto const first = server->expect("subscriptions/listen");
    acknowledge(first);
    auto subscribing = start(client.subscribe("a:b"));
    auto const second = server->expect("subscriptions/listen");
    EXPECT_EQ(second.at("params").at("notifications"),
              json_of(R"({"toolsListChanged":true,"resourceSubscriptions":["a:b"]})"));
    EXPECT_FALSE(subscribing.done());
    notify(first, "notifications/tools/list_changed");
    EXPECT_EQ(changed.size(), 1U);
    acknowledge(second);
    EXPECT_TRUE(subscribing.value());
    EXPECT_EQ(server->expect("notifications/cancelled").at("params").at("requestId"),
              first.at("id"));
    notify(first, "notifications/tools/list_changed");
    EXPECT_EQ(changed.size(), 1U);
    notify(second, "notifications/resources/updated", R"("uri":"a:b")");
    EXPECT_EQ(updated, std::vector<std::string>{"a:b"});
    // A subscription that was granted already needs no new stream.
    EXPECT_TRUE(start(client.subscribe("a:b")).value());
    EXPECT_TRUE(server->silent());

    auto unsubscribing = start(client.unsubscribe("a:b"));
    EXPECT_TRUE(unsubscribing.value());
    auto const third = server->expect("subscriptions/listen");
    EXPECT_EQ(third.at("params").at("notifications"), json_of(R"({"toolsListChanged":true})"));
    EXPECT_TRUE(start(client.unsubscribe("never")).value());
    EXPECT_TRUE(server->silent());
}

TEST_F(Stream, two_subscriptions_at_the_same_time_share_one_stream) {
    open(Version::v2026_07_28);
    auto first = start(client.subscribe("a:1"));
    auto second = start(client.subscribe("a:2"));
    server->expect("subscriptions/listen");
    server->expect("notifications/cancelled");
    auto const listen = server->expect("subscriptions/listen");
    EXPECT_EQ(listen.at("params").at("notifications").at("resourceSubscriptions"),
              json_of(R"(["a:1","a:2"])"));
    acknowledge(listen);
    EXPECT_TRUE(first.value());
    EXPECT_TRUE(second.value());
    // The stream is closed when the last subscription has ended.
    EXPECT_TRUE(start(client.unsubscribe("a:1")).value());
    acknowledge(server->expect("subscriptions/listen"));
    server->expect("notifications/cancelled");
    EXPECT_TRUE(start(client.unsubscribe("a:2")).value());
    server->expect("notifications/cancelled");
    EXPECT_TRUE(server->silent());
}

TEST_F(Stream, a_subscription_that_is_not_granted_is_an_error) {
    open(Version::v2026_07_28);
    auto denied = start(client.subscribe("a:b"));
    acknowledge(server->expect("subscriptions/listen"), "{}");
    EXPECT_TRUE(denied.error().is(Errc::failed)) << denied.error().what();

    auto refused = start(client.subscribe("a:b"));
    server->error(server->expect("subscriptions/listen"), -32602);
    EXPECT_EQ(refused.error().peer_code(), -32602);

    auto ended = start(client.subscribe("a:b"));
    server->result(server->expect("subscriptions/listen"), R"({"resultType":"complete"})");
    EXPECT_TRUE(ended.error().is(Errc::failed));

    auto garbled = start(client.subscribe("a:b", CallOptions().timeout(3s)));
    auto const listen = server->expect("subscriptions/listen");
    acknowledge(listen, "7");
    EXPECT_FALSE(garbled.done());
    advance(3s);
    EXPECT_TRUE(garbled.error().is(Errc::timeout));

    auto cancelled = start(client.subscribe("a:b"));
    cancelled.cancel();
    EXPECT_TRUE(cancelled.error().is(Errc::cancelled));
}

TEST_F(Stream, may_be_ended_by_a_result_or_a_cancellation) {
    for (bool const by_result : {true, false}) {
        diagnostics.clear();
        open(Version::v2026_07_28, listening());
        auto const listen = server->expect("subscriptions/listen");
        acknowledge(listen);
        if (by_result) {
            server->result(listen, R"({"resultType":"complete"})");
        } else {
            server->notify("notifications/cancelled",
                           R"({"requestId":)" + boost::json::serialize(listen.at("id")) + "}");
        }
        EXPECT_EQ(diagnostics, std::vector<std::string>{"the server ended the subscription"});
        notify(listen, "notifications/tools/list_changed");
        EXPECT_TRUE(changed.empty());
        // The cancellation of an unknown request is ignored.
        server->notify("notifications/cancelled", R"({"requestId":99})");
        EXPECT_EQ(diagnostics.size(), 1U);
    }
}

TEST_F(Stream, is_opened_again_after_the_server_ended_it) {
    open(Version::v2026_07_28, listening());
    auto listen = server->expect("subscriptions/listen");
    for (int i = 0; i < 3; ++i) {
        acknowledge(listen);
        server->result(listen, R"({"resultType":"complete"})");
        EXPECT_TRUE(server->silent());
        advance(i == 0 ? 1200ms : 5s);  // the waits grow: about 1, 2, 4 seconds
        listen = server->expect("subscriptions/listen");
    }
    // The client does not reopen the stream while subscribe() does, nor after close().
    acknowledge(listen);
    advance(1h);
    server->result(listen, R"({"resultType":"complete"})");
    auto subscribing = start(client.subscribe("a:b"));
    server->expect("subscriptions/listen");
    advance(1200ms);
    EXPECT_TRUE(server->silent());
    client.close();
    EXPECT_TRUE(subscribing.error().is(Errc::shutdown)) << subscribing.error().what();
    advance(1h);
}

TEST_F(Stream, is_opened_at_most_twice_a_minute_if_the_server_ends_it_at_once) {
    open(Version::v2026_07_28, listening());
    int opened = 0;
    for (int second = 0; second < 3'600; ++second) {
        for (auto message = server->next(); !message.is_null(); message = server->next()) {
            ASSERT_EQ(message.at("method"), "subscriptions/listen");
            ++opened;
            acknowledge(message);
            server->result(message, R"({"resultType":"complete"})");
        }
        advance(1s);
    }
    EXPECT_GE(opened, 80);
    EXPECT_LE(opened, 160);
}

TEST_F(Stream, a_refused_stream_is_reported) {
    open(Version::v2026_07_28, listening());
    server->error(server->expect("subscriptions/listen"), -32603);
    EXPECT_EQ(diagnostics, std::vector<std::string>{"the server refused the subscription: no"});
    advance(1h);
    EXPECT_TRUE(server->silent());
}

TEST_F(Stream, is_closed_by_stop) {
    open(Version::v2026_07_28, listening());
    auto const listen = server->expect("subscriptions/listen");
    acknowledge(listen);
    auto stopping = start(client.stop());
    EXPECT_EQ(server->expect("notifications/cancelled").at("params").at("requestId"),
              listen.at("id"));
    EXPECT_TRUE(stopping.value());
}

TEST_F(Stream, changes_make_cached_results_stale) {
    auto const everything = listening();
    open(Version::v2026_07_28, everything);
    auto const first = server->expect("subscriptions/listen");
    acknowledge(first);
    auto subscribing = start(client.subscribe("a:b"));
    auto const listen = server->expect("subscriptions/listen");
    acknowledge(listen);
    server->expect("notifications/cancelled");
    auto const fresh = [](std::string_view member) {
        return R"({"resultType":"complete",")" + std::string(member) +
               R"(":[],"ttlMs":60000,"cacheScope":"public"})";
    };
    struct Case {
        std::string_view method;
        std::string_view member;
        std::string_view notification;
    };
    Case const cases[] = {
        {"tools/list", "tools", "notifications/tools/list_changed"},
        {"prompts/list", "prompts", "notifications/prompts/list_changed"},
        {"resources/list", "resources", "notifications/resources/list_changed"},
        {"resources/templates/list", "resourceTemplates", "notifications/resources/list_changed"},
        {"resources/read", "contents", "notifications/resources/updated"},
    };
    auto const ask = [&](std::string_view method) {
        if (method == "tools/list") static_cast<void>(start(client.list_tools_page()));
        if (method == "prompts/list") static_cast<void>(start(client.list_prompts_page()));
        if (method == "resources/list") static_cast<void>(start(client.list_resources_page()));
        if (method == "resources/templates/list") {
            static_cast<void>(start(client.list_resource_templates_page()));
        }
        if (method == "resources/read") static_cast<void>(start(client.read_resource("a:b")));
    };
    for (auto const& each : cases) {
        ask(each.method);
        server->result(server->expect(each.method), fresh(each.member));
        ask(each.method);
        EXPECT_TRUE(server->silent()) << each.method;
        notify(listen, each.notification, R"("uri":"a:b")");
        ask(each.method);
        auto const overtaken = server->expect(each.method);
        // An answer that was sent before the change is not cached.
        notify(listen, each.notification, R"("uri":"a:b")");
        server->result(overtaken, fresh(each.member));
        ask(each.method);
        server->result(server->expect(each.method), fresh(each.member));
    }
}

}  // namespace
}  // namespace lanyard
