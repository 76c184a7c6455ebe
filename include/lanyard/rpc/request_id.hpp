// JSON-RPC request ids: a string or an integer. 0 and "" are valid ids; 1 and "1" are different
// ids.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace lanyard {

/// A string or an integer, as used for request ids and progress tokens.
class RequestId {
public:
    RequestId(std::int64_t number = 0) noexcept : value_(number) {}
    RequestId(int number) noexcept : value_(std::int64_t{number}) {}
    RequestId(std::string text) noexcept : value_(std::move(text)) {}
    RequestId(char const* text) : value_(std::string(text)) {}

    bool is_integer() const noexcept { return value_.index() == 0; }
    /// The integer, or null if the id is a string.
    std::int64_t const* integer() const noexcept { return std::get_if<0>(&value_); }
    /// The string, or null if the id is an integer.
    std::string const* string() const noexcept { return std::get_if<1>(&value_); }

    auto operator<=>(RequestId const&) const = default;
    bool operator==(RequestId const&) const = default;

private:
    std::variant<std::int64_t, std::string> value_;
};

/// A token that the sender of a request chooses. The progress notifications for the request contain
/// the token.
using ProgressToken = RequestId;

}  // namespace lanyard

template <>
struct std::hash<lanyard::RequestId> {
    std::size_t operator()(lanyard::RequestId const& id) const noexcept {
        if (auto const* number = id.integer()) return std::hash<std::int64_t>{}(*number);
        // The constant makes the hash of an integer differ from the hash of a string with the same
        // digits, so that the two rarely collide.
        return std::hash<std::string>{}(*id.string()) ^ 0x9e3779b97f4a7c15ULL;
    }
};
