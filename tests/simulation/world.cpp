#include "world.hpp"

#include <iostream>

namespace lanyard::simulation {

namespace {

constexpr std::uint64_t prime = 0x100000001b3ULL;

}  // namespace

void Trace::add(TimePoint now, std::string_view who, std::string_view what, std::string_view text) {
    auto const mix = [this](std::uint64_t value) { hash_ = (hash_ ^ value) * prime; };
    mix(static_cast<std::uint64_t>(now.time_since_epoch().count()));
    for (auto const part : {who, what, text}) {
        for (char const character : part) mix(static_cast<unsigned char>(character));
        mix(0x100);
    }
    if (!prints_) return;
    auto const since = now.time_since_epoch() - std::chrono::hours(1);
    std::cout << std::chrono::duration_cast<std::chrono::microseconds>(since).count() << " us  "
              << who << "  " << what << "  " << text << '\n';
}

}  // namespace lanyard::simulation
