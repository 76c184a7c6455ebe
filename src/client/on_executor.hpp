// Awaiting a task on the executor that owns the session it touches.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "client/session.hpp"
#include "lanyard/task.hpp"

namespace lanyard::client {

/// Runs the task on the session's executor and completes on the caller's. Keeps the session alive;
/// passes cancellation on.
template <class T>
Task<T> on_executor(std::shared_ptr<Session> session, Task<T> task) {
    auto const& executor = session->executor();
    bool const here = co_await boost::asio::this_coro::executor == executor;
    if constexpr (std::is_void_v<T>) {
        if (here) {
            co_await std::move(task);
        } else {
            co_await boost::asio::co_spawn(executor, std::move(task), boost::asio::use_awaitable);
        }
    } else {
        if (here) {
            auto result = co_await std::move(task);
            co_return result;
        }
        auto result =
            co_await boost::asio::co_spawn(executor, std::move(task), boost::asio::use_awaitable);
        co_return result;
    }
}

}  // namespace lanyard::client
