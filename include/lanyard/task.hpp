// Task: the return type of every asynchronous function of Lanyard; and run(), which runs a task to
// completion.
#pragma once

#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
// With optimization, g++ before 14 reports this warning falsely for Asio's coroutines, at a place
// in the user's code. It stays off in all files that include this header, because g++ decides by
// that place.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace lanyard {

/// A coroutine that yields a T. It starts when it is awaited and runs on the executor of the
/// awaiting coroutine.
template <class T = void>
using Task = boost::asio::awaitable<T>;

/// Completes with the result of the task or, if the task throws an Error, with this Error. A
/// ToolError becomes an Error (failed) with the same text.
template <class T>
Task<Result<T>> attempt(Task<T> task) {
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(task);
            co_return Result<void>();
        } else {
            auto value = co_await std::move(task);
            co_return Result<T>(std::move(value));
        }
    } catch (Error const& error) {
        co_return Unexpected(error);
    } catch (ToolError const& error) {
        co_return Unexpected(Error(Errc::failed, error.what()));
    }
}

/// Runs the task to its end on an event loop of its own. Returns 0, or 1 after printing the
/// exception to stderr. For use in main().
int run(Task<> task);
/// Same as above, for a task that yields the exit code to return.
int run(Task<int> task);

}  // namespace lanyard
