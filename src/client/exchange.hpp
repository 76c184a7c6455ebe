// Exchange: one request and its answer, for a coroutine that has to wait for it.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include <boost/asio/cancellation_state.hpp>

#include "client/session.hpp"

namespace lanyard::client {

/// Cancels a request of the session from whatever thread asks for it.
class StopRequest {
public:
    StopRequest(std::shared_ptr<Session> session, std::int64_t id)
        : session_(std::move(session)), id_(id) {}

    void operator()() const noexcept;

private:
    std::shared_ptr<Session> session_;
    std::int64_t id_;
};

/// The parts of Session::exchange(), for a coroutine that calls them itself: a coroutine in between
/// would cost a frame for each call. Gives the request up if the coroutine that owns it goes away.
class Exchange final : public rpc::AnswerSink {
public:
    /// Throws Error if the request cannot be sent now.
    Exchange(Session& session, Outgoing outgoing, ResultReader& reader);
    ~Exchange() override;
    Exchange(Exchange const&) = delete;
    Exchange& operator=(Exchange const&) = delete;

    /// Whether the request can be sent at once. If not, Session::await_room() comes first.
    bool has_room() const noexcept;
    /// Throws Error.
    void send();
    /// Whether the answer, or a reason why there is none, has come, and the handlers of progress
    /// have returned.
    bool ended() const { return answered_ && (!progress_ || progress_->idle()); }
    /// Completes when there may be an answer, or the caller is cancelled.
    auto wait() { return ended_event_.wait(); }
    /// Tells the server if the caller is cancelled.
    void on_woken(boost::asio::cancellation_state const& state);
    /// Why there is no answer, if so.
    std::optional<Error> take_failure() noexcept { return std::move(failure_); }

    void on_answer(rpc::Answer const& answer) noexcept override;
    void on_progress(rpc::ProgressUpdate const& update) noexcept override;

private:
    void check_stop() const;
    ClientObserver::Request description() const;
    void report_end() const noexcept;
    void call_later(ProgressParams params);

    Session& session_;
    ResultReader& reader_;
    Outgoing outgoing_;
    runtime::Event ended_event_;
    std::shared_ptr<runtime::PeerConnection> connection_;  // since it was sent
    std::optional<std::int64_t> id_;
    std::optional<Error> failure_;
    TimePoint started_{};
    bool answered_ = false;
    std::shared_ptr<UserCalls> progress_;  // calls of the handlers of progress, if they may block
    std::optional<std::stop_callback<StopRequest>> on_stop_;
};

}  // namespace lanyard::client
