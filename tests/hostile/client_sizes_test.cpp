// How much one client can make a server store. Every message is as large as the server accepts; the
// limits are a fraction of what a server without limits would store (docs/design/limits.md).
#include <chrono>
#include <cstdio>
#include <limits>

#include <gmock/gmock.h>

#include "hostile/target.hpp"
#include "lanyard/uri_template.hpp"
#include "support/sanitized.hpp"

namespace lanyard::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// The memory of a build with a sanitizer has no limit: it includes shadow memory and freed blocks.
constexpr std::size_t limit(std::size_t most) {
    return sanitized ? std::numeric_limits<std::size_t>::max() : most;
}

// Almost the largest body that HTTP servers accept by default.
std::string const large(4'000'000, 'x');

std::string uri(std::string_view end) {
    return "files://local/" + std::string(end);
}

std::string modern_request(std::string_view method, std::string_view params) {
    return request(method, R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{}},)" +
                               std::string(params) + "}");
}

std::string modern_post(std::string_view method, std::string_view name, std::string_view params) {
    auto headers =
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + std::string(method) + "\r\n";
    if (!name.empty()) headers += "Mcp-Name: " + std::string(name) + "\r\n";
    return post_request(modern_request(method, params), headers);
}

class HostileSizes : public ::testing::Test {
protected:
    // Expects that at most `most` MiB remain after the allocator has returned free memory to the
    // system. A server notices that a connection was closed a moment after the client has closed
    // it, so this measures until the expectation holds or ten seconds have passed.
    void expect_left(std::size_t most) {
        HttpPeer peer(target.http());
        peer.open();
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        std::size_t remains = 0;
        do {
            peer.post(request("tools/call", R"({"name":"trim","arguments":{}})"));
            remains = target.grown() / mib;
        } while (remains > limit(most) && std::chrono::steady_clock::now() < end);
        // For the table in docs/design/limits.md.
        std::printf("             %zu MiB at most, %zu MiB left\n", peak(), remains);
        EXPECT_LE(remains, limit(most));
    }
    /// Opens the event stream of the session.
    std::unique_ptr<RawClient> open_stream(HttpPeer const& peer) const {
        auto stream = std::make_unique<RawClient>(target.http());
        stream->send(
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
            "Mcp-Session-Id: " +
            peer.session() + "\r\n\r\n");
        EXPECT_THAT(stream->read_until("\r\n\r\n"), HasSubstr("200 OK"));
        return stream;
    }
    std::size_t peak() const { return target.peak_growth() / mib; }
    void expect_alive() {
        HttpPeer peer(target.http());
        peer.open();
        EXPECT_THAT(peer.post(echo_request("alive")), HasSubstr("alive"));
    }

    // Unfinished messages of 4 MB occupy 4 MiB each or more, and all together 256 MiB at most.
    // Returns a peer whose message was refused, after as many refusals as this requires or ten
    // seconds; null if no message was refused.
    template <class Peer>
    static Peer* await_refusals(std::vector<std::unique_ptr<Peer>> const& peers) {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        std::size_t refusals = 0;
        Peer* refused = nullptr;
        do {
            refusals = 0;
            for (auto const& peer : peers) {
                if (!peer->client.readable(0)) continue;
                refused = peer.get();
                ++refusals;
            }
        } while (refusals + 64 < peers.size() && std::chrono::steady_clock::now() < end);
        EXPECT_GE(refusals + 64, peers.size());
        return refused;
    }

    Target target;
    int const unfinished = long_run() ? 300 : 120;
    int const times = long_run() ? 1'000 : 60;
};

TEST_F(HostileSizes, subscriptions_with_long_uris) {
    HttpPeer peer(target.http());
    peer.open();
    auto const params = R"({"uri":")" + uri(large) + R"("})";
    for (int i = 0; i < times; ++i) {
        EXPECT_THAT(peer.post(request("resources/subscribe", params)), HasSubstr("-32602"));
    }
    expect_left(16U);
    // The largest allowed number of URIs, each of the largest allowed length.
    int taken = 0;
    for (int i = 0; i < 1'000; ++i) {
        auto const longest = uri(std::to_string(i) + "/" + std::string(8'000, 'x'));
        auto const answer =
            peer.post(request("resources/subscribe", R"({"uri":")" + longest + R"("})"));
        if (answer.find(R"("result":{})") != answer.npos) ++taken;
    }
    EXPECT_GT(taken, 20);
    EXPECT_LT(taken, 100);
    expect_left(16U);
    expect_alive();
}

TEST_F(HostileSizes, handshakes_with_long_names) {
    for (int i = 0; i < times; ++i) {
        HttpPeer peer(target.http());
        EXPECT_THAT(peer.open(large), HasSubstr("-32602"));
    }
    expect_left(16U);
    expect_alive();
}

TEST_F(HostileSizes, large_calls_in_many_sessions) {
    std::vector<std::unique_ptr<HttpPeer>> peers;
    std::vector<std::unique_ptr<RawClient>> streams;
    for (int i = 0; i < times; ++i) {
        peers.push_back(std::make_unique<HttpPeer>(target.http()));
        peers.back()->open();
        // Half of the sessions are never idle.
        if (i % 2 == 0) streams.push_back(open_stream(*peers.back()));
        EXPECT_THAT(peers.back()->post(echo_request(large)), HasSubstr("xxxx"));
        EXPECT_THAT(peers.back()->post(
                        request("tools/call", R"({"name":"make","arguments":{"bytes":4000000}})")),
                    HasSubstr("xxxx"));
    }
    // The events kept for clients that reconnect take at most 64 MiB.
    EXPECT_LE(peak(), limit(64U + 64U));
    expect_left(64U + 16U);
    expect_alive();
}

TEST_F(HostileSizes, large_calls_at_the_same_time) {
    std::vector<std::unique_ptr<RawClient>> clients;
    auto const call = modern_post("tools/call", "echo",
                                  R"("name":"echo","arguments":{"text":")" + large + R"("})");
    for (int i = 0; i < 60; ++i) {
        clients.push_back(std::make_unique<RawClient>(target.http()));
        ASSERT_TRUE(clients.back()->send(call));
    }
    for (auto const& client : clients) {
        auto const head = client->read_until("\r\n\r\n");
        // Calls beyond the limit for the pending requests of a client are refused.
        EXPECT_THAT(head, AnyOf(HasSubstr("200 OK"), HasSubstr("429 ")));
        // The rest is not read.
        client->close();
    }
    EXPECT_LE(peak(), limit(256U + 80U));
    expect_left(16U);
    expect_alive();
}

TEST_F(HostileSizes, streams_that_listen_for_long_uris) {
    auto const params = R"("notifications":{"resourceSubscriptions":[")" + uri(large) + R"("]})";
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < times; ++i) {
        clients.push_back(std::make_unique<RawClient>(target.http()));
        clients.back()->send(modern_post("subscriptions/listen", "", params));
        EXPECT_THAT(clients.back()->read_response(), HasSubstr("-32602"));
    }
    expect_left(16U);
    expect_alive();
}

TEST_F(HostileSizes, reads_of_uris_with_a_million_parts) {
    HttpPeer peer(target.http());
    peer.open();
    auto const params = R"({"uri":")" + uri(std::string(large.size(), '/')) + R"("})";
    for (int i = 0; i < 8; ++i) {
        EXPECT_THAT(peer.post(request("resources/read", params)), HasSubstr("-32602"));
    }
    EXPECT_LE(peak(), limit(100U));
    expect_left(16U);
    expect_alive();
}

TEST_F(HostileSizes, ids_tokens_and_cursors) {
    HttpPeer peer(target.http());
    peer.open();
    auto const id = R"({"jsonrpc":"2.0","id":")" + large + R"(","method":"ping"})";
    auto const token = request(
        "tools/call",
        R"({"name":"make","arguments":{"bytes":1},"_meta":{"progressToken":")" + large + R"("}})");
    auto const cursor = request("tools/list", R"({"cursor":")" + large + R"("})");
    for (int i = 0; i < times / 3; ++i) {
        EXPECT_THAT(peer.post(id), HasSubstr("id must not be longer"));
        EXPECT_THAT(peer.post(token), HasSubstr("progressToken must not be longer"));
        EXPECT_THAT(peer.post(cursor), HasSubstr("-32602"));
    }
    expect_left(16U);
    expect_alive();
}

TEST_F(HostileSizes, bodies_that_never_end) {
    std::vector<std::unique_ptr<RawClient>> clients;
    auto const request = post_request(large);
    std::size_t refused = 0;
    for (int i = 0; i < (long_run() ? 1'000 : 150); ++i) {
        clients.push_back(std::make_unique<RawClient>(target.http()));
        // Without the last byte.
        if (!clients.back()->send(std::string_view(request).substr(0, request.size() - 1))) break;
        if (clients.back()->readable(0)) ++refused;
    }
    for (auto const& client : clients) {
        if (client->readable(0)) ++refused;
    }
    EXPECT_GT(refused, 0U);
    EXPECT_LE(peak(), limit(256U + 80U));
    // Other clients are still served.
    expect_alive();
    clients.clear();
    expect_left(16U);
}

TEST_F(HostileSizes, lines_that_never_end) {
    std::vector<std::unique_ptr<LinePeer>> peers;
    auto const line = echo_request(large);
    for (int i = 0; i < unfinished; ++i) {
        peers.push_back(std::make_unique<LinePeer>(target.tcp()));
        peers.back()->open();
        ASSERT_TRUE(peers.back()->client.send(line));
    }
    auto const refused = await_refusals(peers);
    EXPECT_LE(peak(), limit(256U + 80U));
    // The connection of a refused line is still served, and so are others.
    ASSERT_NE(refused, nullptr);
    EXPECT_THAT(refused->client.read_until("\n"), HasSubstr("overloaded"));
    EXPECT_THAT(refused->ask("\n" + request("ping", "{}")), HasSubstr("result"));
    expect_alive();
    // The server does not process the lines when the clients disconnect.
    peers.clear();
    expect_left(16U);
    EXPECT_LE(peak(), limit(256U + 80U));
}

TEST_F(HostileSizes, websocket_messages_that_never_end) {
    std::vector<std::unique_ptr<RawWebSocket>> peers;
    auto const message = text_frame(echo_request(large));
    for (int i = 0; i < unfinished; ++i) {
        peers.push_back(std::make_unique<RawWebSocket>(target.http()));
        auto& peer = *peers.back();
        peer.send_text(initialize_request());
        peer.read_text();
        peer.send_text(std::string(initialized_notification));
        // Without the last byte.
        peer.send(std::string_view(message).substr(0, message.size() - 1));
    }
    auto const refused = await_refusals(peers);
    EXPECT_LE(peak(), limit(256U + 80U));
    ASSERT_NE(refused, nullptr);
    EXPECT_EQ(refused->read_close(), 1013U);
    expect_alive();
    peers.clear();
    expect_left(16U);
}

TEST_F(HostileSizes, large_calls_that_wait) {
    LinePeer peer(target.tcp());
    peer.open();
    auto const arguments = R"({"name":"wait","arguments":{"text":")" + large + R"("}})";
    int const calls = long_run() ? 500 : 100;
    for (int i = 0; i < calls; ++i) {
        ASSERT_TRUE(peer.client.send(request("tools/call", arguments, 100 + i) + "\n"));
    }
    int refused = 0;
    // The answer to the ping comes after those to the refused calls.
    auto answer = peer.ask(request("ping", "{}"));
    for (; answer.find("-32010") != answer.npos; ++refused) {
        answer = peer.client.read_until("\n");
    }
    EXPECT_THAT(answer, HasSubstr("\"id\":1"));
    // The parameters of the pending calls of one client have at most 64 MiB together.
    EXPECT_EQ(refused, calls - 16);
    EXPECT_LE(peak(), limit(320U));
    // Another client, because the calls that wait occupy all workers of the first.
    HttpPeer other(target.http());
    other.open();
    EXPECT_THAT(other.post(request("tools/call", R"({"name":"open","arguments":{}})")),
                HasSubstr("content"));
    expect_left(16U);
}

TEST_F(HostileSizes, an_announced_length_costs_nothing) {
    std::vector<std::unique_ptr<RawClient>> clients;
    auto const request = post_request(large);
    for (int i = 0; i < 500; ++i) {
        clients.push_back(std::make_unique<RawClient>(target.http()));
        clients.back()->send(std::string_view(request).substr(0, 1'000));
    }
    expect_alive();
    EXPECT_LE(peak(), limit(60U));
    clients.clear();
    expect_left(16U);
}

TEST_F(HostileSizes, large_messages_on_streams) {
    std::vector<std::unique_ptr<LinePeer>> peers;
    for (int i = 0; i < times / 3; ++i) {
        peers.push_back(std::make_unique<LinePeer>(target.tcp()));
        peers.back()->open();
        EXPECT_THAT(peers.back()->ask(echo_request(large)), HasSubstr("xxxx"));
    }
    expect_left(16U);
    EXPECT_THAT(peers.front()->ask(echo_request("alive")), HasSubstr("alive"));
}

TEST_F(HostileSizes, large_messages_on_websockets) {
    std::vector<std::unique_ptr<RawWebSocket>> peers;
    for (int i = 0; i < times / 3; ++i) {
        peers.push_back(std::make_unique<RawWebSocket>(target.http()));
        auto& peer = *peers.back();
        peer.send_text(initialize_request());
        peer.read_text();
        peer.send_text(std::string(initialized_notification));
        peer.send_text(echo_request(large));
        EXPECT_THAT(peer.read_text(), HasSubstr("xxxx"));
    }
    expect_left(16U);
    expect_alive();
}

TEST(HostileStdio, large_messages_leave_no_memory) {
    ServerProcess server({LANYARD_HOSTILE_TARGET});
    server.initialize();
    server.ask(echo_request("small"));
    auto const before = resident_memory(server.id());
    for (int i = 0; i < 5; ++i) {
        server.send(echo_request(large));
        EXPECT_TRUE(server.receive().is_object());
    }
    server.ask(request("tools/call", R"({"name":"trim","arguments":{}})"));
    EXPECT_LE(resident_memory(server.id()), limit(before + 20 * mib));
}

// A match may have an item for each character; the memory beyond its result is a small multiple of
// the URI.
TEST(HostileTemplate, memory_of_a_match_is_bounded) {
    auto const files = UriTemplate::parse("files://local{/path*}").value();
    auto const text = uri(std::string(4'000'000, '/'));
    auto const process = getpid();
    reset_peak_memory(process);
    auto const before = resident_memory(process);
    auto const found = files.match(text);
    ASSERT_TRUE(found);
    auto const* const path = std::get_if<UriList>(found->find("path"));
    ASSERT_NE(path, nullptr);
    EXPECT_EQ(path->size(), 4'000'001U);
    EXPECT_LE(peak_resident_memory(process) - before, limit(80 * text.size()));
}

}  // namespace
}  // namespace lanyard::test
