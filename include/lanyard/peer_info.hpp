// PeerInfo: what the transport knows about the sender of a request and about the connection.
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
    std::string session_id{};  ///< identifies the connection or session; may be empty
    std::string transport{};   ///< "stdio", "memory", "http", ...
    std::string identity{};    ///< the authenticated principal; empty if not authenticated
    std::string address{};     ///< IP address without the port; "local" for Unix sockets
    std::vector<RequestHeader> headers{};  ///< HTTP headers; empty on other transports
    /// Whether `headers` belong to this one request. False if they belong to the connection, for
    /// example if they are the headers of the request that opened a WebSocket.
    bool headers_of_request = false;
};

}  // namespace lanyard
