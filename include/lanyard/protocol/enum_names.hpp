// Names of the protocol's closed enumerations, in one table per enumeration.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace lanyard {

/// The names of an enumeration, in the order of its enumerators. The values of the enumerators must
/// count up from 0. Specialised next to each enumeration of the protocol.
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires { EnumNames<E>::value.size(); };

/// Returns the name that the protocol uses for the enumerator.
template <NamedEnum E>
constexpr std::string_view to_string(E value) noexcept {
    return EnumNames<E>::value[static_cast<std::size_t>(value)];
}

/// Returns the enumerator with this name; names are case-sensitive.
template <NamedEnum E>
constexpr std::optional<E> parse_enum(std::string_view name) noexcept {
    for (std::size_t i = 0; i < EnumNames<E>::value.size(); ++i) {
        if (EnumNames<E>::value[i] == name) return static_cast<E>(i);
    }
    return std::nullopt;
}

}  // namespace lanyard
