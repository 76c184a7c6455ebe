// Connections: unreachable servers, TLS, proxies, and the end of a connection.
#include "http_client/client_harness.hpp"
#include "http_client/forwarding_proxy.hpp"
#include "support/certificates.hpp"

namespace lanyard::http_client_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Connections : public HttpClientTest {
protected:
    // Advances the fake time until the task ends.
    template <class T>
    Result<T> attempt_in_fake_time(Task<T> task) {
        std::optional<Result<T>> outcome;
        boost::asio::co_spawn(
            context, lanyard::attempt(std::move(task)),
            [&](std::exception_ptr, Result<T> result) { outcome.emplace(std::move(result)); });
        run_until([&] {
            if (!outcome) time.advance(100ms);
            return outcome.has_value();
        });
        return *std::move(outcome);
    }
};

int unused_port() {
    ScriptedHttpServer server([](Turn&) {});
    auto const port = server.port();
    server.stop();
    return port;
}

TEST_F(Connections, an_unreachable_server_is_tried_four_times) {
    auto const started = time.now();
    auto const outcome = attempt_in_fake_time(
        lanyard::connect("http://127.0.0.1:" + std::to_string(unused_port()) + "/mcp",
                         ClientOptions().time(time).initialization_timeout(1h),
                         HttpClientOptions().time(time).connect_timeout(1h)));
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(Errc::unavailable)) << outcome.error().what();
    EXPECT_THAT(outcome.error().what(), HasSubstr("cannot connect to 127.0.0.1"));
    EXPECT_GE(time.now() - started, 5s);
    EXPECT_LE(time.now() - started, 60s);
}

TEST_F(Connections, an_error_shows_the_name_that_does_not_resolve) {
    auto const outcome = attempt_in_fake_time(lanyard::connect(
        "http://no-such-host.invalid/mcp", ClientOptions().time(time).initialization_timeout(1h),
        HttpClientOptions().time(time).connect_timeout(1h).no_proxy()));
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(Errc::unavailable)) << outcome.error().what();
    EXPECT_THAT(outcome.error().what(), HasSubstr("no-such-host.invalid"));
}

TEST_F(Connections, a_server_that_never_becomes_ready_is_given_up) {
    ScriptedHttpServer server([](Turn&) {});  // has no TLS
    auto const outcome = attempt_in_fake_time(lanyard::connect(
        "https://127.0.0.1:" + std::to_string(server.port()) + "/mcp",
        ClientOptions().time(time).initialization_timeout(1h), HttpClientOptions().time(time)));
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(Errc::unavailable)) << outcome.error().what();
}

TEST_F(Connections, closing_while_connecting_ends_everything) {
    ScriptedHttpServer server([](Turn& turn) {
        if (!answer_modern(turn)) turn.wait_until_closed();
    });
    connect(server.url());
    std::optional<Error> error;
    boost::asio::co_spawn(context, lanyard::attempt(client.call_tool("t")),
                          [&](std::exception_ptr, Result<CallToolResult> result) {
                              if (!result) error = result.error();
                          });
    run_until([&] { return server.requests("tools/call").size() == 1; });
    client.close();
    ASSERT_TRUE(run_until([&] { return error.has_value(); }));
    EXPECT_TRUE(error->is(Errc::shutdown)) << error->what();
    await(client.closed());
}

TEST_F(Connections, an_idle_connection_is_given_up_in_time) {
    std::atomic<int> gone = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        if (turn.seen.on_connection == 1 && turn.seen.connection == 1) {
            answer_modern(turn);
            turn.wait_until_closed();
            ++gone;
        } else if (!answer_modern(turn)) {
            turn.result(text_result("hi"));
        }
    });
    connect(server.url(), ClientOptions().time(time), HttpClientOptions().time(time));
    time.advance(61s);
    EXPECT_TRUE(run_until([&] { return gone == 1; }));
    EXPECT_EQ(call(), "hi");
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(Connections, an_idle_connection_is_given_up_after_the_idle_expiry) {
    std::atomic<int> gone = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        answer_modern(turn);
        turn.wait_until_closed();
        ++gone;
    });
    connect(server.url(), ClientOptions().time(time),
            HttpClientOptions().time(time).idle_expiry(7s));
    EXPECT_EQ(time.next_alarm() - time.now(), 7s);
    time.advance(7s);
    EXPECT_TRUE(run_until([&] { return gone == 1; }));
}

TEST_F(Connections, an_idle_connection_is_closed_before_the_keep_alive_timeout_of_the_server) {
    std::atomic<int> gone = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        turn.result(R"({"resultType":"complete","supportedVersions":["2026-07-28"],)"
                    R"("capabilities":{},"ttlMs":0,"cacheScope":"private"})",
                    "Keep-Alive: timeout=5\r\n");
        turn.wait_until_closed();
        ++gone;
    });
    connect(server.url(), ClientOptions().time(time), HttpClientOptions().time(time));
    time.advance(4600ms);
    EXPECT_TRUE(run_until([&] { return gone == 1; }));
}

class Secure : public Connections {
protected:
    lanyard::test::Certificates certificates;
    lanyard::test::Certificates::Identity identity =
        certificates.issue("server", "server", "DNS:localhost,IP:127.0.0.1");
};

TEST_F(Secure, https_needs_a_certificate_of_a_trusted_authority) {
    auto const tls = sockets::TlsContext::server({identity.certificate, identity.key}).value();
    ScriptedHttpServer server(
        [](Turn& turn) {
            if (!answer_modern(turn)) turn.result(text_result("safe"));
        },
        &tls);
    connect(server.url(), {}, HttpClientOptions().ca_file(certificates.authority()));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(call(), "safe");
    EXPECT_EQ(server.connections(), 1);
    client = {};
    drain();
    auto const stranger = attempt_in_fake_time(
        lanyard::connect(server.url(), ClientOptions().time(time).initialization_timeout(1h),
                         HttpClientOptions().time(time).connect_timeout(1h)));
    ASSERT_FALSE(stranger);
    EXPECT_THAT(stranger.error().what(), HasSubstr("certificate"));
    connect(server.url(), {}, HttpClientOptions().insecure(true));
    EXPECT_EQ(call(), "safe");
}

TEST_F(Secure, a_client_can_have_a_certificate) {
    auto const tls =
        sockets::TlsContext::server({identity.certificate, identity.key, certificates.authority()})
            .value();
    auto const own = certificates.issue("client", "ada");
    ScriptedHttpServer server([](Turn& turn) { answer_modern(turn); }, &tls);
    connect(server.url(), {},
            HttpClientOptions()
                .ca_file(certificates.authority())
                .client_certificate(own.certificate, own.key));
    EXPECT_TRUE(client.is_open());
}

TEST_F(Connections, a_proxy_gets_the_whole_url) {
    ScriptedHttpServer server([](Turn& turn) {
        if (!answer_modern(turn)) turn.result(text_result("hi"));
    });
    ForwardingProxy proxy(server.port());
    connect("http://example.test/mcp", {}, HttpClientOptions().proxy(proxy.url("ada:pw@")));
    EXPECT_EQ(call(), "hi");
    EXPECT_EQ(call(), "hi");
    auto const heads = proxy.heads();
    ASSERT_EQ(heads.size(), 3U);
    EXPECT_THAT(heads[1], HasSubstr("POST http://example.test/mcp HTTP/1.1\r\n"));
    EXPECT_THAT(heads[1], HasSubstr("Host: example.test\r\n"));
    EXPECT_THAT(heads[1], HasSubstr("Proxy-Authorization: Basic YWRhOnB3\r\n"));
}

TEST_F(Secure, https_through_a_proxy_uses_a_tunnel) {
    auto const tls = sockets::TlsContext::server({identity.certificate, identity.key}).value();
    ScriptedHttpServer server(
        [](Turn& turn) {
            if (!answer_modern(turn)) turn.result(text_result("hi"));
        },
        &tls);
    ForwardingProxy proxy(server.port());
    connect("https://localhost:7777/mcp", {},
            HttpClientOptions().proxy(proxy.url()).ca_file(certificates.authority()));
    EXPECT_EQ(call(), "hi");
    EXPECT_EQ(call(), "hi");
    ASSERT_EQ(proxy.heads().size(), 1U);
    EXPECT_THAT(proxy.heads()[0], HasSubstr("CONNECT localhost:7777 HTTP/1.1\r\n"));
    EXPECT_EQ(server.requests()[0]["host"], "localhost:7777");
    client = {};
    drain();
    proxy.refuse();
    auto const refused = attempt_in_fake_time(lanyard::connect(
        "https://localhost:7777/mcp", ClientOptions().time(time).initialization_timeout(1h),
        HttpClientOptions().time(time).connect_timeout(1h).proxy(proxy.url())));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what(),
                HasSubstr("the proxy refuses the connection with HTTP 403"));
}

TEST_F(Connections, the_environment_names_the_proxy) {
    ScriptedHttpServer server([](Turn& turn) { answer_modern(turn); });
    ForwardingProxy proxy(server.port());
    ::setenv("http_proxy", proxy.url().c_str(), 1);
    connect("http://example.test/mcp");
    EXPECT_EQ(proxy.heads().size(), 1U);
    // Servers on this machine are reached without the proxy.
    connect(server.url());
    EXPECT_EQ(proxy.heads().size(), 1U);
    ::setenv("http_proxy", "http://[", 1);
    EXPECT_FALSE(attempt(lanyard::connect("http://example.test/mcp")));
    ::unsetenv("http_proxy");
}

}  // namespace
}  // namespace lanyard::http_client_test
