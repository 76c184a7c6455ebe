// Request data mirrored into HTTP headers (basic/transports/streamable-http, "Standard headers" and
// "Custom headers"; from 2026-07-28): values, and the `x-mcp-header` annotations of tools.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/json/document.hpp>
#include <lanyard/protocol/methods.hpp>
#include <lanyard/result.hpp>

namespace lanyard::wire {

/// A value as a header carries it: plain where it is printable ASCII without surrounding blanks,
/// else =?base64?...?=.
std::string encode_header_value(std::string_view value);

/// The value a header carries. Bad base64 and bytes that no header may hold are refused (-32020).
Result<std::string, DecodeError> decode_header_value(std::string_view header);

/// The member of params that Mcp-Name mirrors, or nothing where the method has none.
std::optional<std::string_view> mirrored_member(std::string_view method) noexcept;

/// One argument that a tool wants mirrored.
struct ParamHeader {
    enum class Type : std::uint8_t { string, integer, boolean };

    std::string name;               ///< without "Mcp-Param-"
    std::vector<std::string> path;  ///< property names from the root of the arguments
    Type type;

    bool operator==(ParamHeader const&) const = default;
};

inline constexpr std::string_view param_header_prefix = "Mcp-Param-";

/// The annotations of a tool's input schema. An annotation that breaks a rule makes the tool
/// invalid; the error's pointer leads to it.
Result<std::vector<ParamHeader>, DecodeError> param_headers(json::View input_schema);

/// The header's value for these arguments, encoded; nothing where the argument is absent or null.
/// An argument of another type than the schema says has no header: the schema refuses it anyway.
std::optional<std::string> param_header_value(ParamHeader const& header,
                                              std::optional<json::View> arguments);

/// Whether the header found in a request (nothing: it was not sent) agrees with the arguments. The
/// error says how they differ (-32020).
Result<void, DecodeError> check_param_header(ParamHeader const& header,
                                             std::optional<json::View> arguments,
                                             std::optional<std::string_view> found);

}  // namespace lanyard::wire
