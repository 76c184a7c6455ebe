// UpstreamCall: a call that a proxy makes to the other server, which is the server whose features
// the proxy offers. The call can outlive the client's request that caused it.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "client/calls.hpp"
#include "client/client_session.hpp"
#include "lanyard/protocol/input_required.hpp"
#include "lanyard/server/context.hpp"
#include "runtime/event.hpp"

namespace lanyard::proxy {

/// Returns the members of `_meta` that may be passed on. Removes progress tokens and the members
/// that the protocol defines, because they are valid on one connection only.
Meta passed_on(Meta meta);

/// A question that the other server has asked during a call.
struct UpstreamQuestion {
    /// Identifies the question. The key is the same each time the question is passed on to the
    /// client.
    std::string key;
    InputRequest request;
    /// Reports progress of the answer to the other server.
    ProgressReporter progress{};
    std::optional<InputResponse> answer{};
    std::exception_ptr failure{};

    bool ended() const noexcept { return answer || failure; }
};

/// The part of UpstreamCallOf that does not depend on the method. The functions must run on
/// executor(), unless their comments say otherwise.
class UpstreamCall : public std::enable_shared_from_this<UpstreamCall> {
public:
    explicit UpstreamCall(std::shared_ptr<client::ClientSession> session);
    virtual ~UpstreamCall();
    UpstreamCall(UpstreamCall const&) = delete;
    UpstreamCall& operator=(UpstreamCall const&) = delete;

    /// May be called on any thread.
    boost::asio::any_io_executor const& executor() const noexcept { return session_->executor(); }

    /// Completes when the other server asks a question or the call has ended. Yields the question,
    /// or null if the call has ended.
    Task<std::shared_ptr<UpstreamQuestion>> next();
    /// Ends a question: with the answer, or with `failure` if there is no answer.
    Task<> settle(std::shared_ptr<UpstreamQuestion> question, std::optional<InputResponse> answer,
                  std::exception_ptr failure);

    /// Sets the client's request to which the call's progress is reported; null for none. May be
    /// called on any thread.
    void report_to(Context* context);
    /// Cancels the call if it has not ended. May be called on any thread.
    void abandon(Errc why, std::string message) noexcept;

    /// Calls `ring` on the executor after the time `wait`, unless cancel_alarm() is called first.
    void set_alarm(Duration wait, std::function<void()> ring);
    void cancel_alarm() noexcept { alarm_.reset(); }

protected:
    /// Returns options with handlers that pass the call's questions and progress to this object.
    CallOptions options(Meta const& meta, Duration timeout);
    void end(std::exception_ptr failure);
    /// Throws the error with which the call ended, if any. May be called on any thread, once next()
    /// has yielded null.
    void rethrow() const;

    std::shared_ptr<client::ClientSession> const& session() const noexcept { return session_; }

private:
    static Task<InputResponse> ask(std::shared_ptr<UpstreamCall> self, InputRequest request,
                                   ProgressReporter progress);
    Task<InputResponse> wait_for_answer(InputRequest request, ProgressReporter progress);
    void report(ProgressParams const& progress);

    std::shared_ptr<client::ClientSession> session_;
    runtime::Event changed_;
    std::deque<std::shared_ptr<UpstreamQuestion>> questions_;  // not answered yet, oldest first
    std::size_t asked_ = 0;
    std::stop_source stop_;
    bool ended_ = false;
    std::exception_ptr failure_;
    std::unique_ptr<Alarm> alarm_;
    std::mutex context_mutex_;
    Context* context_ = nullptr;  // guarded by context_mutex_
};

/// A call with the method M.
template <class M>
class UpstreamCallOf final : public UpstreamCall {
public:
    using UpstreamCall::UpstreamCall;

    /// Starts the call. May be called on any thread.
    void start(typename M::Params params, Duration timeout) {
        auto const self = std::static_pointer_cast<UpstreamCallOf>(shared_from_this());
        boost::asio::co_spawn(executor(), run(self, std::move(params), timeout),
                              boost::asio::detached);
    }
    /// Returns the result, or throws the error with which the call ended. May be called on any
    /// thread, once next() has yielded null.
    typename M::Result take_result() {
        rethrow();
        result_.meta = passed_on(std::move(result_.meta));
        return std::move(result_);
    }

private:
    static Task<> run(std::shared_ptr<UpstreamCallOf> self, typename M::Params params,
                      Duration timeout) {
        std::exception_ptr failure;
        try {
            auto const options = self->options(params.meta, timeout);
            auto calling = client::call<M>(self->session(), std::move(params), options);
            self->result_ = co_await std::move(calling);
        } catch (...) {
            failure = std::current_exception();
        }
        self->end(failure);
    }

    typename M::Result result_;
};

}  // namespace lanyard::proxy
