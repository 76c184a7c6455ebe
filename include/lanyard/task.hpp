// Task: what every asynchronous function of Lanyard returns, and run(), which drives one to its
// end.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace lanyard {

/// A coroutine that yields a T. It starts when it is awaited and runs on the executor of whoever
/// awaits it.
template <class T = void>
using Task = boost::asio::awaitable<T>;

/// Runs the task on an event loop of its own until it ends. Returns 0, or 1 after printing to
/// stderr what was thrown. For use in main().
int run(Task<> task);
/// The same for a task that yields the program's exit code.
int run(Task<int> task);

}  // namespace lanyard
