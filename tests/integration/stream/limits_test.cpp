// Limits of durations and sizes. Durations are tested in virtual time.
#include <array>
#include <csignal>
#include <filesystem>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <gmock/gmock.h>

#include <boost/asio/detached.hpp>

#include "integration/http/raw_client.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "stream_server.hpp"
#include "support/sanitized.hpp"

namespace lanyard::stream_test {
namespace {

using namespace std::chrono_literals;

constexpr char const* anywhere = "tcp://127.0.0.1:0";
constexpr std::string_view hello =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"raw","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n";

// Throws instead of deciding.
class Undecided final : public Verifier {
public:
    Task<Verification> verify(Credentials const&) override {
        throw std::runtime_error("the directory is down");
        co_return Verification::refuse();
    }
};

TEST(StreamLimits, a_client_that_does_not_authenticate_is_closed_in_time) {
    std::vector<std::pair<StreamServerOptions, Duration>> const cases{
        {StreamServerOptions(), 10s}, {StreamServerOptions().opening_timeout(3s), 3s}};
    for (auto const& [options, limit] : cases) {
        testing::FakeTime time;
        auto const keys = bearer_tokens({BearerToken("key").subject("ada")});
        StreamServer server(anywhere, StreamServerOptions(options).verifier(keys).time(time));
        test::RawClient raw(server.listener().port());
        EXPECT_TRUE(eventually([&] { return time.next_alarm() != TimePoint::max(); }));
        time.advance(limit - 1ns);
        EXPECT_EQ(server.listener().stats().failed, 0U);
        EXPECT_EQ(server.listener().stats().open, 1U);
        time.advance(1ns);
        EXPECT_TRUE(raw.ends());
        raw.close();
        EXPECT_TRUE(eventually([&] { return server.listener().stats().open == 0; }));
        EXPECT_EQ(server.listener().stats().failed, 1U);
        EXPECT_EQ(server.listener().stats().unauthorized, 0U);
    }
}

TEST(StreamLimits, a_verifier_that_fails_refuses_every_client) {
    StreamServer server(anywhere, StreamServerOptions().verifier(std::make_shared<Undecided>()));
    EXPECT_THAT(connect_error(server.url()).message(),
                ::testing::HasSubstr("does not know this client"));
    EXPECT_GE(server.listener().stats().unauthorized, 1U);
}

TEST(StreamLimits, an_idle_connection_is_closed_in_time) {
    std::vector<std::pair<StreamServerOptions, Duration>> const cases{
        {StreamServerOptions(), 5min}, {StreamServerOptions().idle_expiry(2min), 2min}};
    for (auto const& [stream, limit] : cases) {
        testing::FakeTime time;
        ServerOptions options;
        // So that the connection is not closed because of the server's pings.
        options.time(time).ping(24h, 1h);
        StreamServer server(anywhere, stream, options);
        test::RawClient raw(server.listener().port());
        raw.send(hello);
        EXPECT_NE(raw.read_until("\n"), "");
        EXPECT_TRUE(eventually([&] {
            auto const sessions = server.server().sessions();
            return !sessions.empty() && sessions[0].phases.back().name == "ready";
        }));
        time.advance(limit - 1ns);
        EXPECT_FALSE(raw.readable(20));
        EXPECT_EQ(server.server().limit_counts().silent, 0U);
        time.advance(1ns);
        EXPECT_TRUE(raw.ends());
        EXPECT_TRUE(eventually([&] { return server.server().limit_counts().silent == 1; }));
    }
}

TEST(StreamLimits, a_message_that_takes_too_long_closes_the_connection) {
    std::vector<std::pair<StreamServerOptions, Duration>> const cases{
        {StreamServerOptions(), 30s}, {StreamServerOptions().message_timeout(3s), 3s}};
    for (auto const& [stream, limit] : cases) {
        testing::FakeTime time;
        ServerOptions options;
        options.time(time).ping(24h, 1h);
        StreamServer server(anywhere, stream, options);
        test::RawClient raw(server.listener().port());
        raw.send(hello);
        EXPECT_NE(raw.read_until("\n"), "");
        // A part of a message. The alarm shows that the server has read it.
        raw.send(R"({"jsonrpc":"2.0","id":1,)");
        EXPECT_TRUE(eventually([&] { return time.next_alarm() == time.now() + limit; }));
        time.advance(limit - 1ns);
        EXPECT_FALSE(raw.readable(20));
        EXPECT_EQ(server.server().limit_counts().silent, 0U);
        time.advance(1ns);
        EXPECT_TRUE(raw.ends());
        EXPECT_TRUE(eventually([&] { return server.server().limit_counts().silent == 1; }));
    }
}

TEST(StreamLimits, a_message_that_exceeds_the_memory_for_all_is_refused) {
    StreamServer server(anywhere, StreamServerOptions().max_message_bytes_total(1'500'000));
    // Unfinished messages occupy a power of two: one of this size takes 1 MiB.
    std::string const large(900'000, 'x');
    test::RawClient first(server.listener().port());
    test::RawClient second(server.listener().port());
    for (auto* const raw : {&first, &second}) {
        raw->send(hello);
        EXPECT_NE(raw->read_until("\n"), "");
        raw->send(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo",)"
                  R"("arguments":{"text":")" +
                  large);
    }
    EXPECT_TRUE(eventually([&] { return server.listener().stats().messages_refused == 1; }));
    EXPECT_TRUE(eventually([&] { return first.readable(0) || second.readable(0); }));
    auto& refused = first.readable(0) ? first : second;
    auto& accepted = first.readable(0) ? second : first;
    auto const answer = refused.read_until("\n");
    EXPECT_THAT(answer, ::testing::HasSubstr("\"id\":5"));
    EXPECT_THAT(answer, ::testing::HasSubstr("overloaded"));
    for (auto* const raw : {&accepted, &refused}) raw->send("\"}}}\n");
    EXPECT_THAT(accepted.read_until("\n"), ::testing::HasSubstr(large));
    // The refused message was skipped; the next one is read.
    refused.send(R"({"jsonrpc":"2.0","id":6,"method":"ping"})"
                 "\n");
    EXPECT_THAT(refused.read_until("\n"), ::testing::HasSubstr("\"id\":6"));
}

TEST(StreamLimits, connecting_takes_no_longer_than_the_limit) {
    // The listener accepts connections, but sends nothing.
    auto const silent = listen(anywhere, StreamServerOptions());
    auto const url = "tls://127.0.0.1:" + std::to_string(silent->port());
    std::vector<std::pair<StreamClientOptions, Duration>> const cases{
        {StreamClientOptions(), 5s}, {StreamClientOptions().connect_timeout(2s), 2s}};
    for (auto const& [options, limit] : cases) {
        testing::FakeTime time;
        auto const stream = StreamClientOptions(options).time(time).insecure(true);
        auto connecting =
            std::async(std::launch::async, [&] { return connect_error(url, stream); });
        EXPECT_TRUE(eventually([&] { return time.next_alarm() != TimePoint::max(); }));
        time.advance(limit - 1ns);
        EXPECT_EQ(connecting.wait_for(20ms), std::future_status::timeout);
        time.advance(1ns);
        EXPECT_EQ(connecting.wait_for(20s), std::future_status::ready);
        time.advance(1h);  // so that the test ends even if the limit does not hold
        auto const error = connecting.get();
        EXPECT_TRUE(error.is(Errc::unavailable));
        EXPECT_THAT(error.message(), ::testing::HasSubstr("in time"));
    }
}

// A server in virtual time with large answers, and a client that reads none of them.
class Unread {
public:
    explicit Unread(std::size_t most) : server_(anywhere, buffers(), options(most)) {
        server_.server().tool("large", "Says much",
                              [](Context&) -> Task<std::string> { return large(); });
        raw_.emplace(server_.listener().port());
        raw_->send(hello);
        raw_->read_until("\n");
    }

    /// Requests this many answers of a megabyte each.
    void ask(int count) {
        std::string calls;
        for (int i = 1; i <= count; ++i) {
            calls += R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                     R"(,"method":"tools/call","params":{"name":"large"}})" + "\n";
        }
        raw_->send(calls);
    }
    /// Whether the server gives the client this much time to read.
    bool hurries(Duration patience) {
        return eventually([&] { return time_.next_alarm() == time_.now() + patience; });
    }
    /// Expects that the connection is closed after exactly this time.
    void expect_cut_off(Duration patience) {
        EXPECT_TRUE(hurries(patience));
        time_.advance(patience - 1ns);
        EXPECT_EQ(server_.server().limit_counts().unread, 0U);
        EXPECT_EQ(server_.listener().stats().open, 1U);
        time_.advance(1ns);
        EXPECT_TRUE(eventually([&] { return server_.server().limit_counts().unread == 1; }));
        raw_->close();
        EXPECT_TRUE(eventually([&] { return server_.listener().stats().open == 0; }));
    }

private:
    static StreamServerOptions buffers() {
        return StreamServerOptions()
            .socket(SocketOptions().system_buffers(0, 64 * 1024))
            .idle_expiry(24h);
    }
    ServerOptions options(std::size_t most) {
        ServerOptions options;
        return options.time(time_).ping(24h, 1h).max_unsent_bytes(most);
    }
    static Task<std::string> large() { co_return std::string(std::size_t{1024} * 1024, 'x'); }

    testing::FakeTime time_;
    StreamServer server_;
    std::optional<test::RawClient> raw_;
};

TEST(StreamLimits, a_client_that_reads_nothing_is_disconnected_in_time) {
    Unread client(std::size_t{64} * 1024 * 1024);
    client.ask(12);
    client.expect_cut_off(30s);
}

TEST(StreamLimits, a_client_that_leaves_more_than_the_hard_limit_unread_is_disconnected_soon) {
    Unread client(std::size_t{8} * 1024 * 1024);
    client.ask(24);
    client.expect_cut_off(5s);
}

#ifndef LANYARD_TYPES_ARE_CHECKED
// The server runs in a child process with a low limit of descriptors.
TEST(StreamLimits, clients_are_refused_while_there_are_no_descriptors) {
    auto listener = listen(anywhere, StreamServerOptions());
    auto const port = listener->port();
    auto const child = fork();
    if (child == 0) {
        rlimit const few{64, 64};
        setrlimit(RLIMIT_NOFILE, &few);
        Server server("few", "1");
        server.tool("dropped", "How many were turned away",
                    [&] { return std::to_string(listener->stats().dropped); });
        boost::asio::io_context context(1);
        boost::asio::co_spawn(context, server.run_async(*listener), [](std::exception_ptr) {});
        context.run();
        _exit(0);
    }
    ASSERT_GT(child, 0);
    listener.reset();
    {
        std::vector<std::unique_ptr<test::RawClient>> clients;
        for (int i = 0; i < 128; ++i) clients.push_back(std::make_unique<test::RawClient>(port));
        EXPECT_TRUE(eventually([&] {
            return std::ranges::any_of(clients, [](auto const& each) { return each->readable(0); });
        }));
    }
    // Once descriptors are free again, new clients are served.
    auto const url = "tcp://127.0.0.1:" + std::to_string(port);
    EXPECT_TRUE(eventually([&] {
        try {
            return std::stoi(connect(url).call<std::string>("dropped")) > 0;
        } catch (Error const&) {
            return false;
        }
    }));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}
#endif

TEST(StreamLimits, stopping_takes_no_longer_than_the_grace) {
    std::vector<std::pair<StreamServerOptions, Duration>> const cases{
        {StreamServerOptions(), 5s}, {StreamServerOptions().shutdown_timeout(2s), 2s}};
    for (auto const& [options, limit] : cases) {
        testing::FakeTime time;
        StreamServer server(anywhere, StreamServerOptions(options).time(time));
        auto const client = connect(server.url());
        auto called =
            std::async(std::launch::async, [&] { return client.call<std::string>("wait"); });
        server.await_waiting(1);
        server.listener().stop();
        EXPECT_TRUE(eventually([&] { return time.next_alarm() != TimePoint::max(); }));
        time.advance(limit - 1ns);
        EXPECT_EQ(called.wait_for(20ms), std::future_status::timeout);
        time.advance(1ns);
        EXPECT_EQ(called.wait_for(20s), std::future_status::ready);
        time.advance(1h);  // so that the test ends even if the limit does not hold
        EXPECT_THROW(called.get(), Error);
        server.open_gate();
        server.await_end();
    }
}

TEST(StreamLimits, a_client_that_does_not_read_is_not_read_from_and_loses_nothing) {
    StreamServer server(anywhere);
    test::RawClient raw(server.listener().port());
    raw.send(hello);
    raw.read_until("\n");
    // Sends until the server stops reading; the remaining bytes stay in `rest`.
    std::string const text(100'000, 'x');
    std::size_t sent = 0;
    std::size_t calls = 0;
    std::string rest;
    for (bool blocked = false; !blocked;) {
        if (rest.empty()) {
            rest = R"({"jsonrpc":"2.0","id":)" + std::to_string(++calls) +
                   R"(,"method":"tools/call","params":{"name":"echo","arguments":{"text":")" +
                   text + "\"}}}\n";
        }
        auto const size =
            ::send(raw.descriptor(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size > 0) {
            sent += static_cast<std::size_t>(size);
            rest.erase(0, static_cast<std::size_t>(size));
        } else {
            pollfd waiting{raw.descriptor(), POLLOUT, 0};
            blocked = ::poll(&waiting, 1, 300) == 0;
        }
        ASSERT_LT(sent, 256U * 1024 * 1024) << "nothing stops the client";
    }
    // Once the client reads, everything is answered.
    std::string answers;
    std::size_t lines = 0;
    while (lines < calls) {
        if (!rest.empty()) {
            auto const size =
                ::send(raw.descriptor(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (size > 0) rest.erase(0, static_cast<std::size_t>(size));
        }
        auto const more = raw.read_some();
        ASSERT_FALSE(more.empty());
        lines += static_cast<std::size_t>(std::count(more.begin(), more.end(), '\n'));
    }
    EXPECT_EQ(lines, calls);
}

// Returns the two sockets of the only connection to this port, both of which are in this process:
// first the server's, then the client's.
std::array<int, 2> sockets_of(std::uint16_t port) {
    std::array<int, 2> found{-1, -1};
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        int const descriptor = std::stoi(entry.path().filename().string());
        auto const port_by = [descriptor](auto* get_name) -> int {
            sockaddr_in address{};
            socklen_t size = sizeof address;
            if (get_name(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
            return address.sin_family == AF_INET ? ntohs(address.sin_port) : -1;
        };
        int const remote = port_by(&::getpeername);
        if (remote == -1) continue;
        if (port_by(&::getsockname) == port) found[0] = descriptor;
        if (remote == port) found[1] = descriptor;
    }
    return found;
}

int option_of(int descriptor, int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(descriptor, level, name, &value, &size), 0);
    return value;
}

TEST(StreamLimits, socket_options_are_set) {
    SocketOptions socket;
    socket.no_delay(false).keepalive_interval(0s).system_buffers(32 * 1024, 48 * 1024);
    {
        StreamServer server(anywhere, StreamServerOptions().socket(socket));
        auto const client = connect(server.url(), {}, StreamClientOptions().socket(socket));
        std::string const large(1'000'000, 'x');
        EXPECT_EQ(echo(client, large), large);
        for (int const descriptor : sockets_of(server.listener().port())) {
            // Linux doubles the sizes, to have room for its own data.
            EXPECT_EQ(option_of(descriptor, SOL_SOCKET, SO_RCVBUF), 2 * 32 * 1024);
            EXPECT_EQ(option_of(descriptor, SOL_SOCKET, SO_SNDBUF), 2 * 48 * 1024);
            EXPECT_EQ(option_of(descriptor, IPPROTO_TCP, TCP_NODELAY), 0);
            EXPECT_EQ(option_of(descriptor, SOL_SOCKET, SO_KEEPALIVE), 0);
        }
    }
    socket.no_delay(true).keepalive_interval(7s);
    StreamServer server(anywhere, StreamServerOptions().socket(socket));
    auto const client = connect(server.url(), {}, StreamClientOptions().socket(socket));
    EXPECT_EQ(echo(client, "small"), "small");
    for (int const descriptor : sockets_of(server.listener().port())) {
        EXPECT_NE(option_of(descriptor, IPPROTO_TCP, TCP_NODELAY), 0);
        EXPECT_NE(option_of(descriptor, SOL_SOCKET, SO_KEEPALIVE), 0);
        EXPECT_EQ(option_of(descriptor, IPPROTO_TCP, TCP_KEEPIDLE), 7);
    }
}

// Records how many messages each read has returned.
class ReadSizes final : public Endpoint {
public:
    Task<> serve(std::unique_ptr<Transport> transport) override {
        while (auto const frames = co_await transport->read()) {
            largest = std::max(largest.load(), frames->size());
            total += frames->size();
        }
    }
    std::atomic<std::size_t> largest = 0;
    std::atomic<std::size_t> total = 0;
};

TEST(StreamLimits, a_read_returns_no_more_than_the_read_buffer_holds) {
    constexpr std::size_t lines = 50;
    for (std::size_t const bytes : {std::size_t{1000}, std::size_t{40}}) {
        auto const listener = listen(
            anywhere, StreamServerOptions().socket(SocketOptions().read_buffer_bytes(bytes)));
        ReadSizes sizes;
        boost::asio::io_context context;
        boost::asio::co_spawn(context, listener->run(sizes), boost::asio::detached);
        std::thread thread([&] { context.run(); });
        test::RawClient raw(listener->port());
        std::string text;
        for (std::size_t i = 0; i < lines; ++i)
            text += R"({"text":"20 bytes"})"
                    "\n";
        raw.send(text);
        EXPECT_TRUE(eventually([&] { return sizes.total == lines; }));
        EXPECT_LE(sizes.largest, bytes / 20);
        raw.close();
        listener->stop();
        thread.join();
    }
}

}  // namespace
}  // namespace lanyard::stream_test
