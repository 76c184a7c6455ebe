// A client on an event loop that the test drives.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "http_client/scripted_http_server.hpp"
#include "lanyard/client.hpp"
#include "lanyard/testing/fake_time.hpp"

namespace lanyard::http_client_test {

using namespace std::chrono_literals;

class HttpClientTest : public ::testing::Test {
protected:
    ~HttpClientTest() override {
        client = {};
        drain();
    }

    // Runs the loop until the condition holds, or for 60 seconds as a guard against hangs.
    template <class Condition>
    bool run_until(Condition condition) {
        auto const guard = std::chrono::steady_clock::now() + 60s;
        while (!condition() && std::chrono::steady_clock::now() < guard) {
            context.restart();
            context.run_one_for(5ms);
        }
        return condition();
    }
    void drain() {
        context.restart();
        context.run_for(20s);
    }

    template <class T>
    Result<T> attempt(Task<T> task) {
        std::optional<Result<T>> outcome;
        boost::asio::co_spawn(context, lanyard::attempt(std::move(task)),
                              [&](std::exception_ptr failure, Result<T> result) {
                                  EXPECT_FALSE(failure);
                                  outcome.emplace(std::move(result));
                              });
        EXPECT_TRUE(run_until([&] { return outcome.has_value(); })) << "it hangs";
        return *std::move(outcome);
    }
    template <class T>
    T await(Task<T> task) {
        return attempt(std::move(task)).value();
    }
    void await(Task<> task) { attempt(std::move(task)).value(); }

    Client& connect(std::string url, ClientOptions const& options = {},
                    HttpClientOptions http = {}) {
        client = await(lanyard::connect(std::move(url), options, std::move(http)));
        return client;
    }
    std::string call(std::string tool = "t") {
        auto const outcome = attempt(client.call<std::string>(std::move(tool)));
        return outcome ? *outcome : std::string(outcome.error().what());
    }
    void stop() { await(client.stop()); }

    testing::FakeTime time;  // used only by some tests
    boost::asio::io_context context;
    Client client;
};

}  // namespace lanyard::http_client_test
