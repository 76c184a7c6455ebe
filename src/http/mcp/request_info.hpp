// Makes the PeerInfo of HTTP requests. Consecutive requests of a connection share one object if
// their information is the same.
#pragma once

#include <memory>
#include <string_view>

#include "http/server/request_handler.hpp"
#include "lanyard/peer_info.hpp"

namespace lanyard::http {

/// Returns the information about the sender of a request. It includes the request's headers, except
/// credentials and headers that concern only the connection. The reference is valid until the
/// connection's next request.
std::shared_ptr<PeerInfo const> const& request_info(HttpRequest const& request,
                                                    std::string_view session_id);

/// Whether both principals are the same caller, or both are null.
bool is_same(Principal const* one, Principal const* other) noexcept;

}  // namespace lanyard::http
