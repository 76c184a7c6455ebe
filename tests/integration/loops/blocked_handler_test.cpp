// A handler that blocks delays only its own call, over every transport. In real time, with large
// margins.
#include "blocked_server.hpp"

#include <filesystem>

namespace lanyard {
namespace {

class BlockedHandler : public BlockedServer {};

TEST_P(BlockedHandler, other_calls_are_answered_while_a_function_blocks) {
    expect_others_answered("nap");
}

TEST_P(BlockedHandler, other_calls_are_answered_while_a_coroutine_blocks) {
    expect_others_answered("doze");
}

TEST_P(BlockedHandler, other_calls_are_answered_while_a_resource_blocks) {
    server_->resource_template("nap:{ms}", "nap", [gate = gate_](Nap in) {
        gate->block(in);
        return std::string("slept");
    });
    expect_others_answered([](blocking::Client& client, Nap time) {
        auto const result = client.read_resource("nap:" + std::to_string(time.ms));
        return std::get<TextResourceContents>(result.contents.at(0)).text;
    });
}

TEST_P(BlockedHandler, other_calls_are_answered_while_a_prompt_blocks) {
    server_->prompt("nap", "Blocks", [gate = gate_](Nap in) {
        gate->block(in);
        return std::string("slept");
    });
    expect_others_answered([](blocking::Client& client, Nap time) {
        auto const result = client.get_prompt("nap", {{"ms", std::to_string(time.ms)}});
        return std::get<TextContent>(result.messages.at(0).content).text;
    });
}

TEST_P(BlockedHandler, other_calls_are_answered_while_a_completion_blocks) {
    server_->prompt("nap", "Has an argument to complete", [](Nap) { return std::string(); });
    server_->complete_prompt("nap", "ms", [gate = gate_](std::string_view typed) {
        Nap time;
        time.ms = std::stoi(std::string(typed));
        gate->block(time);
        return std::vector<std::string>{"slept"};
    });
    expect_others_answered([](blocking::Client& client, Nap time) {
        return client.complete_prompt("nap", "ms", std::to_string(time.ms)).values.at(0);
    });
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
    auto const others = other_clients();
    Nap const none;
    auto slept =
        std::async(std::launch::async, [&] { return sleeper.call<std::string>("nap", none); });
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(others), answered_within);
    gate_->open = true;
    EXPECT_EQ(slept.get(), "slept");
}

// The following rules hold for functions and for coroutines.

class BlockedForm : public BlockedServer {
protected:
    void expect_timeout(std::string const& tool) {
        start();
        auto sleeper = client();
        warm(sleeper, tool);
        auto const begin = SteadyClock::now();
        auto const nap_time = nap(blocked_for);
        EXPECT_THROW(sleeper.call<std::string>(tool, nap_time), ToolError);
        EXPECT_LT(SteadyClock::now() - begin, blocked_for / 2);
    }
    bool wait_until_cancelled() const {
        auto const until = SteadyClock::now() + 20s;
        while (gate_->cancelled == 0 && SteadyClock::now() < until)
            std::this_thread::sleep_for(1ms);
        return gate_->cancelled == 1;
    }
    void expect_cancellation(std::string const& tool) {
        start();
        auto sleeper = client();
        warm(sleeper, tool);
        auto const nap_time = nap(30s);
        CallOptions options;
        options.timeout(300ms);
        EXPECT_THROW(sleeper.call<std::string>(tool, nap_time, options), Error);
        EXPECT_TRUE(wait_until_cancelled());
    }
    void expect_cancellation_at_the_end(std::string const& tool) {
        start();
        auto sleeper = client();
        auto const others = other_clients();
        warm(sleeper, tool);
        auto const nap_time = nap(30s);
        auto slept = std::async(std::launch::async, [&] {
            EXPECT_THROW(sleeper.call<std::string>(tool, nap_time), Error);
        });
        ASSERT_TRUE(wait_until_blocked());
        sleeper.close();
        slept.get();
        EXPECT_TRUE(wait_until_cancelled());
        EXPECT_LT(slowest_quick_call(others), answered_within);
    }
    void expect_stop(std::string const& tool) {
        start();
        auto sleeper = client();
        warm(sleeper, tool);
        auto const nap_time = nap(60s);
        // Longer than the server needs to stop; without a timeout the client would retry for
        // longer.
        CallOptions patience;
        patience.timeout(3s);
        auto slept = std::async(std::launch::async, [&] {
            try {
                sleeper.call<std::string>(tool, nap_time, patience);
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
    // The tool "slow_end" must set `returned` when its handler returns.
    void expect_end_before_server(std::atomic<bool> const& returned) {
        start();
        auto sleeper = client();
        auto const nap_time = nap(60s);
        CallOptions patience;
        patience.timeout(1s);
        auto slept = std::async(std::launch::async, [&] {
            EXPECT_THROW(sleeper.call<std::string>("slow_end", nap_time, patience), Error);
        });
        ASSERT_TRUE(wait_until_blocked());
        server_->stop(0s);
        ASSERT_EQ(running_.wait_for(20s), std::future_status::ready);
        gate_->open = true;
        server_.reset();
        EXPECT_TRUE(returned);
        slept.get();
    }
    // A function that blocks, and returns late.
    auto end_slowly(std::atomic<bool>& returned) const {
        return [gate = gate_, &returned](Nap in) {
            gate->block(in);
            std::this_thread::sleep_for(100ms);
            returned = true;
        };
    }
};

// A session gives its coroutines five seconds to end, so these tests have fewer carriers.
class StoppedForm : public BlockedForm {};

TEST_P(BlockedForm, of_a_function_is_ended_by_its_timeout) {
    expect_timeout("short_nap");
}

TEST_P(BlockedForm, of_a_coroutine_is_ended_by_its_timeout) {
    expect_timeout("short_doze");
}

TEST_P(BlockedForm, of_a_function_receives_the_cancellation) {
    expect_cancellation("polite_nap");
}

TEST_P(BlockedForm, of_a_coroutine_receives_the_cancellation) {
    expect_cancellation("polite_doze");
}

TEST_P(BlockedForm, of_a_function_is_cancelled_when_its_connection_ends) {
    // A session of this transport outlives its connection, and its calls continue.
    if (GetParam() == "sse") return;
    expect_cancellation_at_the_end("polite_nap");
}

TEST_P(BlockedForm, of_a_coroutine_is_cancelled_when_its_connection_ends) {
    if (GetParam() == "sse") return;
    expect_cancellation_at_the_end("polite_doze");
}

TEST_P(BlockedForm, of_a_function_does_not_keep_the_server_from_stopping) {
    expect_stop("nap");
}

TEST_P(StoppedForm, of_a_coroutine_does_not_keep_the_server_from_stopping) {
    expect_stop("doze");
}

TEST_P(BlockedForm, of_a_function_does_not_outlive_its_server) {
    std::atomic<bool> returned = false;
    auto const end = end_slowly(returned);
    server_->tool(
        "slow_end", "Blocks, and returns late",
        [end](Nap in) {
            end(in);
            return std::string("slept");
        },
        ToolOptions().inline_());
    expect_end_before_server(returned);
}

TEST_P(StoppedForm, of_a_coroutine_does_not_outlive_its_server) {
    std::atomic<bool> returned = false;
    auto const end = end_slowly(returned);
    server_->tool("slow_end", "Blocks, and returns late", [end](Nap in) -> Task<std::string> {
        end(in);
        co_return std::string("slept");
    });
    expect_end_before_server(returned);
}

// Servers whose loops have so few threads that a third handler that blocks would stop a loop.
class FewThreads : public BlockedServer {
protected:
    FewThreads() {
        ServerOptions options;
        options.max_spare_threads(1);
        server_ = std::make_unique<Server>("loops", "1", options);
        auto const gate = gate_;
        server_->tool(
            "quick", "Answers at once", [] { return std::string("quick"); },
            ToolOptions().inline_());
        for (std::string const number : {"1", "2"}) {
            server_->tool(
                "nap" + number, "Blocks",
                [gate](Nap in) {
                    gate->block(in);
                    return std::string("slept");
                },
                ToolOptions().inline_());
            auto const doze = [gate](Nap in) -> Task<std::string> {
                gate->block(in);
                co_return std::string("slept");
            };
            server_->tool("doze" + number, "Blocks in a coroutine", doze);
        }
    }
    void expect_others_answered_at_the_limit(std::string const& tool) {
        start();
        auto sleeper = client();
        auto const others = other_clients();
        auto const nap_time = nap(blocked_for);
        auto const call = [&](char const* number) {
            return sleeper.call<std::string>(tool + number, nap_time);
        };
        auto first = std::async(std::launch::async, call, "1");
        ASSERT_TRUE(wait_until_blocked(1));
        auto second = std::async(std::launch::async, call, "2");
        ASSERT_TRUE(wait_until_blocked(2));
        EXPECT_LT(slowest_quick_call(others), answered_within);
        EXPECT_EQ(first.wait_for(0s), std::future_status::timeout);
        EXPECT_EQ(second.wait_for(0s), std::future_status::timeout);
        gate_->open = true;
        EXPECT_EQ(first.get(), "slept");
        EXPECT_EQ(second.get(), "slept");
        // There is still a thread for coroutines when another one watches the loop again.
        observe_loop(sleeper);
        EXPECT_EQ(call("1"), "slept");
        EXPECT_EQ(call("2"), "slept");
        EXPECT_EQ(gate_->on_loop, 0);
    }
};

TEST_P(FewThreads, functions_run_in_workers) {
    expect_others_answered_at_the_limit("nap");
}

TEST_P(FewThreads, coroutines_never_run_on_a_loop_that_they_could_block) {
    expect_others_answered_at_the_limit("doze");
}

// A server on the executor of its user. Only the threads of a listener belong to the library.
class OwnExecutor : public BlockedServer {
protected:
    OwnExecutor() { on_own_executor_ = true; }
};

TEST_P(OwnExecutor, other_calls_are_answered_while_a_function_blocks) {
    expect_others_answered("nap");
}

TEST(LoopsOfListeners, are_released_after_the_listeners_have_ended) {
    Server server("loops", "1");
    server.tool("quick", "Answers at once", [] { return std::string("quick"); });
    auto const count_descriptors = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    };
    std::ptrdiff_t after_first = 0;
    for (int i = 0; i < 10; ++i) {
        auto const listener = listen("tcp://127.0.0.1:0", StreamServerOptions().threads(2));
        boost::asio::io_context context;
        boost::asio::co_spawn(context, server.run_async(*listener), boost::asio::detached);
        std::thread thread([&context] { context.run(); });
        EXPECT_EQ(blocking::connect(listener->url()).call<std::string>("quick"), "quick");
        listener->stop();
        thread.join();
        if (i == 0) after_first = count_descriptors();
    }
    // A loop has three descriptors. The threads of the last client may still hold some.
    EXPECT_LT(count_descriptors(), after_first + 10);
}

INSTANTIATE_TEST_SUITE_P(Transports, BlockedHandler, every_carrier, transport_name);
INSTANTIATE_TEST_SUITE_P(Transports, BlockedForm, every_carrier, transport_name);
INSTANTIATE_TEST_SUITE_P(Transports, StoppedForm, every_transport, transport_name);
INSTANTIATE_TEST_SUITE_P(Transports, FewThreads, every_carrier, transport_name);
INSTANTIATE_TEST_SUITE_P(Transports, OwnExecutor, ::testing::Values("tcp-threads"), transport_name);

}  // namespace
}  // namespace lanyard
