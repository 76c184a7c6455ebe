// Everything around calls: resources, prompts, subscriptions, middleware, filters, executors, and
// an engine that the test drives.
#include <deque>
#include <thread>

#include <boost/asio/thread_pool.hpp>

#include "lanyard/server/engine.hpp"
#include "raw_client.hpp"
#include "runtime/event.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

struct Review {
    std::string code;
};
LANYARD_STRUCT(Review, code)

class ServingTest : public ::testing::Test {
protected:
    ~ServingTest() override {
        client.close();
        client.poll();
    }
    static std::string request(std::string_view method, std::string_view params,
                               std::string_view id = "1") {
        return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" +
               std::string(method) + R"(","params":{)" + std::string(params) + "}}";
    }
    static std::string with_meta(std::string_view method, std::string_view params,
                                 std::string_view id = "1") {
        return request(method,
                       std::string(params) + (params.empty() ? "" : ",") + RawClient::meta(), id);
    }

    testing::FakeTime time;
    Server server{"s", "1", ServerOptions().time(time).on_log([](auto, auto) {})};
    boost::asio::io_context context;
    RawClient client{context, server};
};

TEST_F(ServingTest, null_arguments_are_treated_as_absent) {
    server.tool("count", "", [](Context&) { return "counted"; });
    server.tool("start", "", [](Context&) -> Task<std::string> { co_return "started"; });
    Tool dynamic;
    dynamic.name = "dynamic";
    dynamic.input_schema = RawJson::trusted(R"({"type":"object"})");
    server.add_tool(dynamic,
                    [](JsonObject const& arguments) { return std::to_string(arguments.size()); });
    server.prompt("look", "", [] { return std::string("Look."); });
    client.initialize();
    RawClient other(context, server);
    for (auto const* const name : {"count", "start", "dynamic"}) {
        auto const params = R"("name":")" + std::string(name) + R"(","arguments":null)";
        EXPECT_TRUE(
            at(client.answer(request("tools/call", params)), "result", "content", 0).is_object())
            << name;
        EXPECT_TRUE(
            at(other.answer(with_meta("tools/call", params)), "result", "content", 0).is_object())
            << name;
    }
    auto const params = R"("name":"look","arguments":null)";
    EXPECT_TRUE(
        at(client.answer(request("prompts/get", params)), "result", "messages", 0).is_object());
    EXPECT_TRUE(
        at(other.answer(with_meta("prompts/get", params)), "result", "messages", 0).is_object());
    other.close();
    other.poll();
}

TEST_F(ServingTest, a_malformed_uri_cannot_be_read) {
    server.resource("r://static", "static", "text");
    server.resource_template("r://{id}/row", "row",
                             [](UriVariables const& variables) { return *variables.string("id"); });
    client.initialize();
    RawClient other(context, server);
    for (auto const* const uri : {"", "no scheme", "1a://x", "r://a b/row", "r://%zz/row"}) {
        auto const params = R"("uri":")" + std::string(uri) + R"(")";
        auto const answer = client.answer(request("resources/read", params));
        EXPECT_EQ(at(answer, "error", "code"), -32602) << uri;
        EXPECT_EQ(at(answer, "error", "data", "pointer"), "/uri") << uri;
        EXPECT_EQ(at(other.answer(with_meta("resources/read", params)), "error", "code"), -32602)
            << uri;
    }
    EXPECT_EQ(at(client.answer(request("resources/read", R"("uri":"r://nope")")), "error", "code"),
              -32002);
    other.close();
    other.poll();
}

TEST_F(ServingTest, resources_prompts_and_completion_are_served_in_both_eras) {
    int reads = 0;
    server.resource("r://static", "static", "text", ResourceOptions().inline_());
    server.resource(
        "r://kept", "kept", [&] { return std::to_string(++reads); },
        ResourceOptions().keep_reads(1min));
    server.resource_template("r://{id}/row", "row",
                             [](UriVariables const& variables) { return *variables.string("id"); });
    server.prompt("review", "Review code", [](Review in) { return "Review: " + in.code; });
    server.complete_prompt("review", "code", [](std::string_view typed) {
        return std::vector<std::string>{std::string(typed) + "!"};
    });
    RawClient other(context, server);
    client.initialize();
    for (bool const meta : {false, true}) {
        auto const ask = [&](std::string_view method, std::string_view params) {
            return meta ? other.answer(with_meta(method, params))
                        : client.answer(request(method, params));
        };
        auto const text = [&](std::string_view uri) {
            return at(ask("resources/read", R"("uri":")" + std::string(uri) + '"'), "result",
                      "contents", 0, "text");
        };
        EXPECT_EQ(text("r://static"), "text");
        EXPECT_EQ(text("r://kept"), "1");
        EXPECT_EQ(text("r://seven/row"), "seven");
        auto const missing = ask("resources/read", R"("uri":"r://none")");
        EXPECT_EQ(at(missing, "error", "code"), meta ? -32602 : -32002);
        EXPECT_EQ(at(missing, "error", "data", "uri"), "r://none");
        EXPECT_EQ(at(ask("resources/list", ""), "result", "resources").as_array().size(), 2U);
        EXPECT_EQ(at(ask("resources/templates/list", ""), "result", "resourceTemplates", 0, "name"),
                  "row");
        EXPECT_EQ(at(ask("prompts/list", ""), "result", "prompts", 0, "name"), "review");
        EXPECT_EQ(at(ask("prompts/get", R"("name":"review","arguments":{"code":"x"})"), "result",
                     "messages", 0, "content", "text"),
                  "Review: x");
        EXPECT_EQ(at(ask("prompts/get", R"("name":"review")"), "error", "code"), -32602);
        EXPECT_EQ(at(ask("prompts/get", R"("name":"none")"), "error", "code"), -32602);
        auto const ref = R"("ref":{"type":"ref/prompt","name":"review"},"argument":)";
        EXPECT_EQ(
            at(ask("completion/complete", std::string(ref) + R"({"name":"code","value":"y"})"),
               "result", "completion", "values", 0),
            "y!");
        EXPECT_EQ(
            at(ask("completion/complete", std::string(ref) + R"({"name":"none","value":"y"})"),
               "error", "code"),
            -32602);
    }
    server.resource_updated("r://kept");
    EXPECT_EQ(at(client.answer(request("resources/read", R"("uri":"r://kept")")), "result",
                 "contents", 0, "text"),
              "2");
    other.close();
    other.poll();
}

TEST_F(ServingTest, a_session_is_notified_of_its_subscriptions) {
    server.resource("r://a", "a", "text");
    client.initialize();
    client.answer(request("resources/subscribe", R"("uri":"r://a")"));
    EXPECT_EQ(
        at(client.answer(request("resources/subscribe", R"("uri":"r://none")")), "error", "code"),
        -32002);
    EXPECT_EQ(server.sessions().front().subscriptions, 1U);
    for (int i = 0; i < 5; ++i) server.resource_updated("r://a");
    server.resource_updated("r://b");
    client.poll();
    auto const told = client.next_json();
    EXPECT_EQ(at(told, "method"), "notifications/resources/updated");
    EXPECT_EQ(at(told, "params", "uri"), "r://a");
    EXPECT_EQ(client.unread(), 0U);
    // The most recent change is always sent, after the interval.
    time.advance(100ms);
    client.poll();
    EXPECT_EQ(at(client.next_json(), "params", "uri"), "r://a");
    client.answer(request("resources/unsubscribe", R"("uri":"r://a")"));
    time.advance(1s);
    server.resource_updated("r://a");
    client.poll();
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(ServingTest, a_stream_is_acknowledged_notified_and_ended) {
    server.resource("r://a", "a", "text");
    server.tool("t", "", [] { return "t"; });
    auto const acknowledged = client.ask(
        with_meta("subscriptions/listen",
                  R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,)"
                  R"("resourceSubscriptions":["r://a"]})",
                  "\"s\""));
    EXPECT_EQ(at(acknowledged, "method"), "notifications/subscriptions/acknowledged");
    auto const granted = at(acknowledged, "params", "notifications");
    EXPECT_EQ(at(granted, "toolsListChanged"), true);
    EXPECT_EQ(at(granted, "promptsListChanged"), nullptr);
    auto const id = "io.modelcontextprotocol/subscriptionId";
    EXPECT_EQ(at(acknowledged, "params", "_meta", id), "s");
    server.resource_updated("r://a");
    server.list_changed(FeatureKind::tool);
    server.list_changed(FeatureKind::resource);
    client.poll();
    auto const updated = client.next_json();
    EXPECT_EQ(at(updated, "params", "uri"), "r://a");
    EXPECT_EQ(at(updated, "params", "_meta", id), "s");
    EXPECT_EQ(at(client.next_json(), "method"), "notifications/tools/list_changed");
    EXPECT_EQ(client.unread(), 0U);
    // A cancelled stream ends without a message; the others end with a result.
    client.ask(
        with_meta("subscriptions/listen", R"("notifications":{"toolsListChanged":true})", "2"));
    client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
    server.stop();
    client.poll();
    auto const ended = client.next_json();
    EXPECT_EQ(at(ended, "id"), "s");
    EXPECT_EQ(at(ended, "result", "resultType"), "complete");
    EXPECT_EQ(at(ended, "result", "_meta", id), "s");
    EXPECT_EQ(client.unread(), 0U);
    EXPECT_TRUE(client.closed());
}

TEST_F(ServingTest, changed_lists_are_announced_at_most_ten_times_a_second) {
    server.tool("first", "", [] {});
    client.initialize();
    for (int i = 0; i < 10; ++i) server.tool("t" + std::to_string(i), "", [] {});
    client.poll();
    EXPECT_EQ(at(client.next_json(), "method"), "notifications/tools/list_changed");
    EXPECT_EQ(client.unread(), 0U);
    time.advance(100ms);
    client.poll();
    EXPECT_EQ(client.unread(), 1U);
}

TEST_F(ServingTest, coroutines_return_the_same_results_as_functions) {
    server.tool("blocks", "", []() -> Task<CallToolResult> {
        TextContent text;
        text.text = "composed";
        CallToolResult result;
        result.content.emplace_back(std::move(text));
        co_return result;
    });
    server.tool(
        "long", "", []() -> Task<std::string> { co_return std::string(100, 'x'); },
        ToolOptions().max_result_bytes(10));
    server.prompt("p", "", [](Review in) -> Task<std::string> { co_return in.code; });
    server.resource("r://later", "later", []() -> Task<std::string> { co_return "read"; });
    server.complete_prompt("p", "code", [](std::string_view) -> Task<std::vector<std::string>> {
        co_return std::vector<std::string>{"completed"};
    });
    client.initialize();
    auto const ask = [&](std::string_view method, std::string_view params) {
        return client.answer(request(method, params));
    };
    EXPECT_EQ(at(ask("tools/call", R"("name":"blocks")"), "result", "content", 0, "text"),
              "composed");
    EXPECT_EQ(at(ask("tools/call", R"("name":"long")"), "result", "isError"), true);
    EXPECT_EQ(at(ask("prompts/get", R"("name":"p","arguments":{"code":"prompted"})"), "result",
                 "messages", 0, "content", "text"),
              "prompted");
    EXPECT_EQ(at(ask("resources/read", R"("uri":"r://later")"), "result", "contents", 0, "text"),
              "read");
    auto const completion = ask("completion/complete", R"("ref":{"type":"ref/prompt","name":"p"},)"
                                                       R"("argument":{"name":"code","value":""})");
    EXPECT_EQ(at(completion, "result", "completion", "values", 0), "completed");
}

TEST_F(ServingTest, middleware_can_read_change_and_refuse_requests) {
    std::vector<std::string> seen;
    server.tool("t", "", [] { return "t"; });
    server.tool("task", "", []() -> Task<std::string> { co_return "task"; });
    server.tool("bad", "", [] { throw ToolError("bad"); });
    server.use([&](Context& ctx, Next next) -> Task<RawJson> {
        seen.push_back("outer " + std::string(ctx.target()));
        if (ctx.target() == "secret") throw Refusal(RefusalReason::permission, "no");
        auto result = co_await next();
        seen.push_back("done");
        co_return result;
    });
    server.use([&](Context& ctx, Next next) -> Task<RawJson> {
        seen.push_back("inner");
        if (ctx.target() == "task") co_return RawJson::trusted(R"({"content":[]})");
        co_return co_await next();
    });
    client.initialize();
    EXPECT_EQ(
        at(client.answer(request("tools/call", R"("name":"t")")), "result", "content", 0, "text"),
        "t");
    EXPECT_EQ(seen, (std::vector<std::string>{"outer t", "inner", "done"}));
    EXPECT_TRUE(at(client.answer(request("tools/call", R"("name":"task")")), "result", "content")
                    .as_array()
                    .empty());
    seen.clear();
    EXPECT_EQ(at(client.answer(request("tools/call", R"("name":"bad")")), "result", "isError"),
              true);
    EXPECT_EQ(seen.size(), 2U);
    server.tool("secret", "", [] { return "never"; });
    EXPECT_EQ(at(client.answer(request("tools/call", R"("name":"secret")")), "error", "code"),
              1005);
    EXPECT_TRUE(at(client.answer(request("tools/list", "")), "result", "tools").is_array());
}

TEST_F(ServingTest, features_hidden_by_a_filter_cannot_be_used) {
    server.tool("open", "", [] { return "open"; });
    server.tool("hidden", "", [] { return "hidden"; });
    server.filter([](FeatureKind, std::string_view name, Context& ctx) {
        return name != "hidden" || ctx.client_info().name == "boss";
    });
    client.initialize();
    EXPECT_EQ(at(client.answer(request("tools/list", "")), "result", "tools").as_array().size(),
              1U);
    EXPECT_EQ(at(client.answer(request("tools/call", R"("name":"hidden")")), "error", "code"),
              -32602);
    EXPECT_EQ(at(client.answer(request("tools/call", R"("name":"open")")), "result", "content", 0,
                 "text"),
              "open");
}

TEST_F(ServingTest, handlers_run_on_the_given_executor) {
    boost::asio::thread_pool pool(1);
    std::atomic<int> elsewhere = 0;
    auto const here = std::this_thread::get_id();
    auto const note = [&] { elsewhere += std::this_thread::get_id() != here; };
    server.tool("sync", "", [&] { note(); }, ToolOptions().inline_());
    server.tool("task", "", [&](Context& ctx) -> Task<> {
        note();
        co_await ctx.yield();
        note();
    });
    server.executor(pool.get_executor());
    client.initialize();
    client.answer(request("tools/call", R"("name":"sync")"));
    client.answer(request("tools/call", R"("name":"task")"));
    EXPECT_EQ(elsewhere, 3);
    client.close();
    client.poll();
    pool.join();
}

TEST_F(ServingTest, handlers_can_run_through_a_queue) {
    std::deque<std::function<void()>> queue;
    server.tool("sync", "", [] { return "sync"; });
    server.tool("task", "", [](Context& ctx) -> Task<std::string> {
        co_await ctx.yield();
        co_return "task";
    });
    server.executor([&](std::function<void()> work) { queue.push_back(std::move(work)); });
    client.initialize();
    for (auto const* tool : {"sync", "task"}) {
        client.send(request("tools/call", R"("name":")" + std::string(tool) + '"'));
        EXPECT_EQ(client.unread(), 0U);
        for (int turns = 0; turns < 20 && client.unread() == 0; ++turns) {
            while (!queue.empty()) {
                auto const work = std::move(queue.front());
                queue.pop_front();
                work();
            }
            client.poll();
        }
        EXPECT_EQ(at(client.next_json(), "result", "content", 0, "text"), tool);
    }
}

TEST_F(ServingTest, an_engine_can_be_driven_manually) {
    server.tool("t", "", [] { return "t"; });
    std::atomic<int> wakes = 0;
    std::vector<std::string> sent;
    ServerEngine engine(
        server, [&](std::string_view message) { sent.emplace_back(message); }, [&] { ++wakes; });
    engine.on_message(with_meta("tools/call", R"("name":"t")"));
    while (sent.empty()) engine.poll();  // the handler runs on a worker thread
    EXPECT_NE(sent.front().find(R"("text":"t")"), std::string::npos);
    EXPECT_GT(wakes, 0);
    engine.on_message("garbage");
    EXPECT_EQ(sent.size(), 2U);
    EXPECT_EQ(server.sessions().size(), 1U);
    EXPECT_FALSE(engine.closed());
    engine.close();
    engine.close();
    EXPECT_TRUE(engine.closed());
    EXPECT_TRUE(server.sessions().empty());
    engine.on_message("too late");
    EXPECT_EQ(sent.size(), 2U);
}

TEST_F(ServingTest, an_engine_notices_when_the_server_stops) {
    ServerEngine engine(server, [](std::string_view) {});
    server.stop();
    engine.poll();
    EXPECT_TRUE(engine.closed());
}

// Runs until it is stopped, then calls the server from stop(). That would deadlock if stop() were
// called with a lock that connections need.
class CuriousListener final : public Listener {
public:
    CuriousListener(Server& server, boost::asio::any_io_executor const& executor)
        : server_(server), stopped_(executor) {}
    Task<> run(Endpoint&) override { co_await stopped_.wait(); }
    void stop() noexcept override {
        sessions_ = server_.sessions().size();
        stopped_.notify();
    }
    std::string describe() const override { return "curious"; }
    std::optional<std::size_t> sessions() const { return sessions_; }

private:
    Server& server_;
    runtime::Event stopped_;
    std::optional<std::size_t> sessions_;
};

TEST_F(ServingTest, listeners_are_stopped_without_a_lock_that_connections_need) {
    CuriousListener listener(server, context.get_executor());
    bool ended = false;
    boost::asio::co_spawn(context, server.run_async(listener), [&](auto) { ended = true; });
    context.poll();
    server.stop();
    context.poll();
    EXPECT_TRUE(listener.sessions());
    EXPECT_TRUE(ended);
}

TEST_F(ServingTest, sessions_can_be_listed) {
    server.tool("t", "", [] {});
    client.initialize("2025-06-18");
    auto const sessions = server.sessions();
    ASSERT_EQ(sessions.size(), 1U);
    auto const& one = sessions.front();
    EXPECT_EQ(one.client.name, "raw");
    EXPECT_EQ(one.version, "2025-06-18");
    EXPECT_EQ(one.transport.kind, "memory");
    EXPECT_EQ(one.requests, 1U);
    ASSERT_EQ(one.phases.size(), 2U);
    EXPECT_EQ(one.phases.back().name, "ready");
    EXPECT_TRUE(server.capability("tools.listChanged"));
    EXPECT_FALSE(server.capability("prompts"));
    EXPECT_FALSE(server.capability("nonsense"));
}

TEST_F(ServingTest, declared_capabilities_are_sent_to_clients) {
    server.instructions("Be gentle.");
    server.extension("com.example/x", JsonObject{{"a", 1}});
    server.experimental("y");
    auto const result = at(client.initialize(), "result");
    EXPECT_EQ(at(result, "instructions"), "Be gentle.");
    EXPECT_EQ(at(result, "capabilities", "extensions", "com.example/x", "a"), 1);
    EXPECT_TRUE(at(result, "capabilities", "experimental", "y").is_object());
}

TEST_F(ServingTest, a_server_needs_a_name_and_a_version) {
    EXPECT_THROW(Server("", "1"), Error);
    EXPECT_THROW(Server("s", "1", ServerOptions().versions({})), Error);
}

}  // namespace
}  // namespace lanyard::server
