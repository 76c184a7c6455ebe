// Clients by name, and pools of them.
#include "client_fixture.hpp"

#include <thread>

#include <boost/asio/this_coro.hpp>

#include "lanyard/server.hpp"
#include "unit/peer/fakes.hpp"

namespace lanyard {
namespace {

struct Empty {
    int unused = 0;
};
LANYARD_STRUCT(Empty, (unused, defaulted))

// Runs on the event loop, not in a worker.
Task<std::string> say(std::string text) {
    co_return text;
}

// Connects to a server in this process, any number of times.
class HereConnector final : public Connector {
public:
    struct Script {
        Server* server = nullptr;
        int opened = 0;
        bool refuses = false;
        Duration delay{0};
        TimeSource* time = nullptr;
        std::vector<Transport*> ends;  // the server's ends, by connection
    };

    explicit HereConnector(std::shared_ptr<Script> script) : script_(std::move(script)) {}

    Task<std::unique_ptr<Transport>> open() override {
        bool const refuses = script_->refuses;
        auto& time = *script_->time;
        if (script_->delay > 0s) co_await sleep_until(time, time.now() + script_->delay);
        if (refuses) throw Error(Errc::unavailable, "nobody listens");
        ++script_->opened;
        auto const executor = co_await boost::asio::this_coro::executor;
        auto ends = memory_pair(executor, executor);
        script_->ends.push_back(ends.second.get());
        boost::asio::co_spawn(executor, script_->server->serve(std::move(ends.second)),
                              boost::asio::detached);
        co_return std::move(ends.first);
    }
    std::string describe() const override { return "here"; }

private:
    std::shared_ptr<Script> script_;
};

// Returns the number that the test has chosen.
class ChosenRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override {
        std::memcpy(bytes.data(), &number, std::min(bytes.size(), sizeof number));
    }
    std::uint64_t number = 0;
};

class Many : public ::testing::TestWithParam<Version> {
protected:
    Many() {
        script->server = &server;
        script->time = &time;
        server.tool("who", "Says who it is", [](Empty) { return say("me"); });
        server.tool("hang", "Waits", [this](Empty, Context&) -> Task<std::string> {
            while (!released) co_await sleep_until(time, time.now() + 1s);
            co_return "done";
        });
    }
    ~Many() override {
        pool = ClientPool();
        poll();
        server.stop(0s);
        poll();
    }

    void poll() {
        context.restart();
        context.poll();
    }
    template <class T>
    Running<T> start(Task<T> task) {
        return Running<T>(context, std::move(task));
    }
    std::unique_ptr<Connector> connector() { return std::make_unique<HereConnector>(script); }
    ClientOptions options() {
        ClientOptions options;
        options.time(time).random(middle).versions({GetParam()});
        return options;
    }
    PoolOptions pool_options() { return PoolOptions().client(options()); }
    void open(PoolOptions const& wanted) {
        auto opening = start(open_pool([this] { return connector(); }, wanted));
        pool = opening.value();
        poll();
    }
    void call(std::string const& tool, int times) {
        for (int i = 0; i < times; ++i) EXPECT_FALSE(start(pool.call_tool(tool)).value().is_error);
    }
    std::vector<std::uint64_t> begun() {
        std::vector<std::uint64_t> counts;
        for (auto const& member : pool.members()) counts.push_back(member.begun);
        return counts;
    }
    static Meta stateless() {
        Meta meta;
        meta.members()["lanyard/stateless"] = true;
        return meta;
    }

    boost::asio::io_context context;
    testing::FakeTime time;
    rpc::test::FixedRandom middle{0.5};
    Server server{"many", "1", ServerOptions().time(time)};
    std::shared_ptr<HereConnector::Script> script = std::make_shared<HereConnector::Script>();
    bool released = false;
    ClientPool pool;
};

TEST_P(Many, a_registry_finds_clients_by_name) {
    Connections connections;
    auto opening = start(connections.open("one", connector(), options()));
    auto const one = opening.value();
    auto other = start(connect(connector(), options()));
    connections.add("two", other.value());
    EXPECT_EQ(connections.names(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(connections.size(), 2u);
    EXPECT_TRUE(connections.find("one")->is_open());
    EXPECT_EQ(connections.get("two").server_info().name, "many");
    EXPECT_FALSE(connections.find("three"));
    try {
        connections.get("three");
        ADD_FAILURE();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::unavailable));
    }
    EXPECT_THROW(connections.add("one", one), Error);
    EXPECT_TRUE(
        start(connections.open("one", connector(), options())).error().is(Errc::invalid_argument));
    EXPECT_TRUE(connections.remove("one"));
    EXPECT_FALSE(connections.remove("one"));
    poll();
    EXPECT_TRUE(one.is_open()) << "somebody else has it";
    connections.close();
    poll();
    EXPECT_EQ(connections.size(), 0u);
    one.close();
    poll();
}

TEST_P(Many, a_name_is_free_again_if_connecting_fails) {
    Connections connections;
    script->refuses = true;
    EXPECT_TRUE(
        start(connections.open("one", connector(), options())).error().is(Errc::unavailable));
    script->refuses = false;
    auto opening = start(connections.open("one", connector(), options()));
    EXPECT_TRUE(opening.value().is_open());
}

TEST_P(Many, a_client_removed_while_it_is_opened_belongs_to_the_caller) {
    Connections connections;
    auto opening = start(connections.open("one", connector(), options().probe_timeout(1h)));
    connections.remove("one");
    auto const client = opening.value();
    EXPECT_TRUE(client.is_open());
}

TEST_P(Many, a_name_that_is_used_again_is_not_removed_by_a_previous_failure) {
    Connections connections;
    script->delay = 1s;
    script->refuses = true;
    auto failing = start(connections.open("one", connector(), options()));
    EXPECT_TRUE(connections.remove("one"));
    script->delay = 0s;
    script->refuses = false;
    auto second = start(connections.open("one", connector(), options()));
    EXPECT_TRUE(second.value().is_open());
    time.advance(1s);
    EXPECT_TRUE(failing.error().is(Errc::unavailable));
    EXPECT_TRUE(connections.find("one"));
}

TEST_P(Many, a_registry_stops_all_clients_at_the_same_time) {
    Connections connections;
    std::vector<Running<CallToolResult>> hanging;
    for (auto const* name : {"a", "b", "c"}) {
        auto opening = start(connections.open(name, connector(), options()));
        hanging.push_back(start(opening.value().call_tool("hang")));
    }
    auto stopping = start(connections.stop(2s));
    EXPECT_EQ(connections.size(), 0u);
    EXPECT_FALSE(stopping.done());
    for (int i = 0; i < 2; ++i) {
        time.advance(1s);
        poll();
    }
    EXPECT_TRUE(stopping.value());
    for (auto& call : hanging) EXPECT_TRUE(call.error().is(Errc::shutdown));
    EXPECT_TRUE(start(Connections().stop()).value());
    released = true;
}

TEST_P(Many, a_registry_may_be_used_from_many_threads) {
    Connections connections;
    auto opening = start(connect(connector(), options()));
    auto const client = opening.value();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, name = "client" + std::to_string(i)] {
            for (int round = 0; round < 100; ++round) {
                connections.add(name, client);
                EXPECT_TRUE(connections.find(name));
                connections.names();
                EXPECT_TRUE(connections.remove(name));
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(connections.size(), 0u);
}

TEST_P(Many, a_pool_has_one_to_a_thousand_members) {
    for (auto const wrong : {std::size_t{0}, std::size_t{1001}}) {
        auto opening = start(open_pool([this] { return connector(); }, pool_options().size(wrong)));
        EXPECT_TRUE(opening.error().is(Errc::invalid_argument));
    }
    EXPECT_EQ(PoolOptions().size(), 10u);
    for (auto const right : {std::size_t{1}, std::size_t{10}, std::size_t{1000}}) {
        script->opened = 0;
        open(pool_options().size(right));
        EXPECT_EQ(script->opened, static_cast<int>(right));
        EXPECT_EQ(pool.size(), right);
        for (auto const& member : pool.members()) EXPECT_EQ(member.state, ConnectionState::ready);
        EXPECT_THROW(pool.member(right), Error);
    }
}

TEST_P(Many, a_pool_begins_with_the_minimum_and_grows_if_every_member_has_four_calls) {
    EXPECT_EQ(PoolOptions().min_size(), 1u);
    open(pool_options().stateless({"hang"}).policy(PoolPolicy::least_loaded));
    EXPECT_EQ(pool.size(), 1u);
    std::vector<Running<CallToolResult>> calls;
    auto const call_hanging = [&](int count) {
        for (int i = 0; i < count; ++i) calls.push_back(start(pool.call_tool("hang")));
        poll();
    };
    call_hanging(4);
    EXPECT_EQ(pool.size(), 1u) << "the fifth call is the first that finds every member loaded";
    call_hanging(1);
    EXPECT_EQ(pool.size(), 2u);
    call_hanging(3);
    EXPECT_EQ(pool.size(), 2u);
    EXPECT_EQ(pool.members()[1].under_way, 3u);
    call_hanging(1);
    EXPECT_EQ(pool.size(), 2u);
    call_hanging(40);
    EXPECT_EQ(pool.size(), 10u) << "the maximum";
    EXPECT_EQ(script->opened, 10);
    released = true;
    time.advance(1s);
    for (auto& call : calls) EXPECT_FALSE(call.value().is_error);
}

TEST_P(Many, calls_of_other_tools_do_not_make_a_pool_grow) {
    open(pool_options().size(1, 3).grow_at(1));
    std::vector<Running<CallToolResult>> calls;
    for (int i = 0; i < 8; ++i) calls.push_back(start(pool.call_tool("hang")));
    EXPECT_EQ(pool.size(), 1u);
    released = true;
    time.advance(1s);
    for (auto& call : calls) EXPECT_FALSE(call.value().is_error);
}

TEST_P(Many, idle_members_beyond_the_minimum_are_closed_after_60_s) {
    open(pool_options().size(2, 4).grow_at(1).stateless({"hang"}).policy(PoolPolicy::least_loaded));
    std::vector<Running<CallToolResult>> calls;
    for (int i = 0; i < 6; ++i) calls.push_back(start(pool.call_tool("hang")));
    poll();
    EXPECT_EQ(pool.size(), 4u);
    auto const third = pool.member(2);
    released = true;
    time.advance(1s);
    for (auto& call : calls) EXPECT_FALSE(call.value().is_error);
    time.advance(60s - 1ns);
    poll();
    EXPECT_EQ(pool.size(), 4u);
    time.advance(1ns);
    poll();
    EXPECT_EQ(pool.size(), 2u);
    EXPECT_TRUE(third.is_open()) << "somebody else has it";
    for (auto const& member : pool.members()) EXPECT_EQ(member.state, ConnectionState::ready);
    time.advance(10min);
    poll();
    EXPECT_EQ(pool.size(), 2u);
    EXPECT_FALSE(start(pool.call_tool("hang")).value().is_error);
}

TEST_P(Many, members_with_calls_are_kept) {
    open(pool_options().size(1, 3).grow_at(1).idle_expiry(2s).stateless({"hang"}).policy(
        PoolPolicy::least_loaded));
    std::vector<Running<CallToolResult>> calls;
    for (int i = 0; i < 5; ++i) calls.push_back(start(pool.call_tool("hang")));
    for (int i = 0; i < 10; ++i) {
        time.advance(1s);
        poll();
    }
    EXPECT_EQ(pool.size(), 3u);
    released = true;
    time.advance(1s);
    for (auto& call : calls) EXPECT_FALSE(call.value().is_error);
    time.advance(2s);
    poll();
    EXPECT_EQ(pool.size(), 1u);
}

TEST_P(Many, a_member_that_is_used_again_is_kept_for_another_60_s) {
    open(pool_options().size(1, 2).grow_at(1).stateless({"hang", "who"}));
    auto first = start(pool.call_tool("hang"));
    auto second = start(pool.call_tool("hang"));
    poll();
    ASSERT_EQ(pool.size(), 2u);
    released = true;
    time.advance(1s);
    EXPECT_FALSE(first.value().is_error);
    EXPECT_FALSE(second.value().is_error);
    time.advance(50s);
    call("who", 2);
    time.advance(59s);
    poll();
    EXPECT_EQ(pool.size(), 2u);
    time.advance(1s);
    poll();
    EXPECT_EQ(pool.size(), 1u);
}

TEST_P(Many, a_pool_whose_connector_throws_does_not_grow_and_tries_again) {
    bool throws = false;
    auto const make = [&]() -> std::unique_ptr<Connector> {
        if (throws) throw std::runtime_error("no connector");
        return connector();
    };
    auto opening = start(open_pool(make, pool_options().size(1, 2).grow_at(1).stateless({"hang"})));
    pool = opening.value();
    throws = true;
    std::vector<Running<CallToolResult>> calls;
    for (int i = 0; i < 2; ++i) calls.push_back(start(pool.call_tool("hang")));
    poll();
    EXPECT_EQ(pool.size(), 1u);
    throws = false;
    calls.push_back(start(pool.call_tool("hang")));
    poll();
    EXPECT_EQ(pool.size(), 2u);
    released = true;
    time.advance(1s);
    for (auto& call : calls) EXPECT_FALSE(call.value().is_error);
}

TEST_P(Many, options_of_a_pool_are_checked) {
    auto const message_of = [this](PoolOptions const& wrong) {
        auto const error = start(open_pool([this] { return connector(); }, wrong)).error();
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        return error.message();
    };
    EXPECT_EQ(message_of(pool_options().size(0, 3)),
              "PoolOptions::size: a pool has 1 to 1,000 members");
    EXPECT_EQ(message_of(pool_options().size(3, 2)),
              "PoolOptions::size: must be at least the minimum (3), got 2");
    EXPECT_EQ(message_of(pool_options().grow_at(0)),
              "PoolOptions::grow_at: must be at least 1, "
              "got 0");
    EXPECT_EQ(message_of(pool_options().idle_expiry(0s)),
              "PoolOptions::idle_expiry: must be more than zero, got 0 ms");
}

TEST_P(Many, a_pool_whose_server_is_unreachable_is_an_error) {
    script->refuses = true;
    auto opening = start(open_pool([this] { return connector(); }, pool_options()));
    EXPECT_TRUE(opening.error().is(Errc::unavailable));
}

TEST_P(Many, tools_stay_on_the_first_connection_unless_they_are_stateless) {
    open(pool_options().size(4));
    call("who", 8);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{8, 0, 0, 0}));
    open(pool_options().size(4).stateless({"who"}));
    call("who", 8);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{2, 2, 2, 2}));
    open(pool_options().size(4).stateless({"who"}).stateful({"who"}));
    call("who", 8);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{8, 0, 0, 0}));
    Empty const nothing;
    EXPECT_NO_THROW(start(pool.call<std::string>("who", nothing)).value());
}

TEST_P(Many, the_server_may_mark_tools_as_stateless_and_remove_the_mark) {
    ToolOptions marked;
    marked.meta(stateless());
    server.tool("free", "Keeps nothing", [](Empty) { return say("free"); }, marked);
    int changes = 0;
    auto wanted = pool_options().size(2);
    wanted.client(options().on_list_changed([&](ListKind) { ++changes; }));
    open(wanted);
    call("free", 4);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{2, 2}));
    server.remove_tool("free");
    server.tool("free", "Keeps something", [](Empty) { return say("free"); });
    for (int i = 0; i < 3; ++i) {
        time.advance(100ms);
        poll();
    }
    EXPECT_GE(changes, 1);
    call("free", 4);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{6, 2}));
}

TEST_P(Many, the_key_that_marks_stateless_tools_can_be_chosen) {
    Meta meta;
    meta.members()["example.com/free"] = true;
    server.tool("free", "", [](Empty) { return say("free"); }, ToolOptions().meta(meta));
    server.tool("marked", "", [](Empty) { return say("marked"); }, ToolOptions().meta(stateless()));
    open(pool_options().size(2).stateless_key("example.com/free"));
    call("free", 4);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{2, 2}));
    call("marked", 4);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{6, 2}));
}

TEST_P(Many, the_least_loaded_member_gets_the_next_call) {
    open(pool_options().size(3).policy(PoolPolicy::least_loaded).stateless({"who", "hang"}));
    auto first = start(pool.call_tool("hang"));
    auto second = start(pool.call_tool("hang"));
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{1, 1, 0}));
    call("who", 3);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{1, 1, 3}));
    EXPECT_EQ(pool.members()[0].under_way, 1u);
    released = true;
    time.advance(1s);
    EXPECT_FALSE(first.value().is_error);
    EXPECT_FALSE(second.value().is_error);
    EXPECT_EQ(pool.members()[0].under_way, 0u);
}

TEST_P(Many, a_random_member_gets_the_next_call) {
    ChosenRandom random;
    auto wanted = pool_options().size(4).policy(PoolPolicy::random).stateless({"who"});
    open(wanted.client(options().random(random)));
    for (std::uint64_t const number : {2U, 7U, 2U, 0U, 6U}) {
        random.number = number;
        call("who", 1);
    }
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{1, 0, 3, 1}));
    // If the chosen member is disconnected, the next one gets the call.
    script->refuses = true;
    script->ends[2]->close();
    poll();
    call("who", 1);
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{1, 0, 3, 2}));
    pool.close();
    poll();
}

TEST_P(Many, a_disconnected_member_gets_no_calls_until_it_is_ready_again) {
    open(pool_options().size(3).stateless({"who"}));
    script->refuses = true;
    script->ends[1]->close();
    poll();
    EXPECT_EQ(pool.members()[1].state, ConnectionState::backoff);
    call("who", 6);
    auto const while_down = begun();
    EXPECT_EQ(while_down[1], 0u);
    script->refuses = false;
    time.advance(1s);
    poll();
    EXPECT_EQ(pool.members()[1].state, ConnectionState::ready);
    call("who", 6);
    EXPECT_GT(begun()[1], 0u);
}

TEST_P(Many, a_call_fails_or_waits_if_no_member_is_ready) {
    open(pool_options().size(2).stateless({"who"}));
    for (auto* const end : script->ends) end->close();
    poll();
    EXPECT_TRUE(start(pool.call_tool("who")).error().is(Errc::unavailable));
    auto waiting = start(pool.call_tool("who", {}, CallOptions().wait_until_ready(true)));
    EXPECT_FALSE(waiting.done());
    time.advance(2s);
    EXPECT_FALSE(waiting.value().is_error);
}

TEST_P(Many, a_failed_member_is_replaced_at_once_but_not_repeatedly) {
    auto wanted = pool_options().size(2).stateless({"who"});
    wanted.client(options().reconnect(ReconnectOptions().max_attempts(0)));
    open(wanted);
    script->ends[1]->close();
    poll();
    EXPECT_EQ(pool.members()[1].state, ConnectionState::ready);
    EXPECT_EQ(script->opened, 3);
    // Its successor closes soon after and is not replaced before the longest wait is over.
    script->ends[2]->close();
    poll();
    EXPECT_EQ(pool.members()[1].state, ConnectionState::failed);
    call("who", 3);
    EXPECT_EQ(pool.members()[0].state, ConnectionState::ready);
    time.advance(30s - 1ns);
    poll();
    EXPECT_EQ(pool.members()[1].state, ConnectionState::failed);
    EXPECT_EQ(script->opened, 3);
    time.advance(1ns);
    poll();
    EXPECT_EQ(pool.members()[1].state, ConnectionState::ready);
    call("who", 4);
    EXPECT_GE(begun()[1], 2u);
}

TEST_P(Many, the_first_member_can_be_replaced) {
    auto wanted = pool_options().size(2);
    wanted.client(options().reconnect(ReconnectOptions::off()));
    open(wanted);
    script->ends[0]->close();
    poll();
    EXPECT_TRUE(pool.first().is_open());
    call("who", 2);
}

TEST_P(Many, closing_a_pool_closes_its_members_for_good) {
    open(pool_options().size(3).stateless({"who"}));
    auto hanging = start(pool.call_tool("hang"));
    pool.close();
    poll();
    EXPECT_TRUE(hanging.error().is(Errc::shutdown));
    for (auto const& member : pool.members()) EXPECT_EQ(member.state, ConnectionState::closed);
    EXPECT_TRUE(start(pool.call_tool("who")).error().is(Errc::closed));
    EXPECT_TRUE(start(pool.stop()).value());
    EXPECT_EQ(script->opened, 3);
    released = true;
}

TEST_P(Many, the_last_handle_of_a_pool_closes_it_even_with_pending_calls) {
    open(pool_options().size(3));
    auto hanging = start(pool.call_tool("hang"));
    auto copy = pool;
    pool = ClientPool();
    poll();
    EXPECT_FALSE(hanging.done());
    copy = ClientPool();
    EXPECT_TRUE(hanging.error().is(Errc::shutdown));
    released = true;
}

TEST_P(Many, stopping_a_pool_completes_pending_calls) {
    open(pool_options().size(3));
    auto hanging = start(pool.call_tool("hang"));
    auto stopping = start(pool.stop(10s));
    EXPECT_FALSE(stopping.done());
    released = true;
    time.advance(1s);
    poll();
    EXPECT_FALSE(hanging.value().is_error);
    EXPECT_TRUE(stopping.value());
}

TEST(Pool, a_pool_that_was_never_opened_has_no_members) {
    ClientPool const pool;
    EXPECT_EQ(pool.size(), 0u);
    EXPECT_TRUE(pool.members().empty());
    EXPECT_THROW(pool.first(), Error);
    EXPECT_THROW(static_cast<void>(pool.call_tool("a")), Error);
    EXPECT_THROW(static_cast<void>(pool.stop()), Error);
    pool.close();
}

INSTANTIATE_TEST_SUITE_P(Versions, Many,
                         ::testing::Values(Version::v2025_11_25, Version::v2026_07_28), name_of);

}  // namespace
}  // namespace lanyard
