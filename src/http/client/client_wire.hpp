// ClientWire: one client connection without I/O: a tunnel through a proxy, TLS, requests and their
// responses. Bytes from the peer go in, bytes to send come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/client/response_reader.hpp"
#include "sockets/tls_engine.hpp"

namespace lanyard::http {

struct ClientWireOptions {
    ResponseLimits limits;
    /// The "host:port" of the server, to which the proxy must open a tunnel; empty if there is no
    /// tunnel.
    std::string tunnel;
    std::string proxy_authorization;
    std::optional<sockets::TlsContext> tls;
    std::string host;  ///< with TLS: the host name that the server's certificate must have
};

/// Not thread-safe.
class ClientWire {
public:
    enum class Event : std::uint8_t {
        need_more,  ///< receive the next bytes
        ready,      ///< requests can be sent; reported once
        head,       ///< head() is complete
        body,       ///< body() is the next piece of the body
        done,       ///< the response is complete
        failed,     ///< fault() describes the error; close the connection
    };

    explicit ClientWire(ClientWireOptions const& options);

    /// Must be called when the connection is established, before the other functions.
    void start();
    /// Appends a request to the output. The event `ready` must have been reported, and the previous
    /// response must be complete.
    void send(std::string_view request);

    /// Sets the next bytes from the peer. They must stay valid until next() returns need_more.
    void receive(std::string_view bytes);
    Event next();
    /// Must be called when the peer has ended the connection. Returns `done` if the end of the
    /// connection completes the response, else `failed`.
    Event finish();

    std::string_view output() const noexcept;
    void consume(std::size_t bytes);

    ResponseHead const& head() const noexcept { return reader_.head(); }
    std::string_view body() const noexcept { return reader_.body(); }
    /// The error, with one of the codes transport_down, unavailable, unauthorized, too_large and
    /// protocol_violation.
    Error fault() const;
    bool is_ready() const noexcept { return stage_ == Stage::open; }
    /// Whether any byte of the current response has arrived.
    bool answer_begun() const noexcept { return answer_begun_; }
    /// Whether another request can be sent once the current response is complete.
    bool reusable() const noexcept;

private:
    enum class Stage : std::uint8_t { tunnel, handshake, open, failed };

    Event next_of_tunnel();
    Event next_of_handshake();
    Event next_of_answer();
    Event map(ResponseReader::Event event);
    Event fail(Errc code, std::string message);
    void begin_above_tunnel();
    bool decrypt();
    void encrypt();

    ClientWireOptions options_;
    ResponseReader tunnel_reader_;
    ResponseReader reader_;
    std::unique_ptr<sockets::TlsEngine> tls_;
    // Output that is not encrypted. Without TLS, this is all output; with TLS, only the request to
    // the proxy.
    std::string plain_output_;
    std::size_t plain_sent_ = 0;
    std::string unencrypted_;    // requests that the TLS engine has not taken completely
    std::size_t encrypted_ = 0;  // number of bytes of unencrypted_ that the TLS engine has taken
    std::string decrypted_;
    std::string_view input_;
    Stage stage_ = Stage::open;
    Errc fault_code_ = Errc::transport_down;
    std::string fault_;
    bool ready_reported_ = false;
    bool answer_begun_ = false;
    bool keep_alive_ = false;
};

}  // namespace lanyard::http
