// When a command that gives a server access to folders may begin.
#include "roots.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/testing/fake_time.hpp"

namespace lanyard::app {
namespace {

using namespace std::chrono_literals;

class RootsTest : public ::testing::Test {
protected:
    void wait() {
        auto const end = [this](std::exception_ptr const& thrown) {
            ended = true;
            failed = thrown != nullptr;
        };
        boost::asio::co_spawn(context, roots.await_read(time), end);
        poll();
    }
    void poll() {
        context.restart();
        context.poll();
    }
    void advance(Duration by) {
        time.advance(by);
        poll();
    }
    bool waits() const { return !ended; }

    testing::FakeTime time;
    Roots roots{{Root{.uri = "file:///tmp"}}};
    boost::asio::io_context context;
    bool ended = false;
    bool failed = false;
};

TEST_F(RootsTest, a_command_waits_until_the_server_has_applied_the_roots) {
    wait();
    advance(400ms);
    EXPECT_TRUE(waits());
    EXPECT_EQ(roots.answer().at(0).uri, "file:///tmp");
    advance(99ms);
    EXPECT_TRUE(waits());
    advance(100ms);
    EXPECT_TRUE(ended);
    EXPECT_FALSE(failed);
}

TEST_F(RootsTest, a_server_that_does_not_ask_delays_it_for_half_a_second_at_most) {
    wait();
    advance(499ms);
    EXPECT_TRUE(waits());
    advance(1ms);
    EXPECT_TRUE(ended);
    EXPECT_FALSE(failed);
}

TEST_F(RootsTest, a_server_that_has_asked_before_only_gets_time_to_apply_them) {
    roots.answer();
    wait();
    EXPECT_TRUE(waits());
    advance(100ms);
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace lanyard::app
