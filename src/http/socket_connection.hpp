// SocketConnection: moves the bytes of a Connection through a socket, with TLS where it is used.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "http/connection.hpp"
#include "http/server_loop.hpp"
#include "sockets/tls_engine.hpp"

namespace lanyard::http {

/// What can be sent is sent at once; only where the socket is full it is waited for. A read is
/// always under way, which is how it is noticed that the client has gone.
class SocketConnection final : public ConnectionShell,
                               public LoopMember,
                               public std::enable_shared_from_this<SocketConnection> {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    SocketConnection(std::shared_ptr<ServerLoop> loop, Socket socket, std::string address,
                     std::string peer, std::unique_ptr<sockets::TlsEngine> tls);

    void start(std::string_view already_read);
    void tick(TimePoint now) override;
    /// Ends with the reply under way; where there is none, now.
    void stop() override;
    void close() noexcept override;

private:
    void on_reply() noexcept override;
    void on_broken() noexcept override;
    void ask_verifier(Credentials const& credentials) override;

    void arm();
    void on_read(boost::system::error_code error, std::size_t size);
    void on_readable(boost::system::error_code error);
    bool read_available(TimePoint now);
    void take(std::string_view bytes, TimePoint now);
    void take_ciphertext(std::string_view bytes, TimePoint now);
    void on_end_of_input();
    void pump(TimePoint now);
    void send(TimePoint now);
    void wait_writable();
    void end_output(TimePoint now);
    void hand_over();
    void give_buffer_back() noexcept;

    std::shared_ptr<ServerLoop> loop_;
    Socket socket_;
    std::unique_ptr<sockets::TlsEngine> tls_;
    Connection connection_;
    std::unique_ptr<ServerLoop::ReadBuffer> buffer_;
    std::unique_ptr<boost::asio::cancellation_signal> verifying_;
    TimePoint taken_at_;  // when the client last took ciphertext, or its input was last awaited
    std::size_t dropped_ = 0;
    bool reading_ = false;    // a read or a wait for one is under way
    bool frugal_ = false;     // waits without a buffer
    bool releasing_ = false;  // the read was cancelled to get its buffer back
    bool writing_ = false;    // waits until the socket takes more
    bool sending_ = false;    // inside of send()
    bool resuming_ = false;   // resume() was posted
    bool breaking_ = false;   // close() was posted
    bool ended_output_ = false;
    bool input_ended_ = false;
    bool closed_ = false;
};

}  // namespace lanyard::http
