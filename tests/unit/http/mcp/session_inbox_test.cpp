// SessionInbox: messages that are delivered in place, and messages that arrive during a delivery.
#include "http/mcp/session_inbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace lanyard::http {
namespace {

using ::testing::ElementsAre;

/// A reader that records its messages: "text" from its sink, "read text" from read(), "end".
class SessionInboxTest : public ::testing::Test, private rpc::FrameSink {
protected:
    SessionInboxTest() {
        inbox_.set_sink(*this);
        boost::asio::co_spawn(context_, read_all(), boost::asio::detached);
        poll();
    }
    ~SessionInboxTest() override {
        inbox_.close();
        poll();
    }

    void poll() {
        context_.restart();
        context_.poll();
    }
    bool put(std::string_view text) { return inbox_.put(text, 0, TimePoint(Duration(++moment_))); }

    boost::asio::io_context context_;
    boost::asio::any_io_executor executor_ = context_.get_executor();
    SessionInbox inbox_{executor_};
    std::vector<std::string> got_;
    std::function<void()> meanwhile_;  // called once from the sink
    int moment_ = 0;

private:
    void on_frames(std::span<rpc::Frame const> frames, TimePoint received) noexcept override {
        EXPECT_EQ(frames.size(), 1U);
        EXPECT_EQ(received, TimePoint(Duration(moment_)));
        EXPECT_FALSE(inbox_.reader_waits());
        got_.emplace_back(frames[0].text);
        if (auto const act = std::exchange(meanwhile_, nullptr)) act();
    }
    Task<> read_all() {
        while (auto const frames = co_await inbox_.read()) {
            for (auto const& frame : *frames) {
                bool const failed = frame.kind == rpc::Frame::Kind::failed;
                got_.push_back(failed ? "failed" : "read " + std::string(frame.text));
            }
        }
        got_.emplace_back("end");
    }
};

TEST_F(SessionInboxTest, the_sink_gets_messages_while_the_reader_waits) {
    EXPECT_TRUE(put("a"));
    EXPECT_TRUE(put("b"));
    EXPECT_THAT(got_, ElementsAre("a", "b"));
    EXPECT_TRUE(inbox_.reader_waits());
}

TEST_F(SessionInboxTest, messages_that_arrive_during_delivery_are_queued_in_order) {
    meanwhile_ = [&] {
        EXPECT_TRUE(inbox_.put("b", 0, {}));
        EXPECT_TRUE(inbox_.put("c", 0, {}));
        EXPECT_THAT(got_, ElementsAre("a"));
    };
    EXPECT_TRUE(put("a"));
    EXPECT_FALSE(inbox_.reader_waits());
    EXPECT_TRUE(put("d"));
    EXPECT_THAT(got_, ElementsAre("a"));
    poll();
    EXPECT_THAT(got_, ElementsAre("a", "read b", "read c", "read d"));
    EXPECT_TRUE(put("e"));
    EXPECT_THAT(got_.back(), "e");
}

TEST_F(SessionInboxTest, a_failure_during_delivery_is_reported_afterwards) {
    meanwhile_ = [&] { inbox_.fail(1, Error(Errc::unavailable, "nobody")); };
    EXPECT_TRUE(put("a"));
    EXPECT_THAT(got_, ElementsAre("a"));
    poll();
    EXPECT_THAT(got_, ElementsAre("a", "failed"));
}

TEST_F(SessionInboxTest, closing_during_delivery_ends_after_the_message) {
    meanwhile_ = [&] { inbox_.close(); };
    EXPECT_TRUE(put("a"));
    EXPECT_THAT(got_, ElementsAre("a"));
    poll();
    EXPECT_THAT(got_, ElementsAre("a", "end"));
    EXPECT_FALSE(put("b"));
}

TEST_F(SessionInboxTest, queued_messages_have_a_limit_of_bytes) {
    std::string const large(400'000, 'x');
    meanwhile_ = [&] {
        EXPECT_TRUE(put(std::string(2'000'000, 'x'))) << "a single message may be longer";
        EXPECT_FALSE(put("more"));
    };
    put("first");
    poll();
    meanwhile_ = [&] {
        EXPECT_TRUE(put(large));
        EXPECT_TRUE(put(large));
        EXPECT_FALSE(put(large));
        EXPECT_TRUE(put("a short one"));
    };
    put("second");
    poll();
    EXPECT_EQ(got_.size(), 6U);
}

}  // namespace
}  // namespace lanyard::http
