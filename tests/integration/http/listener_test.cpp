#include <gmock/gmock.h>

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "integration/http/raw_client.hpp"
#include "integration/http/test_server.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "runtime/event.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns the error for a URL that cannot be used to listen.
std::string complaint(std::string const& url, HttpServerOptions const& options = {}) {
    try {
        http::make_listener(url, options, {});
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

TEST(HttpListener, has_its_port_before_it_runs) {
    auto const listener = http::make_listener("http://127.0.0.1:0/mcp", {}, {});
    EXPECT_GT(listener->port(), 0);
    EXPECT_EQ(listener->url(), "http://127.0.0.1:" + std::to_string(listener->port()) + "/mcp");
    EXPECT_EQ(listener->describe(), listener->url());
}

TEST(HttpListener, serves_the_path_of_the_url) {
    TestServer server({}, "http://127.0.0.1:0/other");
    RawClient client(server.port());
    client.send(post_request("{}"));
    EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 404 "));
    TestServer plain({}, "http://127.0.0.1:0");
    RawClient other(plain.port());
    other.send(post_request("{}"));
    EXPECT_THAT(other.read_response(), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpListener, listens_on_both_addresses_of_localhost) {
    TestServer server({}, "http://localhost:0/mcp");
    for (bool const ipv6 : {false, true}) {
        RawClient client(server.port(), ipv6);
        if (ipv6 && !client.connected()) GTEST_SKIP() << "this machine has no IPv6";
        client.send(post_request("{}"));
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 200 "));
    }
}

TEST(HttpListener, can_listen_on_ipv6_only) {
    try {
        TestServer server({}, "http://[::1]:0/mcp");
        EXPECT_THAT(server.listener().url(), StartsWith("http://[::1]:"));
        RawClient client(server.port(), true);
        client.send(post_request("{}"));
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 200 "));
        EXPECT_FALSE(RawClient(server.port()).connected());
    } catch (Error const& error) {
        GTEST_SKIP() << error.what();
    }
}

TEST(HttpListener, reports_why_it_cannot_listen) {
    TestServer server;
    auto const taken = "http://127.0.0.1:" + std::to_string(server.port()) + "/mcp";
    EXPECT_THAT(complaint(taken),
                AllOf(HasSubstr("unavailable"), HasSubstr("127.0.0.1 port "), HasSubstr("in use")));
    EXPECT_THAT(complaint("http://192.0.2.1:0/mcp", HttpServerOptions().allow_host("a")),
                HasSubstr("192.0.2.1"));
    EXPECT_THAT(complaint("http://no.such.host.invalid:0/mcp", HttpServerOptions().allow_host("a")),
                HasSubstr("no.such.host.invalid"));
    EXPECT_THAT(complaint("ftp://127.0.0.1/"), HasSubstr("ftp://127.0.0.1/"));
    EXPECT_THAT(complaint("http://127.0.0.1:0/mcp", HttpServerOptions().allow_host("a b")),
                HasSubstr("a b"));
}

TEST(HttpListener, S01_refuses_a_public_address_without_a_list_of_hosts) {
    EXPECT_THAT(complaint("http://0.0.0.0:0/mcp"),
                AllOf(HasSubstr("can be reached from other machines"), HasSubstr("allow_host()")));
    TestServer server(HttpServerOptions().allow_host("api.example"), "http://0.0.0.0:0/mcp");
    RawClient client(server.port());
    client.send("GET /mcp HTTP/1.1\r\nHost: api.example\r\nAccept: text/event-stream\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n"), StartsWith("HTTP/1.1 200 "));
    RawClient other(server.port());
    other.send(get_request());
    EXPECT_THAT(other.read_until("\r\n"), StartsWith("HTTP/1.1 403 "));
}

TEST(HttpListener, refuses_connections_beyond_the_limit) {
    TestServer server(HttpServerOptions().max_connections(2));
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 2; ++i) {
        clients.push_back(std::make_unique<RawClient>(server.port()));
        clients.back()->send(post_request("{}"));
        EXPECT_THAT(clients.back()->read_response(), StartsWith("HTTP/1.1 200 "));
    }
    {
        RawClient third(server.port());
        EXPECT_THAT(third.read_to_end(),
                    AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n"),
                          HasSubstr("Connection: close\r\n")));
    }
    clients.clear();
    for (bool served = false; !served;) {
        RawClient next(server.port());
        next.send(post_request("{}"));
        served = next.read_response().starts_with("HTTP/1.1 200 ");
    }
}

TEST(HttpListener, refuses_connections_beyond_the_limit_of_their_address) {
    TestServer server(HttpServerOptions().max_connections_per_address(1), "http://localhost:0/mcp");
    {
        RawClient first(server.port());
        first.send(post_request("{}"));
        EXPECT_THAT(first.read_response(), StartsWith("HTTP/1.1 200 "));
        RawClient second(server.port());
        EXPECT_THAT(second.read_to_end(), StartsWith("HTTP/1.1 503 "));
        if (RawClient other(server.port(), true); other.connected()) {
            other.send(post_request("{}"));
            EXPECT_THAT(other.read_response(), StartsWith("HTTP/1.1 200 "));
        }
    }
    for (bool served = false; !served;) {
        RawClient next(server.port());
        next.send(post_request("{}"));
        served = next.read_response().starts_with("HTTP/1.1 200 ");
    }
}

TEST(HttpListener, refuses_requests_without_a_token) {
    TestServer server(
        HttpServerOptions().verifier(bearer_tokens({BearerToken("secret").subject("ada")})));
    RawClient client(server.port());
    client.send(post_request("whoami"));
    EXPECT_THAT(client.read_response(),
                AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("WWW-Authenticate: Bearer\r\n")));
    client.send(post_request("whoami", "Authorization: Bearer wrong\r\n"));
    EXPECT_THAT(client.read_response(), HasSubstr("Bearer error=\"invalid_token\"\r\n"));
    client.send(post_request("whoami", "Authorization: Bearer secret\r\n"));
    EXPECT_THAT(client.read_response(), EndsWith("ada"));
    EXPECT_EQ(server.seen.all().size(), 1u);
}

// Decides asynchronously; "never" waits until it is cancelled.
struct SlowVerifier final : Verifier {
    Task<Verification> verify(Credentials const& credentials) override {
        std::string const token(credentials.bearer);
        if (token == "throw") throw std::runtime_error("x");
        auto const executor = co_await boost::asio::this_coro::executor;
        if (token == "never") {
            runtime::Event never(executor);
            waiting.note("waiting");
            co_await never.wait();
            waiting.note("cancelled");
        }
        co_await boost::asio::post(executor, boost::asio::use_awaitable);
        auto principal = std::make_shared<Principal>();
        principal->subject = token;
        co_return Verification::accept(std::move(principal));
    }
    Sightings waiting;
};

TEST(HttpListener, waits_for_a_verifier) {
    auto const verifier = std::make_shared<SlowVerifier>();
    TestServer server(HttpServerOptions().verifier(verifier));
    RawClient client(server.port());
    client.send(post_request("whoami", "Authorization: Bearer ada\r\n") +
                post_request("whoami", "Authorization: Bearer throw\r\n") +
                post_request("whoami", "Authorization: Bearer bob\r\n"));
    EXPECT_THAT(client.read_response(), EndsWith("ada"));
    EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(client.read_response(), EndsWith("bob"));
    client.send(post_request("whoami", "Authorization: Bearer never\r\n"));
    ASSERT_TRUE(verifier->waiting.await("waiting"));
    client.close();
    EXPECT_TRUE(verifier->waiting.await("cancelled"));
}

// Stopping the listener.

TEST(HttpListener, stops_at_once_without_pending_requests) {
    TestServer server;
    RawClient idle(server.port());
    idle.send(post_request("{}"));
    idle.read_response();
    server.listener().stop();
    EXPECT_TRUE(server.seen.await("ended"));
    EXPECT_TRUE(idle.ends());
    EXPECT_FALSE(RawClient(server.port()).connected());
}

TEST(HttpListener, ends_at_once_if_it_was_stopped_before_it_runs) {
    auto const listener = http::make_listener("http://127.0.0.1:0/mcp", {}, {});
    listener->stop();
    boost::asio::io_context context;
    NoEndpoint endpoint;
    bool ended = false;
    boost::asio::co_spawn(context, listener->run(endpoint),
                          [&](std::exception_ptr failure) { ended = !failure; });
    context.run();
    EXPECT_TRUE(ended);
}

TEST(HttpListener, runs_only_once) {
    TestServer server;
    server.settle();
    boost::asio::io_context context;
    NoEndpoint endpoint;
    bool failed = false;
    boost::asio::co_spawn(context, server.listener().run(endpoint),
                          [&](std::exception_ptr failure) { failed = failure != nullptr; });
    context.run();
    EXPECT_TRUE(failed);
}

TEST(HttpListener, completes_pending_requests_when_it_stops) {
    TestServer server;
    RawClient waiting(server.port());
    waiting.send(post_request("wait"));
    RawClient streaming(server.port());
    streaming.send(get_request());
    streaming.read_until("\r\n\r\n");
    RawClient idle(server.port());
    idle.send(post_request("{}"));
    idle.read_response();
    ASSERT_TRUE(server.seen.await("request wait"));
    server.listener().stop();
    EXPECT_THAT(streaming.read_to_end(), EndsWith("0\r\n\r\n")) << "streams end properly";
    // A request on a connection that is still open reaches the handler; the connection is closed
    // after it.
    idle.send(post_request("{}"));
    EXPECT_THAT(idle.read_to_end(), HasSubstr("Connection: close\r\n"));
    server.with_handler([](ScriptedHandler& handler) { handler.release(); });
    EXPECT_THAT(waiting.read_to_end(),
                AllOf(HasSubstr("Connection: close\r\n"), EndsWith("released")));
    EXPECT_TRUE(server.seen.await("ended"));
}

TEST(HttpListener, cuts_requests_that_do_not_end_within_the_grace) {
    testing::FakeTime time;
    TestServer server(HttpServerOptions().time(time).shutdown_timeout(5s));
    RawClient waiting(server.port());
    waiting.send(post_request("wait"));
    ASSERT_TRUE(server.seen.await("request wait"));
    server.listener().stop();
    server.listener().stop();
    ASSERT_TRUE(server.seen.await("stop"));
    server.settle();
    time.advance(4s);
    server.settle();
    EXPECT_FALSE(waiting.readable(20));
    // The handler may answer pending requests, and the clients get a short time to read the
    // answers.
    time.advance(1s);
    EXPECT_TRUE(server.seen.await("end replies"));
    server.settle();
    EXPECT_FALSE(waiting.readable(20));
    time.advance(500ms);
    EXPECT_TRUE(server.seen.await("gone"));
    EXPECT_TRUE(waiting.ends());
    EXPECT_TRUE(server.seen.await("ended"));
}

TEST(HttpListener, can_be_destroyed_while_it_serves) {
    Sightings seen;
    auto context = std::make_unique<boost::asio::io_context>(1);
    auto const listener = http::make_listener(
        "http://127.0.0.1:0/mcp", {},
        [&](Endpoint&, boost::asio::any_io_executor const&, HttpServerOptions const&,
            http::LoopPlace const&) { return std::make_unique<ScriptedHandler>(seen); });
    NoEndpoint endpoint;
    boost::asio::co_spawn(*context, listener->run(endpoint), [](std::exception_ptr) {});
    RawClient client(listener->port());
    client.send(get_request());
    while (seen.all().empty()) context->run_one();
    context.reset();
    EXPECT_TRUE(seen.await("handler gone"));
    EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace lanyard::test
