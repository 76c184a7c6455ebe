// Runs a Program, from one of its nodes, over an instance.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/instance.hpp"
#include "schema/program.hpp"

namespace lanyard::schema {

enum class Validity : std::uint8_t { valid, invalid, too_many_steps, too_deep };

struct SchemaOutcome {
    Validity validity;
    std::uint64_t steps;
};

/// Decides as fast as possible whether the instance is valid, without giving a reason.
SchemaOutcome decide(Program const& program, std::uint32_t root, ViewInstance const& instance);
SchemaOutcome decide(Program const& program, std::uint32_t root, JsonInstance const& instance);

/// Decides whether the instance is valid. If it is not, validates it a second time to collect the
/// errors; otherwise returns nullopt. Adds the steps of the first validation to `steps`.
std::optional<ValidationFailure> find_failure(Program const& program, std::uint32_t root,
                                              ViewInstance const& instance, std::uint64_t& steps);
std::optional<ValidationFailure> find_failure(Program const& program, std::uint32_t root,
                                              JsonInstance const& instance, std::uint64_t& steps);

}  // namespace lanyard::schema
