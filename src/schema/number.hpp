// NumericValue: a JSON number. Comparisons and is_multiple_of() do not depend on its C++ type: 1
// and 1.0 are the same number.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

#include "lanyard/json/document.hpp"

namespace lanyard::schema {

/// Either a 64-bit integer (signed or unsigned) or a double. A double from a JSON text is finite. A
/// tree built in memory may contain infinity and NaN, which are neither integral nor a multiple of
/// any number.
class NumericValue {
public:
    constexpr NumericValue() noexcept : NumericValue(std::int64_t{0}) {}
    constexpr explicit NumericValue(std::int64_t value) noexcept
        : kind_(Kind::integer), integer_(value) {}
    constexpr explicit NumericValue(std::uint64_t value) noexcept
        : kind_(value <= largest_signed ? Kind::integer : Kind::unsigned_integer),
          integer_(static_cast<std::int64_t>(value)) {}
    constexpr explicit NumericValue(double value) noexcept : kind_(Kind::real), real_(value) {}
    /// The value must be a number.
    explicit NumericValue(Json const& value) noexcept;

    /// Whether the value is a whole number, such as 1.0.
    bool is_integral() const noexcept;
    /// Compares exactly: no value is rounded. NaN is unordered, and not equal to itself.
    std::partial_ordering operator<=>(NumericValue const& other) const noexcept;
    bool operator==(NumericValue const& other) const noexcept { return (*this <=> other) == 0; }

    /// Whether this number is an integral multiple of the divisor (> 0). The calculation uses the
    /// shortest decimal notation of both numbers, so that 0.0075 is a multiple of 0.0001.
    bool is_multiple_of(NumericValue const& divisor) const noexcept;

    /// Returns the number as a 64-bit integer if it is integral and in range, otherwise unchanged.
    /// So equal numbers get the same representation.
    NumericValue normalized() const noexcept;
    Json to_json() const;
    /// Appends bytes that are identical for equal numbers and different for unequal numbers.
    void append_bytes_to(std::string& out) const;

private:
    enum class Kind : std::uint8_t { integer, unsigned_integer, real };
    static constexpr std::uint64_t largest_signed = std::numeric_limits<std::int64_t>::max();

    std::uint64_t unsigned_bits() const noexcept { return static_cast<std::uint64_t>(integer_); }
    bool negative() const noexcept;
    /// Returns the absolute value of an integer.
    std::uint64_t magnitude() const noexcept;

    struct Decimal {
        std::uint64_t digits;  // no trailing zeros
        int exponent;
    };
    Decimal decimal() const noexcept;

    Kind kind_;
    union {
        std::int64_t integer_;
        double real_;
    };
};

}  // namespace lanyard::schema
