// TlsEngine: one TLS connection without I/O: bytes from the peer go in, bytes to send come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sockets/tls_context.hpp"

struct ssl_st;

namespace lanyard::sockets {

///     engine.receive(bytes from the peer);
///     while (engine.read(plaintext)) ...
///     engine.write(plaintext);
///     send engine.output(); engine.consume(what was sent);
///
/// receive() and read() advance the handshake; a client begins it with start(). After every call
/// there may be output.
class TlsEngine {
public:
    enum class State : std::uint8_t {
        handshake,
        open,
        ended,   ///< the peer has sent a close_notify
        failed,  ///< fault() describes the error; send the output (an alert) and close
    };

    /// Creates the engine for the server's side of a connection.
    explicit TlsEngine(TlsContext const& context);
    /// Creates the engine for the client's side of a connection. `host` is a name or an address for
    /// which the server's certificate must be valid.
    TlsEngine(TlsContext const& context, std::string const& host);
    ~TlsEngine();
    TlsEngine(TlsEngine const&) = delete;
    TlsEngine& operator=(TlsEngine const&) = delete;

    void start();
    /// Takes bytes received from the peer.
    void receive(std::string_view ciphertext);
    /// Replaces `plaintext` with the next bytes from the peer; returns false if there are none.
    bool read(std::string& plaintext);
    /// Encrypts as much of the plaintext as possible and returns the number of bytes taken; 0
    /// during the handshake.
    std::size_t write(std::string_view plaintext);
    /// Adds a close_notify to the output, once. Nothing can be written after it.
    void end();

    std::string_view output() const noexcept;
    void consume(std::size_t bytes) noexcept;

    State state() const noexcept { return state_; }
    std::string const& fault() const noexcept { return fault_; }
    /// Whether TLS failed because the peer refused this side's certificate, or because the peer
    /// required a certificate and this side has none.
    bool is_refused() const noexcept { return refused_; }
    /// The protocol negotiated with ALPN, such as "http/1.1"; empty if there is none.
    std::string_view protocol() const noexcept;
    /// The subject of the peer's certificate (RFC 2253: "CN=ada,O=Example"); empty if no
    /// certificate was verified.
    std::string peer_subject() const;

private:
    void configure();
    void handshake();
    void judge(int result);
    void collect();
    void fail(std::string fault);

    struct Free {
        void operator()(ssl_st* session) const noexcept;
    };
    TlsContext context_;
    std::unique_ptr<ssl_st, Free> session_;
    std::string output_;
    std::size_t consumed_ = 0;
    std::string fault_;
    State state_ = State::handshake;
    bool refused_ = false;
};

}  // namespace lanyard::sockets
