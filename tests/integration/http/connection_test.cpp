#include <gmock/gmock.h>

#include "integration/http/raw_client.hpp"
#include "integration/http/test_server.hpp"
#include "lanyard/testing/fake_time.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(HttpConnection, answers_and_stays_open) {
    TestServer server;
    RawClient client(server.port());
    for (int i = 0; i < 3; ++i) {
        client.send(post_request("{}"));
        EXPECT_THAT(client.read_response(),
                    AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("{\"echo\":2}")));
    }
}

TEST(HttpConnection, answers_pipelined_requests_in_order) {
    TestServer server;
    RawClient client(server.port());
    client.send(post_request("1") + post_request("wait") + post_request("333") +
                post_request("4444"));
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":1}"));
    ASSERT_TRUE(server.seen.await("request wait"));
    EXPECT_FALSE(client.readable(20));
    server.with_handler([](ScriptedHandler& handler) { handler.release(); });
    EXPECT_THAT(client.read_response(), EndsWith("released"));
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":3}"));
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":4}"));
}

TEST(HttpConnection, accepts_bodies_up_to_the_limit_and_no_larger) {
    TestServer server(HttpServerOptions().max_body_bytes(300'000));
    for (std::size_t const size : {299'999u, 300'000u}) {
        RawClient client(server.port());
        client.send(post_request(std::string(size, 'x')));
        EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":" + std::to_string(size) + "}"));
    }
    RawClient client(server.port());
    client.send(post_request(std::string(300'001, 'x')));
    EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpConnection, accepts_heads_up_to_the_limit_and_no_larger) {
    TestServer server(HttpServerOptions().max_head_bytes(2'000));
    for (std::size_t const size : {1'000u, 2'000u}) {
        RawClient client(server.port());
        client.send(post_request("{}", "X-Padding: " + std::string(size, 'x') + "\r\n"));
        EXPECT_THAT(client.read_response(),
                    StartsWith(size == 1'000u ? "HTTP/1.1 200 " : "HTTP/1.1 431 "));
    }
}

TEST(HttpConnection, sends_100_continue) {
    TestServer server;
    RawClient client(server.port());
    auto const request = post_request("{}", "Expect: 100-continue\r\n");
    client.send(request.substr(0, request.size() - 2));
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("{}");
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":2}"));
}

TEST(HttpConnection, reads_many_pieces_of_one_request) {
    TestServer server;
    RawClient client(server.port());
    auto const request = post_request("{}");
    for (char const c : request) client.send({&c, 1});
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":2}"));
}

TEST(HttpConnection, streams_events) {
    TestServer server;
    RawClient client(server.port());
    client.send(get_request());
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
    server.with_handler([](ScriptedHandler& handler) { handler.event("one"); });
    EXPECT_THAT(client.read_until("\n\n"), EndsWith("data: one\n\n"));
    server.with_handler([](ScriptedHandler& handler) { handler.event("two"); });
    EXPECT_THAT(client.read_until("\n\n"), EndsWith("data: two\n\n"));
}

TEST(HttpConnection, sends_an_answer_that_is_larger_than_the_socket_buffer) {
    TestServer server;
    RawClient client(server.port());
    client.send(post_request("huge") + post_request("{}"));
    EXPECT_GT(client.read_response().size(), std::size_t{16} << 20);
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":2}"));
}

// Ways in which a client disconnects.

TEST(HttpConnection, R07_notices_a_half_closed_client_while_it_waits) {
    TestServer server;
    RawClient client(server.port());
    client.send(post_request("wait"));
    ASSERT_TRUE(server.seen.await("request wait"));
    client.half_close();
    EXPECT_TRUE(server.seen.await("gone"));
    EXPECT_TRUE(client.ends());
}

TEST(HttpConnection, R07_notices_a_reset_while_it_streams) {
    TestServer server;
    RawClient client(server.port());
    client.send(get_request());
    client.read_until("\r\n\r\n");
    client.reset();
    EXPECT_TRUE(server.seen.await("gone"));
}

TEST(HttpConnection, R07_notices_a_closed_stream) {
    TestServer server;
    RawClient client(server.port());
    client.send(get_request());
    client.read_until("\r\n\r\n");
    client.close();
    EXPECT_TRUE(server.seen.await("gone"));
}

TEST(HttpConnection, R07_answers_a_client_that_has_half_closed_after_its_request) {
    TestServer server;
    RawClient client(server.port());
    client.send(post_request("{}"));
    client.half_close();
    EXPECT_THAT(client.read_to_end(), EndsWith("{\"echo\":2}"));
}

TEST(HttpConnection, R07_closes_descriptors_when_clients_disconnect) {
    TestServer server;
    auto const count = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    };
    server.settle();
    auto const before = count();
    for (int round = 0; round < 3; ++round) {
        std::vector<std::unique_ptr<RawClient>> clients;
        for (int i = 0; i < 30; ++i) {
            clients.push_back(std::make_unique<RawClient>(server.port()));
            clients.back()->send(i % 3 == 0 ? get_request() : post_request("wait"));
        }
        ASSERT_TRUE(server.seen.await("request wait", 20u * (1u + static_cast<unsigned>(round))));
        for (std::size_t i = 0; i < clients.size(); ++i) {
            if (i % 2 == 0) {
                clients[i]->reset();
            } else {
                clients[i]->close();
            }
        }
        ASSERT_TRUE(server.seen.await("gone", 30u * (1u + static_cast<unsigned>(round))));
    }
    server.settle();
    EXPECT_EQ(count(), before);
}

TEST(HttpConnection, R30_writes_nothing_after_the_client_has_disconnected) {
    TestServer server;
    RawClient client(server.port());
    client.send(post_request("wait"));
    ASSERT_TRUE(server.seen.await("request wait"));
    client.reset();
    ASSERT_TRUE(server.seen.await("gone"));
    EXPECT_EQ(server.with_handler([](ScriptedHandler& handler) { return handler.open(); }), 0u);
}

// Time limits. The time only passes when a test advances it.

class HttpTime : public ::testing::Test {
protected:
    // Returns the time until the client can read something.
    std::chrono::seconds until_readable(RawClient& client) {
        std::chrono::seconds waited = 0s;
        while (!client.readable(2) && waited < 200s) {
            time.advance(1s);
            waited += 1s;
            server.settle();
        }
        return waited;
    }

    HttpTime() : HttpTime(HttpServerOptions()) {}
    explicit HttpTime(HttpServerOptions options) : server(options.time(time)) {}

    testing::FakeTime time;
    TestServer server;
};

TEST_F(HttpTime, ends_a_slow_head) {
    RawClient client(server.port());
    client.send("POST /mcp HTTP/1.1\r\nHost");
    auto const waited = until_readable(client);
    EXPECT_GE(waited, 28s);
    EXPECT_LE(waited, 40s);
    EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(HttpTime, ends_a_slow_body) {
    RawClient client(server.port());
    auto const request = post_request(std::string(1000, 'x'));
    client.send(request.substr(0, request.size() - 500));
    EXPECT_LE(until_readable(client), 40s);
    EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(HttpTime, ends_a_connection_without_a_request) {
    RawClient client(server.port());
    EXPECT_LE(until_readable(client), 40s);
    EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(HttpTime, ends_an_idle_connection_and_serves_another_after_a_sleep) {
    RawClient client(server.port());
    client.send(post_request("{}"));
    client.read_response();
    // An idle connection releases its memory in the meantime.
    for (int i = 0; i < 20; ++i) {
        time.advance(1s);
        server.settle();
    }
    client.send(post_request("{}"));
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":2}"));
    auto const waited = until_readable(client);
    EXPECT_GE(waited, 70s);
    EXPECT_LE(waited, 90s);
    EXPECT_TRUE(client.ends());
}

TEST_F(HttpTime, R08_sends_heartbeats_while_a_stream_is_open) {
    RawClient client(server.port());
    client.send(get_request());
    client.read_until("\r\n\r\n");
    auto const waited = until_readable(client);
    EXPECT_GE(waited, 14s);
    EXPECT_LE(waited, 20s);
    EXPECT_THAT(client.read_until("\n\n"), HasSubstr(":"));
    client.close();
    EXPECT_TRUE(server.seen.await("gone"));
}

TEST_F(HttpTime, R07_notices_the_end_after_much_pipelined_input) {
    RawClient client(server.port());
    client.send(post_request("wait"));
    ASSERT_TRUE(server.seen.await("request wait"));
    // More than the server buffers, and no more than the socket holds, so that the end is visible.
    client.send(post_request(std::string(100'000, 'x')));
    client.half_close();
    EXPECT_LE(until_readable(client), 20s);
    EXPECT_TRUE(server.seen.await("gone"));
    EXPECT_THAT(server.seen.all(), SizeIs(2)) << "what was pipelined is not carried out";
}

TEST_F(HttpTime, R10_disconnects_a_client_that_reads_nothing) {
    RawClient client(server.port(), false, 4096);
    client.send(get_request());
    client.read_until("\r\n\r\n");
    // More than the socket buffers hold.
    server.with_handler([](ScriptedHandler& handler) { handler.event(std::string(7 << 20, 'x')); });
    for (int i = 0; i < 35; ++i) {
        time.advance(1s);
        server.settle();
    }
    EXPECT_TRUE(server.seen.await("gone"));
}

// Limits that are shorter than the defaults.
class ShortHttpTime : public HttpTime {
protected:
    ShortHttpTime()
        : HttpTime(HttpServerOptions()
                       .request_timeout(5s)
                       .idle_expiry(20s)
                       .keepalive_interval(3s)
                       .write_timeout(4s)) {}
};

TEST_F(ShortHttpTime, the_time_of_a_head_can_be_configured) {
    RawClient client(server.port());
    client.send("POST /mcp HTTP/1.1\r\nHost");
    auto const waited = until_readable(client);
    EXPECT_GE(waited, 4s);
    EXPECT_LE(waited, 15s);
    EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ShortHttpTime, the_time_of_an_idle_connection_can_be_configured) {
    RawClient client(server.port());
    client.send(post_request("{}"));
    client.read_response();
    auto const waited = until_readable(client);
    EXPECT_GE(waited, 18s);
    EXPECT_LE(waited, 35s);
    EXPECT_TRUE(client.ends());
}

TEST_F(ShortHttpTime, the_interval_of_comments_in_a_stream_can_be_configured) {
    RawClient client(server.port());
    client.send(get_request());
    client.read_until("\r\n\r\n");
    auto const waited = until_readable(client);
    EXPECT_GE(waited, 2s);
    EXPECT_LE(waited, 8s);
    client.close();
    EXPECT_TRUE(server.seen.await("gone"));
}

TEST_F(ShortHttpTime, the_time_of_a_client_that_reads_nothing_can_be_configured) {
    RawClient client(server.port(), false, 4096);
    client.send(get_request());
    client.read_until("\r\n\r\n");
    server.with_handler([](ScriptedHandler& handler) { handler.event(std::string(7 << 20, 'x')); });
    for (int i = 0; i < 9; ++i) {
        time.advance(1s);
        server.settle();
    }
    EXPECT_TRUE(server.seen.await("gone"));
}

TEST(HttpLimits, the_memory_of_all_bodies_can_be_configured) {
    TestServer server(HttpServerOptions().max_body_bytes_total(100'000));
    RawClient client(server.port());
    client.send(post_request(std::string(90'000, 'x')));
    EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 200 "));
    RawClient other(server.port());
    other.send(post_request(std::string(110'000, 'x')));
    EXPECT_THAT(other.read_response(), StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(server.seen.all(), SizeIs(1));
}

TEST(HttpLimits, the_number_of_requests_of_a_principal_can_be_configured) {
    auto const keys =
        bearer_tokens({BearerToken("a").subject("ada"), BearerToken("b").subject("bob")});
    TestServer server(HttpServerOptions().verifier(keys).max_requests_per_principal(1));
    auto const as = [](std::string const& token) {
        return "Authorization: Bearer " + token + "\r\n";
    };
    RawClient first(server.port());
    first.send(post_request("wait", as("a")));
    ASSERT_TRUE(server.seen.await("request wait"));
    RawClient second(server.port());
    second.send(post_request("{}", as("a")));
    EXPECT_THAT(second.read_response(), StartsWith("HTTP/1.1 429 "));
    RawClient other(server.port());
    other.send(post_request("{}", as("b")));
    EXPECT_THAT(other.read_response(), StartsWith("HTTP/1.1 200 "));
    server.with_handler([](ScriptedHandler& handler) { handler.release(); });
    EXPECT_THAT(first.read_response(), EndsWith("released"));
}

}  // namespace
}  // namespace lanyard::test
