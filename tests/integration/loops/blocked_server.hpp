// A server on another thread, with tools that block for as long as a test requires.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "lanyard/client/blocking.hpp"
#include "lanyard/connect.hpp"
#include "lanyard/listen.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/server.hpp"

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

// Blocks a thread until a test opens the gate.
struct Gate {
    // Returns false if the time is over.
    bool wait_for(Duration most) const {
        auto const until = SteadyClock::now() + most;
        while (!open && SteadyClock::now() < until) std::this_thread::sleep_for(1ms);
        return open;
    }
    std::atomic<bool> open = false;
    std::atomic<int> blocked = 0;
    std::atomic<int> cancelled = 0;
};

class BlockedServer : public ::testing::TestWithParam<std::string> {
protected:
    BlockedServer() {
        auto const gate = gate_;
        auto const block = [gate](Nap in) {
            if (in.ms == 0) return;
            ++gate->blocked;
            gate->wait_for(std::chrono::milliseconds(in.ms));
        };
        server_->tool(
            "quick", "Answers at once", [] { return std::string("quick"); },
            ToolOptions().inline_());
        server_->tool("nap", "Blocks", [block](Nap in) {
            block(in);
            return std::string("slept");
        });
        server_->tool(
            "short_nap", "Blocks, and has little time",
            [block](Nap in) {
                block(in);
                return std::string("slept");
            },
            ToolOptions().timeout(200ms));
        server_->tool("polite_nap", "Blocks until it is cancelled",
                      [gate](Nap in, Context& context) {
                          if (in.ms != 0) ++gate->blocked;
                          auto const until = SteadyClock::now() + std::chrono::milliseconds(in.ms);
                          while (SteadyClock::now() < until && !context.cancelled())
                              std::this_thread::sleep_for(1ms);
                          if (context.cancelled() && context.stop_token().stop_requested())
                              ++gate->cancelled;
                          return std::string("slept");
                      });
        server_->tool("doze", "Blocks in a coroutine", [block](Nap in) -> Task<std::string> {
            block(in);
            co_return std::string("slept");
        });
    }
    ~BlockedServer() override { end(); }

    void start() {
        auto const kind = GetParam();
        if (kind == "tcp") {
            StreamServerOptions options;
            if (verifier_) options.verifier(verifier_);
            auto listener = listen("tcp://127.0.0.1:0", options);
            url_ = listener->url();
            run(std::move(listener));
        } else {
            HttpServerOptions options;
            options.mcp(McpHttpOptions().websocket());
            if (verifier_) options.verifier(verifier_);
            auto listener = listen("http://127.0.0.1:0/mcp", options);
            url_ = kind == "websocket"
                       ? "ws://127.0.0.1:" + std::to_string(listener->port()) + "/mcp/ws"
                       : listener->url();
            run(std::move(listener));
        }
    }
    template <class Listener>
    void run(std::unique_ptr<Listener> listener) {
        running_ = std::async(std::launch::async, [this, listener = std::move(listener)]() mutable {
            return server_->run(std::move(listener));
        });
    }
    void end() {
        gate_->open = true;
        if (!running_.valid()) return;
        server_->stop(0s);
        running_.wait();
    }
    blocking::Client client(ClientOptions options = {}) const {
        if (GetParam() != "http-modern") options.versions({Version::v2025_11_25});
        return blocking::connect(url_, options);
    }
    // Calls the tool until it is classified as fast.
    static void warm(blocking::Client& client, std::string const& tool) {
        Nap const none;
        for (int i = 0; i < 1'000; ++i) client.call<std::string>(tool, none);
    }
    bool wait_until_blocked(int count = 1) const {
        auto const until = SteadyClock::now() + 30s;
        while (gate_->blocked < count && SteadyClock::now() < until)
            std::this_thread::sleep_for(1ms);
        return gate_->blocked >= count;
    }
    // Returns the longest duration of several quick calls.
    static Duration slowest_quick_call(blocking::Client& client) {
        Duration slowest{0};
        for (int i = 0; i < 20; ++i) {
            auto const begin = SteadyClock::now();
            EXPECT_EQ(client.call<std::string>("quick"), "quick");
            slowest = std::max<Duration>(slowest, SteadyClock::now() - begin);
        }
        return slowest;
    }
    static Nap nap(Duration time) {
        Nap nap;
        nap.ms =
            static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
        return nap;
    }
    // Blocks in one client's call and expects that the calls of another client are answered.
    void expect_others_answered(std::string const& tool) {
        start();
        auto sleeper = client();
        auto other = client();
        warm(sleeper, tool);
        auto const nap_time = nap(blocked_for);
        auto slept = std::async(std::launch::async,
                                [&] { return sleeper.call<std::string>(tool, nap_time); });
        ASSERT_TRUE(wait_until_blocked());
        EXPECT_LT(slowest_quick_call(other), answered_within);
        auto third = client();
        EXPECT_LT(slowest_quick_call(third), answered_within);
        gate_->open = true;
        EXPECT_EQ(slept.get(), "slept");
        // The tool no longer runs on the loop, and works.
        EXPECT_EQ(sleeper.call<std::string>(tool, nap_time), "slept");
    }

    std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
    std::unique_ptr<Server> server_ = std::make_unique<Server>("loops", "1");
    std::shared_ptr<Verifier> verifier_;
    std::string url_;
    std::future<int> running_;
};

inline auto const every_transport =
    ::testing::Values("http-modern", "http-session", "tcp", "websocket");
constexpr auto transport_name = [](auto const& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
};

}  // namespace lanyard
