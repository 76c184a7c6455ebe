// UrlListener: a listener at an address of the machine.
#pragma once

#include <cstdint>
#include <string>

#include <lanyard/transport.hpp>

namespace lanyard {

/// What listen() gives.
class UrlListener : public Listener {
public:
    /// With the port that was given: "http://127.0.0.1:8080/mcp", "tcp://127.0.0.1:4000".
    virtual std::string url() const = 0;
    /// Zero where there are no ports.
    virtual std::uint16_t port() const noexcept = 0;
    /// Reads certificate and key again, for new connections. Throws Error (invalid_argument) where
    /// they cannot be used, and goes on with the old ones. Safe from any thread.
    virtual void reload_tls() = 0;
};

}  // namespace lanyard
