#include "client/session/event_reports.hpp"

namespace lanyard::client {

namespace {

// The maximum number of events that wait for the observer. Each call causes two events.
constexpr std::size_t max_events = 10'000;

}  // namespace

EventReports::EventReports(boost::asio::any_io_executor const& executor,
                           std::shared_ptr<ClientOptions const> options)
    : options_(std::move(options)),
      queue_(runtime::UserCalls::make(executor, {.calls = max_events})) {}

void EventReports::call_diagnostic(ClientOptions const& options, std::string_view text) noexcept {
    if (!options.on_diagnostic()) return;
    try {
        options.on_diagnostic()(text);
    } catch (...) {
        // An exception of on_diagnostic is ignored, because it cannot be reported anywhere.
    }
}

void EventReports::diagnose(std::string_view text) const noexcept {
    if (!queue_) {
        call_diagnostic(*options_, text);
        return;
    }
    if (!options_->on_diagnostic()) return;
    try {
        auto call = [options = options_, copy = std::string(text)] {
            call_diagnostic(*options, copy);
        };
        limits_.add(&ClientLimitCounts::dropped, queue_->push(std::move(call), text.size()));
    } catch (...) {
        // Out of memory: the text is not reported.
    }
}

void EventReports::report_violation(std::string_view what) const {
    limits_.add(&ClientLimitCounts::violations);
    auto const report = [](ClientObserver& observer, std::string_view rule) {
        observer.on_violation(rule);
    };
    observe(report, what);
    diagnose("the server broke a rule: " + std::string(what));
}

void EventReports::report_closed(std::optional<Error> reason) const noexcept {
    if (!options_->on_closed()) return;
    constexpr std::string_view failure = "the handler on_closed failed";
    try {
        auto call = [options = options_, reason = std::move(reason)] {
            options->on_closed()(reason);
        };
        if (queue_) {
            push(std::move(call), failure, 0);
        } else {
            call();
        }
    } catch (...) {
        diagnose(failure);
    }
}

}  // namespace lanyard::client
