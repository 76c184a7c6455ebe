// Awaits a task on the executor of the session that the task uses.
#pragma once

#include <memory>
#include <utility>

#include "client/client_session.hpp"
#include "lanyard/task.hpp"
#include "runtime/await_on.hpp"

namespace lanyard::client {

/// Runs the task on the session's executor and completes on the caller's executor. Keeps the
/// session alive and forwards cancellation.
template <class T>
Task<T> on_executor(std::shared_ptr<ClientSession> session, Task<T> task) {
    auto running = runtime::await_on(session->executor(), std::move(task));
    if constexpr (std::is_void_v<T>) {
        co_await std::move(running);
    } else {
        auto result = co_await std::move(running);
        co_return result;
    }
}

}  // namespace lanyard::client
