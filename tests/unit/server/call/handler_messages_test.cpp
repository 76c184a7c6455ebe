// HandlerMessages: the limit of stored messages.
#include <gtest/gtest.h>

#include "server/call/handler_messages.hpp"

namespace lanyard::server {
namespace {

HandlerMessage log() {
    return HandlerLog{LoggingLevel::info, "", Json("text")};
}

HandlerMessage progress(double value) {
    rpc::ProgressUpdate update;
    update.progress = value;
    return update;
}

class FullHandlerMessages : public ::testing::Test {
protected:
    FullHandlerMessages() {
        for (int i = 0; i < 1'000; ++i) messages.add(log());
    }
    HandlerMessages messages;
};

TEST_F(FullHandlerMessages, drop_a_new_log_message) {
    messages.add(log());
    EXPECT_EQ(messages.take().size(), 1'000U);
}

TEST_F(FullHandlerMessages, keep_the_latest_progress) {
    messages.add(progress(1));
    messages.add(progress(2));
    auto const taken = messages.take();
    ASSERT_EQ(taken.size(), 1'000U);
    auto const* const last = std::get_if<rpc::ProgressUpdate>(&taken.back());
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->progress, 2);
}

TEST_F(FullHandlerMessages, never_drop_the_release_of_a_stream) {
    messages.add(StreamRelease{});
    messages.add(progress(1));
    messages.add(log());
    auto const taken = messages.take();
    ASSERT_EQ(taken.size(), 1'000U);
    EXPECT_TRUE(std::holds_alternative<StreamRelease>(taken.back()));
}

}  // namespace
}  // namespace lanyard::server
