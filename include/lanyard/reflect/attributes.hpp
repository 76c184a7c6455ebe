// Attributes that LANYARD_STRUCT, LANYARD_ENUM and reflect::field() accept for a member. Attributes
// control decoding, and the JSON Schema that is derived from the type.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <lanyard/protocol/era.hpp>

namespace lanyard::reflect {

/// A number that is given in an attribute. Integers are stored without rounding.
class Number {
public:
    enum class Kind : std::uint8_t { none, integer, unsigned_integer, real };

    constexpr Number() noexcept : integer_(0) {}
    template <std::signed_integral I>
    constexpr Number(I value) noexcept : integer_(value), kind_(Kind::integer) {}
    template <std::unsigned_integral I>
        requires(!std::same_as<I, bool>)
    constexpr Number(I value) noexcept : unsigned_(value), kind_(Kind::unsigned_integer) {}
    template <std::floating_point F>
    constexpr Number(F value) noexcept : real_(value), kind_(Kind::real) {}

    constexpr Kind kind() const noexcept { return kind_; }
    constexpr explicit operator bool() const noexcept { return kind_ != Kind::none; }
    constexpr std::int64_t integer() const noexcept { return integer_; }
    constexpr std::uint64_t unsigned_integer() const noexcept { return unsigned_; }
    constexpr double real() const noexcept { return real_; }

private:
    union {
        std::int64_t integer_;
        std::uint64_t unsigned_;
        double real_;
    };
    Kind kind_ = Kind::none;
};

/// A scalar value that is given in an attribute.
struct Literal {
    enum class Kind : std::uint8_t { boolean, number, string };

    constexpr Literal() noexcept = default;
    template <std::same_as<bool> B>
    constexpr Literal(B value) noexcept : boolean(value) {}
    template <class N>
        requires(std::convertible_to<N, Number> && !std::same_as<N, bool>)
    constexpr Literal(N value) noexcept : kind(Kind::number), number(value) {}
    constexpr Literal(char const* value) noexcept : kind(Kind::string), string(value) {}

    Kind kind = Kind::boolean;
    bool boolean = false;
    Number number;
    std::string_view string;
};

/// The kind of members that an attribute can be applied to.
enum class Applies : std::uint8_t { to_numbers, to_strings, to_arrays };

/// The type of attr::unique_items.
struct UniqueItems {
    static constexpr auto applies = Applies::to_arrays;
};

/// The attributes that have no value, as flags that can be combined.
enum class Flag : std::uint16_t {
    defaulted = 1,
    required = 2,
    nullable = 4,
    omit_empty = 8,
    forbidden_outside = 16,
    deprecated = 32,
    closed = 64,
};

constexpr Flag operator|(Flag a, Flag b) noexcept {
    return static_cast<Flag>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
/// Whether the set has at least one of the flags.
constexpr bool has(Flag set, Flag flags) noexcept {
    return (static_cast<std::uint16_t>(set) & static_cast<std::uint16_t>(flags)) != 0;
}

}  // namespace lanyard::reflect

/// The attributes. LANYARD_STRUCT and LANYARD_ENUM find them without a qualifier.
namespace lanyard::attr {
// NOLINTBEGIN(readability-identifier-naming): attributes are written like functions: min{1}.
/// Bounds of a number, checked by decode() and shown in the schema.
struct min {
    static constexpr auto applies = reflect::Applies::to_numbers;
    reflect::Number bound;
};
struct max {
    static constexpr auto applies = reflect::Applies::to_numbers;
    reflect::Number bound;
};
struct exclusive_min {
    static constexpr auto applies = reflect::Applies::to_numbers;
    reflect::Number bound;
};
struct exclusive_max {
    static constexpr auto applies = reflect::Applies::to_numbers;
    reflect::Number bound;
};
struct multiple_of {
    static constexpr auto applies = reflect::Applies::to_numbers;
    reflect::Number divisor;
};

/// Bounds of the length of a string, in Unicode code points.
struct min_length {
    static constexpr auto applies = reflect::Applies::to_strings;
    std::size_t count;
};
struct max_length {
    static constexpr auto applies = reflect::Applies::to_strings;
    std::size_t count;
};

/// A regular expression (ECMA-262) that must match somewhere in the string. Appears in the schema
/// only: decode() does not check it, but validation against the schema does.
struct pattern {
    static constexpr auto applies = reflect::Applies::to_strings;
    std::string_view regex;
};
/// A format name such as "email" or "uri". Appears in the schema only.
struct format {
    static constexpr auto applies = reflect::Applies::to_strings;
    std::string_view name;
};

/// Bounds of the number of elements of an array.
struct min_items {
    static constexpr auto applies = reflect::Applies::to_arrays;
    std::size_t count;
};
struct max_items {
    static constexpr auto applies = reflect::Applies::to_arrays;
    std::size_t count;
};
/// No two elements of the array may be equal.
inline constexpr reflect::UniqueItems unique_items;

/// The name in JSON, if it differs from the C++ name.
struct name {
    std::string_view wire;
};
/// A short name for display.
struct title {
    std::string_view text;
};
/// Example values, at most four.
struct examples {
    static constexpr std::size_t limit = 4;

    template <class... Values>
        requires(sizeof...(Values) <= limit)
    constexpr explicit examples(Values const&... values) noexcept
        : literals{reflect::Literal(values)...}, count(sizeof...(Values)) {}

    std::array<reflect::Literal, limit> literals;
    std::size_t count;
};

/// The member may be absent in JSON. An absent member keeps the value of its initializer, which the
/// schema shows as the default.
inline constexpr reflect::Flag defaulted = reflect::Flag::defaulted;
/// The optional member must be present in JSON. If it is also `nullable`, an empty optional is
/// written as null.
inline constexpr reflect::Flag required = reflect::Flag::required;
/// The optional member may be null in JSON; null means an empty optional.
inline constexpr reflect::Flag nullable = reflect::Flag::nullable;
/// The string or container is not written if it is empty, and may be absent from the input.
inline constexpr reflect::Flag omit_empty = reflect::Flag::omit_empty;
/// The schema marks the member as deprecated.
inline constexpr reflect::Flag deprecated = reflect::Flag::deprecated;
/// For a struct: unknown members of the JSON object are refused instead of ignored.
inline constexpr reflect::Flag closed = reflect::Flag::closed;

/// The first protocol revision that has the member. In revisions outside the member's range
/// (`since` to `until`), encoding leaves the member out and decoding ignores it.
struct since {
    Version version;
};
/// The last protocol revision that has the member.
struct until {
    Version version;
};
/// A message of a protocol revision outside the member's range (`since` to `until`) is refused if
/// it contains the member. Without this attribute, the member is ignored.
inline constexpr reflect::Flag forbidden_outside = reflect::Flag::forbidden_outside;
// NOLINTEND(readability-identifier-naming)
}  // namespace lanyard::attr
