// cancelled_by(): a signal cancels a coroutine on an executor that never runs a function at once.
#include "runtime/cancelled_by.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/task.hpp"

namespace lanyard::runtime {
namespace {

namespace asio = boost::asio;

/// Like the executor of a Lane, it only posts functions.
class PostingExecutor {
public:
    explicit PostingExecutor(asio::io_context& context) noexcept : context_(&context) {}

    asio::execution_context& query(asio::execution::context_t) const noexcept { return *context_; }
    static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
        return asio::execution::blocking.never;
    }
    PostingExecutor require(asio::execution::blocking_t::never_t) const { return *this; }

    template <class F>
    void execute(F&& function) const {
        asio::post(*context_, std::forward<F>(function));
    }
    bool operator==(PostingExecutor const&) const noexcept = default;

private:
    asio::io_context* context_;
};

/// An operation that ends when the test says so, and records that it was cancelled.
struct Operation {
    auto wait() {
        return asio::async_initiate<asio::use_awaitable_t<> const, void()>(
            [this](auto&& handler) {
                auto slot = asio::get_associated_cancellation_slot(handler);
                slot.assign([this](asio::cancellation_type) { cancelled = true; });
                auto held = std::make_shared<std::decay_t<decltype(handler)>>(
                    std::forward<decltype(handler)>(handler));
                end = [held] { std::move (*held)(); };
            },
            asio::use_awaitable);
    }

    bool cancelled = false;
    std::function<void()> end;
};

class CancelledByTest : public ::testing::Test {
protected:
    void start() {
        auto const waiting = [](Operation& on) -> Task<> { co_await on.wait(); };
        auto const done = [this](std::exception_ptr const&) { signal.reset(); };
        asio::co_spawn(executor, waiting(operation), cancelled_by(signal->slot(), done));
        context.poll();
        context.restart();
        ASSERT_TRUE(operation.end);
    }
    void post_cancellation() {
        asio::post(executor, [emitted = signal, this] {
            emitted->emit(asio::cancellation_type::all);
            cancelled_at_once = operation.cancelled;
        });
    }

    asio::io_context context;
    asio::any_io_executor executor = PostingExecutor(context);
    std::shared_ptr<asio::cancellation_signal> signal =
        std::make_shared<asio::cancellation_signal>();
    Operation operation;
    bool cancelled_at_once = false;
};

TEST_F(CancelledByTest, the_signal_cancels_the_coroutine_immediately) {
    start();
    post_cancellation();
    context.poll();
    EXPECT_TRUE(cancelled_at_once);
    operation.end();
    context.restart();
    context.poll();
    EXPECT_EQ(signal, nullptr) << "the coroutine has ended";
}

TEST_F(CancelledByTest, a_cancellation_may_run_after_the_coroutine_has_ended) {
    start();
    asio::post(executor, [this] { operation.end(); });
    post_cancellation();
    context.poll();
    EXPECT_EQ(signal, nullptr);
}

}  // namespace
}  // namespace lanyard::runtime
