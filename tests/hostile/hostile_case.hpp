// For tests with hostile servers: an event loop with a guard against hangs, and the memory of this
// process.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "hostile/hostile_server.hpp"
#include "hostile/process_memory.hpp"
#include "lanyard/client.hpp"
#include "support/sanitized.hpp"

namespace lanyard::hostile {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

inline constexpr std::size_t mebibyte = 1024 * 1024;

inline bool is_long() {
    return std::getenv("LANYARD_TEST_LONG") != nullptr;
}

/// Measures the peak growth of this process's memory since this object was made.
class MemoryWatch {
public:
    MemoryWatch() {
        test::reset_peak_memory(::getpid());
        before_ = test::resident_memory(::getpid());
    }
    /// Checks nothing in a build with a sanitizer.
    void expect_below(std::size_t limit) const {
        auto const most = test::peak_resident_memory(::getpid());
        EXPECT_TRUE(test::sanitized || most < before_ + limit)
            << (most - before_) / mebibyte << " MiB, " << limit / mebibyte << " are allowed";
    }

private:
    std::size_t before_ = 0;
};

class HostileCase : public ::testing::Test {
protected:
    ~HostileCase() override {
        client = {};
        context.restart();
        context.run_for(20s);
    }

    /// Returns the result of a task; a hang is a failure.
    template <class T>
    Result<T> attempt(Task<T> task) {
        std::optional<Result<T>> outcome;
        boost::asio::co_spawn(context, lanyard::attempt(std::move(task)),
                              [&](std::exception_ptr failure, Result<T> result) {
                                  EXPECT_FALSE(failure);
                                  outcome.emplace(std::move(result));
                              });
        auto const guard = Clock::now() + 60s;
        while (!outcome && Clock::now() < guard) {
            context.restart();
            context.run_one_for(5ms);
        }
        if (!outcome) {
            ADD_FAILURE() << "it hangs";
            return Unexpected(Error(Errc::failed, "it hangs"));
        }
        return *std::move(outcome);
    }
    /// Opens a connection that must not fail.
    void connect(HostileServer& server, ClientOptions options = {}) {
        options.reconnect(ReconnectOptions::off());
        // Most of these servers do not answer a close frame.
        HttpClientOptions http;
        http.websocket(WebSocketOptions().close_timeout(100ms));
        auto opened = attempt(server.connect(context.get_executor(), options, std::move(http)));
        ASSERT_TRUE(opened) << opened.error().what();
        client = *std::move(opened);
    }
    /// Stops the client, which must not take long whatever the server does.
    void expect_stop() {
        auto const begin = Clock::now();
        auto const stopped = attempt(client.stop(100ms));
        EXPECT_TRUE(stopped) << stopped.error().what();
        EXPECT_LT(Clock::now() - begin, 10s);
    }

    boost::asio::io_context context;
    Client client;
};

/// The same for every transport.
class EachCarrier : public HostileCase, public ::testing::WithParamInterface<Carrier> {};

#define LANYARD_EACH_CARRIER(suite)                                                              \
    INSTANTIATE_TEST_SUITE_P(Carriers, suite,                                                    \
                             ::testing::Values(Carrier::stdio, Carrier::tcp, Carrier::websocket, \
                                               Carrier::http, Carrier::http_with_sse),           \
                             [](auto const& info) { return name_of(info.param); })

}  // namespace lanyard::hostile
