#include "peer/phase.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "peer/phase_rules.hpp"
#include "unit/peer/fakes.hpp"

namespace lanyard::rpc {
namespace {

using namespace test;
using ClientPhases = PhaseMachine<ClientPhase>;
using ServerPhases = PhaseMachine<ServerPhase>;

template <class Phase>
std::set<std::pair<Phase, Phase>> legal_transitions() {
    std::set<std::pair<Phase, Phase>> legal;
    for (std::size_t from = 0; from < phase_count; ++from) {
        for (std::size_t to = 0; to < phase_count; ++to) {
            auto const pair = std::pair(static_cast<Phase>(from), static_cast<Phase>(to));
            if (may_follow(pair.first, pair.second)) legal.insert(pair);
        }
    }
    return legal;
}

TEST(Phase, the_client_follows_the_documented_table) {
    using enum ClientPhase;
    std::set<std::pair<ClientPhase, ClientPhase>> const expected{{pre_initialization, initializing},
                                                                 {pre_initialization, error},
                                                                 {pre_initialization, closed},
                                                                 {initializing, initialized},
                                                                 {initializing, error},
                                                                 {initializing, closed},
                                                                 {initialized, error},
                                                                 {initialized, closed},
                                                                 {error, pre_initialization},
                                                                 {error, closed}};
    EXPECT_EQ(legal_transitions<ClientPhase>(), expected);
}

TEST(Phase, the_server_follows_the_documented_table) {
    using enum ServerPhase;
    std::set<std::pair<ServerPhase, ServerPhase>> const expected{
        {initialization, initialized}, {initialization, closed}, {initialized, ready},
        {initialized, closed},         {ready, shutting_down},   {ready, closed},
        {shutting_down, closed}};
    EXPECT_EQ(legal_transitions<ServerPhase>(), expected);
}

TEST(Phase, an_illegal_transition_is_refused_and_names_both_phases) {
    ServerPhases machine(at(0s));
    auto const refused = machine.enter(ServerPhase::ready, at(0s));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::invalid_phase));
    EXPECT_EQ(refused.error().message(), "cannot go from phase initialization to phase ready");
    EXPECT_EQ(refused.error().data(), R"({"from":"initialization","to":"ready"})");
    EXPECT_EQ(machine.phase(), ServerPhase::initialization);
    EXPECT_TRUE(machine.history().empty());
}

TEST(Phase, the_history_has_time_and_reason_of_each_transition) {
    ClientPhases machine(at(0s));
    ASSERT_TRUE(machine.enter(ClientPhase::initializing, at(1s)));
    ASSERT_TRUE(machine.enter(ClientPhase::error, at(2s), "no route"));
    auto const history = machine.history();
    ASSERT_EQ(history.size(), 2U);
    EXPECT_EQ(history[1].from, ClientPhase::initializing);
    EXPECT_EQ(history[1].to, ClientPhase::error);
    EXPECT_EQ(history[1].at, at(2s));
    EXPECT_EQ(history[1].reason, "no route");
}

TEST(Phase, the_history_keeps_the_latest_transitions) {
    ClientPhases machine(at(0s));
    for (int i = 0; i < 15; ++i) {
        ASSERT_TRUE(machine.enter(ClientPhase::error, at(2s * i)));
        ASSERT_TRUE(machine.enter(ClientPhase::pre_initialization, at(2s * i + 1s)));
    }
    auto const history = machine.history();
    ASSERT_EQ(history.size(), ClientPhases::history_limit);
    EXPECT_EQ(history.front().at, at(14s));
    EXPECT_EQ(history.back().at, at(29s));
}

TEST(Phase, observers_are_called_for_each_transition_and_may_throw) {
    ServerPhases machine(at(0s));
    std::vector<std::string> heard;
    machine.observe([](auto const&) { throw std::runtime_error("boom"); });
    machine.observe([&](ServerPhases::Transition const& t) {
        heard.push_back(std::string(to_string(t.from)) + ">" + std::string(to_string(t.to)));
    });
    ASSERT_TRUE(machine.enter(ServerPhase::initialized, at(0s)));
    ASSERT_FALSE(machine.enter(ServerPhase::initialized, at(0s)));
    ASSERT_TRUE(machine.enter(ServerPhase::closed, at(0s), "eof"));
    EXPECT_EQ(heard,
              (std::vector<std::string>{"initialization>initialized", "initialized>closed"}));
}

TEST(Phase, a_client_calls_its_observers_and_names_both_phases_in_a_refusal) {
    ClientPhases machine(at(0s), 1s);
    int heard = 0;
    machine.observe([](auto const&) { throw 1; });
    machine.observe([&](auto const&) { ++heard; });
    ASSERT_TRUE(machine.enter(ClientPhase::initializing, at(0s)));
    EXPECT_EQ(machine.enter(ClientPhase::pre_initialization, at(0s)).error().message(),
              "cannot go from phase initializing to phase pre_initialization");
    EXPECT_TRUE(machine.expire(at(1s)));
    EXPECT_EQ(heard, 2);
}

TEST(Phase, an_observer_may_cause_transitions_and_add_observers) {
    ServerPhases machine(at(0s));
    int late = 0;
    machine.observe([&](ServerPhases::Transition const& t) {
        if (t.to != ServerPhase::initialized) return;
        for (int i = 0; i < 8; ++i) machine.observe([&](auto const&) { ++late; });
        EXPECT_TRUE(machine.enter(ServerPhase::ready, at(0s)));
    });
    ASSERT_TRUE(machine.enter(ServerPhase::initialized, at(0s)));
    EXPECT_EQ(machine.phase(), ServerPhase::ready);
    EXPECT_GE(late, 8);
}

TEST(Phase, a_client_has_ten_seconds_for_the_handshake) {
    ClientPhases machine(at(0s));
    EXPECT_EQ(machine.initialization_deadline(), never);
    EXPECT_FALSE(machine.expire(at(1h)));
    ASSERT_TRUE(machine.enter(ClientPhase::initializing, at(5s)));
    EXPECT_EQ(machine.initialization_deadline(), at(15s));
    EXPECT_FALSE(machine.expire(at(15s) - 1ns));
    EXPECT_TRUE(machine.expire(at(15s)));
    EXPECT_EQ(machine.phase(), ClientPhase::error);
    EXPECT_EQ(machine.history().back().reason, "the initialization timed out");
    EXPECT_EQ(machine.initialization_deadline(), never);
    ASSERT_TRUE(machine.enter(ClientPhase::pre_initialization, at(20s)));
    ASSERT_TRUE(machine.enter(ClientPhase::initializing, at(20s)));
    ASSERT_TRUE(machine.enter(ClientPhase::initialized, at(29s)));
    EXPECT_FALSE(machine.expire(at(1h)));
}

TEST(Phase, a_server_is_ready_within_sixty_seconds_of_its_start) {
    ServerPhases machine(at(0s));
    EXPECT_EQ(machine.initialization_deadline(), at(60s));
    ASSERT_TRUE(machine.enter(ServerPhase::initialized, at(50s)));
    EXPECT_EQ(machine.initialization_deadline(), at(60s)) << "it runs on until ready";
    EXPECT_TRUE(machine.expire(at(60s)));
    EXPECT_EQ(machine.phase(), ServerPhase::closed);
    EXPECT_FALSE(machine.expire(at(2h)));

    ServerPhases other(at(0s), 5s);
    ASSERT_TRUE(other.enter(ServerPhase::initialized, at(1s)));
    ASSERT_TRUE(other.enter(ServerPhase::ready, at(2s)));
    EXPECT_FALSE(other.expire(at(1h)));
    EXPECT_EQ(to_string(other.phase()), "ready");
}

// Returns the verdict of the rules on one message: the name of the error, or "ok".
template <class Check, class Phase>
std::string verdict(Check check, Phase phase, std::string_view method) {
    Result<void> const result = check(phase, method);
    if (result) return "ok";
    EXPECT_NE(result.error().message().find(to_string(phase)), std::string::npos);
    for (auto [code, name] : {std::pair(Errc::not_initialized, "not_initialized"),
                              {Errc::invalid_phase, "invalid_phase"},
                              {Errc::unavailable, "unavailable"},
                              {Errc::shutdown, "shutdown"},
                              {Errc::closed, "closed"}}) {
        if (result.error().is(code)) return name;
    }
    return "?";
}

constexpr auto send_request = [](auto phase, auto method) {
    return may_send_request(phase, method);
};
constexpr auto take_request = [](auto phase, auto method) {
    return may_take_request(phase, method);
};
constexpr auto send_note = [](auto phase, auto method) {
    return may_send_notification(phase, method);
};
constexpr auto take_note = [](auto phase, auto method) {
    return may_take_notification(phase, method);
};

TEST(Rule, L06_a_client_sends_only_initialize_and_ping_before_the_answer) {
    using enum ClientPhase;
    EXPECT_EQ(verdict(send_request, pre_initialization, "initialize"), "ok");
    EXPECT_EQ(verdict(send_request, pre_initialization, "ping"), "ok");
    EXPECT_EQ(verdict(send_request, pre_initialization, "tools/list"), "not_initialized");
    EXPECT_EQ(verdict(send_request, initializing, "ping"), "ok");
    EXPECT_EQ(verdict(send_request, initializing, "tools/list"), "not_initialized");
    EXPECT_EQ(verdict(send_request, initializing, "initialize"), "invalid_phase");
    EXPECT_EQ(verdict(send_request, initialized, "tools/list"), "ok");
    EXPECT_EQ(verdict(send_request, initialized, "initialize"), "invalid_phase");
    EXPECT_EQ(verdict(send_request, error, "ping"), "unavailable");
    EXPECT_EQ(verdict(send_request, closed, "ping"), "closed");
}

TEST(Rule, L05_a_client_confirms_the_handshake_before_anything_else) {
    using enum ClientPhase;
    EXPECT_EQ(verdict(send_note, pre_initialization, "notifications/initialized"),
              "not_initialized");
    EXPECT_EQ(verdict(send_note, pre_initialization, "notifications/cancelled"), "ok");
    EXPECT_EQ(verdict(send_note, initializing, "notifications/initialized"), "ok");
    EXPECT_EQ(verdict(send_note, initializing, "notifications/cancelled"), "ok");
    EXPECT_EQ(verdict(send_note, initializing, "notifications/roots/list_changed"),
              "not_initialized");
    EXPECT_EQ(verdict(send_note, initialized, "notifications/roots/list_changed"), "ok");
    EXPECT_EQ(verdict(send_note, closed, "notifications/cancelled"), "closed");
}

TEST(Rule, L07_a_server_sends_only_ping_and_logs_before_it_is_ready) {
    using enum ServerPhase;
    for (auto phase : {initialization, initialized}) {
        EXPECT_EQ(verdict(send_request, phase, "ping"), "ok");
        EXPECT_EQ(verdict(send_request, phase, "roots/list"), "not_initialized");
        EXPECT_EQ(verdict(send_note, phase, "notifications/message"), "ok");
        EXPECT_EQ(verdict(send_note, phase, "notifications/cancelled"), "ok");
        EXPECT_EQ(verdict(send_note, phase, "notifications/tools/list_changed"), "not_initialized");
    }
    EXPECT_EQ(verdict(send_request, ready, "roots/list"), "ok");
    EXPECT_EQ(verdict(send_note, ready, "notifications/tools/list_changed"), "ok");
    EXPECT_EQ(verdict(send_request, shutting_down, "roots/list"), "ok");
    EXPECT_EQ(verdict(send_request, closed, "ping"), "closed");
}

TEST(Rule, L02_a_server_accepts_only_initialize_and_ping_at_first) {
    using enum ServerPhase;
    EXPECT_EQ(verdict(take_request, initialization, "initialize"), "ok");
    EXPECT_EQ(verdict(take_request, initialization, "tools/list"), "not_initialized");
    EXPECT_EQ(verdict(take_request, initialized, "tools/list"), "ok");
    EXPECT_EQ(verdict(take_request, ready, "tools/list"), "ok");
    EXPECT_EQ(verdict(take_request, shutting_down, "tools/list"), "shutdown");
    EXPECT_EQ(verdict(take_request, closed, "tools/list"), "closed");
    EXPECT_EQ(verdict(take_note, initialization, "notifications/initialized"), "not_initialized");
    EXPECT_EQ(verdict(take_note, initialization, "notifications/cancelled"), "ok");
    EXPECT_EQ(verdict(take_note, initialized, "notifications/initialized"), "ok");
    EXPECT_EQ(verdict(take_note, ready, "notifications/initialized"), "ok");
}

TEST(Phase, a_server_accepts_initialize_again_until_it_shuts_down) {
    using enum ServerPhase;
    EXPECT_EQ(verdict(take_request, initialized, "initialize"), "ok");
    EXPECT_EQ(verdict(take_request, ready, "initialize"), "ok");
    EXPECT_EQ(verdict(take_request, shutting_down, "initialize"), "shutdown");
    EXPECT_EQ(verdict(take_request, closed, "initialize"), "closed");
    EXPECT_EQ(verdict(send_request, ready, "initialize"), "invalid_phase");
}

TEST(Rule, P01_ping_is_accepted_in_every_open_phase) {
    for (auto phase : {ServerPhase::initialization, ServerPhase::initialized, ServerPhase::ready,
                       ServerPhase::shutting_down}) {
        EXPECT_EQ(verdict(take_request, phase, "ping"), "ok");
    }
    for (auto phase :
         {ClientPhase::pre_initialization, ClientPhase::initializing, ClientPhase::initialized}) {
        EXPECT_EQ(verdict(take_request, phase, "ping"), "ok");
    }
}

TEST(Phase, a_client_accepts_only_ping_and_logs_before_it_is_initialized) {
    using enum ClientPhase;
    EXPECT_EQ(verdict(take_request, initializing, "roots/list"), "not_initialized");
    EXPECT_EQ(verdict(take_request, initialized, "roots/list"), "ok");
    EXPECT_EQ(verdict(take_note, initializing, "notifications/message"), "ok");
    EXPECT_EQ(verdict(take_note, initializing, "notifications/tools/list_changed"),
              "not_initialized");
    EXPECT_EQ(verdict(take_note, initialized, "notifications/tools/list_changed"), "ok");
    EXPECT_EQ(verdict(take_note, error, "notifications/message"), "unavailable");
}

}  // namespace
}  // namespace lanyard::rpc
