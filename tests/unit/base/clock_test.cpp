// Clock and Random: the system's implementations, and the values that Random derives from bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "lanyard/clock.hpp"

namespace lanyard {
namespace {

/// Fills the buffer with one byte value.
class ConstantRandom final : public Random {
public:
    explicit ConstantRandom(std::byte value) : value_(value) {}
    void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, value_); }

private:
    std::byte value_;
};

TEST(SystemClock, never_runs_backwards) {
    auto const before = system_clock().now();
    EXPECT_LE(before, system_clock().now());
}

TEST(SystemClock, returns_the_calendar_time) {
    using namespace std::chrono;
    EXPECT_GT(system_clock().wall(), WallTime(sys_days(year(2024) / 1 / 1)));
    auto const difference = std::chrono::system_clock::now() - system_clock().wall();
    EXPECT_LT(duration_cast<hours>(difference).count(), 1);
}

TEST(SystemClock, is_one_object) {
    EXPECT_EQ(&system_clock(), &system_clock());
    EXPECT_EQ(&system_random(), &system_random());
}

TEST(Random, a_unit_is_at_least_zero_and_below_one) {
    ConstantRandom lowest(std::byte{0});
    ConstantRandom highest(std::byte{255});
    EXPECT_EQ(lowest.unit(), 0.0);
    EXPECT_LT(highest.unit(), 1.0);
    EXPECT_EQ(highest.unit(), std::nextafter(1.0, 0.0));
}

TEST(Random, bits_come_from_the_source) {
    ConstantRandom random(std::byte{0xA5});
    EXPECT_EQ(random.bits(), 0xA5A5A5A5A5A5A5A5U);
}

TEST(SystemRandom, units_are_spread_evenly) {
    constexpr int count = 20'000;
    std::array<int, 10> tenths{};
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        auto const unit = system_random().unit();
        ASSERT_GE(unit, 0.0);
        ASSERT_LT(unit, 1.0);
        sum += unit;
        ++tenths[static_cast<std::size_t>(unit * 10)];
    }
    // Both bounds are more than six standard deviations away.
    EXPECT_NEAR(sum / count, 0.5, 0.015);
    for (int const n : tenths) EXPECT_NEAR(n, count / 10, 300);
}

TEST(SystemRandom, bits_do_not_repeat) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 10'000; ++i) seen.insert(system_random().bits());
    EXPECT_EQ(seen.size(), 10'000U);
}

TEST(SystemRandom, fills_any_number_of_bytes) {
    system_random().fill({});
    // For more than 256 bytes the kernel may return them in several portions.
    std::vector<std::byte> bytes(1'000'000);
    system_random().fill(bytes);
    auto const zeros = std::ranges::count(bytes, std::byte{0});
    EXPECT_NEAR(static_cast<double>(zeros), 1'000'000.0 / 256, 400);
}

}  // namespace
}  // namespace lanyard
