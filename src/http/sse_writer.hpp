// Server-sent events on their way out (WHATWG HTML, section 9.2 "Server-sent events"). Everything
// is appended to one buffer; data can be written straight into it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lanyard::http {

/// The fields of an event beside its data; empty ones are left out. A character that would end the
/// line, or that makes receivers ignore an id (NUL), is left out too.
struct SseFields {
    std::string_view id{};
    std::string_view event{};
    std::optional<std::chrono::milliseconds> retry{};
};

/// One event. Each line of the data becomes a line of its own; CR LF and CR arrive as LF.
void append_event(std::string& out, SseFields const& fields, std::string_view data);

/// Begins an event; the caller appends the data and passes the result to end_event().
[[nodiscard]] std::size_t begin_event(std::string& out, SseFields const& fields);
/// Ends it. Data of one line, which is what messages are, stays where it was written.
void end_event(std::string& out, std::size_t data_begin);

/// How long a receiver waits before it reconnects, without an event.
void append_retry(std::string& out, std::chrono::milliseconds retry);

/// A line that receivers ignore: keeps proxies and dead peers honest.
void append_comment(std::string& out, std::string_view text = {});

}  // namespace lanyard::http
