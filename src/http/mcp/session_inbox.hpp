// SessionInbox: passes the messages that clients POST to the coroutine that reads them.
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

/// Has one reader, on the executor on which all functions are called. While the reader waits, put()
/// passes a message to its sink, or resumes the reader if there is no sink. So a message that can
/// be answered immediately is answered before put() returns, and is not copied.
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
    /// Whether the reader has processed everything it got.
    bool reader_waits() const noexcept { return reader_.has_value() && !delivering_; }
    /// Returns the sink if there is one and the reader has nothing to process, else null.
    rpc::FrameSink* waiting_sink() const noexcept {
        return reader_waits() && !has_backlog() && !closed_ ? sink_ : nullptr;
    }

    /// Passes a message to the reader, or stores a copy while the reader is busy. Returns false if
    /// too much is stored already. `envelope` is the parsed message, if the caller has parsed it;
    /// null for a batch.
    bool put(std::string_view text, std::uint64_t origin, TimePoint received,
             rpc::Envelope const* envelope = nullptr);
    /// Reports to the reader, asynchronously, that a request of its side will not be answered.
    void fail(std::int64_t request, Error error);
    /// After close() the reader gets the stored messages, then the end. May be called from within
    /// put().
    void close();

private:
    using Handler =
        boost::asio::async_result<boost::asio::use_awaitable_t<>,
                                  void(boost::system::error_code, Frames)>::handler_type;
    // Messages that arrived while the reader was busy.
    struct Backlog {
        std::deque<std::string> texts;
        std::size_t bytes = 0;  // size of the texts
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
    rpc::Frame frame_{};                // the frame that is passed to a waiting reader
    std::unique_ptr<Backlog> waiting_;  // for the next read
    std::unique_ptr<Backlog> handed_;   // the messages that the last read() returned
    bool delivering_ = false;           // inside the sink
    bool closed_ = false;
};

}  // namespace lanyard::http
