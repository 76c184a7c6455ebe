// Status codes (RFC 9110, section 15), and Rejection, the reason why a request is refused.
#pragma once

#include <cstdint>
#include <string_view>

#include "lanyard/rpc/message.hpp"

namespace lanyard::http {

enum class Status : std::uint16_t {
    ok = 200,
    accepted = 202,
    no_content = 204,
    bad_request = 400,
    unauthorized = 401,
    forbidden = 403,
    not_found = 404,
    method_not_allowed = 405,
    not_acceptable = 406,
    request_timeout = 408,
    conflict = 409,
    content_too_large = 413,
    uri_too_long = 414,
    unsupported_media_type = 415,
    expectation_failed = 417,
    upgrade_required = 426,
    too_many_requests = 429,
    header_fields_too_large = 431,
    internal_server_error = 500,
    not_implemented = 501,
    service_unavailable = 503,
    version_not_supported = 505,
};

constexpr int number_of(Status status) noexcept {
    return static_cast<int>(status);
}
/// Returns the reason phrase, such as "Not Found".
std::string_view reason_of(Status status) noexcept;

/// Why a request is refused. A Rejection does not own its strings: `reason` is a constant, `allow`
/// belongs to the router, and `cors_origin` to the request's head.
struct Rejection {
    Status status = Status::bad_request;
    std::string_view reason{};
    /// The JSON-RPC error code for the body.
    std::int64_t code = rpc::code::invalid_request;
    /// Whether the connection must be closed after the response, because the server cannot tell
    /// where the next request begins.
    bool close = false;
    /// The value of the Allow header, if the status is 405.
    std::string_view allow{};
    /// The origin whose pages may read the response; empty for none.
    std::string_view cors_origin{};

    bool operator==(Rejection const&) const = default;
};

}  // namespace lanyard::http
