// A handler that blocks delays only its own call, over every transport. In real time, with large
// margins.
#include "blocked_server.hpp"

namespace lanyard {
namespace {

class BlockedHandler : public BlockedServer {};

TEST_P(BlockedHandler, other_calls_are_answered_while_a_function_blocks) {
    expect_others_answered("nap");
}

TEST_P(BlockedHandler, other_calls_are_answered_while_a_coroutine_blocks) {
    expect_others_answered("doze");
}

TEST_P(BlockedHandler, other_calls_are_answered_while_middleware_blocks) {
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

TEST_P(BlockedHandler, is_ended_by_its_timeout) {
    start();
    auto sleeper = client();
    warm(sleeper, "short_nap");
    auto const begin = SteadyClock::now();
    auto const nap_time = nap(blocked_for);
    EXPECT_THROW(sleeper.call<std::string>("short_nap", nap_time), ToolError);
    EXPECT_LT(SteadyClock::now() - begin, blocked_for / 2);
}

TEST_P(BlockedHandler, receives_the_cancellation) {
    start();
    auto sleeper = client();
    warm(sleeper, "polite_nap");
    auto const nap_time = nap(30s);
    CallOptions options;
    options.timeout(300ms);
    EXPECT_THROW(sleeper.call<std::string>("polite_nap", nap_time, options), Error);
    auto const until = SteadyClock::now() + 10s;
    while (gate_->cancelled == 0 && SteadyClock::now() < until) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(gate_->cancelled, 1);
}

TEST_P(BlockedHandler, is_cancelled_when_its_connection_ends) {
    start();
    auto sleeper = client();
    auto other = client();
    warm(sleeper, "polite_nap");
    auto const nap_time = nap(30s);
    auto slept = std::async(std::launch::async, [&] {
        EXPECT_THROW(sleeper.call<std::string>("polite_nap", nap_time), Error);
    });
    ASSERT_TRUE(wait_until_blocked());
    sleeper.close();
    slept.get();
    auto const until = SteadyClock::now() + 20s;
    while (gate_->cancelled == 0 && SteadyClock::now() < until) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(gate_->cancelled, 1);
    EXPECT_LT(slowest_quick_call(other), answered_within);
}

TEST_P(BlockedHandler, does_not_keep_the_server_from_stopping) {
    start();
    auto sleeper = client();
    warm(sleeper, "nap");
    auto const nap_time = nap(60s);
    // Longer than the server needs to stop; without a timeout the client would retry for longer.
    CallOptions patience;
    patience.timeout(3s);
    auto slept = std::async(std::launch::async, [&] {
        try {
            sleeper.call<std::string>("nap", nap_time, patience);
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
    options.max_spare_threads(1);
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

INSTANTIATE_TEST_SUITE_P(Transports, BlockedHandler, every_transport, transport_name);

}  // namespace
}  // namespace lanyard
