// PeerInfo of HTTP requests, shared by the requests of a connection that have the same information.
#pragma once

#include <memory>
#include <string_view>

#include "http/server/request_handler.hpp"
#include "lanyard/peer_info.hpp"

namespace lanyard::http {

/// Returns the information about the sender of a request. They include its headers, except
/// credentials and headers that concern only the connection. The reference is valid until the
/// connection's next request.
std::shared_ptr<PeerInfo const> const& request_info(HttpRequest const& request,
                                                    std::string_view session_id);

/// Whether both principals are the same caller, or both are null.
bool is_same(Principal const* one, Principal const* other) noexcept;

}  // namespace lanyard::http
