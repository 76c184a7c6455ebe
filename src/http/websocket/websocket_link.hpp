// WebSocketLink: sends and receives the bytes of a WebSocketConnection through a socket, with or
// without TLS. WebSocketTransport: the Transport that a session uses.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "base/scratch.hpp"
#include "http/websocket/websocket_connection.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"
#include "runtime/event.hpp"
#include "runtime/frame_pump.hpp"
#include "runtime/loop.hpp"
#include "sockets/byte_channel.hpp"

namespace lanyard::http {

/// The options, counters and buffers that all WebSockets of one executor share. The budget limits
/// the memory for received messages, and may be shared by several executors.
struct WebSocketShared {
    WebSocketShared(WebSocketOptions const& given, std::size_t buffer_bytes,
                    std::shared_ptr<ByteBudget> memory = std::make_shared<ByteBudget>(SIZE_MAX))
        : options(given), budget(std::move(memory)), input(buffer_bytes), payload(buffer_bytes) {}

    WebSocketOptions options;
    WebSocketCounters counters;
    std::shared_ptr<ByteBudget> budget;
    /// Whether close() sends 1001 (going away) instead of 1000 (normal).
    bool going_away = false;
    /// Buffers for input. A connection processes their content before another connection uses them.
    Scratch input;
    Scratch payload;
    std::string plaintext;
    rpc::EnvelopeReader reader;
};

/// Must be used on its executor. Lives as long as its transport, or longer if an operation is
/// pending.
class WebSocketLink final : public runtime::Round,
                            public std::enable_shared_from_this<WebSocketLink> {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Frames = std::optional<std::span<rpc::Frame const>>;

    WebSocketLink(std::shared_ptr<WebSocketShared> shared, Socket socket,
                  std::unique_ptr<sockets::TlsEngine> tls, TimeSource& time, std::string peer);

    /// Opens as a server. `already_read` are bytes that were received after the client's request.
    void accept(WebSocketOffer const& offer, std::string_view already_read);
    /// Opens as a client. Completes when the WebSocket is open. Throws Error: unauthorized if the
    /// server refuses the client (HTTP 401 or 403, or the client's certificate), else unavailable.
    Task<> ask(WebSocketRequest const& request);

    /// Enforces the time limits. On a server, tick() must be called about once a second. On a
    /// client, a timer of the link calls tick().
    void tick(TimePoint now);
    /// Closes the connection at once. Sends a close frame first if the socket accepts it without
    /// waiting.
    void abandon() noexcept;
    /// Sets a function that is called once, when the socket has been closed.
    void on_released(std::function<void()> call) { on_released_ = std::move(call); }

    // The following functions are like those of Transport and FramePump.
    boost::asio::any_io_executor executor() const { return executor_; }
    Task<Frames> read();
    void pump_to(runtime::StepSink& sink);
    void read_on() noexcept;
    void drop_sink() noexcept {
        sink_ = nullptr;
        taking_ = false;
    }
    void write_now(rpc::Outbox& outbox) noexcept;
    Task<> write(rpc::Outbox& outbox);
    void close() noexcept;
    Task<> closed();
    TransportInfo info() const;
    std::string end_reason() const { return connection_.end_reason(); }
    rpc::EnvelopeReader& reader() noexcept { return shared_->reader; }

private:
    static void run(std::shared_ptr<WebSocketLink> link);
    bool step() override;
    void begin();
    Task<Frames> wait_for_end();
    Task<Frames> read_messages();
    void check_end() const;
    bool has_ended() const noexcept;
    // Calls the function. If it throws, closes the connection.
    template <class F>
    void guarded(F const& function) noexcept {
        try {
            function();
        } catch (std::exception const&) {
            broken_ = true;
            release();
            wake();
        }
    }
    bool take_step();
    void pump(TimePoint now);
    void arm();
    void on_readable(boost::system::error_code const& error);
    bool takes_input() const noexcept;
    void take(std::string_view bytes, TimePoint now);
    void take_messages(rpc::Outbox& outbox, TimePoint now);
    void send(TimePoint now);
    void after_send();
    void wait_writable();
    void end_output();
    void release() noexcept;
    void wake() noexcept;
    void watch_time();

    std::shared_ptr<WebSocketShared> shared_;
    Socket socket_;
    boost::asio::any_io_executor executor_;
    sockets::ByteChannel channel_;
    TimeSource& time_;
    WebSocketConnection connection_;
    TransportInfo info_;
    runtime::Event changed_;
    runtime::StepSink* sink_ = nullptr;  // if set, this sink gets the messages, and read() returns
                                         // none
    runtime::Loop* loop_;                // null if the executor is not a Loop
    runtime::RareEvent ended_;
    bool taking_ = false;  // the sink is processing messages
    bool paused_ = false;  // the sink accepts no more messages for now
    std::function<void()> on_released_;
    std::unique_ptr<Alarm> alarm_;  // null on a server
    TimePoint alarm_at_ = TimePoint::max();
    int waiters_ = 0;       // number of coroutines that wait for changed_
    bool reading_ = false;  // a wait for input is pending
    bool closing_ = false;  // close() was called
    bool broken_ = false;   // out of memory: received messages may be lost, so none is delivered
    bool released_ = false;
};

/// Destroying the transport closes the connection.
class WebSocketTransport final : public Transport, public runtime::FramePump {
public:
    WebSocketTransport(std::shared_ptr<WebSocketLink> link,
                       std::shared_ptr<PeerInfo const> info) noexcept
        : link_(std::move(link)), info_(std::move(info)) {}
    ~WebSocketTransport() override {
        link_->abandon();
        link_->drop_sink();
    }

    boost::asio::any_io_executor executor() const override { return link_->executor(); }
    Task<std::optional<std::span<rpc::Frame const>>> read() override { return link_->read(); }
    void pump_to(runtime::StepSink& sink) override { link_->pump_to(sink); }
    void read_on() noexcept override { link_->read_on(); }
    void write_now(rpc::Outbox& outbox) noexcept override { link_->write_now(outbox); }
    Task<> write(rpc::Outbox& outbox) override { return link_->write(outbox); }
    void close() noexcept override { link_->close(); }
    Task<> closed() override { return link_->closed(); }
    TransportInfo info() const override { return link_->info(); }
    std::shared_ptr<PeerInfo const> peer_info(std::uint64_t) const override { return info_; }
    /// The pings of the WebSocket protocol detect a dead peer, so the session sends no pings
    /// itself.
    TransportTraits traits() const noexcept override { return {.watches_peer = true}; }
    rpc::EnvelopeReader* shared_reader() noexcept override { return &link_->reader(); }
    std::string end_reason() const override { return link_->end_reason(); }

private:
    std::shared_ptr<WebSocketLink> link_;
    std::shared_ptr<PeerInfo const> info_;
};

}  // namespace lanyard::http
