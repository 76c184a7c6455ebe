// Runs a Program, from one of its nodes, over an instance.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/instance.hpp"
#include "schema/program.hpp"

namespace lanyard::schema {

enum class Verdict : std::uint8_t { valid, invalid, too_many_steps, too_deep };

struct Outcome {
    Verdict verdict;
    std::uint64_t steps;
};

/// Decides as fast as it can, without saying why.
Outcome decide(Program const& program, std::uint32_t root, ViewInstance const& instance);
Outcome decide(Program const& program, std::uint32_t root, JsonInstance const& instance);

/// Decides and, where the instance is not valid, looks a second time to say why. Adds the steps of
/// the decision.
std::optional<ValidationFailure> find_failure(Program const& program, std::uint32_t root,
                                              ViewInstance const& instance, std::uint64_t& steps);
std::optional<ValidationFailure> find_failure(Program const& program, std::uint32_t root,
                                              JsonInstance const& instance, std::uint64_t& steps);

}  // namespace lanyard::schema
