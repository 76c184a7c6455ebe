// Phases and negotiation, compared with simple models.
#include <algorithm>
#include <set>

#include "peer/negotiation.hpp"
#include "peer/phase.hpp"
#include "property.hpp"

namespace lanyard::rpc {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start(1h);

// The transitions according to the feature list: each phase and its successors.
std::set<std::pair<std::string, std::string>> const legal{
    {"client pre_initialization", "initializing"},
    {"client pre_initialization", "error"},
    {"client initializing", "initialized"},
    {"client initializing", "error"},
    {"client initialized", "error"},
    {"client error", "pre_initialization"},
    {"server initialization", "initialized"},
    {"server initialized", "ready"},
    {"server ready", "shutting_down"}};

template <class Phase>
void check_phases(std::string const& side) {
    test::check_property([&side] {
        auto const script = *test::scripts(1, phase_count, 1s, 100);
        PhaseMachine<Phase> machine(start, no_limit);
        std::vector<std::string> heard;
        machine.observe([&](auto const& t) { heard.push_back(std::string(to_string(t.to))); });
        std::vector<std::string> model;
        auto now = start;
        for (auto const& step : script) {
            now += step.wait;
            auto const from = machine.phase();
            auto const to = static_cast<Phase>(step.target);
            bool const expected = (to == Phase::closed && from != Phase::closed) ||
                                  legal.contains({side + " " + std::string(to_string(from)),
                                                  std::string(to_string(to))});
            auto const entered = machine.enter(to, now);
            RC_ASSERT(entered.has_value() == expected);
            RC_ASSERT(machine.phase() == (expected ? to : from));
            if (expected) model.push_back(std::string(to_string(to)));
            if (!entered) RC_ASSERT(entered.error().is(Errc::invalid_phase));
        }
        RC_ASSERT(heard == model);
        auto const history = machine.history();
        RC_ASSERT(history.size() ==
                  std::min(model.size(), std::size_t{PhaseMachine<Phase>::history_limit}));
        for (std::size_t i = 0; i < history.size(); ++i) {
            RC_ASSERT(to_string(history[i].to) == model[model.size() - history.size() + i]);
            if (i > 0) RC_ASSERT(history[i].from == history[i - 1].to);
            if (i > 0) RC_ASSERT(history[i].at >= history[i - 1].at);
        }
    });
}

TEST(PhaseProperty, a_client_follows_its_table) {
    check_phases<ClientPhase>("client");
}

TEST(PhaseProperty, a_server_follows_its_table) {
    check_phases<ServerPhase>("server");
}

rc::Gen<std::vector<Version>> some_versions() {
    return rc::gen::container<std::vector<Version>>(
        rc::gen::elementOf(std::vector<Version>(all_versions.begin(), all_versions.end())));
}

std::optional<Version> newest_legacy(std::vector<Version> const& versions) {
    std::optional<Version> newest;
    for (auto version : versions) {
        if (version != Version::v2026_07_28 && (!newest || version > *newest)) newest = version;
    }
    return newest;
}

TEST(NegotiationProperty, client_and_server_agree_exactly_if_they_have_a_common_version) {
    test::check_property([] {
        auto const client = *some_versions();
        auto const server = *some_versions();
        auto const proposed = version_to_propose({VersionSet(client), std::nullopt});
        RC_ASSERT(proposed == newest_legacy(client));
        if (!proposed) return;
        auto const answer = answer_initialize(VersionSet(server), to_string(*proposed));
        auto const counter_offer = newest_legacy(server);
        RC_ASSERT(answer.has_value() == counter_offer.has_value());
        if (!answer) return;
        bool const supported = std::ranges::count(server, *proposed) > 0;
        RC_ASSERT(answer->version == (supported ? *proposed : *counter_offer));
        RC_ASSERT(answer->counter_offer == !supported);
        RC_ASSERT(answer->downgrade == (answer->version < *proposed));
        auto const accepted =
            accept_initialize(VersionSet(client), *proposed, to_string(answer->version));
        RC_ASSERT(accepted.has_value() == (std::ranges::count(client, answer->version) > 0));
        if (accepted) RC_ASSERT(accepted->version == answer->version);
    });
}

TEST(NegotiationProperty, any_requested_text_is_answered_with_a_supported_version) {
    test::check_property([](std::string const& requested) {
        auto const server = *rc::gen::nonEmpty(some_versions());
        auto const answer = answer_initialize(VersionSet(server), requested);
        if (answer) RC_ASSERT(std::ranges::count(server, answer->version) > 0);
        if (answer) RC_ASSERT(era_of(answer->version) == Era::legacy);
        auto const modern = check_requested_version(VersionSet(server), requested);
        RC_ASSERT(!modern.has_value());
    });
}

TEST(NegotiationProperty, a_client_chooses_the_newest_common_version_of_any_list) {
    test::check_property([](std::vector<std::string> names) {
        auto const client = *some_versions();
        auto const server = *some_versions();
        for (auto version : server) names.emplace_back(to_string(version));
        std::optional<Version> best;
        for (auto version : server) {
            if (std::ranges::count(client, version) > 0 && (!best || version > *best)) {
                best = version;
            }
        }
        auto const chosen = choose_version(VersionSet(client), names);
        RC_ASSERT(chosen.has_value() == best.has_value());
        if (best) RC_ASSERT(*chosen == *best);
    });
}

}  // namespace
}  // namespace lanyard::rpc
