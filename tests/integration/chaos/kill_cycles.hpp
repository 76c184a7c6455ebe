// Kills a server repeatedly under load and checks the invariants of the client.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "load.hpp"
#include "process/processes.hpp"
#include "support/sanitized.hpp"

namespace lanyard::chaos {

inline constexpr int workers = 8;

/// Expects that every call has ended once, and with its own answer or an expected error.
inline void expect_one_outcome_each(Load const& load) {
    EXPECT_EQ(load.begun(), load.answered() + load.lost());
    EXPECT_EQ(load.foreign(), 0u);
    EXPECT_EQ(load.unexpected(), std::vector<std::string>());
}

/// How a server is killed, and how the next one is started if the client does not start it.
struct Killing {
    char const* what;
    std::function<Task<>()> kill;
    std::function<void()> replace = [] {};
};

/// Measures how long the client takes to be ready again after each loss.
class Recoveries {
public:
    void begin() { begun_ = std::chrono::steady_clock::now(); }
    void end() {
        if (begun_) took_.push_back(std::chrono::steady_clock::now() - *std::exchange(begun_, {}));
    }
    /// At least nine of ten must be in time: the machine may be busy now and then.
    void expect_in_time() const {
        auto const late =
            std::ranges::count_if(took_, [](auto time) { return time > backoff + one_second; });
        EXPECT_LE(static_cast<std::size_t>(late) * 10, took_.size()) << "of " << took_.size();
    }
    double longest_ms() const {
        return std::chrono::duration<double, std::milli>(*std::ranges::max_element(took_)).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds one_second{1};
    std::optional<Clock::time_point> begun_;
    std::vector<Clock::duration> took_;
};

/// Kills the server while calls are in progress. The client must be ready again in time after each
/// kill, and the use of memory and descriptors must not grow.
inline Task<> kill_again_and_again(boost::asio::io_context& context, Client const& client,
                                   Watch& watch, Killing const& killing) {
    Load load(context, client, workers);
    std::size_t descriptors = 0;
    std::size_t memory = 0;
    Recoveries recoveries;
    for (int cycle = 0; cycle < cycles(); ++cycle) {
        co_await client.await_ready(guard);
        recoveries.end();
        co_await load.answers(20);
        // One-time allocations are done by now.
        if (cycle == 10) {
            descriptors = test::open_descriptors();
            memory = resident_memory();
        }
        co_await killing.kill();
        co_await watch.lost(static_cast<std::size_t>(cycle) + 1);
        killing.replace();
        recoveries.begin();
    }
    co_await client.await_ready(guard);
    recoveries.end();
    recoveries.expect_in_time();
    co_await load.answers(20);
    EXPECT_EQ(test::open_descriptors(), descriptors);
    if (!test::sanitized) {
        EXPECT_LT(resident_memory(), memory + std::size_t{4} * 1024 * 1024);
    }
    co_await load.finish();
    expect_one_outcome_each(load);
    std::printf(
        "COUNT: chaos %s %d kills, %zu calls, %zu lost, ready again after %.0f ms at most\n",
        killing.what, cycles(), load.begun(), load.lost(), recoveries.longest_ms());
}

}  // namespace lanyard::chaos
