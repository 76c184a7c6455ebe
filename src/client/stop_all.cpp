#include "client/stop_all.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime/post.hpp"

namespace lanyard::client {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Completes a handler when all clients have stopped, or when it is cancelled. Thread-safe, because
// the executor may have many threads. Needs no strand: Asio's strands do not survive a lack of
// memory.
class AllStopped : public std::enable_shared_from_this<AllStopped> {
public:
    explicit AllStopped(std::size_t clients) : left_(clients + 1) {}

    void count_down() {
        if (left_.fetch_sub(1) == 1) complete({});
    }
    // Called once.
    template <class Handler>
    void wait(Handler handler) {
        auto const kept = std::make_shared<Handler>(std::move(handler));
        asio::any_io_executor const executor = asio::get_associated_executor(*kept);
        complete_ = [kept, executor](error_code const& error) {
            runtime::post_always(executor, [kept, error] { std::move (*kept)(error); });
        };
        auto slot = asio::get_associated_cancellation_slot(*kept);
        if (slot.is_connected()) {
            slot.assign([all = weak_from_this()](asio::cancellation_type) {
                if (auto const self = all.lock()) self->complete(asio::error::operation_aborted);
            });
        }
        count_down();
    }

private:
    void complete(error_code const& error) {
        if (completed_.test_and_set()) return;
        // The handler owns the coroutine that waits.
        std::exchange(complete_, nullptr)(error);
    }

    std::atomic<std::size_t> left_;  // the clients that have not stopped, and the call of wait()
    std::atomic_flag completed_;
    std::function<void(error_code const&)> complete_;
};

}  // namespace

Task<> stop_all(std::vector<Client> clients, Duration grace) {
    auto const executor = co_await asio::this_coro::executor;
    auto all = std::make_shared<AllStopped>(clients.size());
    for (auto const& client : clients) {
        auto ended = [all, client](std::exception_ptr const&) { all->count_down(); };
        asio::co_spawn(executor, client.stop(grace), std::move(ended));
    }
    auto const wait = [](auto handler, std::shared_ptr<AllStopped> const& latch) {
        latch->wait(std::move(handler));
    };
    co_await asio::async_initiate<asio::use_awaitable_t<> const, void(error_code)>(
        wait, asio::use_awaitable, std::move(all));
}

}  // namespace lanyard::client
