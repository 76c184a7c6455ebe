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
    /// Reloads certificate and key, for new connections. Throws Error (invalid_argument) if they
    /// cannot be used; the old ones then stay in use. Safe from any thread.
    virtual void reload_tls() = 0;
};

}  // namespace lanyard
