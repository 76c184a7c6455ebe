// The complete class template Run, and the two functions that use it.
#pragma once

#include "schema/run_applicators.hpp"
#include "schema/run_containers.hpp"
#include "schema/run_impl.hpp"
#include "schema/run_values.hpp"

namespace lanyard::schema {

template <class Instance>
SchemaOutcome decide_instance(Program const& program, std::uint32_t root,
                              Instance const& instance) {
    Run<Instance, false> run(program);
    auto const validity = run.run(root, instance);
    return {validity, run.steps()};
}

template <class Instance>
std::optional<ValidationFailure> find_failure_in(Program const& program, std::uint32_t root,
                                                 Instance const& instance, std::uint64_t& steps) {
    auto const outcome = decide_instance(program, root, instance);
    steps += outcome.steps;
    if (outcome.validity == Validity::valid) return std::nullopt;
    auto const failure = [&](ValidationFailure::Reason reason, std::string message) {
        SchemaNode const& node = program.nodes[root];
        return ValidationFailure(
            reason, {{{}, program.location(node.resource, node.place), {}, std::move(message)}});
    };
    using Reason = ValidationFailure::Reason;
    if (outcome.validity == Validity::too_many_steps) {
        return failure(Reason::too_many_steps, "validation takes more than " +
                                                   std::to_string(program.max_steps) + " steps");
    }
    if (outcome.validity == Validity::too_deep) {
        return failure(Reason::too_deep, "validation is nested more than " +
                                             std::to_string(program.max_recursion) +
                                             " levels deep");
    }
    Run<Instance, true> run(program);
    run.run(root, instance);
    auto errors = run.take_errors();
    // Collecting errors takes more steps than deciding. So the step limit may have been reached
    // before the first error was collected.
    if (errors.empty()) return failure(Reason::invalid, "does not match the schema");
    return ValidationFailure(Reason::invalid, std::move(errors));
}

}  // namespace lanyard::schema
