// SessionInbox: passes the messages that a client POSTs to the coroutine with which the server
// reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

#include "lanyard/error.hpp"
#include "lanyard/rpc/frame.hpp"
#include "lanyard/task.hpp"
#include "peer/frame_sink.hpp"

namespace lanyard::http {

/// There is one reader: the coroutine that awaits read(). All functions must be called on the
/// reader's executor. While the reader waits, put() passes a message directly to the sink, or to
/// the reader if there is no sink. So a message that can be answered immediately is answered before
/// put() returns, and is not copied.
class SessionInbox {
public:
    using Frames = std::optional<std::span<rpc::Frame const>>;

    explicit SessionInbox(boost::asio::any_io_executor const& executor) noexcept
        : executor_(executor) {}
    SessionInbox(SessionInbox const&) = delete;
    SessionInbox& operator=(SessionInbox const&) = delete;

    /// Like Transport::read().
    Task<Frames> read();
    /// Like Transport::set_sink(). The sink is used only while the reader waits.
    void set_sink(rpc::FrameSink& sink) noexcept { sink_ = &sink; }
    /// Whether the reader has processed all messages and waits for the next one.
    bool reader_waits() const noexcept { return reader_.has_value() && !delivering_; }
    /// Returns the sink if there is one and no message is being processed or stored, else null.
    rpc::FrameSink* waiting_sink() const noexcept {
        return reader_waits() && !has_backlog() && !closed_ ? sink_ : nullptr;
    }

    /// Passes a message to the reader, or stores a copy if the reader is busy. Returns false if too
    /// many messages are stored already, or after close(). `envelope` is the parsed message; null
    /// if the caller has not parsed the message, or if the message is a batch.
    bool put(std::string_view text, std::uint64_t origin, TimePoint received,
             rpc::Envelope const* envelope = nullptr);
    /// Reports to the reader, asynchronously, that a request which the server sent to the client
    /// will not be answered.
    void fail(std::int64_t request, Error error);
    /// Ends the input: the reader gets the stored messages, then the end. May be called from within
    /// put().
    void close();

private:
    using Handler =
        boost::asio::async_result<boost::asio::use_awaitable_t<>,
                                  void(boost::system::error_code, Frames)>::handler_type;
    // Messages that arrived while the reader was busy.
    struct Backlog {
        std::deque<std::string> texts;
        std::size_t bytes = 0;  // total size of the texts
        std::deque<rpc::RequestFailure> failures;
        std::vector<rpc::Frame> frames;
    };

    bool has_backlog() const noexcept { return waiting_ && !waiting_->frames.empty(); }
    Backlog& backlog();
    void complete_later();
    void complete(boost::system::error_code error, Frames frames);

    boost::asio::any_io_executor const& executor_;
    std::optional<Handler> reader_;
    rpc::FrameSink* sink_ = nullptr;
    rpc::Frame frame_{};                // the frame that put() passes to a waiting reader
    std::unique_ptr<Backlog> waiting_;  // stored for the next read()
    std::unique_ptr<Backlog> handed_;   // the messages that the last read() returned
    bool delivering_ = false;           // set while the sink processes a message
    bool closed_ = false;
};

}  // namespace lanyard::http
