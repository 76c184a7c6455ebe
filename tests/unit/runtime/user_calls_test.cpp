// UserCalls: plain user functions that are queued and called later.
#include "runtime/user_calls.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

namespace lanyard::runtime {
namespace {

class UserCallsTest : public ::testing::Test {
protected:
    std::shared_ptr<UserCalls> make(UserCalls::Limits limits = {}) {
        return std::make_shared<UserCalls>(context_.get_executor(), limits);
    }
    auto note(std::string what) {
        return [this, what] { made_.push_back(what); };
    }

    boost::asio::io_context context_;
    std::vector<std::string> made_;
};

TEST_F(UserCallsTest, are_made_asynchronously_and_in_order) {
    auto const calls = make();
    EXPECT_TRUE(calls->idle());
    EXPECT_EQ(calls->push(note("a")), 0u);
    EXPECT_EQ(calls->push(note("b")), 0u);
    EXPECT_TRUE(made_.empty());
    EXPECT_FALSE(calls->idle());
    context_.run();
    EXPECT_EQ(made_, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(calls->idle());
}

TEST_F(UserCallsTest, drop_the_oldest_beyond_the_limit) {
    auto const calls = make({.calls = 2});
    EXPECT_EQ(calls->push(note("a")), 0u);
    EXPECT_EQ(calls->push(note("b")), 0u);
    EXPECT_EQ(calls->push(note("c")), 1u);
    context_.run();
    EXPECT_EQ(made_, (std::vector<std::string>{"b", "c"}));
}

TEST_F(UserCallsTest, keep_as_many_bytes_as_the_limit_and_any_single_one) {
    auto const calls = make({.bytes = 10});
    EXPECT_EQ(calls->push(note("a"), 6), 0u);
    EXPECT_EQ(calls->push(note("b"), 4), 0u);
    EXPECT_EQ(calls->push(note("c"), 1), 1u);
    // Too large to be queued together with any other call.
    EXPECT_EQ(calls->push(note("d"), 20), 2u);
    context_.run();
    EXPECT_EQ(made_, (std::vector<std::string>{"d"}));
    // Completed calls no longer count towards the limit.
    context_.restart();
    EXPECT_EQ(calls->push(note("e"), 6), 0u);
    EXPECT_EQ(calls->push(note("f"), 4), 0u);
    context_.run();
    EXPECT_EQ(made_.size(), 3u);
}

TEST_F(UserCallsTest, report_when_the_last_call_was_made) {
    auto const calls = make();
    int idle = 0;
    calls->on_idle([&] { ++idle; });
    calls->push(note("a"));
    calls->push(note("b"));
    context_.run();
    EXPECT_EQ(idle, 1);
    calls->on_idle({});
    context_.restart();
    calls->push(note("c"));
    context_.run();
    EXPECT_EQ(made_.size(), 3u);
    EXPECT_EQ(idle, 1);
}

TEST_F(UserCallsTest, may_add_further_calls) {
    auto const calls = make();
    calls->push([&] { calls->push(note("b")); });
    context_.run();
    EXPECT_EQ(made_, (std::vector<std::string>{"b"}));
}

}  // namespace
}  // namespace lanyard::runtime
