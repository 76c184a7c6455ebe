#include "http/mcp/session_inbox.hpp"

#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

namespace lanyard::http {
namespace {

// The maximum number of messages that are stored while the reader is busy. The reader is never busy
// for long, so a client that exceeds this limit sends too fast.
constexpr std::size_t max_waiting = 100;
// The maximum total size of the stored messages. A single message may be larger.
constexpr std::size_t max_waiting_bytes = std::size_t{1} * 1024 * 1024;

}  // namespace

Task<SessionInbox::Frames> SessionInbox::read() {
    handed_.reset();
    auto const wait = [this](Handler handler) {
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
            slot.assign([this](boost::asio::cancellation_type) {
                if (!reader_) return;
                boost::asio::post(executor_, [reader = std::move(*reader_)]() mutable {
                    reader(boost::asio::error::operation_aborted, Frames());
                });
                reader_.reset();
            });
        }
        reader_.emplace(std::move(handler));
        if (closed_ || has_backlog()) complete_later();
    };
    return boost::asio::async_initiate<boost::asio::use_awaitable_t<> const,
                                       void(boost::system::error_code, Frames)>(
        wait, boost::asio::use_awaitable);
}

bool SessionInbox::put(std::string_view text, std::uint64_t origin, TimePoint received,
                       rpc::Envelope const* envelope) {
    if (reader_waits() && !has_backlog()) {
        frame_ = {.kind = rpc::Frame::Kind::message, .text = text, .origin = origin};
        frame_.envelope = envelope;
        std::span<rpc::Frame const> const frames(&frame_, 1);
        if (sink_ == nullptr) {
            complete({}, frames);
        } else {
            delivering_ = true;
            sink_->on_frames(frames, received);
            delivering_ = false;
            if (reader_ && (closed_ || has_backlog())) complete_later();
        }
        return true;
    }
    auto& kept = backlog();
    if (closed_ || kept.frames.size() >= max_waiting ||
        (!kept.texts.empty() && kept.bytes + text.size() > max_waiting_bytes)) {
        return false;
    }
    kept.bytes += text.size();
    auto const& copy = kept.texts.emplace_back(text);
    kept.frames.push_back({.kind = rpc::Frame::Kind::message, .text = copy, .origin = origin});
    return true;
}

void SessionInbox::fail(std::int64_t request, Error error) {
    auto& kept = backlog();
    rpc::Frame frame{.kind = rpc::Frame::Kind::failed, .text = {}};
    frame.failure = &kept.failures.emplace_back(rpc::RequestFailure{request, std::move(error)});
    kept.frames.push_back(frame);
    if (reader_waits() && kept.frames.size() == 1) complete_later();
}

void SessionInbox::close() {
    if (std::exchange(closed_, true)) return;
    if (reader_waits() && !has_backlog()) complete_later();
}

SessionInbox::Backlog& SessionInbox::backlog() {
    if (!waiting_) waiting_ = std::make_unique<Backlog>();
    return *waiting_;
}

// Resumes the reader from the event loop, not from here, because the reader itself may have called
// the current function.
void SessionInbox::complete_later() {
    boost::asio::post(executor_, [this, reader = std::move(*reader_)]() mutable {
        reader_.emplace(std::move(reader));
        if (!has_backlog()) {
            complete({}, std::nullopt);
            return;
        }
        handed_ = std::move(waiting_);
        complete({}, std::span<rpc::Frame const>(handed_->frames));
    });
    reader_.reset();
}

void SessionInbox::complete(boost::system::error_code error, Frames frames) {
    auto reader = std::move(*reader_);
    reader_.reset();
    reader(error, frames);
}

}  // namespace lanyard::http
