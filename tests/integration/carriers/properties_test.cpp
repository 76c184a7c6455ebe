// What holds for every call, on real sockets: one outcome however answers are ordered, nothing left
// behind by timeouts, cancelling again changes nothing.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include <boost/asio/co_spawn.hpp>

#include <lanyard/client/client.hpp>

#include "runtime/event.hpp"
#include "stream_server.hpp"
#include "support/run_task.hpp"

namespace lanyard::stream_test {
namespace {

using namespace std::chrono_literals;

struct Turn {
    int number = 0;
    int after_us = 0;
};
LANYARD_STRUCT(Turn, number, after_us)

class StreamProperties : public ::testing::TestWithParam<Version> {
protected:
    StreamProperties() {
        server_.server().tool("turn", "Answers a moment later", [](Turn in) -> Task<std::string> {
            auto const when = real_time().now() + std::chrono::microseconds(in.after_us);
            co_await sleep_until(real_time(), when);
            co_return std::to_string(in.number);
        });
    }

    Task<Client> connect() {
        ClientOptions options;
        options.versions({GetParam()});
        return lanyard::connect(stream_connector(server_.url()), options);
    }
    std::size_t in_flight() {
        std::size_t count = 0;
        for (auto const& session : server_.server().sessions()) count += session.in_flight;
        return count;
    }

    boost::asio::io_context context_;
    StreamServer server_{"tcp://127.0.0.1:0"};
};

TEST_P(StreamProperties, every_call_has_one_outcome_and_it_is_its_own) {
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
    };
    test::run_task(context_, talk());
    ASSERT_EQ(outcomes.size(), std::size_t{calls});
    for (auto const& [number, got] : outcomes) EXPECT_EQ(got, std::vector{std::to_string(number)});
}

TEST_P(StreamProperties, calls_that_time_out_leave_nothing_behind) {
    auto const talk = [&]() -> Task<> {
        auto const client = co_await connect();
        CallOptions options;
        options.timeout(1ms);
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
        Turn const turn{7, 0};
        auto const answer = co_await client.call<std::string>("turn", turn);
        EXPECT_EQ(answer, "7");
        // The question whether the server lives, which a timeout raises, was answered before that.
        auto const pending = co_await client.pending();
        EXPECT_TRUE(pending.empty());
    };
    test::run_task(context_, talk());
    // The server was told, and has nothing under way any more.
    EXPECT_TRUE(eventually([&] { return in_flight() == 0; }));
}

TEST_P(StreamProperties, cancelling_again_changes_nothing) {
    auto const talk = [&]() -> Task<> {
        auto const client = co_await connect();
        for (int i = 0; i < 50; ++i) {
            std::stop_source stop;
            CallOptions options;
            options.stop_token(stop.get_token());
            Turn const turn{i, 1'000'000'000};
            std::thread canceller([&stop] {
                stop.request_stop();
                stop.request_stop();
            });
            bool cancelled = false;
            try {
                co_await client.call<std::string>("turn", turn, options);
            } catch (Error const& error) {
                cancelled = error.is(Errc::cancelled);
            }
            canceller.join();
            EXPECT_TRUE(cancelled);
        }
        auto const pending = co_await client.pending();
        EXPECT_TRUE(pending.empty());
        Turn const turn{7, 0};
        auto const answer = co_await client.call<std::string>("turn", turn);
        EXPECT_EQ(answer, "7");
    };
    test::run_task(context_, talk());
    EXPECT_TRUE(eventually([&] { return in_flight() == 0; }));
}

INSTANTIATE_TEST_SUITE_P(BothEras, StreamProperties,
                         ::testing::Values(Version::v2025_11_25, Version::v2026_07_28));

}  // namespace
}  // namespace lanyard::stream_test
