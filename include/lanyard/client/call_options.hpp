// CallOptions: the options of a single call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <lanyard/client/question_handler.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/protocol/elicitation.hpp>
#include <lanyard/protocol/meta.hpp>
#include <lanyard/protocol/progress.hpp>
#include <lanyard/protocol/roots.hpp>
#include <lanyard/protocol/sampling.hpp>

namespace lanyard {

namespace detail {

/// The handlers that belong to one call. They answer the questions that the server asks because of
/// this call.
struct CallHandlers {
    QuestionHandler<ElicitResult, ElicitFormParams> on_elicitation;
    QuestionHandler<ElicitResult, ElicitUrlParams> on_url_elicitation;
    QuestionHandler<CreateMessageResult, CreateMessageParams> on_sampling;
    QuestionHandler<std::vector<Root>> on_roots;
};

}  // namespace detail

/// Timeout, progress, cancellation, metadata and handlers of one call. The defaults suit most
/// calls.
class CallOptions {
public:
    using ProgressHandler = std::function<void(ProgressParams const&)>;

    CallOptions() = default;

    /// How long to wait for the answer. Default: ClientOptions::timeout. Each progress notification
    /// restarts the timeout.
    CallOptions& timeout(Duration timeout) {
        timeout_ = timeout;
        return *this;
    }
    /// How long to wait in total, regardless of progress. Default: 5 min. If it is less than the
    /// timeout, the timeout is used instead.
    CallOptions& max_total(Duration timeout) {
        max_total_ = timeout;
        return *this;
    }
    /// Requests progress notifications and passes them to the handler. Default: none. The handler
    /// runs on the connection's executor or, for a blocking client, on one of its threads. The call
    /// does not end before the handler has returned. An exception of the handler is reported to
    /// ClientOptions::on_diagnostic and does not affect the call.
    CallOptions& on_progress(ProgressHandler handler) {
        on_progress_ = std::move(handler);
        return *this;
    }
    /// A token that can cancel the call. Default: none. When a stop is requested, on any thread,
    /// the server is notified and the call throws Error (cancelled).
    CallOptions& stop_token(std::stop_token token) {
        stop_token_ = std::move(token);
        return *this;
    }
    /// Members to add to the request's `_meta`. Default: none.
    CallOptions& meta(Meta members) {
        meta_ = std::move(members);
        return *this;
    }
    /// The trace that this call belongs to (W3C trace context). Default: none.
    CallOptions& trace(TraceContext context) {
        trace_ = std::move(context);
        return *this;
    }
    /// Whether the call waits (at most for the timeout) if the client is not ready, instead of
    /// failing at once with Error (unavailable). Default: false.
    CallOptions& wait_until_ready(bool on) {
        wait_until_ready_ = on;
        return *this;
    }
    /// Whether the request is sent to the server even if the cache has a fresh answer. Default:
    /// false.
    CallOptions& bypass_cache(bool on) {
        bypass_cache_ = on;
        return *this;
    }

    // Handlers for those questions of the server that belong to this call. They take precedence
    // over the handlers in ClientOptions, and run on the same executor or threads as those. The
    // client must have declared the capability when it connected: by a handler of the same kind in
    // ClientOptions, or by ClientOptions::declare_elicitation() and the like.
    //
    // A question belongs to a call if it is part of the result of the call (protocol revision
    // 2026-07-28), if it arrives on the HTTP stream of the call, or if it names the task that the
    // call started. Any other question belongs to the only pending call that has a handler for this
    // kind of question. If there is no such call, or more than one, the handler in ClientOptions
    // answers. If ClientOptions has no handler either, the server gets an error that gives the
    // reason.
    //
    // If the call ends while a handler runs, the handler is cancelled. The call does not end before
    // the handler has returned. Exception: the handlers of a call that starts a task
    // (Client::start_tool_task) are kept until the result of the task has been fetched or the task
    // has been cancelled.

    /// Handles forms that the server asks the user to fill in. Default: none.
    CallOptions& on_elicitation(QuestionHandler<ElicitResult, ElicitFormParams> handler) {
        set(&detail::CallHandlers::on_elicitation, std::move(handler));
        return *this;
    }
    /// Handles requests to send the user to a web page. Default: none.
    CallOptions& on_url_elicitation(QuestionHandler<ElicitResult, ElicitUrlParams> handler) {
        set(&detail::CallHandlers::on_url_elicitation, std::move(handler));
        return *this;
    }
    /// Handles requests for a message of the client's model (sampling). Default: none.
    CallOptions& on_sampling(QuestionHandler<CreateMessageResult, CreateMessageParams> handler) {
        set(&detail::CallHandlers::on_sampling, std::move(handler));
        return *this;
    }
    /// Returns the roots when the server asks for them. Default: none.
    CallOptions& on_roots(QuestionHandler<std::vector<Root>> handler) {
        set(&detail::CallHandlers::on_roots, std::move(handler));
        return *this;
    }

    std::optional<Duration> timeout() const noexcept { return timeout_; }
    std::optional<Duration> max_total() const noexcept { return max_total_; }
    ProgressHandler const& on_progress() const noexcept { return on_progress_; }
    std::stop_token const& stop_token() const noexcept { return stop_token_; }
    Meta const& meta() const noexcept { return meta_; }
    std::optional<TraceContext> const& trace() const noexcept { return trace_; }
    bool wait_until_ready() const noexcept { return wait_until_ready_; }
    bool bypass_cache() const noexcept { return bypass_cache_; }
    /// The handlers for the server's questions; null if none was set.
    std::shared_ptr<detail::CallHandlers const> const& handlers() const noexcept {
        return handlers_;
    }

private:
    // Sets one handler. Copies of the options share one CallHandlers object, which makes copying
    // cheap. So this function does not change the shared object, but replaces it with a changed
    // copy.
    template <class H>
    void set(H detail::CallHandlers::* member, H handler) {
        auto changed = handlers_ ? std::make_shared<detail::CallHandlers>(*handlers_)
                                 : std::make_shared<detail::CallHandlers>();
        (*changed).*member = std::move(handler);
        handlers_ = std::move(changed);
    }

    std::optional<Duration> timeout_;
    std::optional<Duration> max_total_;
    ProgressHandler on_progress_;
    std::stop_token stop_token_;
    Meta meta_;
    std::optional<TraceContext> trace_;
    std::shared_ptr<detail::CallHandlers const> handlers_;
    bool wait_until_ready_ = false;
    bool bypass_cache_ = false;
};

}  // namespace lanyard
