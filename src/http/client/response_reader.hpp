// Reads HTTP/1.1 responses (RFC 9112) on the client's side, within limits. No I/O: bytes in, events
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message/message_reader.hpp"

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
class ResponseReader : public MessageReader<ResponseReader, ResponseHead> {
public:
    /// The maximum number of interim responses before a final one.
    static constexpr int max_interim = 16;

    explicit ResponseReader(ResponseLimits const& limits = {}) noexcept;

    /// Must be called before the response to a CONNECT request is read, because such a response has
    /// no body if it is successful.
    void expect_tunnel() noexcept { tunnel_ = true; }

    /// Must be called when the connection has ended. Returns `done` if that completes the response,
    /// `failed` if the response is incomplete, and `need_more` if no response has begun.
    Event finish() noexcept;

    /// Why reading has failed.
    std::string_view fault() const noexcept { return fault_; }
    /// Whether reading failed because the body exceeds the limit.
    bool too_large() const noexcept { return too_large_; }

private:
    friend class MessageReader<ResponseReader, ResponseHead>;

    std::optional<Event> begin_message() noexcept {
        begin_head();
        return std::nullopt;
    }
    Event read_head();
    void fail_body(bool too_large) noexcept;
    bool parse_status_line() noexcept;
    bool check_head() noexcept;
    bool fail(std::string_view fault) noexcept;

    ResponseLimits limits_;
    std::string_view fault_;
    int interim_ = 0;
    bool http_1_0_ = false;
    bool tunnel_ = false;
    bool too_large_ = false;
};

}  // namespace lanyard::http
