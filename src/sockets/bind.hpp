// Opening the sockets that a server listens at.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

#include "transport/descriptors.hpp"

struct sockaddr_storage;

namespace lanyard::sockets {

struct BoundSockets {
    /// Listening, non-blocking; all shares of an address stand together.
    std::vector<transport::Descriptor> sockets;
    std::uint16_t port = 0;  ///< the same for all of them
};

struct ListenSettings {
    /// After this time the death of a silent peer is noticed.
    Duration dead_after = std::chrono::seconds(30);
    /// Sockets per address, among which the system spreads connections.
    std::size_t shares = 1;
};

/// Listens at a host (a name, or an address without brackets); "localhost" is both loopback
/// addresses, as far as the machine has them. Port 0 takes a free one. Connections inherit what is
/// set here, no delay of small writes among it. Errors are unavailable and name the address.
Result<BoundSockets> bind_sockets(std::string const& host, std::uint16_t port,
                                  ListenSettings const& settings);

/// The peer of an accepted socket: "192.0.2.1" and "192.0.2.1:49152".
struct PeerName {
    std::string address;
    std::string text;
};
PeerName name_of(sockaddr_storage const& peer);

}  // namespace lanyard::sockets
