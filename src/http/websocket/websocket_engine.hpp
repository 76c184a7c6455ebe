// WebSocketEngine: one WebSocket (RFC 6455) without I/O: bytes from the peer go in, bytes to send
// come out. The protocol is implemented by Boost.Beast, which is compiled only here.
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

#include "lanyard/error.hpp"

namespace lanyard::http {

/// Why a WebSocket was closed (RFC 6455, section 7.4.1).
enum class CloseCode : std::uint16_t {
    normal = 1000,
    going_away = 1001,
    protocol_error = 1002,
    unsupported_data = 1003,
    no_code = 1005,   ///< the peer sent no code; this code itself is never sent
    abnormal = 1006,  ///< the connection ended without a close frame; this code itself is never
                      ///< sent
    invalid_payload = 1007,
    too_big = 1009,
    internal_error = 1011,
    try_again_later = 1013,
};

/// Returns the code with its name, such as "1009 (message too big)"; only the number if the code
/// has no name.
std::string describe(CloseCode code);

struct WebSocketEngineOptions {
    std::size_t max_message_bytes = std::size_t{16} * 1024 * 1024;
    bool deflate = false;
    /// The buffer into which incoming data is read. All engines of a thread may share it.
    std::span<char> scratch{};
};

/// The parts of a client's request to open a WebSocket that the server needs.
struct WebSocketOffer {
    std::string_view key;         ///< Sec-WebSocket-Key
    std::string_view extensions;  ///< Sec-WebSocket-Extensions; may be empty
    std::string_view protocol;    ///< the subprotocol that the server chooses; empty for none
};

/// The subprotocol of MCP on a WebSocket (Sec-WebSocket-Protocol).
inline constexpr std::string_view websocket_protocol = "mcp";

/// The request that a client sends to open a WebSocket.
struct WebSocketRequest {
    std::string host;
    std::string target;
    std::string protocol;
    std::vector<std::pair<std::string, std::string>> headers;
};

///     engine.receive(bytes from the peer);
///     while (engine.next() != Event::need_more) ...
///     engine.send(text);
///     send engine.output(); engine.consume(number of bytes sent);
///
/// Messages are read one by one: when next() has returned a message, the input after it is still
/// unread. Pings and close frames are answered automatically.
class WebSocketEngine {
public:
    enum class Event : std::uint8_t {
        need_more,
        opened,   ///< the handshake is complete; reported once
        message,  ///< message() is complete
        ended,    ///< no more messages can be received or sent: send the output, then close
    };

    /// `context` is the execution context of the connection's executor. Beast requires it, but the
    /// engine runs nothing on it.
    WebSocketEngine(boost::asio::execution_context& context, WebSocketEngineOptions const& options);
    ~WebSocketEngine();
    WebSocketEngine(WebSocketEngine const&) = delete;
    WebSocketEngine& operator=(WebSocketEngine const&) = delete;

    /// Opens as a server, by accepting the client's request.
    void accept(WebSocketOffer const& offer);
    /// Opens as a client, by sending a request.
    void ask(WebSocketRequest const& request);

    /// Sets the next bytes, which must stay valid until next() returns need_more. If unread() is
    /// not empty at that time, the bytes passed next must begin with the unread ones.
    void receive(std::string_view bytes) noexcept;
    Event next();
    std::string_view unread() const noexcept;
    /// Must be called when the peer has half-closed the connection.
    void end_of_input();

    /// The message that next() has returned, or the part of the current message that has arrived.
    /// The caller may move or swap the string out if the message is complete or the engine is
    /// closing.
    std::string& message() noexcept;
    /// Whether only a part of the current message has arrived.
    bool partial() const noexcept;
    /// The payload of the last pong; empty if none has arrived.
    std::string_view pong() const noexcept;

    /// Sends a text message. Returns false if the connection is closing.
    bool send(std::string_view text);
    void ping(std::string_view payload);
    /// Begins to close. Further messages of the peer are dropped. When the peer's close frame has
    /// arrived, next() returns `ended`.
    void close(CloseCode code, std::string_view reason = {});

    bool is_open() const noexcept;
    /// The close code of the side that began to close the WebSocket. CloseCode::abnormal if there
    /// was no close frame.
    CloseCode code() const noexcept;
    std::string_view reason() const noexcept;
    /// Describes the peer's protocol error, a lost connection, or why the WebSocket could not be
    /// opened. Empty if there was no fault.
    std::string const& fault() const noexcept;
    Errc fault_code() const noexcept;

    std::string_view output() const noexcept;
    void consume(std::size_t bytes) noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lanyard::http
