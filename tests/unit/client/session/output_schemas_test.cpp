// How many output schemas a client keeps.
#include "client/session/output_schemas.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace lanyard::client {
namespace {

TEST(OutputSchemas, hold_as_much_as_the_limit_and_start_again) {
    OutputSchemas schemas;
    Tool tool;
    auto const schema = R"({"type":"object","title":")" + std::string(1024 * 1024, 'x') + "\"}";
    tool.output_schema = RawJson::trusted(schema);
    std::size_t most = 0;
    for (int i = 0; i < 100; ++i) {
        tool.name = "t" + std::to_string(i);
        schemas.learn(tool);
        most = std::max(most, schemas.bytes());
    }
    EXPECT_LE(most, OutputSchemas::max_bytes);
    EXPECT_GT(most, OutputSchemas::max_bytes - 2 * schema.size());
    tool.output_schema = {};
    for (int i = 0; i < 100; ++i) {
        tool.name = "t" + std::to_string(i);
        schemas.learn(tool);
    }
    EXPECT_EQ(schemas.bytes(), 0U);
}

}  // namespace
}  // namespace lanyard::client
