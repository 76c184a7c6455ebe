// SessionInbox: hands the messages that clients POST to the coroutine that reads them.
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

namespace lanyard::http {

/// One reader, on the executor that everything else is called on. While it waits, its sink takes
/// messages inside of put(), or else it goes on there: what can be answered at once is answered
/// when put() returns, and nothing was copied.
class SessionInbox {
public:
    using Frames = std::optional<std::span<rpc::Frame const>>;

    explicit SessionInbox(boost::asio::any_io_executor const& executor) noexcept
        : executor_(executor) {}
    SessionInbox(SessionInbox const&) = delete;
    SessionInbox& operator=(SessionInbox const&) = delete;

    /// As Transport::read().
    Task<Frames> read();
    /// As Transport::set_sink(). Used while the reader waits only.
    void set_sink(rpc::FrameSink& sink) noexcept { sink_ = &sink; }
    /// Whether the reader has dealt with all that it got.
    bool reader_waits() const noexcept { return reader_.has_value() && !delivering_; }
    /// The sink, where there is one and the reader has nothing to deal with.
    rpc::FrameSink* waiting_sink() const noexcept {
        return reader_waits() && !has_backlog() && !closed_ ? sink_ : nullptr;
    }

    /// Hands a message over, or keeps a copy while the reader is busy. False where too much is kept
    /// already.
    /// Who has read it already says what it is, unless it is a batch.
    bool put(std::string_view text, std::uint64_t origin, TimePoint received,
             rpc::Envelope const* envelope = nullptr);
    /// Tells the reader, later, that a request of its side will not be answered.
    void fail(std::int64_t request, Error error);
    /// The reader gets what is kept, then the end. May be called from inside of put().
    void close();

private:
    using Handler =
        boost::asio::async_result<boost::asio::use_awaitable_t<>,
                                  void(boost::system::error_code, Frames)>::handler_type;
    // What came while the reader was busy.
    struct Backlog {
        std::deque<std::string> texts;
        std::size_t bytes = 0;  // of the texts
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
    rpc::Frame frame_{};                // what a reader that waited was handed
    std::unique_ptr<Backlog> waiting_;  // to be handed over by the next read
    std::unique_ptr<Backlog> handed_;   // what the last read has handed over
    bool delivering_ = false;           // to the sink
    bool closed_ = false;
};

}  // namespace lanyard::http
