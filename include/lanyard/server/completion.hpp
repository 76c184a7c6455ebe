// Completion of prompt arguments and template variables (MCP specification,
// server/utilities/completion).
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanyard/protocol/completion.hpp>
#include <lanyard/server/handler.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// A type-erased completion handler. Exactly one of `call` and `start` is set. Copies share the
/// handler. `typed` is the text that the user has typed so far. `decided` has the values that were
/// already chosen for other arguments.
struct CompletionFunction {
    /// Returns the suggestions. May throw any exception.
    std::function<Completion(std::string_view typed, CompletionContext const& decided,
                             Context& context)>
        call;
    /// Returns the coroutine that runs the handler. `typed` and `decided` are copied before this
    /// function returns, so they may be destroyed while the coroutine runs.
    std::function<Task<Completion>(std::string_view typed, CompletionContext const& decided,
                                   Context& context)>
        start;
};

namespace detail {

/// If there are more than 100 values, keeps the first 100, sets `has_more`, and sets `total` unless
/// `total` is set already.
Completion bounded(Completion completion);
/// Returns the choices that start with the typed text.
Completion matching(std::vector<std::string> const& choices, std::string_view typed);

inline Completion make_completion(std::vector<std::string> values) {
    Completion completion;
    completion.values = std::move(values);
    return bounded(std::move(completion));
}
inline Completion make_completion(Completion completion) {
    return bounded(std::move(completion));
}

// Calls the handler with those of the arguments that it accepts.
template <class F, class Typed>
decltype(auto) complete_with(F& handler, Typed const& typed, CompletionContext const& decided,
                             Context& context) {
    if constexpr (std::invocable<F&, Typed const&, CompletionContext const&, Context&>) {
        return std::invoke(handler, typed, decided, context);
    } else if constexpr (std::invocable<F&, Typed const&, CompletionContext const&>) {
        return std::invoke(handler, typed, decided);
    } else if constexpr (std::invocable<F&, Typed const&, Context&>) {
        return std::invoke(handler, typed, context);
    } else {
        static_assert(std::invocable<F&, Typed const&>,
                      "a completion's handler takes the typed text, then CompletionContext const& "
                      "and Context& as far as it needs them");
        return std::invoke(handler, typed);
    }
}

template <class F>
Task<Completion> run_completion(std::shared_ptr<F> handler, std::string typed,
                                CompletionContext decided, Context& context) {
    auto task = complete_with(*handler, typed, decided, context);
    auto value = co_await std::move(task);
    co_return make_completion(std::move(value));
}

}  // namespace detail

/// Type-erases a handler of the form (std::string_view typed[, CompletionContext const& decided][,
/// Context&]) that returns std::vector<std::string>, Completion, or a Task of one of these. Only
/// the first 100 values are sent.
template <class F>
CompletionFunction bind_completion(F handler) {
    using Returned = decltype(detail::complete_with(handler, std::declval<std::string const&>(),
                                                    std::declval<CompletionContext const&>(),
                                                    std::declval<Context&>()));
    using Value = std::remove_cvref_t<typename detail::TaskValue<Returned>::Type>;
    static_assert(
        std::same_as<Value, std::vector<std::string>> || std::same_as<Value, Completion>,
        "a completion returns std::vector<std::string>, Completion, or a Task of one of these");
    CompletionFunction function;
    auto shared = std::make_shared<F>(std::move(handler));
    if constexpr (detail::TaskValue<Returned>::is_task) {
        function.start = [shared](std::string_view typed, CompletionContext const& decided,
                                  Context& context) {
            return detail::run_completion<F>(shared, std::string(typed), decided, context);
        };
    } else {
        function.call = [shared](std::string_view typed, CompletionContext const& decided,
                                 Context& context) {
            return detail::make_completion(detail::complete_with(*shared, typed, decided, context));
        };
    }
    return function;
}

}  // namespace lanyard
