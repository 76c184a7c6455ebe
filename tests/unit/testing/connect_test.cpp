#include "lanyard/testing/connect.hpp"

#include <gtest/gtest.h>

#include "lanyard/client.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "support/run_task.hpp"

namespace lanyard::testing {

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

struct Confirm {
    bool really;
};
LANYARD_STRUCT(Confirm, (really, "Whether to go on"))

namespace {

using namespace std::chrono_literals;

Task<std::string> greet(Greet in, Context& context) {
    auto const sure = co_await context.elicit<Confirm>("sure", "Greet " + in.name + "?");
    if (!sure || !sure->really) throw ToolError("the user declined");
    co_return "Hello, " + in.name + "!";
}

ElicitResult accept(ElicitFormParams const&) {
    ElicitResult result;
    result.action = ElicitAction::accept;
    JsonObject content;
    content["really"] = true;
    result.content = std::move(content);
    return result;
}

TEST(Connect, one_handler_serves_clients_of_both_eras) {
    for (auto const era : {Era::legacy, Era::modern}) {
        boost::asio::io_context context;
        Server server("greeter", "1.0.0");
        server.tool("greet", "Greets, if the user agrees", greet);
        auto const talk = [&]() -> Task<> {
            ClientOptions options("tester", "1");
            options.on_elicitation(accept);
            auto const client = co_await connect(server, era, options);
            EXPECT_EQ(era_of(client.version()), era);
            EXPECT_EQ(client.server_info().name, "greeter");
            Greet ada;
            ada.name = "Ada";
            auto const text = co_await client.call<std::string>("greet", ada);
            EXPECT_EQ(text, "Hello, Ada!");
        };
        test::run_task(context, talk());
    }
}

TEST(Connect, a_revision_can_be_chosen) {
    boost::asio::io_context context;
    Server server("greeter", "1.0.0");
    auto const talk = [&]() -> Task<> {
        for (auto const version : all_versions) {
            auto const client = co_await connect(server, version);
            EXPECT_EQ(client.version(), version);
        }
    };
    test::run_task(context, talk());
}

TEST(Connect, dropping_the_event_loop_releases_the_server) {
    auto kept = std::make_shared<std::string>("kept by the handler");
    std::weak_ptr<std::string> const alive = kept;
    {
        boost::asio::io_context context;
        Server server("greeter", "1.0.0");
        server.tool("tell", "Tells", [kept = std::move(kept)] { return *kept; });
        std::optional<Client> client;
        auto const talk = [&]() -> Task<> {
            client = co_await connect(server, Era::legacy);
            context.stop();  // while the session is open
        };
        test::run_task(context, talk());
        EXPECT_TRUE(client->is_open());
    }
    EXPECT_TRUE(alive.expired());
}

TEST(Connect, time_can_be_advanced_manually) {
    boost::asio::io_context context;
    FakeTime time;
    ServerOptions server_options;
    server_options.time(time);
    Server server("sleeper", "1.0.0", server_options);
    auto const sleep = [&time]() -> Task<> { co_await sleep_for(time, 1h); };
    server.tool("sleep", "Takes an hour", sleep);
    std::string outcome;
    auto const talk = [&]() -> Task<> {
        ClientOptions options;
        options.time(time);
        auto const client = co_await connect(server, Era::modern, options);
        JsonObject const nothing;
        try {
            co_await client.call_tool("sleep", nothing);
            outcome = "it woke up";
        } catch (Error const& error) {
            outcome = error.what();
        }
    };
    boost::asio::co_spawn(context, talk(), [](std::exception_ptr e) { EXPECT_FALSE(e); });
    context.poll();
    EXPECT_EQ(outcome, "");
    time.advance(30s);
    context.restart();
    context.poll();
    EXPECT_EQ(outcome, "timeout: no answer in time");
}

}  // namespace
}  // namespace lanyard::testing
