// Scenarios: pieces of work with the real library, of which one system call or allocation fails.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanyard::torture {

/// Thrown if a failure has harmed something that does not depend on it. Not a std::exception, so
/// nothing takes it for the expected consequence of a failure.
struct Harm {
    std::string text;
};

/// Work that begins and ends everything that it needs. It may throw any std::exception after a call
/// has failed. Without a failed call it must not throw.
struct Scenario {
    std::string_view name;
    void (*run)();
};

/// All scenarios.
std::span<Scenario const> scenarios() noexcept;

/// Serves on stdio, as the child process of a scenario.
int serve_stdio();

}  // namespace lanyard::torture
