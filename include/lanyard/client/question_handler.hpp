// QuestionHandler: answers a question of the server, and may report progress while it does.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <lanyard/client/handler.hpp>

namespace lanyard {

namespace detail {

/// Receives the progress of one handler. All functions may be called from any thread.
class ProgressSink {
public:
    virtual ~ProgressSink() = default;
    virtual void report(double progress, std::optional<double> total, std::string_view message) = 0;
};

}  // namespace detail

/// Reports to the server how far a handler is with the answer to a question. Copies report for the
/// same question.
class ProgressReporter {
public:
    /// Reports nothing.
    ProgressReporter() = default;
    explicit ProgressReporter(std::shared_ptr<detail::ProgressSink> sink) noexcept
        : sink_(std::move(sink)) {}

    /// Reports progress, if the server requested progress. Does nothing in protocol revision
    /// 2026-07-28, in which clients send no progress, nor after the handler has returned. May be
    /// called from any thread; never blocks.
    void report_progress(double progress, std::optional<double> total = {},
                         std::string_view message = {}) const {
        if (sink_) sink_->report(progress, total, message);
    }

private:
    std::shared_ptr<detail::ProgressSink> sink_;
};

/// A ClientHandler that answers a question of the server. The function may have a ProgressReporter
/// as an additional last parameter.
template <class R, class... Arguments>
class QuestionHandler {
public:
    QuestionHandler() = default;

    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, QuestionHandler> &&
                 (std::invocable<std::remove_cvref_t<F>&, Arguments..., ProgressReporter> ||
                  std::invocable<std::remove_cvref_t<F>&, Arguments...>))
    QuestionHandler(F&& function) {
        using Function = std::remove_cvref_t<F>;
        if constexpr (std::invocable<Function&, Arguments..., ProgressReporter>) {
            handler_ = std::forward<F>(function);
        } else {
            handler_ = [call = std::forward<F>(function)](Arguments... arguments,
                                                          ProgressReporter const&) mutable {
                return call(std::move(arguments)...);
            };
        }
    }

    explicit operator bool() const noexcept { return static_cast<bool>(handler_); }

    /// Calls the function. This QuestionHandler must outlive the returned task.
    Task<R> operator()(Arguments... arguments, ProgressReporter progress) const {
        return handler_(std::move(arguments)..., std::move(progress));
    }

private:
    ClientHandler<R, Arguments..., ProgressReporter> handler_;
};

}  // namespace lanyard
