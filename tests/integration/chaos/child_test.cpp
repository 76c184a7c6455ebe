// A child process that is killed again and again while calls are under way.
#include <csignal>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "lanyard/transport/child_process.hpp"
#include "load.hpp"
#include "process/processes.hpp"
#include "support/run_task.hpp"
#include "support/sanitized.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

constexpr int workers = 8;

class Chaos : public ::testing::TestWithParam<Version> {
protected:
    ClientOptions options(std::shared_ptr<ClientObserver> observer) {
        ClientOptions options("chaos", "1");
        options.versions({GetParam()}).observer(std::move(observer));
        options.reconnect(
            ReconnectOptions().wait(chaos::backoff, chaos::backoff).restart_limit(100'000, 1s));
        return options;
    }

    Task<> kill_again_and_again(boost::asio::io_context& context) {
        auto const watch = std::make_shared<chaos::Watch>(context.get_executor());
        auto connector = child_process(LANYARD_CHAOS_SERVER);
        auto const client = co_await connect(std::move(connector), options(watch));
        chaos::Load load(context, client, workers);
        std::size_t descriptors = 0;
        std::size_t memory = 0;
        for (int cycle = 0; cycle < chaos::cycles(); ++cycle) {
            co_await client.await_ready(chaos::guard);
            co_await load.answers(20);
            // What is allocated once is allocated by now.
            if (cycle == 10) {
                descriptors = test::open_descriptors();
                memory = chaos::resident_memory();
            }
            chaos::Text const nothing;
            auto const process = co_await client.call<std::string>("process", nothing);
            kill(static_cast<pid_t>(std::stol(process)), SIGKILL);
            co_await watch->lost(static_cast<std::size_t>(cycle) + 1);
        }
        co_await client.await_ready(chaos::guard);
        co_await load.answers(20);
        EXPECT_EQ(test::open_descriptors(), descriptors);
        if (!test::sanitized) {
            EXPECT_LT(chaos::resident_memory(), memory + std::size_t{4} * 1024 * 1024);
        }
        co_await load.finish();
        EXPECT_EQ(load.begun(), load.answered() + load.lost());
        EXPECT_EQ(load.foreign(), 0u);
        EXPECT_EQ(load.unexpected(), std::vector<std::string>());
        EXPECT_EQ(watch->losses(), static_cast<std::size_t>(chaos::cycles()));
        std::printf("COUNT: chaos child %d kills, %zu calls, %zu lost\n", chaos::cycles(),
                    load.begun(), load.lost());
        co_await client.stop();
    }
};

TEST_P(Chaos, a_child_that_is_killed_again_and_again_costs_only_the_calls_under_way) {
    boost::asio::io_context context;
    test::run_task(context, kill_again_and_again(context), chaos::guard_of_all());
    EXPECT_FALSE(test::has_children());
}

INSTANTIATE_TEST_SUITE_P(Versions, Chaos,
                         ::testing::Values(Version::v2025_11_25, Version::v2026_07_28));

}  // namespace
}  // namespace lanyard
