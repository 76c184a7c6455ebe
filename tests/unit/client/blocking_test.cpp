// The client without coroutines, against a server on another thread.
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/client.hpp"
#include "lanyard/transport/memory.hpp"
#include "runtime/peer_connection.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

// Answers by method from a table, on the loop it was created for.
class TableServer final : public rpc::PeerEvents {
public:
    TableServer(std::unique_ptr<Transport> transport)
        : connection_(std::move(transport), *this, real_time()) {}

    static Task<> run(std::shared_ptr<TableServer> self) { co_await self->connection_.run(); }

    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override {
        auto& peer = connection_.peer();
        auto const answer = [&](std::string_view result) {
            *peer.begin_result(ticket) += result;
            peer.end_result();
        };
        auto const method = request.method;
        if (method == "initialize") {
            answer(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":)"
                   R"({"subscribe":true},"prompts":{},"completions":{},"logging":{},)"
                   R"("tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},)"
                   R"("serverInfo":{"name":"table","version":"1"},"instructions":"i"})");
        } else if (method == "tools/list") {
            answer(R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})");
        } else if (method == "tools/call" && request.params->find("task")) {
            answer(R"({"task":{"taskId":"t1","status":"working","createdAt":)"
                   R"("2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}})");
        } else if (method == "tools/call" || method == "tasks/result") {
            if (!request.params->find("name") || !request.params->find("name")->equals("never")) {
                answer(R"({"content":[{"type":"text","text":"5"}]})");
            }
        } else if (method == "resources/list") {
            answer(R"({"resources":[{"uri":"a:b","name":"r"}]})");
        } else if (method == "resources/templates/list") {
            answer(R"({"resourceTemplates":[]})");
        } else if (method == "resources/read") {
            answer(R"({"contents":[]})");
        } else if (method == "prompts/list") {
            answer(R"({"prompts":[{"name":"p"}]})");
        } else if (method == "prompts/get") {
            answer(R"({"messages":[]})");
        } else if (method == "completion/complete") {
            answer(R"({"completion":{"values":["v"]}})");
        } else if (method == "tasks/get" || method == "tasks/cancel") {
            answer(R"({"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z",)"
                   R"("lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null})");
        } else if (method == "tasks/list") {
            answer(R"({"tasks":[]})");
        } else if (method == "server/discover") {
            peer.fail(ticket, {-32601, "no", {}});
        } else {
            answer("{}");
        }
    }
    void on_notification(rpc::Envelope const& notification) override {
        if (notification.method != "acme/shout") return;
        connection_.peer().notify("notifications/message", R"({"level":"info","data":"!"})");
    }

private:
    runtime::PeerConnection connection_;
};

class TableConnector final : public Connector {
public:
    explicit TableConnector(boost::asio::io_context& server) : server_(server) {}
    Task<std::unique_ptr<Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto [ours, theirs] = memory_pair(executor, server_.get_executor());
        auto const server = std::make_shared<TableServer>(std::move(theirs));
        boost::asio::co_spawn(server_, TableServer::run(server), boost::asio::detached);
        co_return std::move(ours);
    }
    std::string describe() const override { return "table"; }

private:
    boost::asio::io_context& server_;
};

class Blocking : public ::testing::Test {
protected:
    ~Blocking() override {
        work.reset();
        thread.join();
    }
    blocking::Client connect(ClientOptions const& options = {}) {
        return blocking::connect(std::make_unique<TableConnector>(loop), options);
    }

    boost::asio::io_context loop;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work =
        boost::asio::make_work_guard(loop);
    std::thread thread{[this] { loop.run(); }};
};

TEST_F(Blocking, every_method_waits_for_its_answer) {
    ClientOptions options;
    options.roots({});
    auto const client = connect(options);
    EXPECT_EQ(client.version(), Version::v2025_11_25);
    EXPECT_EQ(client.server_info().name, "table");
    EXPECT_EQ(client.instructions(), "i");
    EXPECT_TRUE(client.server_capabilities().tools);
    EXPECT_EQ(client.known_server().version, Version::v2025_11_25);
    EXPECT_EQ(client.list_tools().at(0).name, "t");
    EXPECT_EQ(client.list_tools_page().tools.size(), 1U);
    EXPECT_EQ(client.tools().next()->name, "t");
    EXPECT_EQ(client.tools().rest().size(), 1U);
    EXPECT_FALSE(client.call_tool("t").is_error);
    EXPECT_FALSE(client.call_tool("t", JsonObject{{"a", 1}}).is_error);
    EXPECT_EQ(client.call<int>("t"), 5);
    EXPECT_EQ((client.call<std::string>("t", std::map<std::string, int>{{"a", 1}})), "5");
    client.call<void>("t");
    EXPECT_EQ(client.call_all(std::vector<CallToolParams>(2)).size(), 2U);
    EXPECT_EQ(client.list_resources().size(), 1U);
    EXPECT_EQ(client.list_resources_page().resources.size(), 1U);
    EXPECT_EQ(client.resources().next()->uri, "a:b");
    EXPECT_TRUE(client.list_resource_templates().empty());
    EXPECT_TRUE(client.list_resource_templates_page().resource_templates.empty());
    EXPECT_FALSE(client.resource_templates().next());
    EXPECT_TRUE(client.read_resource("a:b").contents.empty());
    client.subscribe("a:b");
    client.unsubscribe("a:b");
    EXPECT_EQ(client.list_prompts().size(), 1U);
    EXPECT_EQ(client.list_prompts_page().prompts.size(), 1U);
    EXPECT_EQ(client.prompts().next()->name, "p");
    EXPECT_TRUE(client.get_prompt("p").messages.empty());
    EXPECT_EQ(client.complete_prompt("p", "a", "").values.size(), 1U);
    EXPECT_EQ(client.complete_resource("a:{b}", "b", "").values.size(), 1U);
    EXPECT_EQ(client.start_tool_task("t").task_id, "t1");
    EXPECT_EQ(client.get_task("t1").task.task_id, "t1");
    EXPECT_FALSE(client.task_result("t1").is_error);
    EXPECT_TRUE(client.list_tasks().empty());
    client.cancel_task("t1");
    client.ping();
    EXPECT_EQ(client.discover().capabilities, client.server_capabilities());
    client.set_log_level(LoggingLevel::info);
    client.set_roots({});
    client.notify_roots_changed();
    EXPECT_EQ(client.request("acme/x").text(), "{}");
    client.notify("acme/y");
    EXPECT_TRUE(client.is_open());
    client.stop();
    EXPECT_FALSE(client.is_open());
    EXPECT_THROW(client.ping(), Error);
}

TEST_F(Blocking, requests_can_be_sent_together) {
    auto const client = connect();
    auto const outcomes = client.request_all({{"acme/x", {}}, {"server/discover", {}}});
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_EQ(outcomes[0].value().text(), "{}");
    EXPECT_FALSE(outcomes[1]);
}

TEST_F(Blocking, a_handler_added_later_gets_notifications_until_it_is_removed) {
    auto const client = connect();
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> seen;
    {
        auto const handle = client.on_notification("notifications/message",
                                                   [&](std::string const& method, RawJson const&) {
                                                       std::lock_guard const lock(mutex);
                                                       seen.push_back(method);
                                                       changed.notify_all();
                                                   });
        client.notify("acme/shout");
        std::unique_lock lock(mutex);
        EXPECT_TRUE(changed.wait_for(lock, 60s, [&] { return !seen.empty(); }));
    }
    client.notify("acme/shout");
    client.ping();
    std::lock_guard const lock(mutex);
    EXPECT_EQ(seen, std::vector<std::string>{"notifications/message"});
}

TEST_F(Blocking, the_changes_of_the_state_are_kept) {
    auto const client = connect();
    std::vector<ConnectionState> states;
    for (auto const& change : client.history()) states.push_back(change.to);
    ASSERT_FALSE(states.empty());
    EXPECT_EQ(states.back(), ConnectionState::ready);
    client.stop();
    EXPECT_EQ(client.history().back().to, ConnectionState::closed);
}

TEST_F(Blocking, calls_from_many_threads_are_safe) {
    auto const client = connect();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&client] {
            for (int j = 0; j < 50; ++j) EXPECT_EQ(client.call<int>("t"), 5);
        });
    }
    for (auto& each : threads) each.join();
}

TEST_F(Blocking, closing_ends_calls_of_other_threads) {
    auto const client = connect();
    std::thread caller([&client] {
        try {
            client.call_tool("never");
            ADD_FAILURE();
        } catch (Error const& error) {
            // The request may not have been sent yet.
            EXPECT_TRUE(error.is(Errc::shutdown) || error.is(Errc::closed)) << error.what();
        }
    });
    client.close();
    caller.join();
}

TEST_F(Blocking, the_destructor_ends_everything) {
    std::atomic<int> closed = 0;
    ClientOptions options;
    options.on_closed([&](std::optional<Error> const&) { ++closed; });
    connect(options);
    EXPECT_EQ(closed, 1);
    auto last = std::make_unique<blocking::Client>(connect(options));
    {
        auto const copy = *last;
        last.reset();
        EXPECT_TRUE(copy.is_open()) << "a copy keeps the connection";
        EXPECT_EQ(closed, 1);
    }
    EXPECT_EQ(closed, 2);
}

TEST_F(Blocking, a_handler_cannot_wait_for_itself) {
    std::promise<bool> refused;
    std::optional<blocking::Client> client;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams) {
        try {
            client->ping();
            refused.set_value(false);
        } catch (Error const& error) {
            refused.set_value(error.is(Errc::invalid_phase));
        }
    });
    client = connect(options);
    client->notify("acme/shout");
    EXPECT_TRUE(refused.get_future().get());
}

TEST_F(Blocking, a_handler_may_drop_the_last_client) {
    std::promise<void> last;
    std::promise<void> closed;
    std::optional<blocking::Client> kept;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams) {
        last.get_future().get();
        kept.reset();
    });
    options.on_closed([&](std::optional<Error> const&) { closed.set_value(); });
    {
        auto const client = connect(options);
        client.notify("acme/shout");
        kept = client;
    }
    last.set_value();
    closed.get_future().get();
}

TEST_F(Blocking, a_connection_of_another_loop_can_be_used) {
    auto [ours, theirs] = memory_pair(loop.get_executor(), loop.get_executor());
    auto const server = std::make_shared<TableServer>(std::move(theirs));
    boost::asio::co_spawn(loop, TableServer::run(server), boost::asio::detached);
    auto const client = blocking::connect(std::move(ours));
    EXPECT_EQ(client.call<int>("t"), 5);
}

TEST_F(Blocking, a_pool_is_used_like_one_client) {
    auto const table = [this] { return std::make_unique<TableConnector>(loop); };
    auto const pool = blocking::open_pool(table, PoolOptions().size(3).stateless({"t"}));
    for (int i = 0; i < 3; ++i) pool.member(static_cast<std::size_t>(i)).await_ready();
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(pool.call_tool("t").is_error);
    EXPECT_EQ((pool.call<std::string>("t", std::map<std::string, int>{{"a", 1}})), "5");
    EXPECT_EQ(pool.size(), 3U);
    for (auto const& member : pool.members()) EXPECT_GE(member.begun, 1U);
    EXPECT_EQ(pool.first().list_tools().at(0).name, "t");
    EXPECT_TRUE(pool.first().is_open()) << "whoever lets go of a member does not close it";
    EXPECT_THROW(blocking::open_pool(table, PoolOptions().size(0)), Error);
    pool.stop();
    EXPECT_THROW(pool.call_tool("t"), Error);
    pool.close();
}

TEST_F(Blocking, the_last_handle_of_a_pool_ends_everything) {
    auto const table = [this] { return std::make_unique<TableConnector>(loop); };
    auto const member = blocking::open_pool(table, PoolOptions().size(2)).member(1);
    EXPECT_FALSE(member.is_open());
}

TEST_F(Blocking, clients_have_names) {
    blocking::Connections connections;
    auto const one = connections.open("one", std::make_unique<TableConnector>(loop));
    connections.open("two", std::make_unique<TableConnector>(loop));
    EXPECT_EQ(connections.names(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(connections.get("two").call<int>("t"), 5);
    EXPECT_TRUE(connections.find("two")->is_open());
    EXPECT_FALSE(connections.find("three"));
    EXPECT_THROW(connections.get("three"), Error);
    EXPECT_THROW(connections.open("one", std::make_unique<TableConnector>(loop)), Error);
    EXPECT_TRUE(connections.remove("one"));
    EXPECT_FALSE(connections.remove("one"));
    EXPECT_THROW(one.ping(), Error);
    EXPECT_EQ(connections.size(), 1U);
    connections.stop();
    EXPECT_EQ(connections.size(), 0U);
    auto const last = connections.open("last", std::make_unique<TableConnector>(loop));
    connections.close();
    EXPECT_THROW(last.ping(), Error);
    connections.open("left", std::make_unique<TableConnector>(loop));
}

TEST_F(Blocking, an_error_of_the_connector_is_thrown) {
    class Broken final : public Connector {
        Task<std::unique_ptr<Transport>> open() override {
            throw Error(Errc::unavailable, "nobody home");
            co_return nullptr;
        }
        std::string describe() const override { return "broken"; }
    };
    EXPECT_THROW(blocking::connect(std::make_unique<Broken>()), Error);
}

}  // namespace
}  // namespace lanyard
