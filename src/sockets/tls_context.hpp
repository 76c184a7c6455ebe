// TlsContext: certificates, keys and rules for TLS, of a server or of a client (OpenSSL).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

struct ssl_ctx_st;

namespace lanyard::sockets {

struct TlsServerFiles {
    /// The path of a PEM file with the server's certificate and the intermediate certificates.
    std::string certificate;
    /// The path of a PEM file with the private key of the certificate.
    std::string key;
    /// The path of a PEM file with the authorities that sign client certificates. If this path is
    /// not empty, clients must present a certificate.
    std::string client_authorities{};
    /// Whether the connection carries HTTP/1.1. If so, ALPN (RFC 7301) negotiates that protocol.
    bool http = true;
};

struct TlsClientRules {
    /// The path of a PEM file with the authorities that sign the server's certificate. If empty,
    /// the authorities that the system trusts are used.
    std::string authorities{};
    /// The path of a PEM file with the client's certificate; empty if the client has none.
    std::string certificate{};
    /// The path of a PEM file with the private key of the client's certificate.
    std::string key{};
    /// Whether to accept the server's certificate without checking it. For tests on the local
    /// machine.
    bool insecure = false;
    /// See TlsServerFiles::http.
    bool http = true;
};

/// The configuration of TLS 1.2 and newer. Cheap to copy; immutable.
class TlsContext {
public:
    /// server() and client() fail with invalid_argument if a file cannot be read or used; the error
    /// names the file.
    static Result<TlsContext> server(TlsServerFiles const& files);
    static Result<TlsContext> client(TlsClientRules const& rules);

    ssl_ctx_st* native() const noexcept { return context_.get(); }
    bool is_server() const noexcept { return is_server_; }
    bool verifies_peer() const noexcept { return verifies_peer_; }

private:
    TlsContext(std::shared_ptr<ssl_ctx_st> context, bool is_server, bool verifies_peer) noexcept
        : context_(std::move(context)), is_server_(is_server), verifies_peer_(verifies_peer) {}

    std::shared_ptr<ssl_ctx_st> context_;
    bool is_server_;
    bool verifies_peer_;
};

}  // namespace lanyard::sockets
