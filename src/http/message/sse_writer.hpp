// Writes server-sent events (WHATWG HTML, section 9.2 "Server-sent events"). Everything is appended
// to one buffer; data can be written directly into it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lanyard::http {

/// The fields of an event apart from its data; empty ones are left out. Line ends are removed, and
/// so is NUL, which makes receivers ignore an id.
struct SseFields {
    std::string_view id{};
    std::string_view event{};
    std::optional<std::chrono::milliseconds> retry{};
};

/// Appends one event. Each line of the data becomes a separate `data` field. The receiver gets
/// every line end (CR LF, CR or LF) as LF.
void append_event(std::string& out, SseFields const& fields, std::string_view data);

/// Begins an event; the caller appends the data and passes the result to end_event().
[[nodiscard]] std::size_t begin_event(std::string& out, SseFields const& fields);
/// Ends the event. Data without a line end, as all messages are, is not moved.
void end_event(std::string& out, std::size_t data_begin);

/// Appends, without an event, the time that a receiver must wait before it reconnects.
void append_retry(std::string& out, std::chrono::milliseconds retry);

/// Appends a comment, which receivers ignore. It keeps proxies from closing the connection, and the
/// failed write reveals a dead peer.
void append_comment(std::string& out, std::string_view text = {});

}  // namespace lanyard::http
