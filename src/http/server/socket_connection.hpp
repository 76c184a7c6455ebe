// SocketConnection: sends and receives the bytes of a Connection through a socket, with or without
// TLS.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/cancellation_signal.hpp>

#include "http/server/connection.hpp"
#include "http/server/server_loop.hpp"
#include "http/server/socket_poll.hpp"
#include "runtime/descriptors.hpp"
#include "sockets/byte_channel.hpp"

namespace lanyard::http {

/// Sends as much as possible at once and waits only if the socket accepts no more. Reads into
/// buffers that all connections share, so an idle connection holds no buffer.
class SocketConnection final : public ConnectionHost,
                               public LoopMember,
                               public SocketPoll::Member,
                               public std::enable_shared_from_this<SocketConnection> {
public:
    /// `LeavingConnection::unread` is not used.
    explicit SocketConnection(LeavingConnection connection);

    /// Begins to serve a new connection. `already_read` are bytes that were received from the
    /// socket.
    void start(std::string_view already_read);
    /// Begins to serve a connection that was served by another loop. `unread` are bytes that were
    /// received and, if the connection uses TLS, decrypted. They are processed in the next round,
    /// because handlers may run only there; the poll set reports every new socket.
    void go_on(std::string unread);
    void tick(TimePoint now) override;
    /// Ends the connection after the pending reply, or now if there is none.
    void stop() override;
    void close() noexcept override;

private:
    void on_ready(SocketPoll::Ready ready, std::span<char> room) override;
    void on_turn(TimePoint now) override;
    void on_round_end(TimePoint now) override;
    void on_reply() noexcept override;
    void on_broken() noexcept override;
    void ask_verifier(Credentials const& credentials) override;

    bool can_read() const noexcept;
    std::string_view read_into(std::span<char> room);
    bool read_available(TimePoint now);
    void take(std::string_view bytes, TimePoint now);
    void take_ciphertext(std::string_view bytes, TimePoint now);
    void on_end_of_input();
    // Runs a step. If it throws, only this connection ends.
    template <class Step>
    void guarded(Step const& step) noexcept;
    void fail(std::exception const& error) noexcept;
    void pump(TimePoint now);
    void send(TimePoint now);
    void after_send(std::uint64_t sent_before, TimePoint now);
    void end_output(TimePoint now);
    void hand_over();

    std::shared_ptr<ServerLoop> loop_;
    transport::Descriptor socket_;
    std::optional<SocketPoll::Place> polled_;
    sockets::ByteChannel channel_;
    Connection connection_;
    std::unique_ptr<boost::asio::cancellation_signal> verifying_;
    TimePoint taken_at_;      // when bytes were last sent, or when the output ended
    std::string_view early_;  // input that on_ready() has read, for on_turn()
    std::size_t dropped_ = 0;
    bool sending_ = false;   // inside send()
    bool resuming_ = false;  // a function that continues with the remaining input was posted
    bool breaking_ = false;  // a call of close() was posted
    bool closed_ = false;
};

}  // namespace lanyard::http
