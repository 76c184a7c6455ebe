// What one call sets for itself.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include <lanyard/clock.hpp>
#include <lanyard/protocol/meta.hpp>
#include <lanyard/protocol/progress.hpp>

namespace lanyard {

/// Timeout, progress, cancellation and metadata of one call. The default suits most.
class CallOptions {
public:
    using ProgressHandler = std::function<void(ProgressParams const&)>;

    CallOptions() = default;

    /// How long to wait for the answer; ClientOptions::timeout where not set. Progress starts it
    /// anew.
    CallOptions& timeout(Duration wait) {
        timeout_ = wait;
        return *this;
    }
    /// How long to wait in all, whatever progress is reported; at least the timeout, and 5 minutes
    /// where not set.
    CallOptions& max_total(Duration wait) {
        max_total_ = wait;
        return *this;
    }
    /// Asks for progress and gets it, on the connection's executor. What the handler throws is
    /// reported as a diagnostic and goes no further.
    CallOptions& on_progress(ProgressHandler handler) {
        on_progress_ = std::move(handler);
        return *this;
    }
    /// A stop request, from any thread, cancels the call: the server is told and the call throws
    /// Error (cancelled).
    CallOptions& stop_token(std::stop_token token) {
        stop_token_ = std::move(token);
        return *this;
    }
    /// Members of the request's `_meta`.
    CallOptions& meta(Meta members) {
        meta_ = std::move(members);
        return *this;
    }
    /// The trace this call belongs to (W3C trace context).
    CallOptions& trace(TraceContext context) {
        trace_ = std::move(context);
        return *this;
    }
    /// Where the client is not connected, waits until it is, as long as the timeout, instead of
    /// failing at once with unavailable.
    CallOptions& wait_until_ready(bool on) {
        wait_until_ready_ = on;
        return *this;
    }
    /// Asks the server even where a cached answer is fresh.
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
