// BlockingWait: a task runs in the calling thread, and nothing stays allocated afterwards.
#include <gtest/gtest.h>

#include <stdexcept>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "server/call/blocking_wait.hpp"

namespace lanyard::server {
namespace {

Task<> yield_once() {
    co_await boost::asio::post(boost::asio::use_awaitable);
}

Task<> fail() {
    co_await yield_once();
    throw std::runtime_error("no");
}

Task<> wait_for_ever() {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                    boost::asio::steady_timer::time_point::max());
    co_await timer.async_wait(boost::asio::use_awaitable);
}

TEST(BlockingWait, is_freed_after_a_task) {
    auto wait = std::make_shared<BlockingWait>();
    std::weak_ptr<BlockingWait> const remains = wait;
    wait->run(yield_once());
    wait.reset();
    EXPECT_TRUE(remains.expired());
}

TEST(BlockingWait, rethrows_and_is_freed_after_a_task_that_failed) {
    auto wait = std::make_shared<BlockingWait>();
    std::weak_ptr<BlockingWait> const remains = wait;
    EXPECT_THROW(wait->run(fail()), std::runtime_error);
    wait.reset();
    EXPECT_TRUE(remains.expired());
}

TEST(BlockingWait, is_freed_after_a_task_that_was_cancelled) {
    auto wait = std::make_shared<BlockingWait>();
    std::weak_ptr<BlockingWait> const remains = wait;
    wait->cancel();
    EXPECT_THROW(wait->run(wait_for_ever()), boost::system::system_error);
    wait->cancel();
    wait.reset();
    EXPECT_TRUE(remains.expired());
}

}  // namespace
}  // namespace lanyard::server
