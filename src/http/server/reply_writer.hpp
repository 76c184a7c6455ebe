// Writes HTTP/1.1 responses (RFC 9112) by appending to one buffer, so that head and body can be
// sent with one write, and nothing is allocated once the buffer has grown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/message/fields.hpp"
#include "http/message/status.hpp"
#include "lanyard/clock.hpp"

namespace lanyard::http {

enum class Content : std::uint8_t { none, json, event_stream, text };

/// The head of a response. All responses also get headers that keep browsers from displaying them
/// in a frame, guessing their type, or storing them.
struct ReplyHead {
    Status status = Status::ok;
    Content content = Content::none;
    bool keep_alive = true;
    std::string_view session_id{};
    /// The origin whose pages may read the response; empty for none.
    std::string_view cors_origin{};
    /// The date as formatted by HttpDate; empty for none.
    std::string_view date{};
    /// Further header lines, each made by append_header().
    std::string_view more{};

    /// Whether this is the most frequent head: JSON, with no optional field except the date.
    bool usual() const noexcept {
        return status == Status::ok && content == Content::json && keep_alive &&
               session_id.empty() && cors_origin.empty() && more.empty();
    }
};

/// Appends a whole response. With Content::none there is no body.
void append_reply(std::string& out, ReplyHead const& head, std::string_view body = {});

/// Begins a response. The caller appends the body to `out`, then passes the returned position to
/// end_reply(), which fills in the length.
[[nodiscard]] std::size_t begin_reply(std::string& out, ReplyHead const& head);
void end_reply(std::string& out, std::size_t body_begin) noexcept;

/// Begins responses like begin_reply(), but formats the usual head only once per date.
class ReplyBeginner {
public:
    [[nodiscard]] std::size_t begin(std::string& out, ReplyHead const& head);

private:
    std::string usual_;
    std::string date_;
};

/// How a body of unknown length ends: with a last chunk, or, in HTTP/1.0, when the connection ends.
enum class StreamEnd : std::uint8_t { last_chunk, connection };

/// Appends the head of a response of unknown length. The head of an event stream asks proxies not
/// to buffer the body.
void append_stream_head(std::string& out, ReplyHead const& head,
                        StreamEnd end = StreamEnd::last_chunk);
/// Begins a chunk. The caller appends the data to `out`, then passes the returned position to
/// end_chunk(). end_chunk() removes a chunk without data, since an empty chunk would end the body.
[[nodiscard]] std::size_t begin_chunk(std::string& out);
void end_chunk(std::string& out, std::size_t data_begin) noexcept;
/// Ends a chunked body.
void append_last_chunk(std::string& out);

/// Appends "100 Continue", which tells the client to send its body.
void append_continue(std::string& out);

/// Whether the response to a refused request has a body. The response to a HEAD request must not
/// have one.
enum class RejectionBody : std::uint8_t { sent, left_out };
/// Appends the response to a refused request. The body is a JSON-RPC error without an id. With
/// RejectionBody::left_out, the response states the length of that body, but does not contain it.
/// `more` are further header lines.
void append_rejection(std::string& out, Rejection const& rejection, std::string_view date = {},
                      std::string_view more = {}, RejectionBody body = RejectionBody::sent);

/// Formats the current time for the Date field. Formats at most once per second.
class HttpDate {
public:
    /// Returns the text for a wall time. It is valid until the next call.
    std::string_view at(WallTime now) noexcept;
    /// Returns the text for the current wall time of `clock`. `now` must be clock.now(). The wall
    /// time is read only once per second.
    std::string_view at(TimePoint now, Clock const& clock) noexcept;

private:
    std::array<char, 29> text_{};  // "Sun, 06 Nov 1994 08:49:37 GMT"
    std::int64_t second_ = -1;
    TimePoint until_ = TimePoint::min();  // the text is valid until this time
};

}  // namespace lanyard::http
