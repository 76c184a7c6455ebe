// Numbers of JSON Schema: exact comparison and division.
#include "schema/number.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace lanyard::schema {
namespace {

NumericValue of(std::int64_t value) {
    return NumericValue(value);
}
NumericValue of(std::uint64_t value) {
    return NumericValue(value);
}
NumericValue of(double value) {
    return NumericValue(value);
}
NumericValue of(int value) {
    return NumericValue(std::int64_t{value});
}

constexpr auto max_u64 = std::numeric_limits<std::uint64_t>::max();
constexpr auto min_i64 = std::numeric_limits<std::int64_t>::min();
constexpr auto max_i64 = std::numeric_limits<std::int64_t>::max();

TEST(SchemaNumber, compares_integers_of_both_signs) {
    EXPECT_LT(of(-1), of(1));
    EXPECT_LT(of(-1), of(max_u64));
    EXPECT_GT(of(max_u64), of(max_i64));
    EXPECT_LT(of(max_u64 - 1), of(max_u64));
    EXPECT_EQ(of(std::uint64_t{5}), of(5));
}

TEST(SchemaNumber, compares_an_integer_with_a_double_exactly) {
    std::int64_t const odd = (std::int64_t{1} << 53) + 1;
    EXPECT_GT(of(odd), of(9007199254740992.0));
    EXPECT_LT(of(odd), of(9007199254740994.0));
    EXPECT_EQ(of(std::int64_t{1} << 53), of(9007199254740992.0));
    EXPECT_LT(of(max_i64), of(9223372036854775808.0));
    EXPECT_LT(of(max_u64), of(18446744073709551616.0));
    EXPECT_EQ(of(min_i64), of(-9223372036854775808.0));
    EXPECT_GT(of(min_i64), of(-9223372036854777856.0));
    EXPECT_EQ(of(std::uint64_t{1} << 63), of(9223372036854775808.0));
    EXPECT_LT(of(1), of(1.5));
    EXPECT_GT(of(2), of(1.5));
    EXPECT_GT(of(-1), of(-1.5));
    EXPECT_LT(of(-2), of(-1.5));
    EXPECT_LT(of(1.5), of(2));
    EXPECT_LT(of(1.25), of(1.5));
    EXPECT_GT(of(1.5), of(1.25));
    EXPECT_EQ(of(-0.0), of(0));
}

TEST(SchemaNumber, recognizes_integral_numbers) {
    EXPECT_TRUE(of(1).is_integral());
    EXPECT_TRUE(of(1.0).is_integral());
    EXPECT_TRUE(of(1e308).is_integral());
    EXPECT_FALSE(of(1.5).is_integral());
}

TEST(SchemaNumber, divides_integers_exactly) {
    EXPECT_TRUE(of(21).is_multiple_of(of(7)));
    EXPECT_FALSE(of(22).is_multiple_of(of(7)));
    EXPECT_TRUE(of(-21).is_multiple_of(of(7)));
    EXPECT_TRUE(of(min_i64).is_multiple_of(of(2)));
    EXPECT_TRUE(of(max_u64).is_multiple_of(of(5)));
    EXPECT_FALSE(of((std::int64_t{1} << 53) + 1).is_multiple_of(of(2)));
    EXPECT_TRUE(of(0).is_multiple_of(of(0.1)));
}

TEST(SchemaNumber, divides_decimals_as_they_are_written) {
    EXPECT_TRUE(of(0.0075).is_multiple_of(of(0.0001)));
    EXPECT_FALSE(of(0.00751).is_multiple_of(of(0.0001)));
    EXPECT_TRUE(of(19.99).is_multiple_of(of(0.01)));
    EXPECT_TRUE(of(4.5).is_multiple_of(of(1.5)));
    EXPECT_FALSE(of(35).is_multiple_of(of(1.5)));
    EXPECT_TRUE(of(1e308).is_multiple_of(of(0.5)));
    EXPECT_FALSE(of(1e308).is_multiple_of(of(0.123456789)));
    EXPECT_TRUE(of(12391239123.0).is_multiple_of(of(1e-8)));
    EXPECT_FALSE(of(1e-300).is_multiple_of(of(7)));
    EXPECT_TRUE(of(5e-324).is_multiple_of(of(5e-324)));
    EXPECT_TRUE(of(max_u64).is_multiple_of(of(0.5)));
    EXPECT_FALSE(of(std::numeric_limits<double>::infinity()).is_multiple_of(of(0.5)));
}

TEST(SchemaNumber, nan_and_infinity_are_compared_without_recursion) {
    auto const nan = of(std::numeric_limits<double>::quiet_NaN());
    auto const infinity = of(std::numeric_limits<double>::infinity());
    for (auto const& other : {of(0), of(max_u64), of(1.5), nan}) {
        EXPECT_FALSE(nan < other || nan > other || nan == other);
        EXPECT_FALSE(other < nan || other > nan || other == nan);
    }
    EXPECT_GT(infinity, of(max_u64));
    EXPECT_LT(of(-std::numeric_limits<double>::infinity()), of(min_i64));
    EXPECT_EQ(infinity, infinity);
    EXPECT_FALSE(nan.is_integral());
    EXPECT_FALSE(infinity.is_integral());
}

TEST(SchemaNumber, encodes_equal_numbers_as_equal_bytes) {
    auto const bytes = [](NumericValue const& number) {
        std::string out;
        number.append_bytes_to(out);
        return out;
    };
    EXPECT_EQ(bytes(of(1)), bytes(of(1.0)));
    EXPECT_EQ(bytes(of(0)), bytes(of(-0.0)));
    EXPECT_EQ(bytes(of(std::uint64_t{1} << 63)), bytes(of(9223372036854775808.0)));
    EXPECT_NE(bytes(of(1)), bytes(of(1.5)));
    EXPECT_NE(bytes(of(-1)), bytes(of(max_u64)));
    EXPECT_NE(bytes(of(1e300)), bytes(of(1e301)));
    EXPECT_NE(bytes(of(-1e300)), bytes(of(1e300)));
}

TEST(SchemaNumber, becomes_json_again) {
    EXPECT_EQ(NumericValue(Json(5)).to_json(), Json(5));
    EXPECT_EQ(NumericValue(Json(max_u64)).to_json(), Json(max_u64));
    EXPECT_EQ(NumericValue(Json(1.5)).to_json(), Json(1.5));
}

}  // namespace
}  // namespace lanyard::schema
