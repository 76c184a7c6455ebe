// Status codes (RFC 9110, section 15) and the reason for which a request is turned away.
#pragma once

#include <cstdint>
#include <string_view>

#include <lanyard/rpc/message.hpp>

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
/// "Not Found"
std::string_view reason_of(Status status) noexcept;

/// Why a request is not served. The texts are constants.
struct Rejection {
    Status status = Status::bad_request;
    std::string_view reason{};
    /// The JSON-RPC code that goes with it.
    std::int64_t code = rpc::code::invalid_request;
    /// The connection cannot be used any further: where the next request begins is not known.
    bool close = false;
    /// Methods for Allow, where the status is 405.
    std::string_view allow{};
    /// The origin that may read the answer, where it is a listed one.
    std::string_view cors_origin{};

    bool operator==(Rejection const&) const = default;
};

}  // namespace lanyard::http
