// Runner: runs a scenario in a child process while one call in it fails, and judges how it ended.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "torture/injector.hpp"
#include "torture/scenario.hpp"

namespace lanyard::torture {

/// How a run ended.
struct Outcome {
    /// The faults that the run has shown; empty if there is none.
    std::string fault;
    /// Whether the call has failed. The number of calls varies, so the last ones may not happen.
    bool fired = false;
    std::array<std::uint64_t, kind_count> calls{};
    double seconds = 0;
    injector::Stack failed{};  ///< the call that failed
    injector::Stack last{};    ///< where the run crashed, or where its first thread hangs
};

/// Runs the scenario in this process without a failure, so that later runs find the statics of all
/// libraries made. Throws what the scenario throws.
void warm_up(Scenario const& scenario);

/// Runs the scenario in a child process without a failure, to count its calls.
Outcome count(Scenario const& scenario);
/// Runs the scenario in a child process; the k-th call of this kind fails.
Outcome run(Scenario const& scenario, Kind kind, std::uint64_t k);

/// Whether the run is to print stacks and its log to stderr. Set by LANYARD_TORTURE.
void be_verbose() noexcept;

}  // namespace lanyard::torture
