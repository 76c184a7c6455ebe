// PeerFacts: who has sent a request and how it came, as far as its carrier knows.
#pragma once

#include <string>
#include <vector>

namespace lanyard {

/// A header of an HTTP request.
struct RequestHeader {
    std::string name;
    std::string value;
};

/// What a carrier knows about the sender of a message.
struct PeerFacts {
    std::string session_id{};  ///< names the connection or session; empty where there is none
    std::string transport{};   ///< "stdio", "memory", "http", ...
    std::string identity{};    ///< the principal the carrier has authenticated; empty where none
    std::string address{};     ///< of the other machine, without a port; "local" for Unix sockets
    std::vector<RequestHeader> headers{};  ///< of the HTTP request, where there was one
};

}  // namespace lanyard
