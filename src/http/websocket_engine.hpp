// WebSocketEngine: one WebSocket (RFC 6455) without I/O: what the peer sent goes in, what it is to
// get comes out. The protocol is Boost.Beast's, which is compiled here only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/execution_context.hpp>

#include <lanyard/error.hpp>

namespace lanyard::http {

/// Why a WebSocket was closed (RFC 6455, section 7.4.1).
enum class CloseCode : std::uint16_t {
    normal = 1000,
    going_away = 1001,
    protocol_error = 1002,
    unsupported_data = 1003,
    no_code = 1005,   ///< the peer gave none; never sent
    abnormal = 1006,  ///< the connection ended without a word; never sent
    invalid_payload = 1007,
    too_big = 1009,
    internal_error = 1011,
};

/// "1009 (message too big)"; codes without a name are numbers only.
std::string describe(CloseCode code);

struct WebSocketEngineOptions {
    std::size_t max_message_bytes = std::size_t{16} * 1024 * 1024;
    bool deflate = false;
    /// Where payload passes through; all engines of a thread may share it.
    std::span<char> scratch{};
};

/// What a server knows about a request to open a WebSocket.
struct WebSocketOffer {
    std::string_view key;         ///< Sec-WebSocket-Key
    std::string_view extensions;  ///< Sec-WebSocket-Extensions; may be empty
    std::string_view protocol;    ///< to be chosen; empty for none
};

/// What a client asks for.
struct WebSocketRequest {
    std::string host;
    std::string target;
    std::string protocol;
    std::vector<std::pair<std::string, std::string>> headers;
};

///     engine.receive(bytes from the peer);
///     while (engine.next() != Event::need_more) ...
///     engine.send(text);
///     send engine.output(); engine.consume(what was sent);
///
/// Messages are read one by one: nothing is read ahead of the one that next() has returned. Pings
/// are answered by themselves, and so is a close.
class WebSocketEngine {
public:
    enum class Event : std::uint8_t {
        need_more,
        opened,   ///< the handshake is done; once
        message,  ///< message() is complete
        ended,    ///< nothing more comes and nothing more can be said: send the output, and close
    };

    /// The context is that of the connection's executor; nothing is ever run on it.
    WebSocketEngine(boost::asio::execution_context& context, WebSocketEngineOptions const& options);
    ~WebSocketEngine();
    WebSocketEngine(WebSocketEngine const&) = delete;
    WebSocketEngine& operator=(WebSocketEngine const&) = delete;

    /// Opens as the server, with an answer to the request.
    void accept(WebSocketOffer const& offer);
    /// Opens as a client, by asking.
    void ask(WebSocketRequest const& request);

    /// Takes the next bytes, which must stay in place until next() wants more. What it has not
    /// looked at by then is unread(), which must be in front of what is given next.
    void receive(std::string_view bytes) noexcept;
    Event next();
    std::string_view unread() const noexcept;
    /// The peer's side has ended.
    void end_of_input();

    /// The message that next() has returned; to be taken away or copied.
    std::string& message() noexcept;
    /// Whether part of a message has come.
    bool partial() const noexcept;
    /// What the last pong said; empty where none has come.
    std::string_view pong() const noexcept;

    /// Sends a message of text. False where the connection is closing.
    bool send(std::string_view text);
    void ping(std::string_view payload);
    /// Begins to close. What the peer still says is dropped; the end comes with its answer.
    void close(CloseCode code, std::string_view reason = {});

    bool is_open() const noexcept;
    /// With which code it was closed: by the peer, or by this end because of `fault()`.
    CloseCode code() const noexcept;
    std::string_view reason() const noexcept;
    /// What the peer has done wrong, or why it could not be opened; empty where nothing is wrong.
    std::string const& fault() const noexcept;
    Errc fault_code() const noexcept;

    std::string_view output() const noexcept;
    void consume(std::size_t bytes) noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lanyard::http
