// Tests of the hardening list for connections, named after the ids of the list.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include "integration/http/raw_client.hpp"
#include "integration/http/test_server.hpp"
#include "support/sanitized.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string head_with(std::string_view lines,
                      std::string_view request_line = "POST /mcp HTTP/1.1") {
    return std::string(request_line) + "\r\n" + std::string(lines) + "\r\n";
}

TEST(Hardening, S01_requests_with_foreign_hosts_or_origins_are_refused) {
    TestServer server;
    for (auto const host : {"evil.com", "evil.com:80", "localhost.evil.com", "127.0.0.1.evil.com",
                            "[::ffff:127.0.0.1]", ""}) {
        RawClient client(server.port());
        client.send(head_with("Host: " + std::string(host) +
                              "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                              "Accept: application/json, text/event-stream\r\n") +
                    "{}");
        EXPECT_THAT(client.read_response(),
                    AnyOf(StartsWith("HTTP/1.1 403 "), StartsWith("HTTP/1.1 400 ")))
            << host;
    }
    for (auto const origin : {"null", "http://evil.com", "http://localhost.evil.com"}) {
        RawClient client(server.port());
        client.send(post_request("{}", "Origin: " + std::string(origin) + "\r\n"));
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 403 ")) << origin;
    }
    for (auto const host : {"LOCALHOST", "127.0.0.1", "[::1]"}) {
        RawClient client(server.port());
        client.send(head_with("Host: " + std::string(host) + ":" + std::to_string(server.port()) +
                              "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                              "Accept: application/json, text/event-stream\r\n") +
                    "{}");
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 200 ")) << host;
    }
    EXPECT_EQ(server.seen.all().size(), 3u) << "no refused request reaches the handler";
}

TEST(Hardening, S03_cross_site_posts_are_refused) {
    TestServer server;
    for (auto const type : {"text/plain", "application/x-www-form-urlencoded",
                            "multipart/form-data; boundary=a", "text/plain, application/json"}) {
        RawClient client(server.port());
        client.send(head_with("Host: localhost\r\nContent-Length: 2\r\nContent-Type: " +
                              std::string(type) + "\r\n") +
                    "{}");
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 415 ")) << type;
    }
    EXPECT_TRUE(server.seen.all().empty());
}

// A request that two implementations could read differently is answered with an error and the
// connection is closed; the bytes after it are never read as a request.
TEST(Hardening, S26_ambiguous_requests_are_refused) {
    TestServer server;
    std::string const json =
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    std::string const hidden = post_request("hidden");
    std::vector<std::string> const shapes = {
        head_with("Host: a\r\n" + json + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") +
            "0\r\n\r\n",
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding: xchunked\r\n"),
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding: chunked, identity\r\n"),
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding: identity, chunked\r\n"),
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding : chunked\r\n"),
        head_with("Host: localhost\r\n" + json +
                  "Transfer-Encoding: chunked\r\n"
                  "Transfer-Encoding: chunked\r\n"),
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding:\r\n chunked\r\n"),
        head_with("Host: localhost\r\n" + json + "Content-Length: 1\r\nContent-Length: 1\r\n"),
        head_with("Host: localhost\r\n" + json + "Content-Length: 1, 1\r\n"),
        head_with("Host: localhost\r\n" + json + "Content-Length: +1\r\n"),
        head_with("Host: localhost\r\n" + json + "Content-Length: 0x1\r\n"),
        head_with("Host: localhost\r\n" + json + "Content-Length: -1\r\n"),
        head_with("Host: localhost\r\n" + json + "Content-Length: 1 1\r\n"),
        head_with("Host: localhost\r\n" + json + "Content-Length: 99999999999999999999\r\n"),
        head_with("Host: localhost\r\nHost: localhost\r\n" + json + "Content-Length: 0\r\n"),
        head_with(json + "Content-Length: 0\r\n"),
        head_with("Host: localhost\r\n" + json, "POST http://evil.com/mcp HTTP/1.1"),
        head_with(json + "Content-Length: 0\r\n", "POST /mcp HTTP/1.0"),
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding: chunked\r\n",
                  "POST /mcp HTTP/1.0") +
            "0\r\n\r\n",
        head_with("Host: evil.example\r\n" + json + "Content-Length: 0\r\n", "POST /mcp HTTP/1.0"),
        head_with("Host: localhost\r\n" + json, "POST  /mcp HTTP/1.1"),
        head_with("Host: localhost\r\n" + json, "POST /mcp HTTP/1.1 x"),
        head_with("Host: localhost\r\nContent-Length: 10\r\n", "GET /mcp HTTP/1.1"),
        "\r\n" + post_request("{}"),
        "POST /mcp HTTP/1.1\nHost: localhost\n\n",
        head_with("Host: localhost\r\nX: a\rb\r\n" + json),
        head_with(std::string("Host: localhost\r\nX: a\0b\r\n", 24) + json),
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding: chunked\r\n") +
            "1;x=y\r\na\r\n0\r\n\r\n",
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding: chunked\r\n") +
            "1\r\na\r\n0\r\nX: y\r\n\r\n",
        head_with("Host: localhost\r\n" + json + "Transfer-Encoding: chunked\r\n") + "1\na\n0\n\n",
    };
    for (auto const& shape : shapes) {
        RawClient client(server.port());
        client.send(shape + hidden);
        auto const answer = client.read_to_end();
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 "));
        EXPECT_THAT(answer, Not(StartsWith("HTTP/1.1 2"))) << shape;
        EXPECT_THAT(answer, HasSubstr("Connection: close")) << shape;
        EXPECT_EQ(answer.find("HTTP/1.1 ", 1), answer.npos) << shape;
    }
    EXPECT_TRUE(server.seen.all().empty());
}

TEST(Hardening, R01_an_unbounded_body_is_refused) {
    constexpr std::size_t limit = 1 << 20;
    TestServer server(HttpServerOptions().max_body_bytes(limit));
    {
        RawClient warm_up(server.port());
        warm_up.send(post_request(std::string(limit, 'x')));
        warm_up.read_response();
    }
    auto const before = resident_bytes();
    {
        RawClient client(server.port());
        client.send(
            head_with("Host: localhost\r\nContent-Type: application/json\r\n"
                      "Accept: application/json, text/event-stream\r\nContent-Length: " +
                      std::to_string(limit + 1) + "\r\n"));
        EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 413 "));
    }
    // In chunks of one byte, and in large chunks.
    for (std::string const& piece :
         {std::string("1\r\nx\r\n"), "10000\r\n" + std::string(65'536, 'x') + "\r\n"}) {
        RawClient client(server.port());
        client.send(
            head_with("Host: localhost\r\nContent-Type: application/json\r\n"
                      "Accept: application/json, text/event-stream\r\n"
                      "Transfer-Encoding: chunked\r\n"));
        std::string pieces;
        while (pieces.size() < 60'000) pieces += piece;
        std::size_t sent = 0;
        while (sent < 10 * limit * 6 && !client.readable(0)) {
            if (!client.send(pieces)) break;
            sent += pieces.size();
        }
        EXPECT_THAT(client.read_some(), StartsWith("HTTP/1.1 413 "));
        EXPECT_TRUE(client.ends());
    }
    if (!sanitized) {
        EXPECT_LT(resident_bytes(), before + 2 * limit + (1 << 20));
    }
    EXPECT_EQ(server.seen.all().size(), 1u);
}

TEST(Hardening, R01_an_unbounded_head_is_refused) {
    TestServer server;
    for (std::string const& line :
         {std::string("X-Filler: aaaaaaaaaaaaaaaa\r\n"), std::string(1000, 'a')}) {
        RawClient client(server.port());
        client.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\n");
        std::size_t sent = 0;
        while (sent < 10'000'000 && !client.readable(0) && client.send(line)) sent += line.size();
        EXPECT_LT(sent, 5'000'000u);
        EXPECT_THAT(client.read_some(), StartsWith("HTTP/1.1 431 "));
    }
    RawClient client(server.port());
    client.send("GET /" + std::string(20'000, 'a'));
    EXPECT_THAT(client.read_some(), StartsWith("HTTP/1.1 414 "));
}

#ifndef LANYARD_TYPES_ARE_CHECKED
// The server runs in a child process with a low limit of descriptors.
TEST(Hardening, R09_the_server_survives_a_lack_of_descriptors) {
    Sightings seen;
    auto listener = http::make_listener(
        "http://127.0.0.1:0/mcp", HttpServerOptions(),
        [&](Endpoint&, boost::asio::any_io_executor const&, HttpServerOptions const&,
            http::LoopPlace const&) { return std::make_unique<ScriptedHandler>(seen); });
    auto const port = listener->port();
    auto const child = fork();
    if (child == 0) {
        rlimit const few{64, 64};
        setrlimit(RLIMIT_NOFILE, &few);
        boost::asio::io_context context(1);
        NoEndpoint endpoint;
        boost::asio::co_spawn(context, listener->run(endpoint), [](std::exception_ptr) {});
        context.run();
        _exit(0);
    }
    ASSERT_GT(child, 0);
    listener.reset();

    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<RawClient>(port));
    auto const cpu_time = [child] {
        std::ifstream file("/proc/" + std::to_string(child) + "/stat");
        std::string field;
        long ticks = 0;
        for (int i = 1; i <= 15; ++i) {
            file >> field;
            if (i >= 14) ticks += std::stol(field);
        }
        return std::chrono::milliseconds(ticks * 1000 / sysconf(_SC_CLK_TCK));
    };
    // Connections beyond the limit are refused, without a busy loop.
    auto const turned_away = [&clients] {
        return std::ranges::count_if(clients,
                                     [](auto const& client) { return client->readable(0); });
    };
    auto const at_first = turned_away();
    auto const used_at_first = cpu_time();
    auto const since = std::chrono::steady_clock::now();
    auto const waited = [since] { return std::chrono::steady_clock::now() - since; };
    do {
        std::this_thread::sleep_for(500ms);
    } while (turned_away() <= at_first && waited() < 20s);
    EXPECT_GT(turned_away(), at_first) << "clients are turned away, not left waiting";
    EXPECT_LT((cpu_time() - used_at_first) * 2, waited()) << "no busy loop";

    clients.clear();
    auto const start = std::chrono::steady_clock::now();
    bool served = false;
    while (!served && std::chrono::steady_clock::now() - start < 10s) {
        RawClient client(port);
        served = client.send(post_request("{}")) &&
                 client.read_to_end_or_response().starts_with("HTTP/1.1 200 ");
    }
    EXPECT_TRUE(served);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}
#endif

// A client that does not read affects no other client, and memory stays within the limit.
TEST(Hardening, R10_slow_readers_are_disconnected) {
    TestServer server(HttpServerOptions().max_unsent_bytes(64 << 10).hard_unsent_bytes(512 << 10));
    RawClient slow(server.port(), false, 4096);
    slow.send(post_request("flood"));
    ASSERT_TRUE(server.seen.await("request flood"));
    std::size_t most = 0;
    std::string const event(10'000, 'x');
    while (server.with_handler([](ScriptedHandler& handler) { return handler.open(); }) > 0) {
        most = std::max(most, server.with_handler(
                                  [&](ScriptedHandler& handler) { return handler.event(event); }));
    }
    EXPECT_TRUE(server.seen.await("gone"));
    EXPECT_LE(most, (512u << 10) + 11'000);
    RawClient other(server.port());
    other.send(post_request("{}"));
    EXPECT_THAT(other.read_response(), EndsWith("{\"echo\":2}"));
}

// Many clients that do not read use no more than their share of memory, and other clients are still
// served. With LANYARD_TEST_LONG there are a thousand of them.
TEST(Hardening, R10_many_slow_readers_are_disconnected) {
    constexpr std::size_t soft = 16 << 10;
    std::size_t const readers = std::getenv("LANYARD_TEST_LONG") != nullptr ? 1'000 : 100;
    TestServer server(
        HttpServerOptions().write_timeout(10min).max_unsent_bytes(soft).hard_unsent_bytes(1 << 20));
    std::vector<std::unique_ptr<RawClient>> slow;
    for (std::size_t i = 0; i < readers; ++i) {
        slow.push_back(std::make_unique<RawClient>(server.port(), false, 4096));
        ASSERT_TRUE(slow.back()->connected());
        slow.back()->send(post_request("polite"));
    }
    ASSERT_TRUE(server.seen.await("request polite", readers));
    RawClient other(server.port());
    std::string const event(10'000, 'x');
    std::size_t most = 0;
    for (int round = 0; round < 100; ++round) {
        most = std::max(most, server.with_handler(
                                  [&](ScriptedHandler& handler) { return handler.event(event); }));
        if (round % 10 != 0) continue;
        other.send(post_request("{}"));
        ASSERT_THAT(other.read_response(), EndsWith("{\"echo\":2}"));
    }
    EXPECT_LE(most, soft + event.size() + 100);
    EXPECT_EQ(server.with_handler([](ScriptedHandler& handler) { return handler.open(); }), readers)
        << "who is only behind is not cut off";
}

TEST(Hardening, R10_streams_of_slow_readers_continue_when_they_have_caught_up) {
    TestServer server(HttpServerOptions().max_unsent_bytes(64 << 10).hard_unsent_bytes(8 << 20));
    RawClient slow(server.port(), false, 4096);
    slow.send(post_request("polite"));
    ASSERT_TRUE(server.seen.await("request polite"));
    std::string const event(10'000, 'x');
    std::size_t events = 0;
    // No event is skipped until the stream is behind.
    while (server.with_handler([&](ScriptedHandler& handler) { return handler.event(event); }) <=
           64 << 10) {
        ASSERT_LT(++events, 10'000u);
    }
    EXPECT_EQ(server.with_handler([&](ScriptedHandler& handler) { return handler.event(event); }),
              0u);
    while (slow.readable(50)) slow.read_some();
    EXPECT_TRUE(server.seen.await("drained"));
}

}  // namespace
}  // namespace lanyard::test
