#include "transport/frame_batch.hpp"

#include <gtest/gtest.h>

namespace lanyard::transport {
namespace {

using Kind = rpc::Frame::Kind;

TEST(FrameBatch, refers_to_messages_in_the_buffer_and_copies_others) {
    std::string const buffer = "one two";
    std::string elsewhere = "carried";
    FrameBatch batch;
    batch.add(Kind::message, elsewhere, buffer);
    batch.add(Kind::message, std::string_view(buffer).substr(4), buffer);
    elsewhere = "changed";
    auto const frames = batch.view();
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].text, "carried");
    EXPECT_EQ(frames[1].text.data(), buffer.data() + 4);
}

TEST(FrameBatch, texts_of_other_frames_stay_valid) {
    static constexpr std::string_view why = "too long";
    FrameBatch batch;
    batch.add(Kind::too_long, why, {});
    EXPECT_EQ(batch.view().front().text.data(), why.data());
}

TEST(FrameBatch, is_taken_from_the_front_and_reused) {
    FrameBatch batch;
    EXPECT_TRUE(batch.empty());
    std::string const buffer = "ab";
    batch.add(Kind::message, std::string_view(buffer).substr(0, 1), buffer);
    batch.add(Kind::message, std::string_view(buffer).substr(1, 1), buffer);
    batch.drop_front();
    EXPECT_EQ(batch.view().size(), 1U);
    EXPECT_EQ(batch.view().front().text, "b");
    batch.drop_front();
    EXPECT_TRUE(batch.empty());
    batch.shrink(0);
    batch.add(Kind::message, std::string_view(buffer).substr(0, 1), buffer);
    EXPECT_EQ(batch.view().front().text, "a");
}

}  // namespace
}  // namespace lanyard::transport
