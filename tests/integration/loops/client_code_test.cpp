// As blocked_handler_test.cpp, for user code in a client: handlers, observers, progress callbacks.
#include "blocked_server.hpp"
#include "lanyard/client/blocking_connections.hpp"

namespace lanyard {
namespace {

// Blocks in the next tool call after it is armed.
struct BlockingObserver final : ClientObserver {
    explicit BlockingObserver(std::shared_ptr<Gate> its_gate) : gate(std::move(its_gate)) {}

    void on_request_started(Request const& request) override {
        ++started;
        if (request.method != "tools/call" || !armed.exchange(false)) return;
        ++gate->blocked;
        gate->wait_for(blocked_for);
    }
    void on_request_ended(Request const&, Duration) override { ++ended; }

    std::shared_ptr<Gate> gate;
    std::atomic<bool> armed = false;
    std::atomic<int> started = 0;
    std::atomic<int> ended = 0;
};

class ClientCode : public BlockedServer {
protected:
    ClientCode() {
        server_->tool("locate", "Asks", [](Context& context) -> Task<std::string> {
            co_await context.elicit<Nap>("where", "Which loop?");
            co_return std::string("located");
        });
        server_->tool("shout", "Logs", [](Context& context) {
            context.log(LoggingLevel::info, "loud");
            return std::string("shouted");
        });
        server_->tool("ask", "Asks", [](Context& context) -> Task<std::string> {
            auto const roots = co_await context.list_roots();
            co_return std::to_string(roots.size());
        });
        server_->tool("count", "Tells of progress", [](Context& context) -> Task<std::string> {
            for (int i = 1; i <= 3; ++i) {
                context.report_progress(i, 3);
                co_await context.yield();
            }
            co_return std::string("counted");
        });
    }

    // Returns a function that blocks on its first call.
    auto block_once() const {
        return [gate = gate_, first = std::make_shared<std::atomic<bool>>(true)] {
            gate->note();
            if (!first->exchange(false)) return;
            ++gate->blocked;
            gate->wait_for(blocked_for);
        };
    }
    // Returns options with which observe_client() works.
    ClientOptions observable() const {
        ClientOptions options;
        options.on_elicitation([gate = gate_](ElicitFormParams const&) -> Task<ElicitResult> {
            co_await gate->observe_loop();
            co_return ElicitResult();
        });
        return options;
    }
    // Makes the gate count the user code on the loop of the client.
    void observe_client(blocking::Client const& client) const {
        EXPECT_EQ(client.call<std::string>("locate"), "located");
        gate_->noted = gate_->on_loop = 0;
    }
    // Expects that the handler of log messages, which has blocked, does not run on the loop.
    void expect_next_log_off_loop(blocking::Client& client) const {
        observe_client(client);
        shout(client);
        auto const until = SteadyClock::now() + 30s;
        while (gate_->noted == 0 && SteadyClock::now() < until) std::this_thread::sleep_for(1ms);
        EXPECT_EQ(gate_->noted, 1);
        EXPECT_EQ(gate_->on_loop, 0);
    }
    // Makes the server log a message. The answer is not delayed by a handler that blocks.
    static void shout(blocking::Client& client) {
        auto const begin = SteadyClock::now();
        EXPECT_EQ(client.call<std::string>("shout"), "shouted");
        EXPECT_LT(SteadyClock::now() - begin, answered_within);
    }
    // Expects that other calls of the same client are answered, and that their timeouts work.
    void expect_client_works(blocking::Client& client) {
        EXPECT_LT(slowest_quick_call(client), answered_within);
        CallOptions patience;
        patience.timeout(50ms);
        auto const begin = SteadyClock::now();
        // This tool sleeps without the gate, which the blocked handler uses.
        auto const slow = [&] { client.call<std::string>("slow", Arguments(), patience); };
        EXPECT_THROW(slow(), Error);
        EXPECT_LT(SteadyClock::now() - begin, answered_within);
    }
    void add_slow_tool() {
        server_->tool("slow", "Takes its time", [](Context& context) -> Task<std::string> {
            for (int i = 0; i < 3'000 && !context.cancelled(); ++i) {
                auto const nap = [] { std::this_thread::sleep_for(1ms); };
                co_await context.run_blocking(nap);
            }
            co_return std::string("slow");
        });
    }
};

TEST_P(ClientCode, calls_are_answered_while_a_handler_of_notifications_blocks) {
    add_slow_tool();
    start();
    auto options = observable();
    auto const block = block_once();
    options.on_log([block](LoggingMessageParams const&) { block(); });
    auto loud = client(options);
    shout(loud);
    ASSERT_TRUE(wait_until_blocked());
    expect_client_works(loud);
    gate_->open = true;
    expect_next_log_off_loop(loud);
}

TEST_P(ClientCode, calls_are_answered_while_a_coroutine_of_notifications_blocks) {
    add_slow_tool();
    start();
    auto options = observable();
    auto const block = block_once();
    options.on_log([block](LoggingMessageParams const&) -> Task<> {
        block();
        co_return;
    });
    auto loud = client(options);
    shout(loud);
    ASSERT_TRUE(wait_until_blocked());
    expect_client_works(loud);
    gate_->open = true;
    expect_next_log_off_loop(loud);
}

TEST_P(ClientCode, calls_are_answered_while_a_question_blocks) {
    add_slow_tool();
    start();
    auto options = observable();
    options.on_roots([block = block_once()] {
        block();
        return std::vector<Root>{Root{.uri = "file:///a"}};
    });
    auto asked = client(options);
    auto answer = std::async(std::launch::async, [&] { return asked.call<std::string>("ask"); });
    ASSERT_TRUE(wait_until_blocked());
    expect_client_works(asked);
    gate_->open = true;
    EXPECT_EQ(answer.get(), "1");
    // The handler works, and no longer runs on the loop.
    observe_client(asked);
    EXPECT_EQ(asked.call<std::string>("ask"), "1");
    EXPECT_EQ(gate_->noted, 1);
    EXPECT_EQ(gate_->on_loop, 0);
}

TEST_P(ClientCode, a_call_waits_for_its_own_handler_of_progress_only) {
    add_slow_tool();
    start();
    auto counting = client();
    std::atomic<int> told = 0;
    CallOptions options;
    options.on_progress([&told, block = block_once()](ProgressParams const&) {
        block();
        ++told;
    });
    auto counted = std::async(std::launch::async, [&] {
        auto result = counting.call<std::string>("count", Arguments(), options);
        // Objects that the handler refers to may be destroyed from here on.
        EXPECT_GE(told, 1);
        return result;
    });
    ASSERT_TRUE(wait_until_blocked());
    expect_client_works(counting);
    EXPECT_EQ(counted.wait_for(0s), std::future_status::timeout);
    gate_->open = true;
    EXPECT_EQ(counted.get(), "counted");
    told = 0;
    EXPECT_EQ(counting.call<std::string>("count", Arguments(), options), "counted");
    EXPECT_GE(told, 1);
}

TEST_P(ClientCode, calls_are_answered_while_an_observer_blocks) {
    add_slow_tool();
    start();
    auto const observer = std::make_shared<BlockingObserver>(gate_);
    {
        ClientOptions options;
        options.observer(observer);
        auto observed = client(options);
        observer->armed = true;
        EXPECT_LT(slowest_quick_call(observed), answered_within);
        ASSERT_TRUE(wait_until_blocked());
        expect_client_works(observed);
        gate_->open = true;
    }
    // Destroying the client waits for the observer; no notification is lost.
    EXPECT_GT(observer->ended, 20);
    EXPECT_GT(observer->started, observer->ended);
}

TEST_P(ClientCode, the_end_of_a_client_waits_for_its_handlers) {
    start();
    std::atomic<bool> returned = false;
    {
        ClientOptions options;
        options.on_log([&returned, gate = gate_](LoggingMessageParams const&) {
            ++gate->blocked;
            std::this_thread::sleep_for(100ms);
            returned = true;
        });
        auto loud = client(options);
        EXPECT_EQ(loud.call<std::string>("shout"), "shouted");
        ASSERT_TRUE(wait_until_blocked());
    }
    EXPECT_TRUE(returned);
}

TEST_P(ClientCode, a_client_can_be_stopped_while_a_handler_blocks) {
    start();
    ClientOptions options;
    options.on_log([block = block_once()](LoggingMessageParams const&) { block(); });
    auto loud = client(options);
    shout(loud);
    ASSERT_TRUE(wait_until_blocked());
    auto const begin = SteadyClock::now();
    loud.stop(0s);
    EXPECT_LT(SteadyClock::now() - begin, answered_within);
    gate_->open = true;
}

TEST_P(ClientCode, a_handler_cannot_make_a_blocking_call) {
    start();
    std::optional<blocking::Client> loud;
    std::promise<std::string> refused;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams const&) {
        try {
            loud->call<std::string>("quick");
            refused.set_value("");
        } catch (Error const& error) {
            refused.set_value(error.message());
        }
    });
    loud.emplace(client(options));
    EXPECT_EQ(loud->call<std::string>("shout"), "shouted");
    EXPECT_EQ(refused.get_future().get(),
              "a handler cannot make a blocking call: it would wait for itself");
}

TEST_P(ClientCode, one_connection_of_several_does_not_block_the_others) {
    start();
    blocking::Connections connections;
    auto options = for_carrier();
    auto other = connections.open("other", connector(), options);
    options.on_log([block = block_once()](LoggingMessageParams const&) { block(); });
    auto loud = connections.open("loud", connector(), options);
    shout(loud);
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(other), answered_within);
    gate_->open = true;
}

INSTANTIATE_TEST_SUITE_P(Transports, ClientCode, every_transport, transport_name);

}  // namespace
}  // namespace lanyard
