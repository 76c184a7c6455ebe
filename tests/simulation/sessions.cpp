#include "world.hpp"
namespace lanyard::simulation {
Outcome simulate_sessions(std::uint64_t seed, bool prints) {
    return simulate_engines(seed, prints);
}
}  // namespace lanyard::simulation
