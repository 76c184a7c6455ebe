// A handler that blocks harms nobody but its own call, over every transport. In real time, with
// margins that are far apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <lanyard/client/blocking.hpp>
#include <lanyard/connect.hpp>
#include <lanyard/listen.hpp>
#include <lanyard/reflect.hpp>
#include <lanyard/server.hpp>

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Nap {
    int ms = 0;
};
LANYARD_STRUCT(Nap, ms)

// Twenty milliseconds are the promise. A handler that blocks does so for much longer than this.
constexpr auto answered_within = 1s;
constexpr auto blocked_for = 4s;

// Blocks its thread for as long as a test says.
struct Gate {
    // False: the time is over.
    bool wait_for(Duration most) const {
        auto const until = Clock::now() + most;
        while (!open && Clock::now() < until) std::this_thread::sleep_for(1ms);
        return open;
    }
    std::atomic<bool> open = false;
    std::atomic<int> blocked = 0;
    std::atomic<int> cancelled = 0;
};

class BlockedHandler : public ::testing::TestWithParam<std::string> {
protected:
    BlockedHandler() {
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
                          auto const until = Clock::now() + std::chrono::milliseconds(in.ms);
                          while (Clock::now() < until && !context.cancelled())
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
    ~BlockedHandler() override { end(); }

    void start() {
        auto const kind = GetParam();
        if (kind == "tcp") {
            auto listener = listen("tcp://127.0.0.1:0");
            url_ = listener->url();
            run(std::move(listener));
        } else {
            auto listener = listen("http://127.0.0.1:0/mcp",
                                   HttpServerOptions().mcp(McpHttpOptions().websocket()));
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
    blocking::Client client() const {
        ClientOptions options;
        if (GetParam() != "http-modern") options.versions({Version::v2025_11_25});
        return blocking::connect(url_, options);
    }
    // Lets the tool prove that it is fast.
    static void warm(blocking::Client& client, std::string const& tool) {
        Nap const none;
        for (int i = 0; i < 200; ++i) client.call<std::string>(tool, none);
    }
    bool wait_until_blocked(int count = 1) const {
        auto const until = Clock::now() + 30s;
        while (gate_->blocked < count && Clock::now() < until) std::this_thread::sleep_for(1ms);
        return gate_->blocked >= count;
    }
    // The longest time that one of several quick calls takes.
    static Duration slowest_quick_call(blocking::Client& client) {
        Duration slowest{0};
        for (int i = 0; i < 20; ++i) {
            auto const begin = Clock::now();
            EXPECT_EQ(client.call<std::string>("quick"), "quick");
            slowest = std::max<Duration>(slowest, Clock::now() - begin);
        }
        return slowest;
    }
    static Nap nap(Duration time) {
        Nap nap;
        nap.ms =
            static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
        return nap;
    }
    // One client's call blocks; what another sees.
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
        // It is off the loop now, and works.
        EXPECT_EQ(sleeper.call<std::string>(tool, nap_time), "slept");
    }

    std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
    std::unique_ptr<Server> server_ = std::make_unique<Server>("loops", "1");
    std::string url_;
    std::future<int> running_;
};

TEST_P(BlockedHandler, others_are_answered_while_a_function_blocks) {
    expect_others_answered("nap");
}

TEST_P(BlockedHandler, others_are_answered_while_a_coroutine_blocks) {
    expect_others_answered("doze");
}

TEST_P(BlockedHandler, others_are_answered_while_middleware_blocks) {
    server_->use([gate = gate_](Context& context, Next next) -> Task<RawJson> {
        if (context.target() == "nap") {
            ++gate->blocked;
            gate->wait_for(blocked_for);
        }
        co_return co_await next();
    });
    start();
    auto sleeper = client();
    auto other = client();
    Nap const none;
    auto slept =
        std::async(std::launch::async, [&] { return sleeper.call<std::string>("nap", none); });
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(other), answered_within);
    gate_->open = true;
    EXPECT_EQ(slept.get(), "slept");
}

TEST_P(BlockedHandler, its_own_timeout_ends_it) {
    start();
    auto sleeper = client();
    warm(sleeper, "short_nap");
    auto const begin = Clock::now();
    auto const nap_time = nap(blocked_for);
    EXPECT_THROW(sleeper.call<std::string>("short_nap", nap_time), ToolError);
    EXPECT_LT(Clock::now() - begin, blocked_for / 2);
}

TEST_P(BlockedHandler, cancellation_reaches_it) {
    start();
    auto sleeper = client();
    warm(sleeper, "polite_nap");
    auto const nap_time = nap(30s);
    CallOptions options;
    options.timeout(300ms);
    EXPECT_THROW(sleeper.call<std::string>("polite_nap", nap_time, options), Error);
    auto const until = Clock::now() + 10s;
    while (gate_->cancelled == 0 && Clock::now() < until) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(gate_->cancelled, 1);
}

TEST_P(BlockedHandler, the_server_stops_meanwhile) {
    start();
    auto sleeper = client();
    warm(sleeper, "nap");
    auto const nap_time = nap(60s);
    auto slept = std::async(std::launch::async, [&] {
        try {
            sleeper.call<std::string>("nap", nap_time);
        } catch (Error const&) {
            // The connection ends first.
        }
    });
    ASSERT_TRUE(wait_until_blocked());
    server_->stop(100ms);
    EXPECT_EQ(running_.wait_for(20s), std::future_status::ready);
    gate_->open = true;
    slept.get();
}

TEST_P(BlockedHandler, at_the_limit_of_threads_workers_run_handlers) {
    ServerOptions options;
    options.spare_threads(1);
    auto limited = std::make_unique<Server>("loops", "1", options);
    limited->tool(
        "quick", "Answers at once", [] { return std::string("quick"); }, ToolOptions().inline_());
    limited->tool(
        "nap", "Blocks",
        [gate = gate_](Nap in) {
            ++gate->blocked;
            gate->wait_for(std::chrono::milliseconds(in.ms));
            return std::string("slept");
        },
        ToolOptions().inline_());
    server_ = std::move(limited);
    start();
    auto sleeper = client();
    auto other = client();
    auto const nap_time = nap(blocked_for);
    auto slept =
        std::async(std::launch::async, [&] { return sleeper.call<std::string>("nap", nap_time); });
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(other), answered_within);
    gate_->open = true;
    EXPECT_EQ(slept.get(), "slept");
}

INSTANTIATE_TEST_SUITE_P(Transports, BlockedHandler,
                         ::testing::Values("http-modern", "http-session", "tcp", "websocket"),
                         [](auto const& info) {
                             auto name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace lanyard
