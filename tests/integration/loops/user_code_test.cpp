// As blocked_handler_test.cpp, for user code other than handlers, and for handlers that wait.
#include "blocked_server.hpp"

#include <mutex>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lanyard {
namespace {

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, really)

// Blocks once after it is armed.
struct BlockingVerifier final : Verifier {
    explicit BlockingVerifier(std::shared_ptr<Gate> its_gate) : gate(std::move(its_gate)) {}

    Task<Verification> verify(Credentials const&) override {
        gate->note();
        if (armed.exchange(false)) {
            ++gate->blocked;
            gate->wait_for(blocked_for);
        }
        auto principal = std::make_shared<Principal>();
        principal->subject = "ada";
        co_return Verification::accept(std::move(principal));
    }
    std::shared_ptr<Gate> gate;
    std::atomic<bool> armed = false;
};

class UserCode : public BlockedServer {
protected:
    static ClientOptions accepting() {
        ClientOptions options;
        options.on_elicitation([](ElicitFormParams const&) {
            ElicitResult result;
            result.action = ElicitAction::accept;
            result.content = JsonObject{{"really", true}};
            return result;
        });
        return options;
    }
};

TEST_P(UserCode, other_calls_are_answered_while_a_filter_blocks) {
    server_->filter([gate = gate_](FeatureKind, std::string_view name, Context& context) {
        if (name == "nap" && context.method() == "tools/call") {
            ++gate->blocked;
            gate->wait_for(blocked_for);
        }
        return name != "polite_nap";
    });
    start();
    auto sleeper = client();
    auto const others = other_clients();
    Nap const none;
    auto slept =
        std::async(std::launch::async, [&] { return sleeper.call<std::string>("nap", none); });
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(others), answered_within);
    EXPECT_EQ(others.front().list_tools().size(), 6u);
    gate_->open = true;
    EXPECT_EQ(slept.get(), "slept");
    // A hidden tool is treated as unknown.
    EXPECT_THROW(others.front().call<std::string>("polite_nap", none), Error);
}

TEST_P(UserCode, other_calls_are_answered_while_a_filter_of_subscriptions_blocks) {
    for (auto const* const uri : {"note:///open", "note:///hidden"}) {
        server_->resource(uri, "note", [] { return std::string("text"); });
    }
    server_->filter([gate = gate_](FeatureKind, std::string_view name, Context& context) {
        auto const method = context.method();
        if (method != "resources/subscribe" && method != "subscriptions/listen") return true;
        ++gate->blocked;
        gate->wait_for(blocked_for);
        return name != "note:///hidden";
    });
    start();
    std::promise<std::string> told;
    ClientOptions options;
    options.on_resource_updated([&told](std::string const& uri) { told.set_value(uri); });
    auto subscriber = client(options);
    auto const others = other_clients();
    auto subscribed = std::async(std::launch::async, [&] {
        auto const begin = SteadyClock::now();
        subscriber.subscribe("note:///open");
        return SteadyClock::now() - begin;
    });
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(others), answered_within);
    EXPECT_LT(slowest_quick_call(subscriber), answered_within);
    gate_->open = true;
    subscribed.get();
    server_->resource_updated("note:///open");
    auto update = told.get_future();
    ASSERT_EQ(update.wait_for(30s), std::future_status::ready);
    EXPECT_EQ(update.get(), "note:///open");
    if (!is_modern()) {
        EXPECT_THROW(subscriber.subscribe("note:///hidden"), Error);
    }
}

TEST_P(UserCode, other_calls_are_answered_while_a_verifier_blocks) {
    auto const verifier = std::make_shared<BlockingVerifier>(gate_);
    verifier_ = verifier;
    start();
    auto const others = other_clients();
    // Over HTTP every request is verified: the call that blocks must not be one of the other
    // clients.
    EXPECT_LT(slowest_quick_call(others), answered_within);
    verifier->armed = true;
    auto connected = std::async(std::launch::async, [&] {
        auto late = client();
        return late.call<std::string>("quick");
    });
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(others), answered_within);
    gate_->open = true;
    EXPECT_EQ(connected.get(), "quick");
    // The verifier no longer runs on the loop.
    for (auto const& one : others) observe_loop(one);
    EXPECT_EQ(client().call<std::string>("quick"), "quick");
    EXPECT_GE(gate_->noted, 1);
    EXPECT_EQ(gate_->on_loop, 0);
}

TEST_P(UserCode, a_plain_function_can_send_a_question) {
    server_->tool("ask", "Asks", [](Context& context) {
        auto const sure = context.wait(context.elicit<Confirm>("sure", "Really?"));
        context.wait(context.yield());
        return std::string(sure && sure->really ? "yes" : "no");
    });
    start();
    auto asked = client(accepting());
    // The first calls run on a worker, later ones on the loop.
    for (int i = 0; i < 20; ++i) EXPECT_EQ(asked.call<std::string>("ask"), "yes");
}

TEST_P(UserCode, a_function_that_waits_ends_with_its_call) {
    auto const gate = gate_;
    server_->tool("ask", "Asks", [gate](Context& context) {
        ++gate->blocked;
        try {
            context.wait(context.elicit<Confirm>("sure", "Really?"));
        } catch (Error const& error) {
            if (error.is(Errc::cancelled)) ++gate->cancelled;
            throw;
        }
        return std::string("answered");
    });
    start();
    ClientOptions options;
    options.on_elicitation([](ElicitFormParams const&) -> Task<ElicitResult> {
        boost::asio::steady_timer never(co_await boost::asio::this_coro::executor, 10min);
        co_await never.async_wait(boost::asio::use_awaitable);
        co_return ElicitResult();
    });
    // In this version the handler waits for the answer; in later ones it ends and the call is
    // repeated.
    options.versions({Version::v2025_11_25});
    auto asked = client(options);
    CallOptions patience;
    patience.timeout(300ms);
    EXPECT_THROW(asked.call<std::string>("ask", Arguments(), patience), Error);
    auto const until = SteadyClock::now() + 20s;
    while (gate->cancelled == 0 && SteadyClock::now() < until) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(gate->cancelled, 1);
    gate->open = true;
}

TEST_P(UserCode, a_coroutine_leaves_the_loop_for_blocking_work) {
    auto const gate = gate_;
    server_->tool("work", "Works", [gate](Context& context) -> Task<std::string> {
        auto const work = [gate] {
            ++gate->blocked;
            gate->wait_for(blocked_for);
            return std::string("worked");
        };
        auto result = co_await context.run_blocking(work);
        auto const fail = [] { throw ToolError("failed"); };
        try {
            co_await context.run_blocking(fail);
        } catch (ToolError const& error) {
            result += std::string(" and ") + error.what();
        }
        co_return result;
    });
    start();
    auto worker = client();
    auto const others = other_clients();
    auto worked = std::async(std::launch::async, [&] { return worker.call<std::string>("work"); });
    ASSERT_TRUE(wait_until_blocked());
    EXPECT_LT(slowest_quick_call(others), answered_within);
    gate->open = true;
    EXPECT_EQ(worked.get(), "worked and failed");
}

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, text)

// What the client of a test has received, in order.
struct Received {
    void add(std::vector<std::string>& list, std::string what) {
        std::lock_guard const lock(mutex);
        list.push_back(std::move(what));
    }
    // Waits for the messages that the handler has sent before its question. Different handlers of a
    // client may run at the same time.
    bool has_messages_before_question() {
        for (auto const until = SteadyClock::now() + answered_within; SteadyClock::now() < until;) {
            {
                std::lock_guard const lock(mutex);
                if (!logs.empty() && progress.size() >= 3) return true;
            }
            std::this_thread::sleep_for(1ms);
        }
        return false;
    }
    std::mutex mutex;
    std::vector<std::string> events;  // logs and ends of calls
    std::vector<std::string> logs;
    std::vector<std::string> progress;
    std::vector<std::string> questions;
};

struct ReceivingObserver final : ClientObserver {
    explicit ReceivingObserver(Received& its_received) : received(its_received) {}

    void on_notification(std::string_view method) override {
        if (method == "notifications/message") received.add(received.events, "log");
    }
    void on_request_ended(Request const& request, Duration) override {
        if (request.method == "tools/call") received.add(received.events, "end");
    }
    Received& received;
};

// A handler that has lost its loop and uses its Context afterwards.
class LostContext : public UserCode {
protected:
    LostContext() {
        server_->tool(
            "echo", "Returns the text", [](Text in) { return in.text; }, ToolOptions().inline_());
        server_->tool(
            "report", "Blocks, and uses its context",
            [gate = gate_](Text in, Context& context) {
                ++gate->blocked;
                gate->wait_for(blocked_for);
                context.log(LoggingLevel::info, "first");
                for (int i = 1; i <= 3; ++i) context.report_progress(i, 3);
                auto const sure = context.wait(context.elicit<Confirm>("sure", in.text));
                context.log(LoggingLevel::info, "last");
                auto text = std::string(context.method()) + " " + std::string(context.target());
                text +=
                    " " + std::string(context.meta().members().at("example.com/key").as_string());
                text += context.params().find(in.text) == std::string_view::npos ? "" : " params";
                text += " " + std::string(context.client_info().name) + " " + in.text;
                return text + (sure && sure->really ? " yes" : " no");
            },
            ToolOptions().inline_());
    }
    // Makes the connections read long messages, which replaces the contents of their buffers.
    // Returns the longest duration.
    static Duration keep_busy(std::vector<blocking::Client> const& clients) {
        Text const other{std::string(2'000, 'y')};
        Duration slowest{0};
        for (auto const& one : clients) {
            auto const begin = SteadyClock::now();
            EXPECT_EQ(one.call<std::string>("echo", other), other.text);
            slowest = std::max<Duration>(slowest, SteadyClock::now() - begin);
        }
        return slowest;
    }
};

TEST_P(LostContext, context_works_after_the_hand_over) {
    Received received;
    start();
    auto const others = other_clients();
    auto options = accepting();
    options.info({.name = "reporter", .version = "1"});
    options.observer(std::make_shared<ReceivingObserver>(received));
    options.on_elicitation([&received](ElicitFormParams const& form) {
        bool const in_order = received.has_messages_before_question();
        received.add(received.questions, form.message + (in_order ? "" : " (too early)"));
        ElicitResult result;
        result.action = ElicitAction::accept;
        result.content = JsonObject{{"really", true}};
        return result;
    });
    options.on_log([&received](LoggingMessageParams const& message) {
        received.add(received.logs, std::string(message.data.as_string()));
    });
    CallOptions call;
    call.meta(Meta(JsonObject{{"example.com/key", "value"}}));
    call.on_progress([&received](ProgressParams const& progress) {
        received.add(received.progress, std::to_string(static_cast<int>(progress.progress)));
    });
    Text const mine{std::string(1'000, 'x') + "end"};
    {
        std::vector<blocking::Client> reporter;
        reporter.push_back(client(options));
        auto reported = std::async(std::launch::async, [&] {
            return reporter.front().call<std::string>("report", mine, call);
        });
        ASSERT_TRUE(wait_until_blocked());
        for (int i = 0; i < 20; ++i) {
            EXPECT_LT(keep_busy(others), answered_within);
            EXPECT_LT(keep_busy(reporter), answered_within);
        }
        EXPECT_EQ(reported.wait_for(0s), std::future_status::timeout);
        gate_->open = true;
        while (reported.wait_for(0s) != std::future_status::ready) keep_busy(others);
        EXPECT_EQ(reported.get(), "tools/call report value params reporter " + mine.text + " yes");
    }
    // In the newest revision the handler runs again when the question has been answered.
    using List = std::vector<std::string>;
    bool const twice = is_modern();
    EXPECT_EQ(received.questions, List{mine.text});
    EXPECT_EQ(received.progress,
              twice ? List({"1", "2", "3", "1", "2", "3"}) : List({"1", "2", "3"}));
    EXPECT_EQ(received.logs, twice ? List({"first", "first", "last"}) : List({"first", "last"}));
    // All messages have arrived before the answer.
    EXPECT_EQ(std::ranges::count(received.events, "log"), twice ? 3 : 2);
    EXPECT_EQ(received.events.back(), "end");
}

// Clients that are identified by their sessions.
class FairShare : public BlockedServer {};

TEST_P(FairShare, one_client_cannot_take_all_workers) {
    ServerOptions options;
    options.worker_threads(2);
    server_ = std::make_unique<Server>("loops", "1", options);
    server_->tool(
        "nap", "Blocks",
        [gate = gate_](Nap in) {
            if (in.ms == 0) return std::string("quick");
            ++gate->blocked;
            gate->wait_for(std::chrono::milliseconds(in.ms));
            return std::string("slept");
        },
        ToolOptions().blocking());
    start();
    auto greedy = client();
    auto other = client();
    auto const nap_time = nap(blocked_for);
    std::vector<std::future<std::string>> naps;
    for (int i = 0; i < 4; ++i) {
        naps.push_back(std::async(std::launch::async,
                                  [&] { return greedy.call<std::string>("nap", nap_time); }));
    }
    ASSERT_TRUE(wait_until_blocked(2));
    Nap const none;
    auto const begin = SteadyClock::now();
    EXPECT_EQ(other.call<std::string>("nap", none), "quick");
    EXPECT_LT(SteadyClock::now() - begin, answered_within);
    EXPECT_EQ(gate_->blocked, 2);
    gate_->open = true;
    for (auto& one : naps) EXPECT_EQ(one.get(), "slept");
}

INSTANTIATE_TEST_SUITE_P(Transports, UserCode, every_transport, transport_name);
INSTANTIATE_TEST_SUITE_P(Threads, UserCode, ::testing::Values("tcp-threads"), transport_name);
INSTANTIATE_TEST_SUITE_P(Transports, LostContext, every_carrier, transport_name);
INSTANTIATE_TEST_SUITE_P(Transports, FairShare,
                         ::testing::Values("http-session", "tcp", "tcp-threads", "websocket"),
                         transport_name);

}  // namespace
}  // namespace lanyard
