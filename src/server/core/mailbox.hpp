// Mailbox: posts work from other threads to an executor, until the owner of the mailbox closes it.
#pragma once

#include <mutex>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

#include "runtime/post.hpp"

namespace lanyard::server {

/// Thread-safe. Work on other threads may outlive the connection and its executor. Therefore the
/// owner calls close(), after which post() no longer uses the executor.
class Mailbox {
public:
    explicit Mailbox(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    /// Runs the function on the executor, even if memory runs out. Drops the function if the
    /// mailbox is closed.
    template <class F>
    void post(F const& function) {
        std::lock_guard const lock(mutex_);
        if (open_) runtime::post_always(executor_, function);
    }

    void close() noexcept {
        std::lock_guard const lock(mutex_);
        open_ = false;
        executor_ = {};
    }

private:
    std::mutex mutex_;
    boost::asio::any_io_executor executor_;
    bool open_ = true;
};

}  // namespace lanyard::server
