// SessionRequest: a request of a client, as the HTTP endpoint passes it to a session.
#pragma once

#include <memory>
#include <string_view>

#include "jsonrpc/envelope.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/peer_info.hpp"

namespace lanyard::http {

/// A POSTed request, or a batch that contains at least one.
struct SessionRequest {
    std::string_view text;
    rpc::Envelope const* envelope = nullptr;  ///< the parsed message; null for a batch
    std::shared_ptr<PeerInfo const> info{};
    bool takes_stream = false;  ///< whether the client accepts an event stream as the response
    bool handshake = false;
    bool changes_session = false;  ///< whether the request changes state on which later requests of
                                   ///< the session depend
    TimePoint received{};
};

}  // namespace lanyard::http
