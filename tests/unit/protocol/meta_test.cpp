// `_meta`: accessors and the grammar of its keys.
#include "lanyard/protocol/meta.hpp"

#include <gtest/gtest.h>

namespace lanyard {
namespace {

constexpr char const* parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(Meta, progress_tokens_keep_their_type) {
    Meta meta;
    EXPECT_TRUE(meta.empty());
    EXPECT_FALSE(meta.progress_token());
    meta.set_progress_token(0);
    EXPECT_EQ(meta.progress_token(), ProgressToken(0));
    meta.set_progress_token("");
    EXPECT_EQ(meta.progress_token(), ProgressToken(""));
    meta.members()["progressToken"] = 1.5;
    EXPECT_FALSE(meta.progress_token());
    EXPECT_FALSE(meta.empty());
}

TEST(Meta, trace_context_needs_a_well_formed_traceparent) {
    Meta meta;
    EXPECT_FALSE(meta.trace_context());
    TraceContext const context{.traceparent = parent, .tracestate = "a=b", .baggage = "k=v"};
    meta.set_trace_context(context);
    EXPECT_EQ(meta.trace_context(), context);
    EXPECT_EQ(meta.members().size(), 3U);
    meta.set_trace_context({.traceparent = parent});
    EXPECT_EQ(meta.members().size(), 1U);
    meta.members()["traceparent"] = "nonsense";
    EXPECT_FALSE(meta.trace_context());
    meta.members()["traceparent"] = 1;
    EXPECT_FALSE(meta.trace_context());
}

TEST(Meta, related_task_is_an_object_with_an_id) {
    Meta meta;
    EXPECT_FALSE(meta.related_task());
    meta.set_related_task("t1");
    EXPECT_EQ(meta.related_task(), "t1");
    EXPECT_EQ(meta.members().at(meta_key::related_task), (Json{{"taskId", "t1"}}));
    meta.members()[meta_key::related_task] = "t1";
    EXPECT_FALSE(meta.related_task());
    meta.members()[meta_key::related_task] = JsonObject{};
    EXPECT_FALSE(meta.related_task());
    meta.members()[meta_key::related_task] = JsonObject{{"taskId", 1}};
    EXPECT_FALSE(meta.related_task());
}

TEST(Meta, compares_by_members) {
    EXPECT_EQ(Meta(JsonObject{{"a", 1}}), Meta(JsonObject{{"a", 1}}));
    EXPECT_NE(Meta(JsonObject{{"a", 1}}), Meta(JsonObject{{"a", 2}}));
}

TEST(Rule, IM02_prefix_is_dot_separated_labels_and_a_slash) {
    EXPECT_TRUE(is_valid_meta_key("com.example/name"));
    EXPECT_TRUE(is_valid_meta_key("com/name"));
    EXPECT_FALSE(is_valid_meta_key("com..example/name"));
    EXPECT_FALSE(is_valid_meta_key("/name"));
    EXPECT_FALSE(is_valid_meta_key(".com/name"));
    EXPECT_FALSE(is_valid_meta_key("com./name"));
    EXPECT_FALSE(is_valid_meta_key("com.example/a/b"));
}

TEST(Rule, IM03_labels_begin_with_a_letter_and_end_alphanumeric) {
    EXPECT_TRUE(is_valid_meta_key("a-b.c9/x"));
    EXPECT_FALSE(is_valid_meta_key("9a/x"));
    EXPECT_FALSE(is_valid_meta_key("a-/x"));
    EXPECT_FALSE(is_valid_meta_key("-a/x"));
    EXPECT_FALSE(is_valid_meta_key("a_b/x"));
}

TEST(Rule, IM05_second_label_reserves_the_prefix_from_2025_11_25) {
    constexpr auto v4 = Version::v2025_11_25;
    EXPECT_TRUE(is_reserved_meta_key("io.modelcontextprotocol/x", v4));
    EXPECT_TRUE(is_reserved_meta_key("dev.mcp/x", Version::v2026_07_28));
    EXPECT_TRUE(is_reserved_meta_key("com.mcp.tools/x", v4));
    EXPECT_FALSE(is_reserved_meta_key("com.example.mcp/x", v4));
    EXPECT_FALSE(is_reserved_meta_key("mcp/x", v4));
    EXPECT_FALSE(is_reserved_meta_key("mcp.dev/x", v4));
    EXPECT_FALSE(is_reserved_meta_key("x", v4));
}

TEST(Rule, IM05_last_label_but_one_reserves_the_prefix_in_2025_06_18) {
    constexpr auto v3 = Version::v2025_06_18;
    EXPECT_TRUE(is_reserved_meta_key("modelcontextprotocol.io/x", v3));
    EXPECT_TRUE(is_reserved_meta_key("mcp.dev/x", v3));
    EXPECT_TRUE(is_reserved_meta_key("api.modelcontextprotocol.org/x", v3));
    EXPECT_FALSE(is_reserved_meta_key("io.modelcontextprotocol/x", v3));
    EXPECT_FALSE(is_reserved_meta_key("mcp/x", v3));
    EXPECT_FALSE(is_reserved_meta_key("mcp.dev.more/x", v3));
    EXPECT_FALSE(is_reserved_meta_key("mcp.dev/x", Version::v2025_03_26));
}

TEST(Rule, IM06_names_begin_and_end_alphanumeric) {
    EXPECT_TRUE(is_valid_meta_key(""));
    EXPECT_TRUE(is_valid_meta_key("com.example/"));
    EXPECT_TRUE(is_valid_meta_key("a-_.b"));
    EXPECT_TRUE(is_valid_meta_key("7"));
    EXPECT_FALSE(is_valid_meta_key("a-"));
    EXPECT_FALSE(is_valid_meta_key("_a"));
    EXPECT_FALSE(is_valid_meta_key("a b"));
    EXPECT_FALSE(is_valid_meta_key("com.example/a b"));
    EXPECT_FALSE(is_valid_meta_key("\xc3\xa4"));
}

TEST(Rule, M17_traceparent_follows_w3c) {
    std::string const good = parent;
    EXPECT_TRUE(is_valid_traceparent(good));
    EXPECT_TRUE(is_valid_traceparent("cc" + good.substr(2) + "-more"));
    EXPECT_TRUE(is_valid_traceparent("cc" + good.substr(2)));
    EXPECT_FALSE(is_valid_traceparent("cc" + good.substr(2) + "more"));
    EXPECT_FALSE(is_valid_traceparent(""));
    EXPECT_FALSE(is_valid_traceparent(good + "-more"));
    EXPECT_FALSE(is_valid_traceparent("ff" + good.substr(2)));
    EXPECT_FALSE(is_valid_traceparent("0G" + good.substr(2)));
    EXPECT_FALSE(is_valid_traceparent("00-00000000000000000000000000000000-b7ad6b7169203331-01"));
    EXPECT_FALSE(is_valid_traceparent("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"));
    EXPECT_FALSE(is_valid_traceparent("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
    EXPECT_FALSE(is_valid_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333Z-01"));
    EXPECT_FALSE(is_valid_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0Z"));
    for (std::size_t const dash : {2U, 35U, 52U}) {
        auto broken = good;
        broken[dash] = '_';
        EXPECT_FALSE(is_valid_traceparent(broken)) << dash;
    }
}

}  // namespace
}  // namespace lanyard
