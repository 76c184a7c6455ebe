// Reads HTTP/1.1 requests (RFC 9112), and HTTP/1.0 requests from proxies, strictly: if two HTTP
// implementations could interpret the input differently, the request is refused and the connection
// is closed. No I/O: bytes in, events out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message/message_reader.hpp"
#include "http/message/method.hpp"
#include "http/message/status.hpp"

namespace lanyard::http {

/// The head of a request. Views stay valid until the next request begins.
struct RequestHead {
    Method method = Method::other;
    std::string_view method_text{};
    std::string_view target{};  ///< begins with '/'
    std::string_view text{};    ///< the whole head, with the empty line at its end
    Fields fields{};
    BodyFraming body{};
    bool keep_alive = true;
    /// Whether this is HTTP/1.0: the response must not be chunked, and the connection ends after
    /// the response.
    bool old = false;
    /// Whether the client waits for "100 Continue" before it sends the body.
    bool expects_continue = false;
    /// A number that identifies the content of this head. It stays the same as long as the heads of
    /// a connection differ only in the length of the body, so that results of checks can be reused.
    /// Zero: unknown.
    std::uint64_t edition = 0;

    std::string_view path() const noexcept { return target.substr(0, target.find('?')); }
    /// The query without the question mark; empty if there is none.
    std::string_view query() const noexcept;
};

struct RequestLimits {
    std::size_t max_head_bytes = std::size_t{16} * 1024;
    std::size_t max_target_bytes = std::size_t{8} * 1024;
    std::size_t max_fields = 100;
    std::uint64_t max_body_bytes = std::uint64_t{4} * 1024 * 1024;
};

/// Reads the requests of one connection, one after the other.
///
///     reader.feed(bytes);
///     switch (reader.next()) ...
///
/// Requests may be pipelined: the input after a complete request stays in unread(), and the caller
/// continues with it when that request is answered. Once the buffers have grown, nothing is
/// allocated.
class RequestReader : public MessageReader<RequestReader, RequestHead> {
public:
    explicit RequestReader(RequestLimits const& limits = {}) noexcept;

    /// The response that the caller must send if next() has returned `failed`.
    Rejection const& rejection() const noexcept { return rejection_; }
    /// Whether the current request is a HEAD request, whose response has no body. Also correct for
    /// a request that is refused.
    bool wants_no_body() const noexcept { return refused_head_ || is_head(buffer_.view()); }

    /// Frees the memory if the reader is idle.
    void release() noexcept;
    /// Bytes of memory held.
    std::size_t capacity() const noexcept { return buffer_.capacity(); }

private:
    friend class MessageReader<RequestReader, RequestHead>;

    static bool is_head(std::string_view request) noexcept { return request.starts_with("HEAD "); }
    bool repeat_head() noexcept;
    std::optional<Event> begin_message() noexcept;
    Event read_head();
    void fail_body(bool too_large) noexcept;
    bool parse_request_line() noexcept;
    bool check_head() noexcept;
    Event refuse(Status status, std::string_view reason) noexcept;
    bool fail(Status status, std::string_view reason) noexcept;

    RequestLimits limits_;
    Rejection rejection_;
    std::uint64_t editions_ = 0;
    bool refused_head_ = false;  // the refused request is a HEAD request whose head was too long to
                                 // be stored
};

}  // namespace lanyard::http
