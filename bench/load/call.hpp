// The calls with which servers are measured, and the checks of their answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lanyard/json.hpp"

namespace lanyard::bench {

enum class Work {
    echo,  ///< the tool "echo", a short text
    add,   ///< the tool "add", two numbers, a structured result
    list,  ///< tools/list with 80 tools, about 30 KB
    text,  ///< the tool "text", which returns 1,000,000 bytes of prose
};

enum class Era { legacy, modern };

constexpr int listed_tools = 80;
constexpr std::size_t text_bytes = 1'000'000;

std::string_view name_of(Work work);
/// Throws if there is no such name.
Work work_of(std::string_view name);

/// Returns an HTTP request with a message, for a server at this port.
std::string post(std::uint16_t port, std::string_view headers, std::string_view message);
/// The headers of a request of 2025-11-25, in a session or without one.
std::string session_headers(std::string_view session);

/// One kind of call, numbered: each has its own id (and numbers to add), and all have the same
/// size.
class Call {
public:
    Call(Work work, Era era);

    /// The message for stdio, with its line break.
    std::string line() const { return message_ + '\n'; }
    /// The whole request for HTTP. `session` is an id of the legacy era, or empty.
    std::string request(std::uint16_t port, std::string_view session) const;
    /// Changes a line or request into that of the call with this number.
    void patch(std::string& text, std::size_t number) const;

    /// Returns the number of the call that this text answers; nullopt if it answers none (a
    /// notification). Throws if the answer is wrong.
    std::optional<std::size_t> check(std::string_view text);

private:
    void check_result(json::View result, std::size_t number) const;

    Work work_;
    Era era_;
    std::string message_;
    std::string prose_;
    json::Document document_;
};

}  // namespace lanyard::bench
