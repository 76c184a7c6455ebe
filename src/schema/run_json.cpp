#include "schema/run_all.hpp"

namespace lanyard::schema {

SchemaOutcome decide(Program const& program, std::uint32_t root, JsonInstance const& instance) {
    return decide_instance(program, root, instance);
}

std::optional<ValidationFailure> find_failure(Program const& program, std::uint32_t root,
                                              JsonInstance const& instance, std::uint64_t& steps) {
    return find_failure_in(program, root, instance, steps);
}

}  // namespace lanyard::schema
