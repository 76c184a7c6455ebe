// The functions that make results of tools.
#include "lanyard/protocol/tools.hpp"

#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(CallToolResult, made_from_text_has_one_text_block) {
    auto const result = CallToolResult::text("hello");
    ASSERT_EQ(result.content.size(), 1U);
    EXPECT_EQ(std::get<TextContent>(result.content[0]).text, "hello");
    EXPECT_FALSE(result.is_error);
    EXPECT_TRUE(result.structured_content.empty());
}

TEST(CallToolResult, made_from_an_error_has_the_text_for_the_model) {
    auto const result = CallToolResult::error("try again later");
    ASSERT_EQ(result.content.size(), 1U);
    EXPECT_EQ(std::get<TextContent>(result.content[0]).text, "try again later");
    EXPECT_TRUE(result.is_error);
}

TEST(CallToolResult, made_from_an_image_has_its_bytes_as_base64) {
    std::vector<std::byte> const bytes{std::byte{0x00}, std::byte{0xFF}, std::byte{0x10}};
    auto const result = CallToolResult::image(bytes, "image/png");
    ASSERT_EQ(result.content.size(), 1U);
    auto const& image = std::get<ImageContent>(result.content[0]);
    EXPECT_EQ(image.data, "AP8Q");
    EXPECT_EQ(image.mime_type, "image/png");
    EXPECT_FALSE(result.is_error);
    EXPECT_EQ(CallToolResult::image(std::string("\0\xFF\x10", 3), "image/png"), result);
}

}  // namespace
}  // namespace lanyard
