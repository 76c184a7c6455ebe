// How calls run and end: exceptions, threads, cancellation, timeouts, limits.
#include <condition_variable>
#include <future>
#include <mutex>
#include <new>
#include <thread>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, text)

// A gate at which handlers wait until the test opens it.
class Gate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++waiting_;
        changed_.notify_all();
        changed_.wait_for(lock, 20s, [this] { return open_; });
    }
    void await_waiting(int count) {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, 20s, [&] { return waiting_ >= count; }));
    }
    void open() {
        std::lock_guard const lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int waiting_ = 0;
    bool open_ = false;
};

class CallTest : public ::testing::Test {
protected:
    static std::string call(std::string_view id, std::string_view tool,
                            std::string_view arguments = "{}", std::string_view more = "") {
        return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
               R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
               R"(","arguments":)" + std::string(arguments) + std::string(more) + "}}";
    }
    static std::string get(std::string_view method, std::string const& params,
                           std::string_view id = "1") {
        return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" +
               std::string(method) + R"(","params":{)" + params + "}}";
    }
    static std::string cancel(std::string_view id) {
        return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
               std::string(id) + "}}";
    }
    static Json kind(Json const& answer) {
        return at(answer, "result", "_meta", "lanyard/errorKind");
    }
    static Json text(Json const& answer) { return at(answer, "result", "content", 0, "text"); }

    ~CallTest() override {
        client.close();
        client.poll();
    }

    std::mutex mutex;
    std::vector<std::string> logged;
    testing::FakeTime time;
    Gate gate;
    Server server{"s", "1", ServerOptions().time(time).on_log([this](auto, auto line) {
                      std::lock_guard const lock(mutex);
                      logged.emplace_back(line);
                  })};
    boost::asio::io_context context;
    RawClient client{context, server};
};

TEST_F(CallTest, a_handler_may_throw_anything) {
    server.tool("std", "", [] { throw std::runtime_error("secret detail"); });
    server.tool("int", "", [] { throw 42; }, ToolOptions().inline_());
    server.tool("memory", "", [] { throw std::bad_alloc(); }, ToolOptions().inline_());
    server.tool("task", "", []() -> Task<> {
        throw 7;
        co_return;
    });
    server.tool("model", "", [] { throw ToolError("try again with less"); });
    server.tool("host", "", [] { throw Refusal(RefusalReason::permission, "not for you"); });
    server.tool("fine", "", [] { return "fine"; });
    client.initialize();
    for (auto const* tool : {"std", "int", "memory", "task"}) {
        auto const answer = client.ask(call("1", tool));
        EXPECT_EQ(at(answer, "result", "isError"), true) << tool;
        EXPECT_EQ(kind(answer), "failed");
        EXPECT_EQ(json::serialize(answer).find("secret"), std::string::npos);
        EXPECT_TRUE(at(answer, "result", "_meta", "lanyard/reference").is_string());
    }
    EXPECT_EQ(logged.size(), 4U);
    EXPECT_NE(logged.front().find("secret detail"), std::string::npos);
    EXPECT_EQ(text(client.ask(call("1", "model"))), "try again with less");
    EXPECT_EQ(at(client.ask(call("1", "host")), "error", "code"), 1005);
    EXPECT_EQ(text(client.ask(call("1", "fine"))), "fine");
}

TEST_F(CallTest, a_slow_handler_does_not_delay_the_next) {
    server.tool("slow", "", [this] { gate.pass(); });
    server.tool("quick", "", [] { return "quick"; });
    client.initialize();
    client.write(call("1", "slow"));
    client.write(call("2", "slow"));
    EXPECT_EQ(at(client.ask(call("3", "quick")), "id"), 3);
    gate.open();
    EXPECT_TRUE(at(client.wait_json(), "result").is_object());
    EXPECT_TRUE(at(client.wait_json(), "result").is_object());
}

TEST_F(CallTest, a_handler_that_has_proven_fast_runs_on_the_connections_thread) {
    std::vector<std::thread::id> threads;
    server.tool("where", "", [&] { threads.push_back(std::this_thread::get_id()); });
    client.initialize();
    for (int i = 0; i < 7; ++i) client.ask(call("1", "where"));
    for (int i = 0; i < 5; ++i)
        EXPECT_NE(threads[static_cast<std::size_t>(i)], std::this_thread::get_id());
    EXPECT_EQ(threads[5], std::this_thread::get_id());
    EXPECT_EQ(threads[6], std::this_thread::get_id());
}

TEST_F(CallTest, a_fast_handler_that_becomes_slow_runs_on_the_workers_again) {
    std::thread::id last;
    Duration takes{0};
    server.tool("moody", "", [&] {
        last = std::this_thread::get_id();
        time.advance(takes);
    });
    client.initialize();
    for (int i = 0; i < 6; ++i) client.ask(call("1", "moody"));
    EXPECT_EQ(last, std::this_thread::get_id());
    takes = 2ms;
    client.ask(call("1", "moody"));
    EXPECT_EQ(last, std::this_thread::get_id());
    client.ask(call("1", "moody"));
    EXPECT_NE(last, std::this_thread::get_id());
}

TEST_F(CallTest, a_cancelled_call_is_not_answered_and_its_handler_is_notified) {
    std::promise<bool> stopped;
    server.tool(
        "wait", "",
        [&](Context& ctx) {
            std::stop_callback const on_stop(ctx.stop_token(), [this] { gate.open(); });
            gate.pass();
            stopped.set_value(ctx.cancelled());
        },
        ToolOptions().blocking());
    server.tool("fine", "", [] { return "fine"; });
    client.initialize();
    client.send(call("1", "wait"));
    gate.await_waiting(1);
    client.send(cancel("1"));
    EXPECT_TRUE(stopped.get_future().get());
    EXPECT_EQ(at(client.ask(call("2", "fine")), "id"), 2);
    // The id can be used again.
    EXPECT_EQ(at(client.ask(call("1", "fine")), "id"), 1);
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(CallTest, a_cancelled_coroutine_unwinds) {
    bool unwound = false;
    bool reached = false;
    server.tool("sleep", "", [&]() -> Task<> {
        struct Guard {
            bool& flag;
            ~Guard() { flag = true; }
        } const guard{unwound};
        co_await sleep_for(time, 1h);
        reached = true;
    });
    client.initialize();
    client.send(call("1", "sleep"));
    EXPECT_FALSE(unwound);
    client.send(cancel("1"));
    EXPECT_TRUE(unwound);
    EXPECT_FALSE(reached);
    EXPECT_EQ(client.unread(), 0U);
    // Cancelling a call that has ended, or an unknown one, has no effect.
    client.send(cancel("1"));
    client.send(cancel("\"never\""));
    client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})");
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(CallTest, a_cancelled_coroutine_unwinds_when_it_yields) {
    constexpr int most = 1000;
    int turns = 0;
    server.tool("compute", "", [&](Context& ctx) -> Task<> {
        for (; turns < most; ++turns) co_await ctx.yield();
    });
    client.initialize();
    client.write(call("1", "compute"));
    client.write(cancel("1"));
    client.poll();
    EXPECT_LT(turns, most);
    EXPECT_EQ(client.unread(), 0U);
    client.send(call("2", "compute"));
    EXPECT_EQ(turns, most);
    EXPECT_EQ(at(client.next_json(), "id"), 2);
}

TEST_F(CallTest, a_coroutine_that_takes_too_long_is_ended) {
    bool unwound = false;
    server.tool(
        "sleep", "",
        [&]() -> Task<> {
            struct Guard {
                bool& flag;
                ~Guard() { flag = true; }
            } const guard{unwound};
            co_await sleep_for(time, 1h);
        },
        ToolOptions().timeout(5s));
    client.initialize();
    client.send(call("1", "sleep"));
    time.advance(4s);
    client.poll();
    EXPECT_EQ(client.unread(), 0U);
    time.advance(1s);
    client.poll();
    EXPECT_EQ(kind(client.next_json()), "timeout");
    EXPECT_TRUE(unwound);
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(CallTest, a_handler_that_never_ends_is_ended_by_its_timeout) {
    std::atomic<bool> stopped = false;
    server.tool(
        "hang", "",
        [&](Context& ctx) {
            gate.pass();
            stopped = ctx.stop_token().stop_requested();
        },
        ToolOptions().timeout(5s));
    client.initialize();
    client.send(call("1", "hang"));
    gate.await_waiting(1);
    time.advance(5s);
    EXPECT_EQ(kind(client.wait_json()), "timeout");
    gate.open();
    server.tool("fine", "", [] { return "fine"; });
    EXPECT_EQ(at(client.answer(call("2", "fine")), "id"), 2);
}

TEST_F(CallTest, calls_beyond_the_limit_of_a_tool_are_refused) {
    server.tool("busy", "", [this] { gate.pass(); }, ToolOptions().max_concurrent(2));
    client.initialize();
    client.write(call("1", "busy"));
    client.write(call("2", "busy"));
    auto const refused = client.ask(call("3", "busy"));
    EXPECT_EQ(at(refused, "id"), 3);
    EXPECT_EQ(kind(refused), "too_many_concurrent");
    EXPECT_EQ(server.limit_counts().busy_tools, 1U);
    gate.open();
    client.wait();
    client.wait();
    EXPECT_EQ(kind(client.ask(call("4", "busy"))), nullptr);
}

// The limits of a resource, of a resource template and of a prompt.
TEST_F(CallTest, reads_and_prompts_end_at_their_timeout) {
    auto const hang = [this]() -> Task<std::string> {
        co_await sleep_for(time, 1h);
        co_return "late";
    };
    auto const hang_template = [hang](Text) { return hang(); };
    server.resource("r:hang", "hang", hang, ResourceOptions().timeout(5s));
    server.resource_template("t:{text}", "hang", hang_template, ResourceOptions().timeout(5s));
    server.prompt("hang", "", hang, PromptOptions().timeout(5s));
    client.initialize();
    for (auto const& request :
         {get("resources/read", R"("uri":"r:hang")"), get("resources/read", R"("uri":"t:hang")"),
          get("prompts/get", R"("name":"hang")")}) {
        client.send(request);
        time.advance(5s - 1ns);
        client.poll();
        EXPECT_EQ(client.unread(), 0U) << request;
        time.advance(1ns);
        client.poll();
        EXPECT_TRUE(at(client.next_json(), "error", "code").is_int64()) << request;
    }
}

TEST_F(CallTest, reads_and_prompts_beyond_their_limit_are_refused) {
    auto const hang = [this]() -> Task<std::string> {
        co_await sleep_for(time, 1h);
        co_return "late";
    };
    auto const hang_template = [hang](Text) { return hang(); };
    server.resource("r:busy", "busy", hang, ResourceOptions().max_concurrent(1));
    server.resource_template("t:{text}", "busy", hang_template,
                             ResourceOptions().max_concurrent(1));
    server.prompt("busy", "", hang, PromptOptions().max_concurrent(1));
    client.initialize();
    std::uint64_t refused = 0;
    for (auto const* kind : {"r", "t", "p"}) {
        auto const request = [kind](std::string_view id) {
            return *kind == 'p'
                       ? get("prompts/get", R"("name":"busy")", id)
                       : get("resources/read", R"("uri":")" + std::string(kind) + R"(:busy")", id);
        };
        client.send(request("1"));
        EXPECT_EQ(client.unread(), 0U) << kind;
        client.send(request("2"));
        auto const answer = client.next_json();
        EXPECT_EQ(at(answer, "id"), 2) << kind;
        EXPECT_TRUE(at(answer, "error", "code").is_int64()) << kind;
        EXPECT_EQ(server.limit_counts().busy_tools, ++refused);
        client.send(cancel("1"));
        EXPECT_EQ(client.unread(), 0U) << kind;
        client.send(request("3"));
        EXPECT_EQ(client.unread(), 0U) << kind << ": the cancelled request no longer counts";
        client.send(cancel("3"));
    }
}

TEST_F(CallTest, a_result_that_is_too_large_is_an_error) {
    server.tool(
        "large", "", [] { return std::string(101, 'x'); }, ToolOptions().max_result_bytes(100));
    server.tool(
        "composed", "",
        [] {
            CallToolResult result;
            TextContent block;
            block.text = std::string(101, 'x');
            result.content.emplace_back(block);
            return result;
        },
        ToolOptions().max_result_bytes(100));
    client.initialize();
    EXPECT_EQ(kind(client.ask(call("1", "large"))), "result_too_large");
    EXPECT_EQ(kind(client.ask(call("1", "composed"))), "result_too_large");
}

TEST_F(CallTest, output_that_breaks_its_schema_is_an_error) {
    Tool tool;
    tool.name = "dynamic";
    tool.input_schema = RawJson(Json{{"type", "object"}, {"required", {"a"}}});
    tool.output_schema = RawJson(Json{{"type", "object"}, {"required", {"b"}}});
    server.add_tool(tool, [](JsonObject const& arguments) { return arguments; });
    client.initialize();
    EXPECT_EQ(kind(client.ask(call("1", "dynamic"))), "invalid_arguments");
    EXPECT_EQ(kind(client.ask(call("1", "dynamic", R"({"a":1})"))), "schema_invalid");
    EXPECT_EQ(at(client.ask(call("1", "dynamic", R"({"a":1,"b":2})")), "result",
                 "structuredContent", "b"),
              2);
}

TEST_F(CallTest, a_call_of_a_disabled_tool_is_refused_as_disabled) {
    server.tool("t", "", [] { return "on"; });
    client.initialize();
    server.enable_tool("t", false);
    EXPECT_EQ(kind(client.answer(call("1", "t"))), "disabled");
    server.enable_tool("t");
    EXPECT_EQ(text(client.answer(call("1", "t"))), "on");
}

TEST_F(CallTest, progress_is_reported_before_the_answer) {
    server.tool("work", "", [](Context& ctx) {
        ctx.report_progress(1, 3, "one");
        ctx.report_progress(2, 3);
    });
    server.tool("steps", "", [](Context& ctx) -> Task<> {
        ctx.report_progress(1, 2);
        co_await ctx.yield();
        ctx.report_progress(2, 2);
    });
    client.initialize();
    auto const wants = R"(,"_meta":{"progressToken":0})";
    for (auto const* tool : {"work", "steps"}) {
        auto const first = client.ask(call("1", tool, "{}", wants));
        EXPECT_EQ(at(first, "method"), "notifications/progress");
        EXPECT_EQ(at(first, "params", "progressToken"), 0);
        EXPECT_EQ(at(first, "params", "progress"), 1);
        EXPECT_EQ(at(client.wait_json(), "params", "progress"), 2);
        EXPECT_TRUE(at(client.wait_json(), "result").is_object());
    }
    // Without a progress token, no progress is sent.
    EXPECT_TRUE(at(client.ask(call("1", "steps")), "result").is_object());
}

TEST_F(CallTest, log_messages_are_sent_to_clients_that_request_them) {
    server.tool("talk", "", [](Context& ctx) {
        ctx.log(LoggingLevel::debug, "quiet");
        ctx.log(LoggingLevel::warning, Json{{"n", 1}}, "talker");
    });
    client.initialize();
    auto const message = client.ask(call("1", "talk"));
    EXPECT_EQ(at(message, "method"), "notifications/message");
    EXPECT_EQ(at(message, "params", "level"), "warning");
    EXPECT_EQ(at(message, "params", "logger"), "talker");
    EXPECT_EQ(at(message, "params", "data", "n"), 1);
    EXPECT_TRUE(at(client.wait_json(), "result").is_object());
    client.ask(
        R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}})");
    EXPECT_TRUE(at(client.ask(call("1", "talk")), "result").is_object());

    RawClient other(context, server);
    EXPECT_TRUE(
        at(other.ask(call("1", "talk", "{}", "," + RawClient::meta())), "result").is_object());
    auto const meta = RawClient::meta("{}", R"(,"io.modelcontextprotocol/logLevel":"debug")");
    EXPECT_EQ(at(other.ask(call("1", "talk", "{}", "," + meta)), "params", "data"), "quiet");
    EXPECT_EQ(at(other.wait_json(), "params", "level"), "warning");
    EXPECT_TRUE(at(other.wait_json(), "result").is_object());
    other.close();
    other.poll();
}

TEST_F(CallTest, a_context_has_the_data_of_the_request) {
    server.tool(
        "who", "",
        [](Context& ctx) {
            auto const trace = ctx.trace_context();
            return std::string(ctx.request_id()) + "|" + std::string(ctx.method()) + "|" +
                   std::string(ctx.target()) + "|" + std::string(ctx.version()) + "|" +
                   ctx.client_info().name + "|" + std::string(ctx.transport()) + "|" +
                   (trace ? trace->traceparent : "") + "|" +
                   json::serialize(Json(ctx.meta().members())) + "|" + std::string(ctx.identity());
        },
        ToolOptions().inline_());
    auto const meta = RawClient::meta(
        "{}", R"(,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")");
    EXPECT_EQ(text(client.ask(call("\"x\"", "who", "{}", "," + meta))),
              "\"x\"|tools/call|who|2026-07-28|raw|memory|"
              "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01|"
              R"({"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}|)");
}

TEST_F(CallTest, calls_that_find_no_worker_are_refused) {
    Server small("s", "1",
                 ServerOptions().time(time).worker_threads(1).max_queued_calls(1).ping(0s, 0s));
    small.tool("wait", "", [this] { gate.pass(); });
    RawClient one(context, small);
    one.initialize();
    one.send(call("1", "wait"));
    gate.await_waiting(1);
    one.send(call("2", "wait"));
    auto const refused = one.ask(call("3", "wait"));
    EXPECT_EQ(at(refused, "id"), 3);
    EXPECT_EQ(at(refused, "error", "data", "reason"), "overloaded");
    EXPECT_EQ(small.limit_counts().no_workers, 1U);
    gate.open();
    one.wait();
    one.wait();
    one.close();
    one.poll();
}

}  // namespace
}  // namespace lanyard::server
