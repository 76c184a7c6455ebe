// WebSocketConnection: one WebSocket with queue limits, timeouts and closing; the protocol itself
// is in WebSocketEngine. No I/O: bytes and time in, messages and bytes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_budget.hpp"
#include "http/websocket/websocket_engine.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/http/websocket.hpp"
#include "lanyard/rpc/frame.hpp"

namespace lanyard::http {

/// Counters of the WebSockets of one server.
struct WebSocketCounters {
    std::size_t open = 0;  ///< number of WebSockets that are open now

    // The following are total numbers since the server started.
    std::uint64_t opened = 0;
    std::uint64_t refused = 0;           ///< WebSockets refused because too many were open
    std::uint64_t protocol_errors = 0;   ///< WebSockets closed with 1002 (protocol error)
    std::uint64_t binary_messages = 0;   ///< WebSockets closed with 1003 (unsupported data)
    std::uint64_t invalid_payloads = 0;  ///< WebSockets closed with 1007 (invalid payload)
    std::uint64_t too_big = 0;           ///< WebSockets closed with 1009: a message was too large
    std::uint64_t too_slow = 0;          ///< WebSockets closed with 1009: a message was too slow
    std::uint64_t no_room = 0;           ///< WebSockets closed with 1013: the messages of all
                                         ///< WebSockets used too much memory
    std::uint64_t pongs_missed = 0;      ///< WebSockets closed with 1011: a ping was not answered
    std::uint64_t reads_paused = 0;      ///< number of times that reading was paused, because too
                                         ///< many messages waited
    std::uint64_t cut_off = 0;           ///< WebSockets closed without a closing handshake, because
                                         ///< the peer did not read or did not answer
};

class WebSocketConnection {
public:
    /// takes_more() returns false while this many bytes are unsent.
    static constexpr std::size_t max_unsent = std::size_t{64} * 1024;
    /// wants_input() returns false while this many bytes of pongs are unsent: a peer that sends
    /// pings but reads no pongs must not fill the memory.
    static constexpr std::size_t max_unsent_pongs = std::size_t{64} * 1024;

    /// `budget` limits the memory for received messages of several connections together.
    WebSocketConnection(boost::asio::execution_context& context, WebSocketOptions const& options,
                        WebSocketCounters& counters, ByteBudget& budget, std::span<char> scratch,
                        TimePoint now);

    void accept(WebSocketOffer const& offer, TimePoint now);
    void ask(WebSocketRequest const& request, TimePoint now);

    // Events that the WebSocketLink reports.

    void receive(std::string_view bytes, TimePoint now);
    void end_of_input(TimePoint now);
    /// This many bytes of output() were sent.
    void sent(std::size_t bytes, TimePoint now) noexcept;
    /// Sends a ping if one is due, and closes the connection if a time limit is exceeded.
    void tick(TimePoint now);
    /// The time at which tick() must be called next.
    TimePoint next_deadline() const noexcept;

    // For the session.

    /// Whether send() may be called now. If not, output must be sent first.
    bool takes_more() const noexcept;
    void send(std::string_view message, TimePoint now);
    void close(CloseCode code, TimePoint now);
    /// Returns the messages that have arrived. They are valid until take() or drop_taken() is
    /// called. If a protocol error of the peer has ended the connection, a frame of kind `broken`
    /// follows the last message.
    std::span<rpc::Frame const> take(TimePoint now);
    /// Frees the memory of the messages that take() has returned.
    void drop_taken() noexcept;
    bool has_messages() const noexcept;

    // The state that determines what the WebSocketLink must do.

    std::string_view output() const noexcept { return engine_.output(); }
    bool wants_input() const noexcept;
    bool is_opening() const noexcept { return stage_ == Stage::opening; }
    bool is_open() const noexcept { return stage_ == Stage::open; }
    /// Whether no further output will be produced.
    bool ending() const noexcept { return stage_ == Stage::ending || stage_ == Stage::dead; }
    /// Whether the connection must be closed at once, because the peer has exceeded a time limit.
    bool dead() const noexcept { return stage_ == Stage::dead; }

    /// Why the WebSocket ended, for error messages, such as "the peer closed the connection: 1001
    /// (going away)". Empty while the WebSocket is open, and after close().
    std::string end_reason() const;
    WebSocketEngine const& engine() const noexcept { return engine_; }

private:
    enum class Stage : std::uint8_t {
        opening,
        open,
        closing,  // a close frame was sent; the peer's close frame has not arrived yet
        ending,   // sends the remaining output
        dead,
    };

    void run(std::string_view input, TimePoint now);
    void resume(TimePoint now);
    void keep_message();
    std::size_t held_bytes() noexcept;
    bool count_bytes(TimePoint now);
    void on_ended(TimePoint now);
    void give_up(TimePoint now, CloseCode code, std::string_view why, std::uint64_t& counter);
    void enter(Stage stage, TimePoint now) noexcept;
    bool pauses() const noexcept { return paused_ && stage_ == Stage::open; }
    TimePoint pong_deadline() const noexcept;
    bool unsent() const noexcept { return !engine_.output().empty(); }

    WebSocketOptions const& options_;
    WebSocketCounters& counters_;
    WebSocketEngine engine_;
    BudgetShare share_;              // the memory of received messages
    std::string backlog_;            // received input that was not processed yet
    std::string waiting_;            // complete messages, concatenated
    std::vector<std::size_t> ends_;  // offset of each message's end in waiting_
    std::string taken_;              // the messages that take() has returned
    std::vector<rpc::Frame> frames_;
    std::string why_;  // if the peer has exceeded a time limit: a description of that limit
    TimePoint since_;  // when the stage began
    TimePoint heard_;
    TimePoint progress_;   // when the peer last read output, or when output began to wait
    TimePoint next_ping_;  // when the next ping is due; while awaits_pong_ is set: when the last
                           // ping was sent
    std::optional<TimePoint> partial_since_;
    std::size_t unsent_pongs_ = 0;
    std::uint64_t pings_ = 0;
    Stage stage_ = Stage::opening;
    bool awaits_pong_ = false;
    bool paused_ = false;
    bool told_fault_ = false;
    bool closed_here_ = false;
};

}  // namespace lanyard::http
