// CallOptions: the options of a single call.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include <lanyard/clock.hpp>
#include <lanyard/protocol/meta.hpp>
#include <lanyard/protocol/progress.hpp>

namespace lanyard {

/// Timeout, progress, cancellation and metadata of one call. The defaults suit most calls.
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
    /// How long to wait in total, regardless of progress. Default: 5 min. Never less than the
    /// timeout.
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
    /// A stop request, from any thread, cancels the call: the server is notified and the call
    /// throws Error (cancelled). Default: none.
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
    /// Whether the server is asked even if a cached answer is fresh. Default: false.
    CallOptions& bypass_cache(bool on) {
        bypass_cache_ = on;
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

private:
    std::optional<Duration> timeout_;
    std::optional<Duration> max_total_;
    ProgressHandler on_progress_;
    std::stop_token stop_token_;
    Meta meta_;
    std::optional<TraceContext> trace_;
    bool wait_until_ready_ = false;
    bool bypass_cache_ = false;
};

}  // namespace lanyard
