// Mirrors request data into HTTP headers, from protocol revision 2026-07-28 on (MCP specification,
// basic/transports/streamable-http, "Standard headers" and "Custom headers"). Encodes values, and
// reads the `x-mcp-header` annotations of tools.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/protocol/methods.hpp"
#include "lanyard/result.hpp"

namespace lanyard::wire {

/// Encodes a header value: unchanged if it is printable ASCII without surrounding blanks, otherwise
/// as =?base64?...?=.
std::string encode_header_value(std::string_view value);

/// Decodes a header value. Fails for bad base64 and for bytes that are not allowed in headers; the
/// request must then be refused with -32020.
Result<std::string, DecodeError> decode_header_value(std::string_view header);

/// Returns the name of the member of params whose value is repeated in the header Mcp-Name, or
/// nullopt if the method has no such member.
constexpr std::optional<std::string_view> mirrored_member(std::string_view method) noexcept {
    auto const is = [&](MethodInfo const& info) { return method == info.name; };
    if (is(methods::CallTool::info) || is(methods::GetPrompt::info)) return "name";
    if (is(methods::ReadResource::info)) return "uri";
    if (is(methods::GetTask::info) || is(methods::UpdateTask::info) ||
        is(methods::CancelTask::info)) {
        return "taskId";
    }
    return std::nullopt;
}

/// An argument that, according to the tool's schema, is repeated in a header.
struct ParamHeader {
    enum class Type : std::uint8_t { string, integer, boolean };

    std::string name;               ///< the name of the header without "Mcp-Param-"
    std::vector<std::string> path;  ///< property names from the root of the arguments
    Type type;

    bool operator==(ParamHeader const&) const = default;
};

inline constexpr std::string_view param_header_prefix = "Mcp-Param-";

/// Returns the annotations of a tool's input schema. An annotation that breaks a rule makes the
/// tool invalid; the error's pointer refers to the annotation.
Result<std::vector<ParamHeader>, DecodeError> param_headers(json::View input_schema);

/// Returns the encoded value of this header, which repeats one of the arguments. Returns nullopt if
/// that argument is absent or null, or if its type contradicts the schema; in the last case
/// validation refuses the argument anyway.
std::optional<std::string> param_header_value(ParamHeader const& header,
                                              std::optional<json::View> arguments);

/// Checks that `found`, the value of this header in a request (nullopt if the header was not sent),
/// agrees with the arguments. If not, the error describes the difference, and the request must be
/// refused with -32020.
Result<void, DecodeError> check_param_header(ParamHeader const& header,
                                             std::optional<json::View> arguments,
                                             std::optional<std::string_view> found);

}  // namespace lanyard::wire
