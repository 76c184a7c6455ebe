// A server that is killed again and again under load, and what has to hold meanwhile.
#pragma once

#include <cstdio>
#include <functional>

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

/// Kills while calls are under way; the client is ready again each time, memory and descriptors
/// stay.
inline Task<> kill_again_and_again(boost::asio::io_context& context, Client const& client,
                                   Watch& watch, Killing const& killing) {
    Load load(context, client, workers);
    std::size_t descriptors = 0;
    std::size_t memory = 0;
    for (int cycle = 0; cycle < cycles(); ++cycle) {
        co_await client.await_ready(guard);
        co_await load.answers(20);
        // What is allocated once is allocated by now.
        if (cycle == 10) {
            descriptors = test::open_descriptors();
            memory = resident_memory();
        }
        co_await killing.kill();
        co_await watch.lost(static_cast<std::size_t>(cycle) + 1);
        killing.replace();
    }
    co_await client.await_ready(guard);
    co_await load.answers(20);
    EXPECT_EQ(test::open_descriptors(), descriptors);
    if (!test::sanitized) {
        EXPECT_LT(resident_memory(), memory + std::size_t{4} * 1024 * 1024);
    }
    co_await load.finish();
    expect_one_outcome_each(load);
    std::printf("COUNT: chaos %s %d kills, %zu calls, %zu lost\n", killing.what, cycles(),
                load.begun(), load.lost());
}

}  // namespace lanyard::chaos
