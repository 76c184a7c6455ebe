#include "rpc/correlator.hpp"

namespace lanyard::rpc {

std::string_view to_string(Outcome outcome) noexcept {
    constexpr std::array<std::string_view, outcome_count> names{
        "answered", "failed", "timed out", "cancelled", "connection lost", "shutdown"};
    return names[static_cast<std::size_t>(outcome)];
}

}  // namespace lanyard::rpc
