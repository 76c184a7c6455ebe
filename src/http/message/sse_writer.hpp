// Writes server-sent events (WHATWG HTML, section 9.2 "Server-sent events"). Everything is appended
// to one buffer; data can be written directly into it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lanyard::http {

/// The fields of an event except its data. Empty fields are not written. Line ends and NULs are
/// removed from the values: a line end would end the field, and receivers ignore an id that
/// contains a NUL.
struct SseFields {
    std::string_view id{};
    std::string_view event{};
    std::optional<std::chrono::milliseconds> retry{};
};

/// Appends one event. Each line of the data becomes a separate `data` field. The receiver gets
/// every line end (CR LF, CR or LF) as LF.
void append_event(std::string& out, SseFields const& fields, std::string_view data);

/// Begins an event. The caller appends the data to `out` and then passes the returned position to
/// end_event().
[[nodiscard]] std::size_t begin_event(std::string& out, SseFields const& fields);
/// Ends the event whose data begins at `data_begin`. Data without line ends, such as a JSON-RPC
/// message, is not copied.
void end_event(std::string& out, std::size_t data_begin);

/// Appends a `retry` field without an event: the time that a receiver must wait before it
/// reconnects.
void append_retry(std::string& out, std::chrono::milliseconds retry);

/// Appends a comment, which receivers ignore. Comments keep proxies from closing an idle
/// connection, and reveal a dead peer, because writing to it fails.
void append_comment(std::string& out, std::string_view text = {});

}  // namespace lanyard::http
