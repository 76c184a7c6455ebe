// UserCalls: calls user functions from a queue, so that the client does not wait for them.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

namespace lanyard::runtime {

/// Makes the calls one after the other, on an executor on which user code may block. Keeps the
/// executor running until all calls have been made.
class UserCalls final : public std::enable_shared_from_this<UserCalls> {
public:
    struct Limits {
        std::size_t calls = 1'000;
        std::size_t bytes = 16 * 1024 * 1024;
    };

    /// Creates a queue if the executor belongs to a runtime::Loop, on which user functions may
    /// block. Otherwise returns null, and the caller must call the functions directly.
    static std::shared_ptr<UserCalls> make(boost::asio::any_io_executor const& executor,
                                           Limits limits);
    /// After a call has blocked the loop, the calls run on threads outside of the loop.
    UserCalls(boost::asio::any_io_executor executor, Limits limits);

    /// Queues the call, which must not throw. `bytes` is the size of its data. If the queue is
    /// full, drops the oldest waiting calls. Returns the number of dropped calls. May be called on
    /// any thread.
    std::size_t push(std::function<void()> call, std::size_t bytes = 0);
    /// Whether all calls have been made. May be called on any thread.
    bool idle() const;
    /// Sets a function that is called on the executor after the last call; an empty function
    /// removes it. Must be called on the executor.
    void on_idle(std::function<void()> function) { on_idle_ = std::move(function); }

private:
    struct Waiting {
        std::function<void()> call;
        std::size_t bytes;
    };

    void schedule();
    void make_next();

    boost::asio::any_io_executor executor_;
    boost::asio::any_io_executor user_executor_;
    Limits limits_;
    std::function<void()> on_idle_;
    mutable std::mutex mutex_;
    std::deque<Waiting> waiting_;
    std::size_t bytes_ = 0;
    bool running_ = false;  // whether a call is being made or is scheduled
};

}  // namespace lanyard::runtime
