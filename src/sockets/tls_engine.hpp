// TlsEngine: one TLS connection without I/O: what the peer sent goes in, what it is to get comes
// out.
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
/// The handshake goes on by itself with receive() and read(); a client begins it with start().
/// After every call there may be output.
class TlsEngine {
public:
    enum class State : std::uint8_t {
        handshake,
        open,
        ended,   ///< the peer has ended its side in the orderly way
        failed,  ///< fault() says why; send the output (an alert) and close
    };

    /// A server's end.
    explicit TlsEngine(TlsContext const& context);
    /// A client's end. The certificate has to be the host's, a name or an address.
    TlsEngine(TlsContext const& context, std::string const& host);
    ~TlsEngine();
    TlsEngine(TlsEngine const&) = delete;
    TlsEngine& operator=(TlsEngine const&) = delete;

    void start();
    /// Takes bytes that the peer has sent.
    void receive(std::string_view ciphertext);
    /// Replaces the text by the next piece of what the peer has said; false where there is none.
    bool read(std::string& plaintext);
    /// Takes as much of the text as it can, and says how much; nothing during the handshake.
    std::size_t write(std::string_view plaintext);
    /// Says that nothing more is written.
    void end();

    std::string_view output() const noexcept;
    void consume(std::size_t bytes) noexcept;

    State state() const noexcept { return state_; }
    std::string const& fault() const noexcept { return fault_; }
    /// Whether it failed because the peer does not accept the certificate of this end, or wants one
    /// where there is none.
    bool is_refused() const noexcept { return refused_; }
    /// The protocol that both ends agreed on: "http/1.1"; empty where none was.
    std::string_view protocol() const noexcept;
    /// The subject of the peer's certificate where it was verified (RFC 2253: "CN=ada,O=Example").
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
