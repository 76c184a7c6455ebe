// PeerFacts of HTTP requests, made once for all requests of a connection that say the same.
#pragma once

#include <memory>
#include <string_view>

#include "http/request_handler.hpp"
#include "lanyard/peer_facts.hpp"

namespace lanyard::http {

/// What is known about who sent the request. Handlers see its headers but for those that only
/// concern the connection and the credentials. Stays in place until the connection's next request.
std::shared_ptr<PeerFacts const> const& request_facts(Request const& request,
                                                      std::string_view session_id);

/// Whether these are the same caller, or both nobody in particular.
bool is_same(Principal const* one, Principal const* other) noexcept;

}  // namespace lanyard::http
