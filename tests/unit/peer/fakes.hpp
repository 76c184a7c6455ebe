// Fake time and randomness for tests of the state machines.
#pragma once

#include <cstring>
#include <span>

#include "lanyard/clock.hpp"

namespace lanyard::rpc::test {

using namespace std::chrono_literals;

/// A moment counted from an arbitrary start.
constexpr TimePoint at(Duration since_start) {
    return TimePoint(std::chrono::hours(1)) + since_start;
}

/// Random::unit() always returns the same number.
class FixedRandom final : public Random {
public:
    explicit FixedRandom(double unit) : bits_(static_cast<std::uint64_t>(unit * 0x1.0p53) << 11) {}
    void fill(std::span<std::byte> bytes) override {
        std::memcpy(bytes.data(), &bits_, bytes.size());
    }

private:
    std::uint64_t bits_;
};

}  // namespace lanyard::rpc::test
