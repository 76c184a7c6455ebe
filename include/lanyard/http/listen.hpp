// Serving over HTTP at a port of one's own.
#pragma once

#include <cstdint>
#include <string>

#include <lanyard/transport.hpp>

namespace lanyard {

class HttpListener : public Listener {
public:
    /// With the port that was given: "http://127.0.0.1:8080/mcp".
    virtual std::string url() const = 0;
    virtual std::uint16_t port() const noexcept = 0;
    /// Reads certificate and key again, for new connections. Throws Error (invalid_argument) where
    /// they cannot be used, and goes on with the old ones. Safe from any thread.
    virtual void reload_tls() = 0;
};

}  // namespace lanyard
