// UrlListener: a listener at a network address or Unix socket.
#pragma once

#include <cstdint>
#include <string>

#include <lanyard/transport.hpp>

namespace lanyard {

/// The return type of listen().
///
/// listen() does not throw if the address cannot be used or an option is invalid: it returns a
/// listener whose run(), url(), port() and reload_tls() throw the Error. Server::run() then reports
/// the error: `return server.run(lanyard::listen("http://127.0.0.1:8080/mcp"));` prints the error
/// on stderr and returns 1. A program that handles the error itself calls url() or port() first.
class UrlListener : public Listener {
public:
    /// The URL with the actual port: "http://127.0.0.1:8080/mcp", "tcp://127.0.0.1:4000". Throws
    /// Error if the listener could not be opened: unavailable if the address cannot be used,
    /// invalid_argument if the URL or an option is invalid.
    virtual std::string url() const = 0;
    /// The actual port; zero if the address has no port. Throws like url().
    virtual std::uint16_t port() const = 0;
    /// Reloads certificate and key, for new connections. If they cannot be used, throws Error
    /// (invalid_argument), and the old ones stay in use. Safe from any thread.
    virtual void reload_tls() = 0;
};

}  // namespace lanyard
