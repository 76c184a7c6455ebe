// The calls that servers are measured with, and what makes an answer right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <lanyard/json.hpp>

namespace lanyard::bench {

enum class Work {
    echo,  ///< the tool "echo", a short text
    add,   ///< the tool "add", two numbers, a structured result
    list,  ///< tools/list with 80 tools, about 30 KB
    text,  ///< the tool "text", which gives 1,000,000 bytes of prose
};

enum class Era { legacy, modern };

constexpr int listed_tools = 80;
constexpr std::size_t text_bytes = 1'000'000;

std::string_view name_of(Work work);
/// Throws for a name that is none.
Work work_of(std::string_view name);

/// An HTTP request with a message, for a server at this port.
std::string post(std::uint16_t port, std::string_view headers, std::string_view message);
/// The headers of a request in a session (or in none) of 2025-11-25.
std::string session_headers(std::string_view session);

/// One kind of call, numbered: each has an id (and numbers to add) of its own and the same size.
class Call {
public:
    Call(Work work, Era era);

    /// The message as it stands for stdio, with its line break.
    std::string line() const { return message_ + '\n'; }
    /// The whole request for HTTP; the session is that of the legacy era, or nothing.
    std::string request(std::uint16_t port, std::string_view session) const;
    /// Makes a line or request that of the call with this number.
    void patch(std::string& text, std::size_t number) const;

    /// The number of the call that this text answers; nothing if it answers none (a notification).
    /// Throws on an answer that is not right.
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
