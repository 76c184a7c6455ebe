// ClientHandler: wraps a function that returns either a value or a Task of the value.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <lanyard/task.hpp>

namespace lanyard {

/// A function that returns a Task<R>. Can be made from any function that returns an R or a Task<R>.
template <class R, class... Arguments>
class ClientHandler {
public:
    ClientHandler() = default;

    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, ClientHandler> &&
                 std::invocable<std::remove_cvref_t<F>&, Arguments...>)
    ClientHandler(F&& function) {
        using Function = std::remove_cvref_t<F>;
        using Returned = std::invoke_result_t<Function&, Arguments...>;
        if constexpr (std::same_as<Returned, Task<R>>) {
            function_ = std::forward<F>(function);
        } else if constexpr (std::is_void_v<R>) {
            function_ = [call =
                             std::forward<F>(function)](Arguments... arguments) mutable -> Task<> {
                call(std::move(arguments)...);
                co_return;
            };
        } else {
            static_assert(std::convertible_to<Returned, R>,
                          "the handler returns neither the result nor a Task of it");
            function_ = [call =
                             std::forward<F>(function)](Arguments... arguments) mutable -> Task<R> {
                co_return call(std::move(arguments)...);
            };
        }
    }

    explicit operator bool() const noexcept { return static_cast<bool>(function_); }

    /// Calls the function. This ClientHandler must outlive the returned task.
    Task<R> operator()(Arguments... arguments) const { return function_(std::move(arguments)...); }

private:
    std::function<Task<R>(Arguments...)> function_;
};

}  // namespace lanyard
