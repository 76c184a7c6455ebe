// Snippets of docs/testing.md.
#include <lanyard/client.hpp>
#include <lanyard/server.hpp>
#include <lanyard/testing/connect.hpp>
#include <lanyard/testing/failing_transport.hpp>
#include <lanyard/testing/fake_time.hpp>
#include <lanyard/testing/scripted_peer.hpp>
#include <lanyard/testing/validate_transport.hpp>
#include <lanyard/transport/memory.hpp>

#include <iostream>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

using namespace std::chrono_literals;

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

namespace {

void expect(bool holds) {
    if (!holds) throw std::runtime_error("a snippet does not do what its page promises");
}

// [server]
void add_tools(lanyard::Server& server) {
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });
}

lanyard::Task<> greets() {
    for (auto const era : {lanyard::Era::legacy, lanyard::Era::modern}) {
        lanyard::Server server("greeter", "1.0.0");
        add_tools(server);
        auto const client = co_await lanyard::testing::connect(server, era);
        Greet ada;
        ada.name = "Ada";
        auto const text = co_await client.call<std::string>("greet", ada);
        expect(text == "Hello, Ada!");
    }
}
// [/server]

// [time]
void gives_up_after_half_a_minute() {
    boost::asio::io_context loop;
    lanyard::testing::FakeTime time;
    lanyard::ServerOptions server_options;
    server_options.time(time);
    lanyard::Server server("sleeper", "1.0.0", server_options);
    auto const sleep = [&time]() -> lanyard::Task<> { co_await lanyard::sleep_for(time, 1h); };
    server.tool("sleep", "Takes an hour", sleep);

    bool timed_out = false;
    auto const call = [&]() -> lanyard::Task<> {
        lanyard::ClientOptions options;
        options.time(time);
        auto const client =
            co_await lanyard::testing::connect(server, lanyard::Era::modern, options);
        try {
            co_await client.call_tool("sleep");
        } catch (lanyard::Error const& error) {
            timed_out = error.is(lanyard::Errc::timeout);
        }
    };
    boost::asio::co_spawn(loop, call(), boost::asio::detached);
    loop.poll();
    time.advance(30s);
    loop.restart();
    loop.poll();
    expect(timed_out);
}
// [/time]

// [scripted]
lanyard::Task<> client_survives_a_strange_server() {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto ends = lanyard::memory_pair(executor, executor);
    lanyard::testing::ScriptedPeer server(std::move(ends.second));

    auto const client_side = [](std::unique_ptr<lanyard::Transport> end) -> lanyard::Task<> {
        lanyard::ClientOptions options;
        options.preferred_version(lanyard::Version::v2025_11_25);
        auto const client = co_await lanyard::connect(std::move(end), options);
        co_await client.ping();
    };
    boost::asio::co_spawn(executor, client_side(std::move(ends.first)), boost::asio::detached);

    auto const opening = co_await server.expect_request("initialize");
    lanyard::rpc::Response answer;
    answer.id = opening.id;
    answer.result = lanyard::Json{{"protocolVersion", "2025-11-25"},
                                  {"capabilities", lanyard::JsonObject()},
                                  {"serverInfo", {{"name", "odd"}, {"version", "1"}}}};
    co_await server.send_message(answer);
    co_await server.expect_notification("notifications/initialized");
    co_await server.send("this is not JSON");
    co_await server.expect_like(R"({"method":"ping"})");
}
// [/scripted]

// [failing]
lanyard::Task<bool> greet_over(std::shared_ptr<lanyard::testing::FaultPlan> plan) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto ends = lanyard::memory_pair(executor, executor);
    lanyard::Server server("greeter", "1.0.0");
    add_tools(server);
    boost::asio::co_spawn(executor, server.serve(std::move(ends.second)), boost::asio::detached);
    auto failing = lanyard::testing::failing_transport(std::move(ends.first), plan);
    try {
        auto const client = co_await lanyard::connect(std::move(failing));
        Greet ada;
        ada.name = "Ada";
        co_await client.call<std::string>("greet", ada);
        co_return true;
    } catch (lanyard::Error const&) {
        co_return false;
    }
}

lanyard::Task<> survives_every_failure() {
    auto const count = std::make_shared<lanyard::testing::FaultPlan>();
    bool const works = co_await greet_over(count);
    expect(works);
    auto const operations = count->operations();
    for (std::uint64_t n = 1; n <= operations; ++n) {
        auto const plan =
            std::make_shared<lanyard::testing::FaultPlan>(n, lanyard::testing::Fault::error);
        co_await greet_over(plan);
        expect(plan->has_fired());
    }
}
// [/failing]

// [validate]
lanyard::Task<> transport_keeps_its_promises() {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const make = [executor]() -> lanyard::Task<lanyard::testing::TransportPair> {
        co_return lanyard::memory_pair(executor, executor);
    };
    auto const report = co_await lanyard::testing::validate_transport(make);
    std::cout << report.to_string();
    expect(report.passed());
}
// [/validate]

lanyard::Task<> all() {
    co_await greets();
    co_await client_survives_a_strange_server();
    co_await survives_every_failure();
    co_await transport_keeps_its_promises();
}

}  // namespace

int main() {
    gives_up_after_half_a_minute();
    return lanyard::run(all());
}
