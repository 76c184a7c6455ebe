// StreamTransport: messages over a pair of file descriptors (pipes, a terminal).
#pragma once

#include <memory>
#include <string>
#include <variant>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/scratch.hpp"
#include "jsonrpc/framing.hpp"
#include "lanyard/error.hpp"
#include "lanyard/transport.hpp"
#include "lanyard/transport/framing.hpp"
#include "runtime/descriptors.hpp"
#include "runtime/event.hpp"
#include "transport/frame_batch.hpp"
#include "transport/pumped_transport.hpp"

namespace lanyard::transport {

/// Reads from one descriptor and writes to another. It owns both and makes them non-blocking while
/// it exists.
class StreamTransport : public PumpedTransport {
public:
    StreamTransport(boost::asio::any_io_executor const& executor, Descriptor in, Descriptor out,
                    StreamOptions const& options, TransportInfo info);
    ~StreamTransport() override;

    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override;
    void write_now(rpc::Outbox& outbox) noexcept override;
    Task<> write(rpc::Outbox& outbox) override;
    void close_output() noexcept override;
    Task<> hung_up() override;
    void close() noexcept override;
    TransportInfo info() const override { return info_; }
    TransportTraits traits() const noexcept override { return {.half_closes = true}; }

private:
    using Waiting = boost::asio::posix::stream_descriptor;

    enum class Progress { sent, would_block, failed };

    bool read_once() override { return !std::exchange(dry_, false) && read_some(); }
    std::span<rpc::Frame const> frames() override { return batch_.view(); }
    void drop_frames() noexcept override { batch_.clear(); }
    bool is_over() const noexcept override { return closed_ || (input_ended_ && batch_.empty()); }
    void wait_readable(Woken woken) override;

    Task<std::optional<std::span<rpc::Frame const>>> read_frames();
    /// Reads the available bytes; returns false if none are available at the moment.
    bool read_some();
    void keep(rpc::Frame const& frame);
    Progress send(rpc::Outbox& outbox) noexcept;
    bool write_bytes(char const* data, std::size_t size, std::size_t& written) noexcept;
    void frame_next(rpc::Outbox& outbox);

    boost::asio::any_io_executor executor_;
    Waiting in_;
    Waiting out_;
    runtime::Event output_closed_;
    StreamOptions options_;
    std::variant<rpc::LineReader, rpc::ContentLengthReader> reader_;
    Scratch buffer_;
    FrameBatch batch_;
    std::string framed_;  // with Content-Length framing: the message being sent, with its header
    std::size_t framed_sent_ = 0;
    int in_flags_ = 0;
    int out_flags_ = 0;
    int write_error_ = 0;
    int reads_in_a_row_ = 0;
    bool waits_;        // the input is a pipe or a socket, so it can be waited for
    bool dry_ = false;  // the last read did not fill the buffer, so no more bytes are available now
    bool input_ended_ = false;
    bool closed_ = false;
    TransportInfo info_;
};

}  // namespace lanyard::transport
