// Messages of sampling that consist of text.
#include "lanyard/protocol/sampling_text.hpp"

#include <gtest/gtest.h>

namespace lanyard {
namespace {

std::string text_in(SamplingMessage const& message) {
    return message.content.size() == 1 ? std::get<TextContent>(message.content[0]).text : "";
}

TEST(SamplingText, messages_have_one_block_of_text) {
    EXPECT_EQ(user_message("hi").role, Role::user);
    EXPECT_EQ(text_in(user_message("hi")), "hi");
    EXPECT_EQ(assistant_message("hello").role, Role::assistant);
    EXPECT_EQ(text_in(assistant_message("hello")), "hello");
}

TEST(SamplingText, the_text_of_an_answer_is_that_of_its_text_blocks) {
    CreateMessageResult result;
    EXPECT_EQ(text_of(result), "");
    result.content.emplace_back(ImageContent());
    EXPECT_EQ(text_of(result), "");
    result.content.emplace_back(TextContent{.text = "one"});
    result.content.emplace_back(TextContent{.text = "two"});
    EXPECT_EQ(text_of(result), "one\ntwo");
}

}  // namespace
}  // namespace lanyard
