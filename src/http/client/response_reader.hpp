// Reads HTTP/1.1 responses (RFC 9112) on the client's side, within limits. No I/O: bytes in, events
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message/body_reader.hpp"
#include "http/message/fields.hpp"
#include "http/message/head_buffer.hpp"

namespace lanyard::http {

/// The head of a response. Views stay valid until the next response begins.
struct ResponseHead {
    enum class Content : std::uint8_t { none, json, event_stream, other };

    int status = 0;
    Fields fields{};
    BodyFraming body{};
    Content content = Content::none;
    bool keep_alive = false;

    bool ok() const noexcept { return status >= 200 && status < 300; }
};

struct ResponseLimits {
    std::size_t max_head_bytes = std::size_t{64} * 1024;
    std::size_t max_fields = Fields::max_count;
    /// The maximum size of a body. Does not apply to event streams, which may be endless; SseParser
    /// limits the size of each event instead.
    std::uint64_t max_body_bytes = std::uint64_t{16} * 1024 * 1024;
};

/// Reads the responses of one connection. Interim responses (1xx) are skipped.
class ResponseReader {
public:
    enum class Event : std::uint8_t {
        need_more,  ///< feed the next bytes
        head,       ///< head() is complete; the body follows
        body,       ///< body() is the next piece of the body
        done,       ///< the response is complete; next() continues with the following one
        failed,     ///< fault() describes the error; close the connection
    };

    /// The maximum number of interim responses before a final one.
    static constexpr int max_interim = 16;

    explicit ResponseReader(ResponseLimits const& limits = {}) noexcept;

    /// Must be called before the response to a CONNECT request is read, because such a response has
    /// no body if it is successful.
    void expect_tunnel() noexcept { tunnel_ = true; }

    /// Sets the next bytes. They must stay valid until next() returns need_more or feed() is called
    /// again. If unread() is not empty, the next bytes must begin with it.
    void feed(std::string_view bytes) noexcept { input_ = bytes; }
    Event next();
    /// Must be called when the connection has ended. Returns `done` if that completes the response,
    /// `failed` if the response is incomplete, and `need_more` if no response has begun.
    Event finish() noexcept;

    ResponseHead const& head() const noexcept { return head_; }
    /// The current piece of the body, a view into the bytes passed to feed().
    std::string_view body() const noexcept { return body_.data(); }
    std::string_view fault() const noexcept { return fault_; }
    /// Whether reading failed because the body exceeds the limit.
    bool too_large() const noexcept { return too_large_; }
    std::string_view unread() const noexcept { return input_; }
    /// Whether the reader is between two responses: no byte of the next response has been read.
    bool idle() const noexcept;

private:
    enum class Stage : std::uint8_t { head, body, done, failed };

    Event read_head();
    Event read_body() noexcept;
    bool parse_status_line() noexcept;
    bool check_head() noexcept;
    void begin_head() noexcept;
    bool fail(std::string_view fault) noexcept;

    ResponseLimits limits_;
    std::string_view input_;
    HeadBuffer buffer_;
    BodyReader body_;
    ResponseHead head_;
    std::string_view fault_;
    Stage stage_ = Stage::done;
    int interim_ = 0;
    bool http_1_0_ = false;
    bool tunnel_ = false;
    bool too_large_ = false;
};

}  // namespace lanyard::http
