// EventReports: reports the events of a client by calling the user's observer and the user's
// functions on_diagnostic and on_closed. It also counts how often limits were reached.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

#include "base/shared_counts.hpp"
#include "lanyard/client/client.hpp"
#include "lanyard/client/options.hpp"
#include "runtime/user_calls.hpp"

namespace lanyard::client {

/// Calls the user functions directly or, if they may block, puts the calls into a queue that keeps
/// their order (runtime::UserCalls::make). Exceptions of the user functions are caught.
class EventReports {
public:
    EventReports(boost::asio::any_io_executor const& executor,
                 std::shared_ptr<ClientOptions const> options);

    /// May be called on any thread.
    SharedCounts<ClientLimitCounts>& limits() const noexcept { return limits_; }

    /// Passes the text to on_diagnostic, if the user has set it. May be called on any thread.
    void diagnose(std::string_view text) const noexcept;
    /// Counts and reports that the server broke a rule of the protocol.
    void report_violation(std::string_view what) const;
    /// Calls on_closed, if the user has set it. `reason` is empty if the user has closed the
    /// client.
    void report_closed(std::optional<Error> reason) const noexcept;
    /// Calls `report(observer, info...)` if there is an observer. If calls of user functions are
    /// queued, this call is queued too, with copies of the arguments.
    template <class Report, class... Info>
    void observe(Report report, Info const&... info) const noexcept {
        if (!options_->observer()) return;
        try {
            if (!queue_) {
                report(*options_->observer(), info...);
                return;
            }
            auto const bytes = (size_of(info) + ...);
            push([report, options = options_,
                  ... copies = owned(info)] { report(*options->observer(), copies...); },
                 observer_failed, bytes);
        } catch (...) {
            diagnose(observer_failed);
        }
    }

private:
    static constexpr std::string_view observer_failed = "the observer failed";

    // Copies of the arguments of queued calls to the observer.

    struct OwnedRequest {
        operator ClientObserver::Request() const { return {method, id, trace}; }

        std::string method;
        std::int64_t id;
        std::optional<TraceContext> trace;
    };
    template <class T>
    static T owned(T const& info) {
        return info;
    }
    static std::string owned(std::string_view text) { return std::string(text); }
    static OwnedRequest owned(ClientObserver::Request const& request) {
        return {std::string(request.method), request.id, request.trace};
    }
    template <class T>
    static std::size_t size_of(T const& info) noexcept {
        if constexpr (std::convertible_to<T, std::string_view>) return info.size();
        return sizeof(info);
    }

    /// Adds a call of `event` to the queue. If `event` throws, `failure` is passed to
    /// on_diagnostic.
    template <class Event>
    void push(Event event, std::string_view failure, std::size_t bytes) const {
        auto call = [event = std::move(event), failure, options = options_] {
            try {
                event();
            } catch (...) {
                call_diagnostic(*options, failure);
            }
        };
        limits_.add(&ClientLimitCounts::dropped, queue_->push(std::move(call), bytes));
    }
    static void call_diagnostic(ClientOptions const& options, std::string_view text) noexcept;

    // Shared with the queued calls, because the functions that they call are members of the
    // options.
    std::shared_ptr<ClientOptions const> options_;
    std::shared_ptr<runtime::UserCalls> queue_;  // null if the functions are called directly
    mutable SharedCounts<ClientLimitCounts> limits_;
};

}  // namespace lanyard::client
