// Writes HTTP/1.1 requests of a client by appending to one buffer.
#pragma once

#include <string>
#include <string_view>

#include "http/message/method.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::http {

/// The head of a request; empty fields are left out.
struct CallHead {
    Method method = Method::post;
    std::string_view target{};
    std::string_view host{};
    bool takes_json = true;
    bool takes_stream = true;
    std::string_view session_id{};
    std::string_view protocol_version{};
    std::string_view last_event_id{};
    std::string_view authorization{};
    /// Header lines that repeat parts of the body, and further header lines. Each line is made by
    /// append_header().
    std::string_view mirrored{};
    std::string_view more{};
};

/// Appends a whole request. Only a POST has a body, which is JSON.
void append_request(std::string& out, CallHead const& head, std::string_view body = {});

/// Appends a CONNECT request, which asks a proxy for a tunnel to "host:port".
void append_connect(std::string& out, std::string_view authority, std::string_view authorization);

/// Checks a header that the user has set: its name must be a token that is not reserved for the
/// transport, and its value must not contain control characters.
Result<void, DecodeError> check_custom_header(std::string_view name, std::string_view value);

}  // namespace lanyard::http
