// A server that is killed again and again under load, and what has to hold meanwhile.
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

/// Every call ended once, and with what is its own.
inline void expect_one_outcome_each(Load const& load) {
    EXPECT_EQ(load.begun(), load.answered() + load.lost());
    EXPECT_EQ(load.foreign(), 0u);
    EXPECT_EQ(load.unexpected(), std::vector<std::string>());
}

/// How a server is killed, and how the next one comes, where it does not come by itself.
struct Killing {
    char const* what;
    std::function<Task<>()> kill;
    std::function<void()> replace = [] {};
};

/// How long the client took to be ready again, each time.
class Recoveries {
public:
    void begin() { begun_ = std::chrono::steady_clock::now(); }
    void end() {
        if (begun_) took_.push_back(std::chrono::steady_clock::now() - *std::exchange(begun_, {}));
    }
    /// At least nine of ten are in time: the machine may have other things to do now and then.
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

/// Kills while calls are under way; the client is ready again in time each time, memory and
/// descriptors stay.
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
        // What is allocated once is allocated by now.
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
