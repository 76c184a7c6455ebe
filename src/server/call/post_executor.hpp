// PostExecutor: an Asio executor that runs work through a function of the user.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_context.hpp>
#include <boost/asio/system_executor.hpp>

namespace lanyard::server {

/// Passes each piece of work to the user's function, which has to run it exactly once, later, on
/// any thread. Timers that use this executor belong to the given context.
class PostExecutor {
public:
    using Post = std::function<void(std::function<void()>)>;

    explicit PostExecutor(Post post, boost::asio::execution_context& timers = default_timers())
        : post_(std::make_shared<Post>(std::move(post))), timers_(&timers) {}

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return *timers_;
    }
    static constexpr boost::asio::execution::blocking_t query(
        boost::asio::execution::blocking_t) noexcept {
        return boost::asio::execution::blocking.never;
    }
    /// execute() only passes the function on, so this requirement is always fulfilled.
    PostExecutor require(boost::asio::execution::blocking_t::never_t) const { return *this; }

    template <class F>
    void execute(F&& function) const {
        // std::function requires a copyable function, but Asio's functions are only movable.
        auto shared = std::make_shared<std::decay_t<F>>(std::forward<F>(function));
        (*post_)([shared] { std::move (*shared)(); });
    }

    bool operator==(PostExecutor const&) const noexcept = default;

private:
    static boost::asio::execution_context& default_timers() {
        return boost::asio::query(boost::asio::system_executor(), boost::asio::execution::context);
    }

    std::shared_ptr<Post> post_;
    boost::asio::execution_context* timers_;
};

}  // namespace lanyard::server
