// A child process that is killed repeatedly while calls are in progress.
#include <csignal>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "kill_cycles.hpp"
#include "lanyard/transport/child_process.hpp"
#include "process/processes.hpp"
#include "support/run_task.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

class Chaos : public ::testing::TestWithParam<Version> {
protected:
    ClientOptions options(std::shared_ptr<ClientObserver> observer) {
        ClientOptions options("chaos", "1");
        options.versions({GetParam()}).observer(std::move(observer));
        options.reconnect(
            ReconnectOptions().interval(chaos::backoff, chaos::backoff).restart_limit(100'000, 1s));
        return options;
    }

    Task<> kill_again_and_again(boost::asio::io_context& context) {
        auto const watch = std::make_shared<chaos::Watch>(context.get_executor());
        auto connector = child_process(LANYARD_CHAOS_SERVER);
        auto const client = co_await connect(std::move(connector), options(watch));
        auto const kill_child = [&client]() -> Task<> {
            chaos::Text const nothing;
            auto const process = co_await client.call<std::string>("process", nothing);
            kill(static_cast<pid_t>(std::stol(process)), SIGKILL);
        };
        chaos::Killing const killing{"child", kill_child};
        co_await chaos::kill_again_and_again(context, client, *watch, killing);
        EXPECT_EQ(watch->losses(), static_cast<std::size_t>(chaos::cycles()));
        co_await client.stop();
    }
};

TEST_P(Chaos, killing_the_child_repeatedly_fails_only_pending_calls) {
    boost::asio::io_context context;
    test::run_task(context, kill_again_and_again(context), chaos::guard_of_all());
    EXPECT_FALSE(test::has_children());
}

INSTANTIATE_TEST_SUITE_P(Versions, Chaos,
                         ::testing::Values(Version::v2025_11_25, Version::v2026_07_28));

}  // namespace
}  // namespace lanyard
