// Opening a connection: the probe, the fallback, versions, and cleanup after failures.
#include "client_fixture.hpp"

namespace lanyard {
namespace {

class Connect : public ClientTest {};

// Opens memory connections; the fixture keeps the server's ends.
class MemoryConnector final : public Connector {
public:
    explicit MemoryConnector(std::function<std::unique_ptr<Transport>()> make)
        : make_(std::move(make)) {}
    Task<std::unique_ptr<Transport>> open() override { co_return make_(); }
    std::string describe() const override { return "memory"; }

private:
    std::function<std::unique_ptr<Transport>()> make_;
};

TEST_F(Connect, the_server_receives_the_description_of_the_client) {
    Implementation info;
    info.name = "mine";
    info.version = "3.1";
    info.title = "My client";
    auto connecting = start(connect(make_transport(), timed(ClientOptions().info(info))));
    auto const probe = server->expect("server/discover");
    auto const& sent = probe.at("params").at("_meta").at("io.modelcontextprotocol/clientInfo");
    EXPECT_EQ(sent, json_of(R"({"name":"mine","title":"My client","version":"3.1"})"));
    server->error(probe, -32601);
    auto const opening = server->expect("initialize");
    EXPECT_EQ(opening.at("params").at("clientInfo"), sent);
    server->result(opening, initialization());
    client = connecting.value();
}

TEST_F(Connect, a_server_that_answers_the_probe_needs_no_handshake) {
    ClientOptions options("probe", "2.0");
    auto connecting = start(connect(make_transport(), timed(options)));
    auto const probe = server->expect("server/discover");
    auto const& meta = probe.at("params").at("_meta");
    EXPECT_EQ(meta.at("io.modelcontextprotocol/protocolVersion"), "2026-07-28");
    EXPECT_EQ(meta.at("io.modelcontextprotocol/clientInfo").at("name"), "probe");
    EXPECT_TRUE(meta.at("io.modelcontextprotocol/clientCapabilities").is_object());
    EXPECT_FALSE(connecting.done());
    server->result(probe, discovery());
    client = connecting.value();
    EXPECT_EQ(client.version(), Version::v2026_07_28);
    EXPECT_EQ(client.server_info().name, "scripted");
    EXPECT_EQ(client.instructions(), "be kind");
    EXPECT_TRUE(client.server_capabilities().tools.has_value());
    EXPECT_TRUE(client.is_open());
    EXPECT_TRUE(server->silent());
}

TEST_F(Connect, a_server_that_refuses_the_probe_gets_the_handshake) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32601);
    auto const opening = server->expect("initialize");
    EXPECT_EQ(opening.at("params").at("protocolVersion"), "2025-11-25");
    EXPECT_EQ(opening.at("params").at("clientInfo").at("name"), "lanyard");
    EXPECT_FALSE(opening.at("params").as_object().contains("_meta"));
    server->result(opening, initialization());
    server->expect("notifications/initialized");
    client = connecting.value();
    EXPECT_EQ(client.version(), Version::v2025_11_25);
    EXPECT_EQ(client.server_info().name, "scripted");
    EXPECT_EQ(client.instructions(), "be kind");
}

TEST_F(Connect, the_fall_back_does_not_depend_on_one_code) {
    for (int const code : {-32600, -32602, -32000, -32002, 7}) {
        auto connecting = start(connect(make_transport(), timed({})));
        server->error(server->expect("server/discover"), code);
        server->result(server->expect("initialize"), initialization());
        server->expect("notifications/initialized");
        EXPECT_EQ(connecting.value().version(), Version::v2025_11_25) << code;
    }
}

TEST_F(Connect, an_error_without_an_id_answers_the_probe) {
    for (auto const* id : {R"("id":null,)", ""}) {
        auto connecting = start(connect(make_transport(), timed({})));
        server->expect("server/discover");
        server->send(R"({"jsonrpc":"2.0",)" + std::string(id) +
                     R"("error":{"code":-32700,"message":"Parse error"}})");
        server->result(server->expect("initialize"), initialization());
        server->expect("notifications/initialized");
        client = connecting.value();
        EXPECT_EQ(client.version(), Version::v2025_11_25);
        EXPECT_TRUE(diagnostics.empty()) << diagnostics.front();

        // An error without an id never answers a request other than the probe.
        auto listing = start(client.list_tools());
        auto const request = server->expect("tools/list");
        server->send(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}})");
        EXPECT_FALSE(listing.done());
        server->result(request, R"({"tools":[]})");
        EXPECT_TRUE(listing.value().empty());
        diagnostics.clear();
    }
}

TEST_F(Connect, a_result_that_is_no_discovery_means_the_handshake) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->result(server->expect("server/discover"), R"({"anything":1})");
    server->result(server->expect("initialize"), initialization());
    EXPECT_EQ(connecting.value().version(), Version::v2025_11_25);
}

TEST_F(Connect, a_server_that_does_not_answer_the_probe_gets_the_handshake_in_time) {
    ClientOptions options;
    options.probe_timeout(2s);
    auto connecting = start(connect(make_transport(), timed(options)));
    auto const probe = server->expect("server/discover");
    advance(1999ms);
    EXPECT_TRUE(server->silent());
    advance(1ms);
    EXPECT_EQ(server->expect("notifications/cancelled").at("params").at("requestId"),
              probe.at("id"));
    auto const opening = server->expect("initialize");
    server->result(probe, discovery());  // too late
    server->result(opening, initialization());
    client = connecting.value();
    EXPECT_EQ(client.version(), Version::v2025_11_25);
    EXPECT_EQ(client.limit_counts().timeouts, 1U);
}

TEST_F(Connect, a_server_too_slow_for_the_probe_is_probed_again_after_it_refuses_the_handshake) {
    auto connecting = start(connect(make_transport(), timed(ClientOptions().probe_timeout(2s))));
    server->expect("server/discover");
    advance(2s);
    server->expect("notifications/cancelled");
    auto const data = R"({"supported":["2026-07-28"],"requested":"2025-11-25"})";
    server->error(server->expect("initialize"), -32022, data);
    server->result(server->expect("server/discover"), discovery());
    EXPECT_EQ(connecting.value().version(), Version::v2026_07_28);
}

TEST_F(Connect, a_server_that_refuses_both_ways_of_opening_is_an_error) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32601);
    server->error(server->expect("initialize"), -32022);
    EXPECT_EQ(connecting.error().peer_code(), -32022);
}

TEST_F(Connect, a_server_that_ends_on_the_probe_is_started_again) {
    int opened = 0;
    auto connector = std::make_unique<MemoryConnector>([&] {
        ++opened;
        return make_transport();
    });
    auto connecting = start(connect(std::move(connector), timed({})));
    server->expect("server/discover");
    server->close();
    EXPECT_EQ(opened, 2);
    auto const opening = server->expect("initialize");
    server->result(opening, initialization());
    server->expect("notifications/initialized");
    client = connecting.value();
    EXPECT_TRUE(client.is_open());
    auto pinging = start(client.ping());
    server->result(server->expect("ping"), "{}");
    EXPECT_TRUE(pinging.value());
}

TEST_F(Connect, without_a_connector_a_server_that_ends_on_the_probe_is_an_error) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->expect("server/discover");
    server->close();
    EXPECT_TRUE(connecting.error().is(Errc::transport_down)) << connecting.error().what();
}

TEST_F(Connect, a_server_that_ends_during_the_handshake_is_an_error) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32601);
    server->expect("initialize");
    server->close();
    EXPECT_TRUE(connecting.error().is(Errc::transport_down)) << connecting.error().what();
}

TEST_F(Connect, a_handshake_takes_ten_seconds_at_most) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32601);
    server->expect("initialize");
    advance(9999ms);
    EXPECT_FALSE(connecting.done());
    advance(1ms);
    EXPECT_TRUE(connecting.error().is(Errc::timeout));
    // initialize is never cancelled; the client only closes the connection.
    EXPECT_TRUE(server->silent());
    EXPECT_TRUE(server->ended());
}

TEST_F(Connect, the_server_may_counter_with_an_older_version) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32601);
    server->result(server->expect("initialize"), initialization("2024-11-05"));
    client = connecting.value();
    EXPECT_EQ(client.version(), Version::v2024_11_05);
    ASSERT_EQ(diagnostics.size(), 1U);
    EXPECT_EQ(diagnostics[0], "the server uses the older version 2024-11-05");
}

TEST_F(Connect, a_version_that_was_not_offered_is_refused) {
    for (auto const* version : {"1999-01-01", "2026-07-28", "soon"}) {
        auto connecting = start(connect(make_transport(), timed({})));
        server->error(server->expect("server/discover"), -32601);
        server->result(server->expect("initialize"), initialization(version));
        EXPECT_TRUE(connecting.error().is(Errc::version_mismatch)) << version;
        EXPECT_TRUE(server->ended());
    }
}

TEST_F(Connect, an_error_to_the_handshake_reaches_the_caller) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32601);
    server->error(server->expect("initialize"), -32603);
    EXPECT_EQ(connecting.error().peer_code(), -32603);
    EXPECT_TRUE(server->ended());
}

TEST_F(Connect, a_garbled_handshake_is_a_violation) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32601);
    server->result(server->expect("initialize"), R"({"protocolVersion":7})");
    EXPECT_TRUE(connecting.error().is(Errc::protocol_violation)) << connecting.error().what();
}

TEST_F(Connect, after_an_unsupported_version_another_of_the_list_is_tried_once) {
    auto connecting = start(connect(make_transport(), timed({})));
    auto const list = R"({"supported":["2026-07-28"],"requested":"2026-07-28"})";
    server->error(server->expect("server/discover"), -32022, list);
    server->result(server->expect("server/discover"), discovery());
    EXPECT_EQ(connecting.value().version(), Version::v2026_07_28);

    auto stubborn = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32022, list);
    server->error(server->expect("server/discover"), -32022, list);
    EXPECT_EQ(stubborn.error().peer_code(), -32022);
}

TEST_F(Connect, a_list_of_versions_without_one_in_common_is_an_error) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32022,
                  R"({"supported":["2031-01-01"],"requested":"2026-07-28"})");
    EXPECT_TRUE(connecting.error().is(Errc::version_mismatch));

    auto listless = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32022);
    EXPECT_TRUE(listless.error().is(Errc::version_mismatch));

    auto odd = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32022, R"({"supported":4})");
    EXPECT_TRUE(odd.error().is(Errc::version_mismatch));
}

TEST_F(Connect, a_list_that_leaves_only_the_handshake_leads_to_it) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->error(server->expect("server/discover"), -32022,
                  R"({"supported":["2025-06-18"],"requested":"2026-07-28"})");
    server->result(server->expect("initialize"), initialization("2025-06-18"));
    EXPECT_EQ(connecting.value().version(), Version::v2025_06_18);
}

TEST_F(Connect, offered_and_preferred_versions_decide_the_first_attempt) {
    ClientOptions only_old;
    only_old.versions({Version::v2024_11_05, Version::v2025_03_26});
    auto old = start(connect(make_transport(), timed(only_old)));
    EXPECT_EQ(server->expect("initialize").at("params").at("protocolVersion"), "2025-03-26");
    server->close();
    EXPECT_TRUE(old.done());

    ClientOptions preferring;
    preferring.preferred_version(Version::v2025_06_18);
    auto preferred = start(connect(make_transport(), timed(preferring)));
    EXPECT_EQ(server->expect("initialize").at("params").at("protocolVersion"), "2025-06-18");
    server->close();
    EXPECT_TRUE(preferred.done());

    ClientOptions only_new;
    only_new.versions({Version::v2026_07_28});
    auto modern = start(connect(make_transport(), timed(only_new)));
    server->error(server->expect("server/discover"), -32601);
    EXPECT_TRUE(modern.error().is(Errc::version_mismatch)) << modern.error().what();
    EXPECT_TRUE(server->silent());

    auto silent = start(connect(make_transport(), timed(only_new)));
    server->expect("server/discover");
    advance(30s);
    EXPECT_TRUE(silent.error().is(Errc::timeout)) << silent.error().what();
}

TEST_F(Connect, invalid_options_are_refused_before_anything_is_sent) {
    ClientOptions nothing;
    nothing.versions({});
    EXPECT_TRUE(
        start(connect(make_transport(), timed(nothing))).error().is(Errc::invalid_argument));
    ClientOptions contradiction;
    contradiction.versions({Version::v2024_11_05}).preferred_version(Version::v2025_03_26);
    EXPECT_TRUE(
        start(connect(make_transport(), timed(contradiction))).error().is(Errc::invalid_argument));
    ClientOptions bad_root;
    bad_root.roots({Root{"http://example.com", ""}});
    EXPECT_TRUE(
        start(connect(make_transport(), timed(bad_root))).error().is(Errc::invalid_argument));
    EXPECT_TRUE(server->silent());
}

TEST_F(Connect, a_known_server_is_not_probed_for_a_day) {
    open(Version::v2025_06_18);
    auto const kept = client.known_server();
    EXPECT_EQ(kept.version, Version::v2025_06_18);
    EXPECT_EQ(kept.decided, time.wall());
    ClientOptions knowing;
    knowing.known_server(kept);
    auto known = start(connect(make_transport(), timed(knowing)));
    server->result(server->expect("initialize"), initialization());
    EXPECT_TRUE(known.done());

    advance(24h);
    auto stale = start(connect(make_transport(), timed(knowing)));
    server->expect("server/discover");
    server->close();
    EXPECT_TRUE(stale.done());
}

TEST_F(Connect, cancelling_connect_closes_the_connection) {
    auto connecting = start(connect(make_transport(), timed({})));
    server->expect("server/discover");
    connecting.cancel();
    EXPECT_TRUE(connecting.error().is(Errc::cancelled)) << connecting.error().what();
    EXPECT_TRUE(server->ended());
}

TEST_F(Connect, only_log_messages_and_pings_are_accepted_before_the_handshake_is_complete) {
    std::vector<std::string> logged;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams message) { logged.push_back(message.logger); });
    options.on_list_changed([](ListKind) { ADD_FAILURE(); });
    auto connecting = start(connect(make_transport(), timed(options)));
    server->error(server->expect("server/discover"), -32601);
    auto const opening = server->expect("initialize");
    server->notify("notifications/message", R"({"level":"info","logger":"early","data":1})");
    server->notify("notifications/tools/list_changed");
    server->request(1, "ping", "{}");
    EXPECT_EQ(server->next().at("result"), json_of("{}"));
    server->request(2, "roots/list", "{}");
    EXPECT_EQ(server->next().at("error").at("code"), -32005);
    server->result(opening, initialization());
    EXPECT_EQ(logged, std::vector<std::string>{"early"});
    EXPECT_EQ(diagnostics.size(), 1U);
    EXPECT_TRUE(connecting.done());
}

}  // namespace
}  // namespace lanyard
