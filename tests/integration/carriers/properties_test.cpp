// Properties of every call on every carrier: one outcome in any order of answers, no state left by
// timeouts, and no effect of a repeated cancellation.
#include <map>
#include <random>
#include <stop_token>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "runtime/event.hpp"
#include "support/over_carriers.hpp"
#include "support/turns.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using test::Turn;

class CallProperties : public test::OverCarriers {
protected:
    CallProperties() { test::add_turns(server_); }

    Task<Client> connect() { return carrier_->connect(era(), ClientOptions()); }

    static Task<bool> is_turn_answered(Client const& client) {
        Turn const turn{7, 0};
        auto const answer = co_await client.call<std::string>("turn", turn);
        co_return answer == "7";
    }
    /// Completes when the server has no calls in progress any more, because they were cancelled.
    static Task<> server_lets_go(Client const& client) {
        for (;;) {
            auto const left = co_await client.call<std::string>("under_way");
            if (left == "0") co_return;
        }
    }

    // Cancels twice and from another thread, once the server has received the call: over HTTP a
    // cancellation uses another connection, and has no effect if it arrives before the call.
    static Task<> cancel_once_begun(Client client, std::stop_source stop) {
        for (;;) {
            auto const begun = co_await client.call<std::string>("under_way");
            if (begun != "0") break;
        }
        std::thread([&stop] {
            stop.request_stop();
            stop.request_stop();
        }).join();
    }

    Server server_{"turns", "1"};
    std::unique_ptr<test::Carrier> carrier_ = make(server_, LANYARD_CHAOS_SERVER);
};

TEST_P(CallProperties, every_call_has_exactly_one_outcome_of_its_own) {
    constexpr int calls = 500;
    std::map<int, std::vector<std::string>> outcomes;
    auto const talk = [&]() -> Task<> {
        auto const client = co_await connect();
        std::minstd_rand random(7);
        runtime::Event changed(context_.get_executor());
        int ended = 0;
        // Outlives the calls, which refer to its captures.
        auto const one = [&](int number, int after) -> Task<> {
            Turn const turn{number, after};
            auto const got = co_await client.call<std::string>("turn", turn);
            outcomes[number].push_back(got);
        };
        for (int i = 0; i < calls; ++i) {
            auto const after = static_cast<int>(random() % 2000);
            boost::asio::co_spawn(context_, one(i, after), [&](std::exception_ptr failure) {
                EXPECT_FALSE(failure);
                ++ended;
                changed.notify();
            });
        }
        while (ended < calls) co_await changed.wait();
        auto const pending = co_await client.pending();
        EXPECT_TRUE(pending.empty());
        co_await client.stop();
    };
    test::run_task(context_, talk());
    ASSERT_EQ(outcomes.size(), std::size_t{calls});
    for (auto const& [number, got] : outcomes) EXPECT_EQ(got, std::vector{std::to_string(number)});
}

TEST_P(CallProperties, calls_that_time_out_leave_nothing_behind) {
    auto const talk = [&]() -> Task<> {
        auto const client = co_await connect();
        CallOptions options;
        // Long enough for a call to arrive before its cancellation: over HTTP the two use different
        // connections, and a cancellation that arrives first has no effect.
        options.timeout(20ms);
        for (int i = 0; i < 50; ++i) {
            Turn const turn{i, 1'000'000'000};
            bool timed_out = false;
            try {
                co_await client.call<std::string>("turn", turn, options);
            } catch (Error const& error) {
                timed_out = error.is(Errc::timeout);
            }
            EXPECT_TRUE(timed_out);
        }
        // The ping that the client sends after a timeout is answered before this call.
        bool const answered = co_await is_turn_answered(client);
        EXPECT_TRUE(answered);
        auto const pending = co_await client.pending();
        EXPECT_TRUE(pending.empty());
        co_await server_lets_go(client);
        co_await client.stop();
    };
    test::run_task(context_, talk());
}

TEST_P(CallProperties, cancelling_again_changes_nothing) {
    auto const talk = [&]() -> Task<> {
        auto const client = co_await connect();
        for (int i = 0; i < 50; ++i) {
            std::stop_source stop;
            CallOptions options;
            options.stop_token(stop.get_token());
            Turn const turn{i, 1'000'000'000};
            boost::asio::co_spawn(context_, cancel_once_begun(client, stop), boost::asio::detached);
            bool cancelled = false;
            try {
                co_await client.call<std::string>("turn", turn, options);
            } catch (Error const& error) {
                cancelled = error.is(Errc::cancelled);
            }
            EXPECT_TRUE(cancelled);
            co_await server_lets_go(client);
        }
        auto const pending = co_await client.pending();
        EXPECT_TRUE(pending.empty());
        bool const answered = co_await is_turn_answered(client);
        EXPECT_TRUE(answered);
        co_await client.stop();
    };
    test::run_task(context_, talk());
}

INSTANTIATE_TEST_SUITE_P(Carriers, CallProperties, test::all_carriers(), test::carrier_and_era);

}  // namespace
}  // namespace lanyard
