// The single checks of validate_server().
#pragma once

#include <span>
#include <string_view>

#include "lanyard/testing/validate_server.hpp"
#include "testing/transport_checks.hpp"

namespace lanyard::testing::checks {

/// A rule of the protocol, and how it is checked in the eras it belongs to.
struct ServerRule {
    using Run = Task<> (*)(Bench& bench);

    std::string_view name;
    ServerCheck::Level level;
    std::string_view rule;
    Run legacy = nullptr;  ///< null: not a rule of this era
    Run modern = nullptr;
};

std::span<ServerRule const> server_rules() noexcept;

/// Throws Broken, with the reason, if the server does not speak the era.
Task<> probe_legacy(Bench& bench);
Task<> probe_modern(Bench& bench);

}  // namespace lanyard::testing::checks
