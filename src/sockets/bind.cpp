#include "sockets/bind.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "runtime/standard_descriptors.hpp"

namespace lanyard::sockets {
namespace {

using transport::Descriptor;

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

Unexpected<Error> unavailable(std::string const& host, std::uint16_t port, std::string const& why) {
    return Unexpected(Error(Errc::unavailable, "cannot listen at " + host + " port " +
                                                   std::to_string(port) + ": " + why));
}

Result<std::vector<Address>> resolve(std::string const& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    std::vector<Address> addresses;
    // "localhost" always means the loopback addresses, even if the system resolves this name to
    // other addresses.
    auto const names = host == "localhost" ? std::vector<std::string>{"127.0.0.1", "::1"}
                                           : std::vector<std::string>{host};
    for (auto const& name : names) {
        addrinfo* found = nullptr;
        auto const failure = getaddrinfo(name.c_str(), nullptr, &hints, &found);
        if (failure != 0) return unavailable(host, 0, gai_strerror(failure));
        std::unique_ptr<addrinfo, void (*)(addrinfo*)> const owned(found, freeaddrinfo);
        for (auto const* at = found; at != nullptr; at = at->ai_next) {
            Address address;
            address.size = at->ai_addrlen;
            std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
            addresses.push_back(address);
        }
    }
    return addresses;
}

void set(int socket, int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
}

// Listens at the address, with sockets that may share it if `shared`. Returns a closed descriptor
// and sets errno on failure.
Descriptor listen_at(Address address, std::uint16_t port, ListenSettings const& settings,
                     bool shared) {
    Descriptor socket(
        ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.is_open()) return socket;
    auto const fd = socket.get();
    set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (shared) set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    auto const timeout = std::chrono::ceil<std::chrono::milliseconds>(settings.dead_after).count();
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(std::min<long>(timeout, 1L << 30)));
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    if (address.storage.ss_family == AF_INET6) {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
        v6.sin6_port = htons(port);
        // A socket at [::] accepts connections to every address of the machine, including IPv4.
        set(fd, IPPROTO_IPV6, IPV6_V6ONLY, IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) ? 0 : 1);
    } else {
        reinterpret_cast<sockaddr_in&>(address.storage).sin_port = htons(port);
    }
    if (::bind(fd, reinterpret_cast<sockaddr const*>(&address.storage), address.size) != 0 ||
        ::listen(fd, SOMAXCONN) != 0) {
        auto const error = errno;
        socket = Descriptor();
        errno = error;
    }
    return socket;
}

std::uint16_t port_of(sockaddr_storage const& address) {
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<sockaddr_in6 const&>(address).sin6_port
                     : reinterpret_cast<sockaddr_in const&>(address).sin_port);
}

std::uint16_t bound_port(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    return port_of(address);
}

// Appends the sockets for one address. If there are several, the first one is opened without
// SO_REUSEPORT and closed again, because with this option the port of another program that uses it,
// too, would not be reported as in use. Returns false and sets errno on failure.
bool listen_at_address(Address const& address, ListenSettings const& settings,
                       BoundSockets& bound) {
    bool const shared = settings.shares > 1;
    if (shared) {
        auto const probe = listen_at(address, bound.port, settings, false);
        if (!probe.is_open()) return false;
        bound.port = bound_port(probe.get());
    }
    for (std::size_t i = 0; i < settings.shares; ++i) {
        auto socket = listen_at(address, bound.port, settings, shared);
        if (!socket.is_open()) return false;
        bound.port = bound_port(socket.get());
        bound.sockets.push_back(std::move(socket));
    }
    return true;
}

// Whether the error means that the machine does not have the address, or does not support its
// address family.
bool is_missing(int error) {
    return error == EADDRNOTAVAIL || error == EAFNOSUPPORT;
}

}  // namespace

Result<BoundSockets> bind_sockets(std::string const& host, std::uint16_t port,
                                  ListenSettings const& settings) {
    runtime::reserve_standard_descriptors();
    auto const addresses = resolve(host);
    if (!addresses) return Unexpected(addresses.error());
    // With port 0, several attempts are needed: a port that is free at one address may be in use at
    // the next.
    constexpr int attempts = 16;
    int error = 0;
    for (int i = 0; i < (port == 0 ? attempts : 1); ++i) {
        BoundSockets bound;
        bound.port = port;
        error = 0;
        for (auto const& address : *addresses) {
            if (listen_at_address(address, settings, bound)) continue;
            if (!is_missing(errno) || address.storage.ss_family == AF_INET) {
                error = errno;
                break;
            }
        }
        if (error == 0 && !bound.sockets.empty()) return bound;
        if (error == 0) error = EADDRNOTAVAIL;
        if (error != EADDRINUSE) break;
    }
    return unavailable(host, port, std::generic_category().message(error));
}

PeerName name_of(sockaddr_storage const& peer) {
    char text[INET6_ADDRSTRLEN] = "";
    if (peer.ss_family == AF_INET6) {
        auto const& v6 = reinterpret_cast<sockaddr_in6 const&>(peer);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    } else if (peer.ss_family == AF_INET) {
        auto const& v4 = reinterpret_cast<sockaddr_in const&>(peer);
        ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    } else {
        return {"local", "local"};
    }
    std::string const address = text;
    auto const port = ":" + std::to_string(port_of(peer));
    return {address, peer.ss_family == AF_INET6 ? "[" + address + "]" + port : address + port};
}

}  // namespace lanyard::sockets
