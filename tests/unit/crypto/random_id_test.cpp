// Ids: unguessable with the system's random source, repeatable with an injected one.
#include "crypto/random_id.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <unordered_set>

#include "lanyard/base64.hpp"
#include "unit/crypto/scripted_random.hpp"

namespace lanyard::crypto {
namespace {

TEST(RandomId, comes_from_the_injected_source) {
    test::ScriptedRandom random("abc");
    EXPECT_EQ(random_id(random), "YWJjYWJjYWJjYWJjYWJjYWJj");
}

TEST(RandomId, is_24_characters_of_base64url) {
    auto const id = random_id(system_random());
    EXPECT_EQ(id.size(), 24U);
    EXPECT_EQ(base64::decode(id, base64::Form::url).value().size(), 18U);
}

TEST(Hardening, S13_ids_are_unique_and_evenly_random) {
    constexpr int count = 100'000;
    constexpr double bits_per_id = 144;
    std::unordered_set<std::string> seen;
    double ones = 0;
    std::array<double, 16> nibbles{};
    for (int i = 0; i < count; ++i) {
        auto const id = random_id(system_random());
        auto const bytes = base64::decode(id, base64::Form::url).value();
        for (char const c : bytes) {
            auto const byte = static_cast<unsigned char>(c);
            ones += std::popcount(byte);
            ++nibbles[byte >> 4];
            ++nibbles[byte & 15];
        }
        EXPECT_TRUE(seen.insert(id).second) << id;
    }
    // Monobit: the number of ones is within six standard deviations of one half of the bits.
    constexpr double bits = count * bits_per_id;
    EXPECT_LT(std::abs(ones - bits / 2), 6 * std::sqrt(bits) / 2);
    // Poker: chi-squared over the 16 nibbles, 15 degrees of freedom; P(chi-squared >= 80) < 1e-10.
    constexpr double expected = bits / 4 / 16;
    double chi_squared = 0;
    for (double const n : nibbles) chi_squared += (n - expected) * (n - expected) / expected;
    EXPECT_LT(chi_squared, 80);
}

}  // namespace
}  // namespace lanyard::crypto
