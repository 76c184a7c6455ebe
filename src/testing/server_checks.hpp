// The individual checks of validate_server().
#pragma once

#include <span>
#include <string_view>

#include "lanyard/testing/validate_server.hpp"
#include "testing/transport_checks.hpp"

namespace lanyard::testing::checks {

/// A rule of the protocol, with one check for each era that has the rule.
struct ServerRule {
    using Run = Task<> (*)(Bench& bench);

    std::string_view name;
    ServerCheck::Level level;
    std::string_view rule;
    Run legacy = nullptr;  ///< null if this era does not have the rule
    Run modern = nullptr;
};

std::span<ServerRule const> server_rules() noexcept;

/// Throws Broken, with the reason, if the server does not support the era.
Task<> probe_legacy(Bench& bench);
Task<> probe_modern(Bench& bench);

}  // namespace lanyard::testing::checks
