// A server on another thread, with tools that block for as long as a test requires.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/client/blocking.hpp"
#include "lanyard/connect.hpp"
#include "lanyard/listen.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/server.hpp"
#include "runtime/loop.hpp"
#include "support/certificates.hpp"

namespace lanyard {

using namespace std::chrono_literals;

struct Nap {
    int ms = 0;
};
LANYARD_STRUCT(Nap, ms)

using SteadyClock = std::chrono::steady_clock;

// The documented limit is 20 ms; this margin is larger, and a blocked handler blocks much longer.
constexpr auto answered_within = 1s;
constexpr auto blocked_for = 4s;

// Blocks a thread until a test opens the gate. Counts the user code that has run, and how much of
// it has run on the loops that the test observes.
struct Gate {
    // To be called by coroutines of user code: observes the loop that runs the coroutine's lane.
    Task<> observe_loop() {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto const loop = runtime::Loop::of(executor)->weak_from_this();
        std::lock_guard const lock(mutex);
        loops.push_back(loop);
    }
    // To be called by user code.
    void note() {
        std::lock_guard const lock(mutex);
        for (auto const& one : loops) {
            auto const loop = one.lock();
            // Only the owner of a loop is inside the run() of its context when user code starts.
            if (!loop || !loop->context().get_executor().running_in_this_thread()) continue;
            ++on_loop;
            break;
        }
        ++noted;
    }
    // Returns false if the time is over.
    bool wait_for(Duration most) const {
        auto const until = SteadyClock::now() + most;
        while (!open && SteadyClock::now() < until) std::this_thread::sleep_for(1ms);
        return open;
    }
    // Blocks the calling thread for the given time, unless that is zero.
    void block(Nap time) {
        note();
        if (time.ms == 0) return;
        ++blocked;
        wait_for(std::chrono::milliseconds(time.ms));
    }
    void block_until_cancelled(Nap time, Context& context) {
        if (time.ms != 0) ++blocked;
        auto const until = SteadyClock::now() + std::chrono::milliseconds(time.ms);
        while (SteadyClock::now() < until && !context.cancelled()) std::this_thread::sleep_for(1ms);
        if (context.cancelled() && context.stop_token().stop_requested()) ++cancelled;
    }
    std::atomic<bool> open = false;
    std::atomic<int> blocked = 0;
    std::atomic<int> cancelled = 0;
    std::atomic<int> noted = 0;    // calls of note()
    std::atomic<int> on_loop = 0;  // those of them on an observed loop
    std::mutex mutex;
    std::vector<std::weak_ptr<runtime::Loop>> loops;
};

class BlockedServer : public ::testing::TestWithParam<std::string> {
protected:
    BlockedServer() {
        auto const gate = gate_;
        server_->tool(
            "quick", "Answers at once", [] { return std::string("quick"); },
            ToolOptions().inline_());
        server_->tool("nap", "Blocks", [gate](Nap in) {
            gate->block(in);
            return std::string("slept");
        });
        server_->tool(
            "short_nap", "Blocks, and has little time",
            [gate](Nap in) {
                gate->block(in);
                return std::string("slept");
            },
            ToolOptions().timeout(200ms));
        server_->tool("polite_nap", "Blocks until it is cancelled",
                      [gate](Nap in, Context& context) {
                          gate->block_until_cancelled(in, context);
                          return std::string("slept");
                      });
        // The same as coroutines.
        server_->tool("doze", "Blocks in a coroutine", [gate](Nap in) -> Task<std::string> {
            gate->block(in);
            co_return std::string("slept");
        });
        server_->tool(
            "short_doze", "Blocks in a coroutine, and has little time",
            [gate](Nap in) -> Task<std::string> {
                gate->block(in);
                co_return std::string("slept");
            },
            ToolOptions().timeout(200ms));
        server_->tool("polite_doze", "Blocks in a coroutine until it is cancelled",
                      [gate](Nap in, Context& context) -> Task<std::string> {
                          gate->block_until_cancelled(in, context);
                          co_return std::string("slept");
                      });
    }
    ~BlockedServer() override { end(); }

    void start() {
        auto const kind = GetParam();
        if (kind.starts_with("http") || kind == "sse" || kind == "websocket") {
            start_http();
        } else {
            start_stream();
        }
    }
    void start_http() {
        HttpServerOptions options;
        options.mcp(McpHttpOptions().sse().websocket());
        if (verifier_) options.verifier(verifier_);
        if (GetParam() == "https") options.tls(certificate());
        auto listener = listen(GetParam() == "https" ? "https://127.0.0.1:0/mcp"  //
                                                     : "http://127.0.0.1:0/mcp",
                               options);
        auto const address = "127.0.0.1:" + std::to_string(listener->port());
        url_ = GetParam() == "websocket" ? "ws://" + address + "/mcp/ws"
               : GetParam() == "sse"     ? "http://" + address + "/sse"
                                         : listener->url();
        run(std::move(listener));
    }
    void start_stream() {
        StreamServerOptions options;
        if (verifier_) options.verifier(verifier_);
        if (GetParam() == "tcp-threads") options.threads(2);
        if (GetParam() == "tls") options.tls(certificate());
        auto listener = listen(GetParam() == "unix"  ? "unix:" + files().path("demo.sock")
                               : GetParam() == "tls" ? "tls://127.0.0.1:0"
                                                     : "tcp://127.0.0.1:0",
                               options);
        url_ = listener->url();
        run(std::move(listener));
    }
    template <class Listener>
    void run(std::unique_ptr<Listener> listener) {
        running_ = std::async(std::launch::async, [this, listener = std::move(listener)]() mutable {
            if (!on_own_executor_) return server_->run(std::move(listener));
            boost::asio::io_context context;
            boost::asio::co_spawn(context, server_->run_async(*listener), boost::asio::detached);
            context.run();
            return 0;
        });
    }
    void end() {
        gate_->open = true;
        if (!running_.valid()) return;
        if (server_) server_->stop(0s);
        running_.wait();
    }
    std::unique_ptr<Connector> connector() const {
        if (GetParam() == "https") {
            return http_connector(url_, HttpClientOptions().ca_file(files_->authority()));
        }
        if (GetParam() == "tls") {
            return stream_connector(url_, StreamClientOptions().ca_file(files_->authority()));
        }
        return url_connector(url_);
    }
    // Selects the protocol revision of the carrier.
    static ClientOptions for_carrier(ClientOptions options = {}) {
        if (GetParam() == "sse") {
            options.versions({Version::v2024_11_05});
        } else if (!is_modern()) {
            options.versions({Version::v2025_11_25});
        }
        return options;
    }
    static bool is_modern() { return GetParam() == "http-modern" || GetParam() == "https"; }
    blocking::Client client(ClientOptions options = {}) const {
        return blocking::connect(connector(), for_carrier(std::move(options)));
    }
    // Returns clients of which at least one shares its loop with any other client. If the server
    // has two loops, the system distributes the connections between them at random.
    std::vector<blocking::Client> other_clients() const {
        std::vector<blocking::Client> clients;
        auto const count = GetParam() == "tcp-threads" ? 8 : 1;
        for (int i = 0; i < count; ++i) clients.push_back(client());
        return clients;
    }
    // Makes the gate count the user code on the loop that serves this client.
    void observe_loop(blocking::Client const& client) {
        auto const name = "loop" + std::to_string(observed_++);
        server_->tool(name, "Observes its loop", [gate = gate_]() -> Task<std::string> {
            co_await gate->observe_loop();
            co_return std::string("observed");
        });
        EXPECT_EQ(client.call<std::string>(name), "observed");
        gate_->noted = gate_->on_loop = 0;
    }
    // Calls the tool until it is classified as fast.
    static void warm(blocking::Client& client, std::string const& tool) {
        Nap const none;
        for (int i = 0; i < 200; ++i) client.call<std::string>(tool, none);
    }
    bool wait_until_blocked(int count = 1) const {
        auto const until = SteadyClock::now() + 30s;
        while (gate_->blocked < count && SteadyClock::now() < until)
            std::this_thread::sleep_for(1ms);
        return gate_->blocked >= count;
    }
    // Returns the longest duration of several quick calls.
    static Duration slowest_quick_call(blocking::Client const& client) {
        Duration slowest{0};
        for (int i = 0; i < 20; ++i) {
            auto const begin = SteadyClock::now();
            EXPECT_EQ(client.call<std::string>("quick"), "quick");
            slowest = std::max<Duration>(slowest, SteadyClock::now() - begin);
        }
        return slowest;
    }
    static Duration slowest_quick_call(std::vector<blocking::Client> const& clients) {
        Duration slowest{0};
        for (auto const& one : clients) slowest = std::max(slowest, slowest_quick_call(one));
        return slowest;
    }
    static Nap nap(Duration time) {
        Nap nap;
        nap.ms =
            static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
        return nap;
    }
    // Runs `request` of one client, which blocks for the given time, and expects that the other
    // clients, and other calls of the same client, are answered meanwhile.
    using Request = std::function<std::string(blocking::Client& client, Nap time)>;
    void expect_others_answered(Request const& request) {
        start();
        auto sleeper = client();
        auto const others = other_clients();
        // Afterwards the handler is classified as fast.
        Nap const none;
        for (int i = 0; i < 100; ++i) request(sleeper, none);
        auto const nap_time = nap(blocked_for);
        auto slept = std::async(std::launch::async, [&] { return request(sleeper, nap_time); });
        ASSERT_TRUE(wait_until_blocked());
        EXPECT_LT(slowest_quick_call(others), answered_within);
        EXPECT_LT(slowest_quick_call(sleeper), answered_within);
        EXPECT_LT(slowest_quick_call(client()), answered_within);
        EXPECT_EQ(slept.wait_for(0s), std::future_status::timeout);
        gate_->open = true;
        EXPECT_EQ(slept.get(), "slept");
        // The handler works, and no longer runs on the loop.
        observe_loop(sleeper);
        EXPECT_EQ(request(sleeper, nap_time), "slept");
        EXPECT_EQ(gate_->noted, 1);
        EXPECT_EQ(gate_->on_loop, 0);
    }
    void expect_others_answered(std::string const& tool) {
        expect_others_answered([tool](blocking::Client& client, Nap time) {
            return client.call<std::string>(tool, time);
        });
    }

    std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
    std::unique_ptr<Server> server_ = std::make_unique<Server>("loops", "1");
    std::shared_ptr<Verifier> verifier_;
    bool on_own_executor_ = false;  // serves with run_async() instead of run()
    std::string url_;
    std::future<int> running_;
    int observed_ = 0;  // calls of observe_loop()

private:
    test::Certificates& files() {
        if (!files_) files_.emplace();
        return *files_;
    }
    TlsOptions certificate() {
        auto const identity = files().issue("server", "server", "IP:127.0.0.1");
        return {identity.certificate, identity.key};
    }

    std::optional<test::Certificates> files_;
};

inline auto const every_transport =
    ::testing::Values("http-modern", "http-session", "tcp", "websocket");
// Transports and variants of them; "tcp-threads" is a TCP listener with two threads.
inline auto const every_carrier =
    ::testing::Values("http-modern", "http-session", "https", "sse", "tcp", "tcp-threads", "tls",
                      "unix", "websocket");
constexpr auto transport_name = [](auto const& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
};

}  // namespace lanyard
