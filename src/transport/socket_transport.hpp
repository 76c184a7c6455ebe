// SocketTransport: messages over a connected socket, one per line, optionally with TLS.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "jsonrpc/framing.hpp"
#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"
#include "lanyard/transport/stream.hpp"
#include "runtime/descriptors.hpp"
#include "sockets/byte_channel.hpp"
#include "transport/frame_batch.hpp"
#include "transport/message_watch.hpp"
#include "transport/pumped_transport.hpp"

namespace lanyard::transport {

/// The memory that a connection needs only while it has input to process.
struct ReadBuffer {
    explicit ReadBuffer(std::size_t bytes) : raw(new char[bytes]) {}

    std::unique_ptr<char[]> raw;
    std::string plain{};  // plaintext from TLS
    FrameBatch batch{};
};

/// Read buffers shared by all connections of an executor, because an idle connection needs none.
class ReadBuffers {
public:
    explicit ReadBuffers(std::size_t bytes) noexcept : bytes_(bytes) {}

    std::size_t bytes() const noexcept { return bytes_; }
    std::unique_ptr<ReadBuffer> take();
    void give_back(std::unique_ptr<ReadBuffer> buffer) noexcept;

private:
    std::size_t bytes_;
    std::vector<std::unique_ptr<ReadBuffer>> free_;
};

/// The parameters of a SocketTransport, except its socket.
struct SocketSetup {
    TransportInfo info;
    std::size_t max_message_bytes;
    std::shared_ptr<ReadBuffers> buffers;
    TimeSource& time;
    std::unique_ptr<sockets::TlsEngine> tls{};
    Duration idle_limit = Duration::max();
    /// Limits the memory for unfinished messages of several connections; null means no limit.
    std::shared_ptr<ByteBudget> message_budget{};
    /// How long a message may take; see StreamServerOptions::message_timeout().
    Duration message_timeout = Duration::max();
    /// The maximum time for which the socket stays open after close(), to receive and drop the
    /// peer's input. Closing a socket with unread input could make the peer lose the last output.
    Duration linger{0};
    /// Whether the first line may be the peer's authorization.
    bool expects_authorization = false;
    /// Whether the peer may refuse the connection by sending an error message with the reason. The
    /// first line from the peer is such an error only if no other line follows.
    bool expects_refusal = false;
};

/// Returns the line that a client with a token sends before its first message.
std::string authorization_line(std::string_view token);

class SocketTransport : public PumpedTransport {
public:
    SocketTransport(boost::asio::any_io_executor const& executor, Descriptor socket,
                    SocketSetup setup);
    ~SocketTransport() override;

    boost::asio::any_io_executor executor() const override { return socket_.get_executor(); }
    Task<std::optional<std::span<rpc::Frame const>>> read() override;
    void write_now(rpc::Outbox& outbox) noexcept override;
    Task<> write(rpc::Outbox& outbox) override;
    void close_output() noexcept override;
    void close() noexcept override;
    Task<> closed() override;
    TransportInfo info() const override;
    TransportTraits traits() const noexcept override { return {.idle_limit = idle_limit_}; }
    std::string end_reason() const override;

    /// Closes the connection at once, without waiting for the peer's remaining input.
    void cut() noexcept;

    /// Performs the TLS handshake; completes at once without TLS. Must be called before anything is
    /// read or written. Throws Error (unavailable, unauthorized, transport_down).
    Task<> handshake();
    /// Sets text that is sent after the handshake and before the first message, and that is itself
    /// not a message.
    void say_first(std::string text) { first_words_ = std::move(text); }

    /// Completes once the first message has arrived; read() still returns that message. Returns
    /// false if the connection ends without a message.
    Task<bool> first_message();
    /// The Authorization value that the peer sent before its first message; empty if it sent none.
    std::string const& authorization() const noexcept { return authorization_; }
    /// The subject of the peer's certificate, if TLS has verified one; otherwise empty.
    std::string certificate() const {
        auto const* const tls = channel_.tls();
        return tls != nullptr ? tls->peer_subject() : std::string();
    }

private:
    using Waiting = boost::asio::posix::stream_descriptor;
    enum class Progress { sent, would_block, failed };

    struct LingeringClose;

    static Task<> linger_close(std::shared_ptr<LingeringClose> lingering_close, TimeSource& time,
                               Duration timeout);
    Task<std::optional<std::span<rpc::Frame const>>> read_frames();
    bool read_once() override;
    std::span<rpc::Frame const> frames() override;
    void drop_frames() noexcept override;
    void on_pause() noexcept override;
    bool is_over() const noexcept override;
    void wait_readable(Woken woken) override;
    void check_end() const override;
    bool read_plaintext();
    void end_input();
    void take(std::string_view text);
    void take_first();
    bool take_authorization();
    void on_late();
    std::string_view receive(std::span<char> room);
    Progress send(rpc::Outbox& outbox) noexcept;
    Progress progress() const noexcept;
    Error write_failure() const;
    std::optional<Error> refusal() const;
    Errc tls_fault_code(Errc otherwise) const noexcept;
    Task<bool> wait(Waiting::wait_type what);

    mutable Waiting socket_;  // mutable, because get_executor() is not const
    std::shared_ptr<ReadBuffers> buffers_;
    TimeSource& time_;
    sockets::ByteChannel channel_;
    Duration idle_limit_;
    Duration linger_;
    std::shared_ptr<LingeringClose> lingering_close_;  // set by close() if the socket lingers
    std::shared_ptr<ByteBudget> message_budget_;
    rpc::LineReader reader_;
    MessageWatch watch_;
    std::unique_ptr<ReadBuffer> buffer_;  // null while there is no input to process
    TransportInfo info_;
    std::string first_words_;
    std::string authorization_;
    std::string first_line_;  // the peer's first line, kept only as long as it could be a refusal
    bool expects_authorization_;
    bool expects_refusal_;
    bool fresh_ = true;  // no message has arrived yet
    int reads_in_a_row_ = 0;
    bool held_ = false;  // first_message() has read a batch that read() must still return
    bool input_ended_ = false;
    bool closed_ = false;
};

}  // namespace lanyard::transport
