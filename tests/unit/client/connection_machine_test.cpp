// Every event in every state, the waits between attempts, and the events that end a wait.
#include "client/session/connection_machine.hpp"

#include <array>
#include <functional>

#include <gtest/gtest.h>

#include "unit/peer/fakes.hpp"

namespace lanyard::client {
namespace {

using rpc::test::at;
using rpc::test::FixedRandom;
using namespace std::chrono_literals;
using enum ConnectionState;

constexpr std::array all_states{starting, initializing, ready, backoff, closing, closed, failed};
static_assert(all_states.size() == connection_state_count);

class Machine : public ::testing::Test {
protected:
    ConnectionMachine make(ReconnectOptions const& options = {}) { return {options, middle_}; }

    // Returns a machine that has reached the state by the shortest path.
    ConnectionMachine in(ConnectionState state) {
        auto machine = make(state == failed ? ReconnectOptions::off() : ReconnectOptions());
        if (state == initializing || state == ready) machine.opened();
        if (state == ready) machine.established(at(0s));
        if (state == backoff || state == failed) machine.lost(at(0s));
        if (state == closing || state == closed) machine.close();
        if (state == closed) machine.released();
        EXPECT_EQ(machine.state(), state);
        return machine;
    }

    FixedRandom middle_{0.5};  // no jitter
};

using Event = std::function<bool(ConnectionMachine&)>;

struct Row {
    char const* event;
    Event apply;
    // The state that follows from each state, in the order of the enumeration.
    std::array<ConnectionState, connection_state_count> then;
};

// The table of docs/design/connection.md.
std::array<Row, 6> const table{{
    {"opened",
     [](ConnectionMachine& machine) { return machine.opened(); },
     {initializing, initializing, ready, backoff, closing, closed, failed}},
    {"established",
     [](ConnectionMachine& machine) { return machine.established(at(0s)); },
     {starting, ready, ready, backoff, closing, closed, failed}},
    {"lost",
     [](ConnectionMachine& machine) { return machine.lost(at(0s)); },
     {backoff, backoff, backoff, backoff, closing, closed, failed}},
    {"time",
     [](ConnectionMachine& machine) { return machine.on_time(at(1h)); },
     {starting, initializing, ready, starting, closing, closed, failed}},
    {"close",
     [](ConnectionMachine& machine) { return machine.close(); },
     {closing, closing, closing, closing, closing, closed, failed}},
    {"released",
     [](ConnectionMachine& machine) { return machine.released(); },
     {starting, initializing, ready, backoff, closed, closed, failed}},
}};

TEST_F(Machine, every_event_in_every_state_follows_the_table) {
    for (auto const& row : table) {
        for (auto const state : all_states) {
            auto machine = in(state);
            auto const then = row.then[static_cast<std::size_t>(state)];
            EXPECT_EQ(row.apply(machine), then != state) << row.event << " in " << to_string(state);
            EXPECT_EQ(machine.state(), then) << row.event << " in " << to_string(state);
        }
    }
}

TEST_F(Machine, closed_and_failed_are_the_only_final_states) {
    for (auto const state : all_states) {
        bool const ended = state == closed || state == failed;
        EXPECT_EQ(in(state).has_ended(), ended) << to_string(state);
        bool const hope = state == starting || state == initializing || state == backoff;
        EXPECT_EQ(in(state).may_become_ready(), hope) << to_string(state);
    }
}

TEST_F(Machine, without_reconnecting_a_lost_connection_is_final) {
    for (int steps = 0; steps < 3; ++steps) {
        auto machine = make(ReconnectOptions::off());
        if (steps > 0) machine.opened();
        if (steps > 1) machine.established(at(0s));
        EXPECT_TRUE(machine.lost(at(0s)));
        EXPECT_EQ(machine.state(), failed);
        EXPECT_FALSE(machine.has_given_up());
        EXPECT_EQ(machine.next_attempt(), never);
    }
}

TEST_F(Machine, waits_double_from_one_second_to_thirty) {
    auto machine = make();
    TimePoint now = at(0s);
    for (auto const wait : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
        ASSERT_TRUE(machine.lost(now));
        EXPECT_EQ(machine.next_attempt() - now, wait);
        EXPECT_FALSE(machine.on_time(machine.next_attempt() - 1ns));
        now = machine.next_attempt();
        EXPECT_TRUE(machine.on_time(now));
        EXPECT_EQ(machine.next_attempt(), never);
    }
}

TEST_F(Machine, waits_are_spread_by_a_fifth) {
    FixedRandom low(0);
    FixedRandom high(0x1.fffffffffffffp-1);
    ConnectionMachine soon(ReconnectOptions(), low);
    ConnectionMachine late(ReconnectOptions(), high);
    soon.lost(at(0s));
    late.lost(at(0s));
    EXPECT_EQ(soon.next_attempt(), at(800ms));  // shorter than the first interval
    EXPECT_NEAR(std::chrono::duration<double>(late.next_attempt() - at(0s)).count(), 1.2, 1e-6);
    ConnectionMachine exact(ReconnectOptions().jitter(0), low);
    exact.lost(at(0s));
    EXPECT_EQ(exact.next_attempt(), at(1s));
}

TEST_F(Machine, no_wait_is_longer_than_the_longest) {
    FixedRandom high(0x1.fffffffffffffp-1);
    ConnectionMachine machine(ReconnectOptions().interval(1s, 2s), high);
    TimePoint now = at(0s);
    std::vector<Duration> waits;
    for (int i = 0; i < 3; ++i) {
        machine.lost(now);
        waits.push_back(machine.next_attempt() - now);
        now = machine.next_attempt();
        machine.on_time(now);
    }
    EXPECT_GT(waits[0], 1s);
    EXPECT_EQ(waits[1], 2s);
    EXPECT_EQ(waits[2], 2s);
    EXPECT_EQ(machine.longest_wait(), 2s);
}

TEST_F(Machine, a_renewal_is_due_at_once_and_is_no_failed_attempt) {
    ConnectionMachine machine(ReconnectOptions().max_attempts(1), middle_);
    EXPECT_FALSE(machine.renewed(at(0s)));
    machine.opened();
    machine.established(at(0s));
    EXPECT_TRUE(machine.renewed(at(1s)));
    EXPECT_EQ(machine.state(), ConnectionState::backoff);
    EXPECT_EQ(machine.next_attempt(), at(1s));
    EXPECT_TRUE(machine.on_time(at(1s)));
    machine.opened();
    machine.established(at(1s));
    machine.lost(at(2s));
    EXPECT_EQ(machine.state(), ConnectionState::backoff) << "the only attempt is still available";
    ConnectionMachine open_transport(ReconnectOptions(), middle_);
    open_transport.never_reconnect();
    open_transport.opened();
    open_transport.established(at(0s));
    EXPECT_FALSE(open_transport.renewed(at(1s)));
}

// Goes from `backoff` to `ready`, and returns the time.
TimePoint recover(ConnectionMachine& machine) {
    auto const now = machine.next_attempt();
    EXPECT_TRUE(machine.on_time(now));
    EXPECT_TRUE(machine.opened());
    EXPECT_TRUE(machine.established(now));
    return now;
}

TEST_F(Machine, only_a_connection_that_has_lasted_makes_the_waits_short_again) {
    auto machine = make();
    machine.lost(at(0s));
    auto now = recover(machine);
    now += 30s - 1ns;
    machine.lost(now);
    EXPECT_EQ(machine.next_attempt() - now, 2s);
    now = recover(machine) + 30s;
    machine.lost(now);
    EXPECT_EQ(machine.next_attempt() - now, 1s);
    EXPECT_EQ(machine.connect_count(), 2u);
}

TEST_F(Machine, attempts_can_be_limited) {
    auto machine = make(ReconnectOptions().max_attempts(2));
    machine.lost(at(0s));
    machine.on_time(at(1h));
    machine.lost(at(1h));
    EXPECT_EQ(machine.state(), backoff);
    machine.on_time(at(2h));
    EXPECT_TRUE(machine.lost(at(2h)));
    EXPECT_EQ(machine.state(), failed);
    EXPECT_TRUE(machine.has_given_up());
}

TEST_F(Machine, a_lasting_connection_resets_the_attempts) {
    auto machine = make(ReconnectOptions().max_attempts(1));
    auto now = at(0s);
    for (int i = 0; i < 5; ++i) {
        machine.lost(now);
        ASSERT_EQ(machine.state(), backoff);
        now = recover(machine) + 30s;
    }
    machine.lost(now);
    now = recover(machine) + 1s;
    machine.lost(now);
    EXPECT_EQ(machine.state(), failed);
}

// Loses the connection once a second; returns the number of losses until the state is `failed`.
int losses_until_failed(ConnectionMachine& machine, int most) {
    auto now = at(0s);
    for (int losses = 1; losses <= most; ++losses) {
        machine.lost(now);
        if (machine.state() == failed) return losses;
        EXPECT_TRUE(machine.on_time(machine.next_attempt()));
        now += 1s;
    }
    return 0;
}

TEST_F(Machine, a_server_that_is_started_may_be_started_again_five_times_in_thirty_seconds) {
    auto machine = make(ReconnectOptions().interval(1ms, 1ms));
    machine.limit_restarts();
    EXPECT_EQ(losses_until_failed(machine, 100), 6);
    EXPECT_TRUE(machine.has_given_up());
    auto free = make(ReconnectOptions().interval(1ms, 1ms));
    EXPECT_EQ(losses_until_failed(free, 100), 0);
    auto rare = make(ReconnectOptions().interval(1ms, 1ms).restart_limit(5, 5s));
    rare.limit_restarts();
    EXPECT_EQ(losses_until_failed(rare, 100), 0);
    auto never = make(ReconnectOptions().restart_limit(0, 5s));
    never.limit_restarts();
    EXPECT_EQ(losses_until_failed(never, 100), 1);
}

TEST_F(Machine, states_have_names) {
    std::array<std::string_view, connection_state_count> const names{
        "starting", "initializing", "ready", "backoff", "closing", "closed", "failed"};
    for (auto const state : all_states) {
        EXPECT_EQ(to_string(state), names[static_cast<std::size_t>(state)]);
    }
}

}  // namespace
}  // namespace lanyard::client
