// Pseudo-random numbers that depend only on a seed.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "lanyard/clock.hpp"

namespace lanyard::simulation {

/// A pseudo-random sequence (SplitMix64): the same seed gives the same numbers everywhere.
class Dice {
public:
    explicit Dice(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t bits() noexcept {
        state_ += 0x9e3779b97f4a7c15ULL;
        auto mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31U);
    }
    /// A number in [0, bound).
    std::uint64_t below(std::uint64_t bound) noexcept { return bits() % bound; }
    /// A number in [first, last].
    std::uint64_t between(std::uint64_t first, std::uint64_t last) noexcept {
        return first + below(last - first + 1);
    }
    bool percent(std::uint64_t chance) noexcept { return below(100) < chance; }
    /// A duration shorter than this.
    Duration up_to(Duration most) noexcept {
        return Duration(static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most.count()))));
    }

private:
    std::uint64_t state_;
};

/// The library's source of randomness, determined by the seed.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) noexcept : dice_(seed) {}

    void fill(std::span<std::byte> bytes) override {
        for (auto& byte : bytes) byte = static_cast<std::byte>(dice_.bits());
    }

private:
    Dice dice_;
};

}  // namespace lanyard::simulation
