// PeerInfo: what the transport knows about the sender of a request and the connection.
#pragma once

#include <string>
#include <vector>

namespace lanyard {

/// A header of an HTTP request.
struct RequestHeader {
    std::string name;
    std::string value;
};

/// Information about the sender of a message, provided by the transport.
struct PeerInfo {
    std::string session_id{};  ///< identifies the connection or session; empty if there is none
    std::string transport{};   ///< "stdio", "memory", "http", ...
    std::string identity{};  ///< the principal that the transport has authenticated; empty if none
    std::string address{};   ///< of the peer's machine, without a port; "local" for Unix sockets
    std::vector<RequestHeader> headers{};  ///< of the HTTP request, if there was one
};

}  // namespace lanyard
