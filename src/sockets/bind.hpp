// Opens the listening sockets of a server.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/clock.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "runtime/descriptors.hpp"

struct sockaddr_storage;

namespace lanyard::sockets {

struct BoundSockets {
    /// Listening, non-blocking sockets. Sockets with the same address are adjacent.
    std::vector<transport::Descriptor> sockets;
    std::uint16_t port = 0;  ///< the port of all these sockets
};

struct ListenSettings {
    /// The time after which a peer that does not respond is considered dead.
    Duration dead_after = std::chrono::seconds(30);
    /// The number of sockets per address; the system distributes connections among them.
    std::size_t shares = 1;
};

/// Listens at a host (a name, or an address without brackets); "localhost" means both loopback
/// addresses, if the machine has them. Port 0 selects a free port. Accepted connections inherit the
/// options set here, such as TCP_NODELAY. On failure, returns Error (unavailable), whose message
/// names the host and port.
Result<BoundSockets> bind_sockets(std::string const& host, std::uint16_t port,
                                  ListenSettings const& settings);

/// The peer of an accepted socket. `address` is, for example, "192.0.2.1", and `text`
/// "192.0.2.1:49152".
struct PeerName {
    std::string address;
    std::string text;
};
PeerName name_of(sockaddr_storage const& peer);

}  // namespace lanyard::sockets
