#include "lanyard/rpc/outbox.hpp"

#include <gtest/gtest.h>

namespace lanyard::rpc {
namespace {

TEST(Outbox, keeps_the_parts_of_each_message) {
    std::string const text = "12345";
    Outbox outbox;
    auto const add = [&](Route const& route) {
        outbox.begin() += text;
        outbox.end(route);
    };
    Route const first{0, Route::Kind::request, "tools/call", 1, "greet", Version::v2026_07_28};
    Route const second{0, Route::Kind::request, "prompts/get", 2, "a rather long name of a prompt"};
    for (int round = 0; round < 2; ++round) {
        add(first);
        add({3, Route::Kind::answer});
        {
            std::string method(second.method);
            add({0, second.kind, method, second.id, second.name});
            method.assign(method.size(), 'x');
        }
        add(first);
        EXPECT_EQ(outbox.front_route(), first);
        outbox.pop();
        EXPECT_EQ(outbox.front_route(), (Route{3, Route::Kind::answer}));
        outbox.consume(text.size() + 1);
        EXPECT_EQ(outbox.front_route(), second);
        Outbox copy;
        copy.begin() += outbox.front();
        copy.end(outbox.front_route());
        EXPECT_EQ(copy.front_route(), second);
        outbox.consume(text.size() + 1);
        EXPECT_EQ(outbox.front_route(), first);
        outbox.pop();
        EXPECT_TRUE(outbox.empty());
    }
}

TEST(Outbox, keeps_messages_in_order_and_counts_sent_bytes) {
    Outbox outbox;
    EXPECT_TRUE(outbox.empty());
    EXPECT_EQ(outbox.bytes(), "");
    outbox.begin() += "first";
    outbox.end();
    outbox.begin() += "second";
    outbox.end();
    outbox.begin() += "half";
    outbox.discard();
    EXPECT_EQ(outbox.bytes(), "first\nsecond\n");
    EXPECT_EQ(outbox.count(), 2U);
    outbox.consume(3);
    EXPECT_EQ(outbox.bytes(), "st\nsecond\n");
    outbox.consume(3);
    EXPECT_EQ(outbox.front(), "second");
    outbox.pop();
    EXPECT_TRUE(outbox.empty());
    outbox.begin() += std::string(1'000'000, 'x');
    outbox.end();
    outbox.pop();
    outbox.begin() += "again";
    outbox.discard();
    outbox.begin() += "last";
    outbox.end();
    EXPECT_EQ(outbox.front(), "last");
    outbox.clear();
    EXPECT_TRUE(outbox.empty());
}

TEST(Outbox, has_an_entry_for_an_origin_that_ends_without_a_message) {
    Outbox outbox;
    outbox.begin().append("a");
    outbox.end({7, Route::Kind::answer});
    outbox.end_origin(8);
    outbox.end_origin(9);
    outbox.end_origin(0);
    outbox.begin().append("b");
    outbox.end();
    EXPECT_EQ(outbox.bytes(), "a\nb\n");

    std::vector<std::pair<std::string, Route>> entries;
    for (; !outbox.empty(); outbox.pop()) {
        entries.emplace_back(outbox.front(), outbox.front_route());
    }
    std::vector<std::pair<std::string, Route>> const expected{
        {"a", {7, Route::Kind::answer}},
        {"", {8, Route::Kind::none}},
        {"", {9, Route::Kind::none}},
        {"b", {0, Route::Kind::notification}}};
    EXPECT_EQ(entries, expected);
    EXPECT_TRUE(expected[0].second.last());
    EXPECT_TRUE(expected[1].second.last());
    EXPECT_FALSE(expected[3].second.last());
}

}  // namespace
}  // namespace lanyard::rpc
