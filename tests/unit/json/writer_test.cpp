#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lanyard/json.hpp"

namespace lanyard::json {
namespace {

template <class Write>
std::string written(Write&& write) {
    std::string out;
    Writer writer(out);
    write(writer);
    return out;
}

std::string escaped(std::string_view characters) {
    std::string out;
    append_escaped(out, characters);
    return out;
}

TEST(Writer, puts_commas_and_colons) {
    auto const text = written([](Writer& w) {
        w.begin_object().key("a").integer(1).key("b").begin_array();
        w.null().boolean(true).boolean(false).begin_array().end_array();
        w.begin_object().end_object().end_array();
        w.key("c").string("x").key("d").raw("{\"r\":1}").key("e").safe_string("QUJD").end_object();
    });
    EXPECT_EQ(text, R"({"a":1,"b":[null,true,false,[],{}],"c":"x","d":{"r":1},"e":"QUJD"})");
}

TEST(Writer, numbers_read_back_as_the_same_number) {
    auto const real = [](double value) { return written([&](Writer& w) { w.real(value); }); };
    EXPECT_EQ(real(0.1), "0.1");
    EXPECT_EQ(real(50), "50");
    EXPECT_EQ(real(-2.0), "-2");
    EXPECT_EQ(real(1e300), "1e+300");
    EXPECT_EQ(real(9007199254740993.0), "9007199254740992");
    EXPECT_EQ(real(std::numeric_limits<double>::infinity()), "null");
    EXPECT_EQ(real(std::nan("")), "null");
    EXPECT_EQ(written([](Writer& w) { w.integer(INT64_MIN); }), "-9223372036854775808");
    EXPECT_EQ(written([](Writer& w) { w.unsigned_integer(UINT64_MAX); }), "18446744073709551615");
    for (double const value : {1.5, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0 / 3,
                               123456.789, 1e16, -92232720368542036854.775617}) {
        EXPECT_EQ(parse(real(value))->get_double(), value);
    }
}

TEST(Writer, escapes_special_characters_at_every_position) {
    EXPECT_EQ(escaped("\"\\\b\f\n\r\t\x01\x1f/\x7f"), "\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\x7f");
    for (std::size_t i = 0; i < 40; ++i) {
        std::string plain(40, 'a');
        plain[i] = '"';
        auto const expected = std::string(i, 'a') + "\\\"" + std::string(39 - i, 'a');
        EXPECT_EQ(escaped(plain), expected);
        plain[i] = '\n';
        EXPECT_EQ(escaped("é" + plain),
                  "é" + std::string(i, 'a') + "\\n" + std::string(39 - i, 'a'));
    }
    EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\u0000b");
    EXPECT_EQ(escaped("\xE2\x80\xA8 stays"), "\xE2\x80\xA8 stays");
}

TEST(Writer, makes_room_for_a_long_text_once) {
    std::string const text(1'000'000, 'x');
    std::string out(1000, ' ');
    Writer(out).string(text);
    EXPECT_LT(out.capacity(), out.size() + out.size() / 10);
}

TEST(Writer, output_is_always_valid_utf8) {
    EXPECT_EQ(escaped("ok é €"), "ok é €");
    EXPECT_EQ(escaped("bad \xFF byte"), "bad \xEF\xBF\xBD byte");
    EXPECT_EQ(escaped("cut \xE2\x82"), "cut \xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(escaped("\xED\xA0\x80\"\n"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\\\"\\n");
    for (int byte = 0; byte < 256; ++byte) {
        auto const text =
            written([&](Writer& w) { w.string(std::string(20, static_cast<char>(byte))); });
        EXPECT_TRUE(parse(text)) << "byte " << byte;
    }
}

TEST(Hardening, S29_a_message_stays_on_one_line) {
    auto const text = written([](Writer& w) {
        w.begin_array().raw("{\n\"a\":\r\n[1,\n2]}").string("line\nbreak\r").end_array();
    });
    EXPECT_EQ(text.find_first_of("\r\n"), std::string::npos);
    EXPECT_EQ(serialize(*parse(text)), R"([{"a":[1,2]},"line\nbreak\r"])");
}

TEST(Writer, writes_trees) {
    auto const text = R"({"a":[1,-2,18446744073709551615,0.5,true,null,"x\ty"],"b":{"c":{}}})";
    EXPECT_EQ(serialize(*parse(text)), text);
}

}  // namespace
}  // namespace lanyard::json
