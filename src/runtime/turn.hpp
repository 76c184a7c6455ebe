// give_turn(): lets other work run. For a coroutine that would otherwise run for a long time
// without being suspended.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/task.hpp"

namespace lanyard::runtime {

/// Completes after everything that is ready on the executor now, including timers and sockets, has
/// run. This is a separate coroutine so that the state of the wait does not enlarge the caller's
/// coroutine frame.
inline Task<> give_turn() {
    auto const executor = co_await boost::asio::this_coro::executor;
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
}

}  // namespace lanyard::runtime
