// Writes HTTP/1.1 responses (RFC 9112) by appending to one buffer: head and body leave in one
// write, and nothing is allocated once the buffer has grown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <lanyard/clock.hpp>

#include "http/status.hpp"

namespace lanyard::http {

enum class Content : std::uint8_t { none, json, event_stream, text };

/// What a response says before its body. Every response also carries the headers that keep browsers
/// from framing, sniffing or storing it.
struct ReplyHead {
    Status status = Status::ok;
    Content content = Content::none;
    bool keep_alive = true;
    std::string_view session_id{};
    /// A listed origin, which may read the answer.
    std::string_view cors_origin{};
    /// As HttpDate writes it; empty for none.
    std::string_view date{};
    /// Further lines, each made by append_header().
    std::string_view more{};

    /// Whether it is like that of most answers: JSON, with nothing to say beside the date.
    bool usual() const noexcept {
        return status == Status::ok && content == Content::json && keep_alive &&
               session_id.empty() && cors_origin.empty() && more.empty();
    }
};

/// Appends "name: value" and CR LF. Characters that may not stand in a value become spaces.
void append_header(std::string& lines, std::string_view name, std::string_view value);

/// A whole response. With Content::none there is no body.
void append_reply(std::string& out, ReplyHead const& head, std::string_view body = {});

/// Begins a response whose body the caller appends; the result goes to end_reply(), which fills in
/// the length.
[[nodiscard]] std::size_t begin_reply(std::string& out, ReplyHead const& head);
void end_reply(std::string& out, std::size_t body_begin) noexcept;

/// Begins responses like begin_reply(), but writes the usual head once for each date.
class ReplyBeginner {
public:
    [[nodiscard]] std::size_t begin(std::string& out, ReplyHead const& head);

private:
    std::string usual_;
    std::string date_;
};

/// How a body ends whose length is not known: with its last chunk, or (HTTP/1.0) the connection.
enum class StreamEnd : std::uint8_t { last_chunk, connection };

/// The head of a response whose body is sent as long as it takes. Proxies are asked not to hold it
/// back.
void append_stream_head(std::string& out, ReplyHead const& head,
                        StreamEnd end = StreamEnd::last_chunk);
/// Begins a chunk whose data the caller appends; one without data is taken back by end_chunk(),
/// since an empty chunk would end the body.
[[nodiscard]] std::size_t begin_chunk(std::string& out);
void end_chunk(std::string& out, std::size_t data_begin) noexcept;
/// The end of a body in chunks.
void append_last_chunk(std::string& out);

/// "100 Continue": the client may send the body that it holds back.
void append_continue(std::string& out);

/// The answer to a request that is not served: the reason as a JSON-RPC error without an id.
/// `more` are further lines of the head. The answer to a HEAD has its length, but no body.
enum class RejectionBody : std::uint8_t { sent, left_out };
void append_rejection(std::string& out, Rejection const& rejection, std::string_view date = {},
                      std::string_view more = {}, RejectionBody body = RejectionBody::sent);

/// The current time as the Date field has it, formatted once a second.
class HttpDate {
public:
    /// Valid until it is called again.
    std::string_view at(WallTime now) noexcept;
    /// The same by a clock whose time is known: its calendar is looked at once a second.
    std::string_view at(TimePoint now, Clock const& clock) noexcept;

private:
    std::array<char, 29> text_{};  // "Sun, 06 Nov 1994 08:49:37 GMT"
    std::int64_t second_ = -1;
    TimePoint until_ = TimePoint::min();  // by the clock, the text is right
};

}  // namespace lanyard::http
