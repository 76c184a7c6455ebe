#include "schema/run_impl.hpp"

namespace lanyard::schema {

Outcome decide(Program const& program, ViewInstance const& instance) {
    return decide_impl(program, instance);
}

std::optional<ValidationFailure> find_failure(Program const& program, ViewInstance const& instance,
                                              std::uint64_t& steps) {
    return find_failure_impl(program, instance, steps);
}

}  // namespace lanyard::schema
