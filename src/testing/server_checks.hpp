// The individual checks of validate_server().
#pragma once

#include <set>
#include <span>
#include <string_view>

#include "lanyard/testing/validate_server.hpp"
#include "testing/transport_checks.hpp"

namespace lanyard::testing::checks {

/// A connection that is ready for requests.
struct Ready;

/// How a rule is checked in an era.
struct ServerCheckRuns {
    using Alone = Task<> (*)(Bench& bench);
    using Together = Task<> (*)(Ready& ready);

    Alone alone = nullptr;        ///< null: not a rule of this era
    Together together = nullptr;  ///< null: a check that passes may leave the connection changed
};

/// A rule of the protocol, and its check in the eras that have the rule.
struct ServerRule {
    std::string_view name;
    ServerCheck::Level level;
    std::string_view rule;
    ServerCheckRuns legacy{};
    ServerCheckRuns modern{};

    ServerCheckRuns const& runs(Era era) const noexcept {
        return era == Era::legacy ? legacy : modern;
    }
};

std::span<ServerRule const> server_rules() noexcept;

/// Checks the rules that can share a connection on a single one, until a check fails. Adds the
/// names of the rules that passed. Starting a server may take longer than all of these checks.
Task<> check_together(Bench& bench, Era era, std::set<std::string_view>& passed);

/// Throws Broken, with the reason, if the server does not support the era.
Task<> probe_legacy(Bench& bench);
Task<> probe_modern(Bench& bench);

}  // namespace lanyard::testing::checks
