#include "peer/cursor.hpp"

#include <gtest/gtest.h>

namespace lanyard::rpc {
namespace {

using Names = std::vector<std::string>;

std::string_view itself(std::string const& name) {
    return name;
}

// Returns the names on one page and advances the cursor.
Names next_page(Names const& list, std::optional<std::string>& cursor, std::size_t size) {
    auto page = page_of("tools", list, itself, cursor, size).value();
    Names names;
    for (auto const* name : page.items) names.push_back(*name);
    cursor = page.next_cursor;
    return names;
}

TEST(Cursor, pages_cover_the_list_once) {
    Names const list{"a", "b", "c", "d", "e"};
    std::optional<std::string> cursor;
    EXPECT_EQ(next_page(list, cursor, 2), (Names{"a", "b"}));
    EXPECT_EQ(next_page(list, cursor, 2), (Names{"c", "d"}));
    EXPECT_EQ(next_page(list, cursor, 2), (Names{"e"}));
    EXPECT_EQ(cursor, std::nullopt);
}

TEST(Rule, PG04_the_last_page_has_no_cursor_even_if_it_is_full) {
    Names const list{"a", "b"};
    std::optional<std::string> cursor;
    EXPECT_EQ(next_page(list, cursor, 2), (Names{"a", "b"}));
    EXPECT_EQ(cursor, std::nullopt);
    EXPECT_EQ(next_page({}, cursor, 2), Names{});
    EXPECT_EQ(cursor, std::nullopt);
}

TEST(Cursor, a_page_size_of_zero_means_one_page) {
    std::optional<std::string> cursor;
    EXPECT_EQ(next_page({"a", "b", "c"}, cursor, 0), (Names{"a", "b", "c"}));
    EXPECT_EQ(cursor, std::nullopt);
}

TEST(Rule, PG02_a_cursor_survives_changes_of_the_list) {
    std::optional<std::string> cursor;
    EXPECT_EQ(next_page({"b", "d", "f", "h"}, cursor, 2), (Names{"b", "d"}));
    // The item at the cursor was removed, and others were added before and after it.
    EXPECT_EQ(next_page({"a", "b", "c", "e", "f", "h"}, cursor, 2), (Names{"e", "f"}));
    EXPECT_EQ(next_page({"z"}, cursor, 2), (Names{"z"}));
}

TEST(Cursor, hidden_items_do_not_count) {
    Names const list{"a1", "b", "c1", "d", "e1", "f"};
    auto const visible = [](std::string const& name) { return name.size() == 1; };
    auto const first = page_of("tools", list, itself, visible, std::nullopt, 2).value();
    ASSERT_EQ(first.items.size(), 2U);
    EXPECT_EQ(*first.items[1], "d");
    auto const second = page_of("tools", list, itself, visible, first.next_cursor, 1).value();
    ASSERT_EQ(second.items.size(), 1U);
    EXPECT_EQ(*second.items[0], "f");
    EXPECT_EQ(second.next_cursor, std::nullopt);
}

TEST(Cursor, any_key_round_trips) {
    for (std::string const& key : {std::string(), std::string("file:///a b"), std::string(300, 'x'),
                                   std::string("\0\xff\n", 3)}) {
        auto const cursor = encode_cursor("resources", key);
        EXPECT_EQ(cursor.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                           "0123456789-_"),
                  std::string::npos);
        EXPECT_EQ(decode_cursor("resources", cursor).value(), key);
    }
}

TEST(Rule, PG07_an_invalid_cursor_is_refused) {
    auto const good = encode_cursor("tools", "greet");
    for (std::string const& bad :
         {std::string(), std::string("2"), std::string("AAAA"), std::string("AAAAAAAA"), good + "A",
          good + "=", good.substr(1), good.substr(0, good.size() - 1), std::string("not a cursor"),
          encode_cursor("prompts", "greet")}) {
        auto const page = page_of("tools", Names{"a"}, itself, bad, 1);
        ASSERT_FALSE(page) << bad;
        EXPECT_EQ(page.error().to_string(), "/cursor: is not a cursor of this list");
    }
}

TEST(Rule, PG07_no_change_of_one_character_makes_another_cursor) {
    auto const good = encode_cursor("tools", "greet");
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (int c = 1; c < 256; ++c) {
            auto changed = good;
            changed[i] = static_cast<char>(c);
            if (changed != good && decode_cursor("tools", changed)) ++accepted;
        }
    }
    EXPECT_EQ(accepted, 0U);
}

}  // namespace
}  // namespace lanyard::rpc
