// Reads HTTP/1.1 requests (RFC 9112), and those of HTTP/1.0 from proxies, strictly: whatever two
// implementations could read in different ways is refused, and the connection ends with it. No I/O:
// bytes in, events out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/body_reader.hpp"
#include "http/fields.hpp"
#include "http/head_buffer.hpp"
#include "http/status.hpp"

namespace lanyard::http {

enum class Method : std::uint8_t { get, post, delete_, options, other };

/// What a request says before its body. Views stay valid until the next request begins.
struct RequestHead {
    Method method = Method::other;
    std::string_view method_text{};
    std::string_view target{};  ///< begins with '/'
    Fields fields{};
    BodyFraming body{};
    bool keep_alive = true;
    /// HTTP/1.0: the answer has no chunks, and the connection ends with it.
    bool old = false;
    /// The client waits for "100 Continue" before it sends the body.
    bool expects_continue = false;
    /// Stays the same while the heads of a connection differ in nothing but the length of the body,
    /// so that what was found out about one need not be found out again. Zero: unknown.
    std::uint64_t edition = 0;

    std::string_view path() const noexcept { return target.substr(0, target.find('?')); }
    /// Without the question mark; empty where there is none.
    std::string_view query() const noexcept;
};

struct RequestLimits {
    std::size_t max_head_bytes = std::size_t{16} * 1024;
    std::size_t max_target_bytes = std::size_t{8} * 1024;
    std::size_t max_fields = 100;
    std::uint64_t max_body_bytes = std::uint64_t{4} * 1024 * 1024;
};

/// The requests of one connection, one after the other.
///
///     reader.feed(bytes);
///     switch (reader.next()) ...
///
/// Requests may follow each other without a pause (pipelining): what next() has not looked at stays
/// in unread(), and the caller asks again once the first is answered. In steady state nothing is
/// allocated.
class RequestReader {
public:
    enum class Event : std::uint8_t {
        need_more,  ///< feed the next bytes
        head,       ///< head() is complete; the body follows
        body,       ///< body() is the next piece of it
        done,       ///< the request is complete; next() goes on to the following one
        refused,    ///< rejection() says why; answer and close. There is nothing more to read.
    };

    explicit RequestReader(RequestLimits const& limits = {}) noexcept;

    /// Takes the next bytes. They must stay in place until next() returns need_more or they have
    /// been fed again; whatever unread() still held must be in front of them.
    void feed(std::string_view bytes) noexcept { input_ = bytes; }
    Event next();

    RequestHead const& head() const noexcept { return head_; }
    /// A view into the bytes fed.
    std::string_view body() const noexcept { return body_.data(); }
    Rejection const& rejection() const noexcept { return rejection_; }
    /// Whether the present request is one with HEAD, whose answer has no body. Also known of a
    /// request that is refused.
    bool wants_no_body() const noexcept { return refused_head_ || is_head(buffer_.view()); }
    std::string_view unread() const noexcept { return input_; }

    /// Between two requests, with nothing of the next one read.
    bool idle() const noexcept;
    /// Gives memory back while a connection is idle.
    void release() noexcept;
    /// Memory held.
    std::size_t capacity() const noexcept { return buffer_.capacity(); }

private:
    enum class Stage : std::uint8_t { head, body, done, refused };

    static bool is_head(std::string_view request) noexcept { return request.starts_with("HEAD "); }
    bool repeat_head() noexcept;
    Event read_head();
    Event begin_body() noexcept;
    Event read_body() noexcept;
    bool parse_request_line() noexcept;
    bool check_head() noexcept;
    Event refuse(Status status, std::string_view reason) noexcept;
    bool fail(Status status, std::string_view reason) noexcept;

    RequestLimits limits_;
    std::string_view input_;
    HeadBuffer buffer_;
    BodyReader body_;
    RequestHead head_;
    Rejection rejection_;
    std::uint64_t editions_ = 0;
    bool refused_head_ = false;  // a request with HEAD that was too long to be kept
    Stage stage_ = Stage::done;
};

}  // namespace lanyard::http
