// ClientWire: one connection of a client without I/O: a tunnel through a proxy, TLS, requests and
// their answers. What the peer sent goes in, what it is to get comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/response_reader.hpp"
#include "sockets/tls_engine.hpp"

namespace lanyard::http {

struct ClientWireOptions {
    ResponseLimits limits;
    /// "host:port" to ask the proxy for; empty where there is no tunnel.
    std::string tunnel;
    std::string proxy_authorization;
    std::optional<sockets::TlsContext> tls;
    std::string host;  ///< whose certificate it has to be
};

/// Not thread-safe.
class ClientWire {
public:
    enum class Event : std::uint8_t {
        need_more,  ///< receive the next bytes
        ready,      ///< requests can be sent; reported once
        head,       ///< head() is complete
        body,       ///< body() is the next piece of it
        done,       ///< the answer is complete
        failed,     ///< fault() says why; close the connection
    };

    explicit ClientWire(ClientWireOptions const& options);

    /// The connection is there.
    void start();
    /// Sends a request. The wire must be ready, and the answer before complete.
    void send(std::string_view request);

    /// Takes bytes of the peer, which must stay in place until next() wants more.
    void receive(std::string_view bytes);
    Event next();
    /// The peer has ended the connection.
    Event finish();

    std::string_view output() const noexcept;
    void consume(std::size_t bytes);

    ResponseHead const& head() const noexcept { return reader_.head(); }
    std::string_view body() const noexcept { return reader_.body(); }
    /// Why it failed: transport_down, too_large, or protocol_violation.
    Error fault() const;
    bool is_ready() const noexcept { return stage_ == Stage::open; }
    /// Whether any byte of the present answer has come.
    bool answer_begun() const noexcept { return answer_begun_; }
    /// Whether another request can follow the answer that is complete.
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
    std::string plain_output_;  // where there is no TLS, or below it
    std::size_t plain_sent_ = 0;
    std::string unencrypted_;    // a request that TLS has not taken as a whole
    std::size_t encrypted_ = 0;  // how much of it it has
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
