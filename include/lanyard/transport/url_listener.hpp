// UrlListener: a listener at a network address or Unix socket.
#pragma once

#include <cstdint>
#include <string>

#include <lanyard/transport.hpp>

namespace lanyard {

/// The return type of listen().
class UrlListener : public Listener {
public:
    /// The URL with the actual port: "http://127.0.0.1:8080/mcp", "tcp://127.0.0.1:4000".
    virtual std::string url() const = 0;
    /// The actual port; zero if the address has no port.
    virtual std::uint16_t port() const noexcept = 0;
    /// Reloads certificate and key, for new connections. If they cannot be used, throws Error
    /// (invalid_argument), and the old ones stay in use. Safe from any thread.
    virtual void reload_tls() = 0;
};

}  // namespace lanyard
