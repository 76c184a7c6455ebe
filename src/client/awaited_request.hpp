// AwaitedRequest: one request and its answer, for a coroutine that waits for the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/cancellation_state.hpp>

#include "client/client_session.hpp"

namespace lanyard::client {

/// Decodes the result of a request. The view passed to read() is valid only until read() returns.
class ResultReader {
public:
    virtual ~ResultReader() = default;
    virtual Result<void> read(json::View result, Version version) = 0;
};

/// A request ready to be sent. The objects that its views and references refer to must outlive the
/// request.
struct Outgoing {
    Outgoing(std::string_view name, std::string text, CallOptions const& call)
        : method(name), params(std::move(text)), options(call) {}

    std::string_view method;
    std::string params;
    CallOptions const& options;
    std::optional<std::string_view> name;  ///< the rpc::Route::name; not set if it is unknown
    std::optional<ProgressToken> progress_token;
    std::optional<Duration> default_timeout;
    std::string_view task;  ///< the task whose result is requested; empty if there is none
    /// Whether the server may ask questions because of the request. Assumed to be true if the
    /// options of the call contain handlers for questions.
    bool may_ask = false;
    bool opens = false;  ///< whether the request is part of opening the connection
};

/// Sends a request and completes when the reader has its result. Throws Error if the request fails.
/// On cancellation, the server is notified and Error (cancelled) is thrown.
Task<> await_result(std::shared_ptr<ClientSession> session, Outgoing outgoing,
                    ResultReader& reader);

/// Cancels a request of the session. The function object may be called on any thread.
class StopRequest {
public:
    StopRequest(std::shared_ptr<ClientSession> session, std::int64_t id)
        : session_(std::move(session)), id_(id) {}

    void operator()() const noexcept;

private:
    std::shared_ptr<ClientSession> session_;
    std::int64_t id_;
};

/// The steps of await_result(), for a coroutine that calls them itself: awaiting await_result()
/// would allocate another coroutine frame for each call. The destructor cancels a request that has
/// no answer yet.
class AwaitedRequest final : public rpc::AnswerSink {
public:
    /// Throws Error if the request cannot be sent now.
    AwaitedRequest(ClientSession& session, Outgoing outgoing, ResultReader& reader);
    ~AwaitedRequest() override;
    AwaitedRequest(AwaitedRequest const&) = delete;
    AwaitedRequest& operator=(AwaitedRequest const&) = delete;

    /// Whether the request can be sent now. If not, await Requester::await_room() first.
    bool has_room() const noexcept { return session_.connection().has_room(); }
    /// Sends the request. Throws Error if that fails.
    void send();
    /// Whether the request has been answered or has failed, and the handlers of the call have
    /// returned.
    bool ended() const {
        return answered_ && (!progress_ || progress_->idle()) && (!open_ || open_->idle());
    }
    /// Completes when the caller has to check ended() again, or when the caller is cancelled.
    auto wait() { return ended_event_.wait(); }
    /// Called after wait(). Cancels the request at the server if the caller was cancelled. Returns
    /// true if the caller, although cancelled, has to wait for handlers of the call. The caller
    /// must then call this_coro::throw_if_cancelled(false), so that the next wait() does not throw.
    bool on_woken(boost::asio::cancellation_state const& state);
    /// Returns the error with which the request has failed; empty if it has succeeded.
    std::optional<Error> take_failure() noexcept { return std::move(failure_); }

    void on_answer(rpc::Answer const& answer) noexcept override;
    void on_progress(rpc::ProgressUpdate const& update) noexcept override;

private:
    void check_stop() const;
    ClientObserver::Request description() const;
    void report_end() const noexcept;
    void call_later(ProgressParams params);
    void end_questions();

    ClientSession& session_;
    ResultReader& reader_;
    Outgoing outgoing_;
    runtime::Event ended_event_;
    std::shared_ptr<runtime::PeerConnection> connection_;  // set by send()
    std::optional<std::int64_t> id_;
    std::optional<Error> failure_;
    TimePoint started_{};
    bool answered_ = false;
    // The queue of calls to progress handlers; null if the handlers are called directly.
    std::shared_ptr<runtime::UserCalls> progress_;
    bool may_ask_ = false;  // whether OpenCalls counts this request
    // The handlers of this call for the server's questions; null if the call has none.
    std::shared_ptr<OpenCall> open_;
    std::optional<std::stop_callback<StopRequest>> on_stop_;
};

}  // namespace lanyard::client
