#include "server/core/log_limit.hpp"

#include <string>
#include <utility>

namespace lanyard::server {

namespace {

constexpr std::size_t max_clients = 1'000;

std::string name_of(PeerInfo const& client) {
    if (!client.identity.empty()) return "identity " + client.identity;
    if (!client.address.empty()) return "address " + client.address;
    return client.transport;
}

}  // namespace

LogLimit::LogLimit()
    : clients_({.rate = per_client, .max_keys = max_clients, .hash_seed = system_random().bits()}) {
}

bool LogLimit::take(PeerInfo const& client, TimePoint now) {
    // Checks the client's own limit first, so that a client that exceeds it does not use up the
    // common limit.
    if (clients_.take(name_of(client), now) && all_.take(now)) return true;
    ++suppressed_;
    return false;
}

std::uint64_t LogLimit::take_suppressed() noexcept {
    return std::exchange(suppressed_, 0);
}

}  // namespace lanyard::server
