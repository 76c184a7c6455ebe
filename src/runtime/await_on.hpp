// await_on(): awaits a task that runs on another executor.
#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/task.hpp"
#include "runtime/cancelled_by.hpp"

namespace lanyard::runtime {

namespace detail {

/// Starts the task on the executor `on` and completes the handler on the handler's own executor.
struct StartOn {
    template <class Handler, class T>
    void operator()(Handler&& handler, boost::asio::any_io_executor on, Task<T> task) const {
        namespace asio = boost::asio;
        // The posted cancellation may run after the task has ended, so the posted function shares
        // the ownership of the signal.
        auto const signal = std::make_shared<asio::cancellation_signal>();
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
            slot.assign([signal, on](asio::cancellation_type type) {
                asio::post(on, [signal, type] { signal->emit(type); });
            });
        }
        auto const home = asio::get_associated_executor(handler, on);
        auto const work = asio::prefer(home, asio::execution::outstanding_work.tracked);
        auto done = [handler = std::forward<Handler>(handler), slot, work, signal](
                        std::exception_ptr failure, auto... value) mutable {
            auto complete = [handler = std::move(handler), slot, signal,
                             failure = std::move(failure), ... value = std::move(value)]() mutable {
                slot.clear();
                std::move(handler)(std::move(failure), std::move(value)...);
            };
            asio::post(work, std::move(complete));
        };
        asio::co_spawn(on, std::move(task), cancelled_by(signal->slot(), std::move(done)));
    }
};

}  // namespace detail

/// Runs the task on `executor` and completes on the caller's executor. If the caller is cancelled,
/// the cancellation is posted to `executor`.
template <class T>
Task<T> await_on(boost::asio::any_io_executor executor, Task<T> task) {
    bool const here = co_await boost::asio::this_coro::executor == executor;
    if constexpr (std::is_void_v<T>) {
        if (here) {
            co_await std::move(task);
        } else {
            co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const,
                                                 void(std::exception_ptr)>(
                detail::StartOn(), boost::asio::use_awaitable, executor, std::move(task));
        }
    } else {
        if (here) {
            auto result = co_await std::move(task);
            co_return result;
        }
        auto result = co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const,
                                                           void(std::exception_ptr, T)>(
            detail::StartOn(), boost::asio::use_awaitable, executor, std::move(task));
        co_return result;
    }
}

}  // namespace lanyard::runtime
