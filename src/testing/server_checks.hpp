// The individual checks of validate_server().
#pragma once

#include <set>
#include <span>
#include <string_view>

#include "lanyard/testing/validate_server.hpp"
#include "testing/transport_checks.hpp"

namespace lanyard::testing::checks {

/// A connection that is ready for requests.
struct ReadyServer;

/// The functions that check a rule in one era. `alone` opens its own connection; `together` uses a
/// connection that it shares with the checks of other rules.
struct ServerCheckRuns {
    using Alone = Task<> (*)(Bench& bench);
    using Together = Task<> (*)(ReadyServer& ready);

    Alone alone = nullptr;        ///< null if this era does not have the rule
    Together together = nullptr;  ///< null if the check may change the state of the connection
};

/// A rule of the protocol, with its checks in the eras that have the rule.
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

/// Opens one connection and runs on it all checks that can share a connection, until a check fails.
/// Adds the names of the fulfilled rules to `passed`. Sharing the connection saves time if starting
/// a server takes long.
Task<> check_together(Bench& bench, Era era, std::set<std::string_view>& passed);

/// Throws Broken, with the reason, if the server does not support the era.
Task<> probe_legacy(Bench& bench);
Task<> probe_modern(Bench& bench);

}  // namespace lanyard::testing::checks
