#include "table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "characters.hpp"

namespace lanyard::app {
namespace {

std::string printed(Table const& table, std::size_t width) {
    std::ostringstream out;
    table.print(out, width);
    return out.str();
}

TEST(Characters, take_columns_by_their_width) {
    EXPECT_EQ(columns(""), 0U);
    EXPECT_EQ(columns("größer"), 6U);
    EXPECT_EQ(columns("日本語"), 6U);
    EXPECT_EQ(columns("😀!"), 3U);
    EXPECT_EQ(columns("e\u0301"), 1U);
    EXPECT_EQ(columns("한글"), 4U);
    EXPECT_EQ(columns("ＡＢ"), 4U);
    EXPECT_EQ(columns("\xFF\x80"), 2U);
}

TEST(Characters, are_cut_to_a_width) {
    EXPECT_EQ(cut("short", 5), "short");
    EXPECT_EQ(cut("longer", 5), "long…");
    EXPECT_EQ(cut("日本語", 6), "日本語");
    EXPECT_EQ(cut("日本語", 5), "日本…");
    EXPECT_EQ(cut("日本語", 4), "日…");
    EXPECT_EQ(cut("e\u0301e\u0301e\u0301", 2), "e\u0301…");
    EXPECT_EQ(cut("ab", 1), "…");
    EXPECT_EQ(cut("ab", 0), "");
}

TEST(Characters, are_checked_to_be_utf_8) {
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("a\tgrün 日本 😀"));
    for (auto const* bad : {"\xFF", "\xC2", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80",
                            "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80", "\xE2\x28\xA1"}) {
        EXPECT_FALSE(is_utf8(bad));
    }
}

TEST(Characters, are_wrapped_at_spaces) {
    EXPECT_EQ(wrapped("", 2, 20), "");
    EXPECT_EQ(wrapped("one two three four", 0, 10), "one two\nthree four\n");
    EXPECT_EQ(wrapped("one two three four", 2, 12), "  one two\n  three four\n");
    EXPECT_EQ(wrapped("one\n\ntwo\n", 2, 12), "  one\n\n  two\n");
    EXPECT_EQ(wrapped("one two", 4, 0), "    one two\n");
    EXPECT_EQ(wrapped(std::string(25, 'x'), 0, 10),
              std::string(10, 'x') + "\n" + std::string(10, 'x') + "\nxxxxx\n");
    EXPECT_EQ(wrapped("one two three\nfour", 1, 11, 2), " one two\n   three\n four\n");
    EXPECT_EQ(wrapped("日本語日本語", 0, 10), "日本語日本\n語\n");
    EXPECT_EQ(wrapped("  - item one", 0, 10), "  - item\none\n");
    // A narrow terminal still gets some columns of text.
    EXPECT_EQ(wrapped("abcdefghij", 6, 8), "      abcdefghij\n");
}

TEST(Table, aligns_its_columns) {
    Table table({"NAME", "TEXT"});
    table.add({"a", "short"});
    table.add({"größer", "something rather long"});
    table.add({"日本", "x"});
    table.add({"none", ""});
    EXPECT_EQ(printed(table, 0),
              "NAME    TEXT\na       short\ngrößer  something rather long\n日本    x\nnone\n");
    EXPECT_EQ(printed(table, 29), printed(table, 0));
    EXPECT_EQ(printed(table, 20),
              "NAME    TEXT\na       short\ngrößer  something r…\n日本    x\nnone\n");
}

TEST(Table, makes_the_widest_columns_narrower) {
    Table table({"A", "B", "C"});
    table.add({"name", std::string(40, 'b'), std::string(20, 'c')});
    EXPECT_EQ(printed(table, 60), "A     B                                 C\nname  " +
                                      std::string(31, 'b') + "…  " + std::string(20, 'c') + "\n");
    EXPECT_EQ(printed(table, 40), "A     B                 C\nname  " + std::string(15, 'b') +
                                      "…  " + std::string(15, 'c') + "…\n");
}

TEST(Table, is_stacked_if_its_columns_would_be_too_narrow) {
    Table table({"A", "B", "C"});
    table.add({"name", std::string(40, 'b'), std::string(20, 'c')});
    table.add({std::string(30, 'n'), "", "last"});
    EXPECT_EQ(printed(table, 24), "A\nname\n  " + std::string(21, 'b') + "…\n  " +
                                      std::string(20, 'c') + "\n" + std::string(23, 'n') +
                                      "…\n  last\n");
}

}  // namespace
}  // namespace lanyard::app
