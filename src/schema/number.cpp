#include "schema/number.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace lanyard::schema {
namespace {

__extension__ using Wide = unsigned __int128;

// 2^63 and 2^64, which doubles represent exactly.
constexpr double two_63 = 9223372036854775808.0;
constexpr double two_64 = 18446744073709551616.0;

// Returns base^exponent modulo m.
std::uint64_t power_modulo(std::uint64_t base, unsigned exponent, std::uint64_t m) noexcept {
    Wide result = 1 % m;
    Wide factor = base % m;
    for (; exponent != 0; exponent >>= 1U) {
        if ((exponent & 1U) != 0) result = result * factor % m;
        factor = factor * factor % m;
    }
    return static_cast<std::uint64_t>(result);
}

}  // namespace

NumericValue::NumericValue(Json const& value) noexcept : NumericValue() {
    if (value.is_int64()) {
        *this = NumericValue(value.get_int64());
    } else if (value.is_uint64()) {
        *this = NumericValue(value.get_uint64());
    } else {
        *this = NumericValue(value.get_double());
    }
}

bool NumericValue::is_integral() const noexcept {
    return kind_ != Kind::real || (std::isfinite(real_) && std::trunc(real_) == real_);
}

bool NumericValue::negative() const noexcept {
    if (kind_ == Kind::real) return real_ < 0;
    return kind_ == Kind::integer && integer_ < 0;
}

std::uint64_t NumericValue::magnitude() const noexcept {
    return negative() ? std::uint64_t{0} - unsigned_bits() : unsigned_bits();
}

NumericValue NumericValue::normalized() const noexcept {
    if (kind_ != Kind::real || !is_integral()) return *this;
    if (real_ >= -two_63 && real_ < two_63) return NumericValue(static_cast<std::int64_t>(real_));
    if (real_ >= two_63 && real_ < two_64) return NumericValue(static_cast<std::uint64_t>(real_));
    return *this;
}

std::partial_ordering NumericValue::operator<=>(NumericValue const& other) const noexcept {
    if (kind_ == Kind::real && other.kind_ == Kind::real) return real_ <=> other.real_;
    if (kind_ == Kind::real) {
        if (std::isnan(real_)) return std::partial_ordering::unordered;
        if (real_ < -two_63) return std::partial_ordering::less;
        if (real_ >= two_64) return std::partial_ordering::greater;
        // The integral part of the real number is in the range of the integers. If it is equal to
        // `other`, the fraction decides.
        double const whole = std::floor(real_);
        auto const order = NumericValue(whole).normalized() <=> other;
        return order == 0 && whole != real_ ? std::partial_ordering::greater : order;
    }
    if (other.kind_ == Kind::real) return 0 <=> (other <=> *this);
    if (kind_ == other.kind_) {
        return kind_ == Kind::integer ? integer_ <=> other.integer_
                                      : unsigned_bits() <=> other.unsigned_bits();
    }
    return kind_ == Kind::integer ? std::partial_ordering::less : std::partial_ordering::greater;
}

NumericValue::Decimal NumericValue::decimal() const noexcept {
    Decimal out{0, 0};
    if (kind_ == Kind::real) {
        // The text is in scientific notation with the fewest digits: d[.ddd]e[+-]dd
        std::array<char, 32> text{};
        auto const end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(real_),
                                       std::chars_format::scientific)
                             .ptr;
        char const* at = text.data();
        int fraction = 0;
        bool after_point = false;
        for (; *at != 'e'; ++at) {
            if (*at == '.') {
                after_point = true;
                continue;
            }
            out.digits = out.digits * 10 + static_cast<std::uint64_t>(*at - '0');
            if (after_point) ++fraction;
        }
        ++at;
        if (*at == '+') ++at;
        std::from_chars(at, end, out.exponent);
        out.exponent -= fraction;
    } else {
        out.digits = magnitude();
    }
    while (out.digits != 0 && out.digits % 10 == 0) {
        out.digits /= 10;
        ++out.exponent;
    }
    return out;
}

bool NumericValue::is_multiple_of(NumericValue const& divisor) const noexcept {
    if (kind_ != Kind::real && divisor.kind_ != Kind::real) {
        return magnitude() % divisor.magnitude() == 0;
    }
    if (kind_ == Kind::real && !std::isfinite(real_)) return false;
    Decimal const a = decimal();
    Decimal const b = divisor.decimal();
    if (a.digits == 0) return true;
    // Not a multiple: a.digits would have to be divisible by a power of ten, but decimal() has
    // removed its trailing zeros.
    if (a.exponent < b.exponent) return false;
    auto const scale = power_modulo(10, static_cast<unsigned>(a.exponent - b.exponent), b.digits);
    return static_cast<Wide>(a.digits % b.digits) * scale % b.digits == 0;
}

void NumericValue::append_bytes_to(std::string& out) const {
    NumericValue const value = normalized();
    auto const bytes = value.kind_ == Kind::real
                           ? std::bit_cast<std::array<char, 8>>(value.real_)
                           : std::bit_cast<std::array<char, 8>>(value.integer_);
    out += static_cast<char>(value.kind_);
    out.append(bytes.data(), bytes.size());
}

Json NumericValue::to_json() const {
    switch (kind_) {
        case Kind::integer:
            return integer_;
        case Kind::unsigned_integer:
            return unsigned_bits();
        case Kind::real:
            break;
    }
    return real_;
}

}  // namespace lanyard::schema
