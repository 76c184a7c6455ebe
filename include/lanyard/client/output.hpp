// Decodes the output of a tool into a C++ type.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <lanyard/codec.hpp>
#include <lanyard/error.hpp>
#include <lanyard/json/document.hpp>
#include <lanyard/protocol/tools.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// Returns the text blocks of a result as one text, separated by line breaks.
std::string text_of(CallToolResult const& result);

namespace detail {

/// Throws ToolError with the result's text if the tool failed.
void throw_if_failed(CallToolResult const& result);

/// Returns the JSON text to decode a value from: the structured content if present, otherwise the
/// first text block.
std::string_view output_text(CallToolResult const& result);

/// Returns the error for output that cannot be decoded as the requested type.
Error output_error(DecodeError const& error);

template <class R>
R decode_output(CallToolResult const& result) {
    auto const text = output_text(result);
    json::ParseOptions options;
    options.max_bytes = text.size();  // the transport has limited the result
    json::Document document;
    auto const root = document.parse(text, options);
    if (!root) throw output_error(codec::not_json(root.error()));
    auto value = decode<R>(*root);
    if (value) return *std::move(value);
    // Before protocol revision 2026-07-28, structured content must be an object, so servers wrap
    // any other value: {"result": value}.
    auto wrapped = decode<std::map<std::string, R>>(*root);
    if (wrapped && wrapped->size() == 1 && wrapped->begin()->first == "result") {
        return std::move(wrapped->begin()->second);
    }
    throw output_error(value.error());
}

template <class R>
Task<R> read_output(Task<CallToolResult> calling) {
    auto result = co_await std::move(calling);
    throw_if_failed(result);
    if constexpr (std::same_as<R, CallToolResult>) {
        co_return result;
    } else if constexpr (std::same_as<R, std::string>) {
        co_return text_of(result);
    } else if constexpr (!std::same_as<R, void>) {
        co_return decode_output<R>(result);
    }
}

}  // namespace detail

}  // namespace lanyard
