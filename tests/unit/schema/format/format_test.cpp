// The formats: every optional format test of the JSON Schema test suite, and handwritten cases.
#include "schema/format/format.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "lanyard/json.hpp"
#include "support/data.hpp"

namespace lanyard::schema {
namespace {

using Texts = std::initializer_list<std::string_view>;

// Checks the valid and the invalid texts of one format.
void expect(std::string_view format, Texts valid, Texts invalid) {
    auto const check = find_format(format);
    ASSERT_NE(check, nullptr) << format;
    for (auto const text : valid) EXPECT_TRUE(check(text)) << format << ": " << text;
    for (auto const text : invalid) EXPECT_FALSE(check(text)) << format << ": " << text;
}

bool conforms(std::string_view format, std::string_view text) {
    auto const check = find_format(format);
    return check == nullptr || check(text);
}

TEST(Format, conforms_to_the_json_schema_test_suite) {
    auto const folder =
        test::data_folder("json-schema-test-suite/tests/draft2020-12/optional/format");
    if (!folder) LANYARD_SKIP_WITHOUT_DATA("json-schema-test-suite");
    // Tests that are known to fail, as "file: description".
    std::set<std::string> const known_exceptions = {};

    int passed = 0;
    int total = 0;
    for (auto const& entry : std::filesystem::directory_iterator(*folder)) {
        auto const groups = json::parse(test::read_file(entry.path()));
        ASSERT_TRUE(groups) << entry.path() << ": " << groups.error().to_string();
        for (auto const& group : groups->as_array()) {
            auto const& format = group.at("schema").at("format").as_string();
            for (auto const& test : group.at("tests").as_array()) {
                auto const& data = test.at("data");
                bool const valid = !data.is_string() || conforms(format, data.as_string());
                bool const pass = valid == test.at("valid").as_bool();
                auto const name = entry.path().stem().string() + ": " +
                                  std::string(test.at("description").as_string());
                EXPECT_EQ(pass, !known_exceptions.contains(name)) << name << ": " << data;
                ++total;
                passed += pass;
            }
        }
    }
    std::cout << "COUNT: JSON Schema formats " << passed << '/' << total << '\n';
    EXPECT_GE(total, 764);
}

TEST(Format, unknown_formats_have_no_check) {
    for (auto const name : {"", "a", "color", "date-times", "Date", "zip"}) {
        EXPECT_EQ(find_format(name), nullptr) << name;
    }
}

TEST(Format, checks_date) {
    expect("date", {"2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31", "2023-11-30"},
           {"", "2024", "2024-", "2024-1-01", "2024-02-30", "2023-02-29", "1900-02-29",
            "2024-13-01", "2024-00-01", "2024-01-00", "2024-01-32", "2024-04-31", "2024/01/01",
            "2024-01/01", "2024-01-01 ", "2024-01-0a", "x024-01-01", "2024-01"});
}

TEST(Format, checks_time) {
    expect("time",
           {"00:00:00Z", "23:59:59z", "12:00:00.5+01:30", "12:00:00-23:59", "23:59:60Z",
            "00:59:60+01:00", "22:59:60-01:00", "00:29:60.5+00:30"},
           {"",
            "12",
            "12:",
            "12:00",
            "12:00:",
            "12:00:0",
            "12:00:00",
            "24:00:00Z",
            "12:60:00Z",
            "12:00:61Z",
            "12:00:00.Z",
            "12:00:00.5",
            "12:00:00+",
            "12:00:00+1",
            "12:00:00+01",
            "12:00:00+01:",
            "12:00:00+01:60",
            "12:00:00+24:00",
            "12:00:00 Z",
            "12:00:00Zz",
            "12-00:00Z",
            "12:00-00Z",
            "12:00:00+01-00",
            "23:58:60Z",
            "22:59:60Z",
            "23:59:60+01:00"});
}

TEST(Format, checks_date_time) {
    expect("date-time", {"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.123456789+01:00"},
           {"", "2024-02-29", "2024-02-29 12:00:00Z", "2024-02-30T12:00:00Z", "2024-02-29T12:00:00",
            "2024-02-29T12:00:00Z "});
}

TEST(Format, checks_duration) {
    expect("duration",
           {"P1Y", "P1Y2M3DT4H5M6S", "P2W", "PT1S", "P1MT1M", "P0D", "P3DT1H", "PT36H", "P2M1D"},
           {"",      "1Y",   "P",      "PT",     "P1",    "P1Y1D", "P1D1M",
            "P1S",   "PT1D", "PT1H1S", "P1W1D",  "P1D1W", "P1DT",  "P1DT1",
            "P1.5D", "P1D ", "PT1H ",  "P1WT1H", "p1D",   "P1d",   "P1DX1H"});
}

TEST(Format, checks_ipv4) {
    expect(
        "ipv4", {"0.0.0.0", "255.255.255.255", "1.20.100.3"},
        {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.1.1.1", "1.1.1.00", "1.1.1.", ".1.1.1",
         "1..1.1", "1.1.1.1 ", "1.1.1.a", "1,1,1,1", "1111.1.1.1", "99999999999999999999.1.1.1"});
}

TEST(Format, checks_ipv6) {
    expect("ipv6",
           {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
            "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "::ffff:1.2.3.4", "ABCD::abcd"},
           {"",
            ":",
            ":::",
            "1",
            "1:",
            ":1",
            "1:2",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8",
            "1::2::3",
            "12345::",
            "::g",
            "::1%eth0",
            "1:2:3:4:5:6:7:",
            "1:2:3:4:5:6:7:1.2.3.4",
            "::1.2.3",
            "1.2.3.4",
            "::1.2.3.4:5",
            "1::2:",
            "[::1]",
            "::ffff:1.2.3.04"});
}

TEST(Format, checks_email) {
    expect("email",
           {"a@b", "a.b+c@example.org", "!#$%&'*+-/=?^_`{|}~@x.y", "\"a b\"@x", "\"a\\\"b\\\\\"@x",
            "\"\"@x", "a@[1.2.3.4]", "a@[IPv6:::1]"},
           {"",           "a",         "@b",       "a@",           "a@b@c",
            ".a@b",       "a.@b",      "a..b@c",   "a b@c",        "a@-b",
            "a@b_c",      "\"a@b",     "\"a\"b@c", "\"a",          "\"a\\",
            "\"a\n\"@b",  "a@[1.2.3]", "a@[::1]",  "a@[",          "a@[]",
            "a@[1.2.3.4", "\u00e9@b",  "a@\u00e9", "\"\u00e9\"@b", "a@[IPv6:1.2.3.4]"});
    std::string const longest(64, 'a');
    expect("email", {longest + "@b"}, {longest + "a@b"});
}

TEST(Format, checks_idn_email) {
    expect("idn-email", {"a@b", "\u00e9@b", "\"\u00e9\"@b", "a@\u00e9.com", "\U0001F600.a@b"},
           {"", "\u00e9", "\u00e9@", "\xff@b", "\"\xff\"@b", "\"\\\u00e9\"@b", "a@\u2603.com"});
}

TEST(Format, checks_hostname) {
    expect("hostname",
           {"a", "A-1.b-2", "1.2.3", "a--b", "ab--c", "xn--4dbcagdahymbxekheh6e0a7fei0b"},
           {"", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "a b", "\u00e9", "a\xff", "xn--",
            "xn--a", "xn--a-", "xn--4dbcagdahymbxekheh6e0a7fei0_"});
    std::string const label(63, 'a');
    expect("hostname", {label, label + "." + label + "." + label + "." + label.substr(2)},
           {label + "a", label + "." + label + "." + label + "." + label.substr(1)});
}

TEST(Format, hostname_checks_a_labels) {
    expect("hostname",
           {"xn--bcher-kva", "XN--BCHER-KVA", "xn--fa-hia", "xn--fiqs8s", "xn--mgbh0fb",
            "a.xn--4dbrk0ce", "xN--4dbrk0ce", "xa--b", "n1--b"},
           {"xn--bcher-kv", "xn--bcher-kva9999999999", "xn--99999999999",
            "xn--a-ecp.ru",               // a capital letter
            "xn--bcher", "xn--\xc3\xa9",  // not ASCII
            "xn--zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "1.xn--4dbrk0ce"});
}

TEST(Format, checks_idn_hostname) {
    expect(
        "idn-hostname",
        {"a", "\u00e9", "b\u00fccher.example", "fa\u00df.de", "a\u3002b\uff0ec\uff61d",
         "\u4e2d\u56fd", "\u05d0\u05d1", "\u05d0\u0661", "\u05d01", "\u05d0\u05b0", "x.\u05d0",
         "\u13a0", "\u05d0-\u05d1", "a\u02ec\u00e9.\u05d0", "\u00e9\u0301"},
        {"",        "A\u00e9",         "\u00c9",        "\u2603",         "\uff41",    "\u0130",
         "ab--c",   "\u00e9\u00e9--c", "-\u00e9",       "\u00e9-",        "\u0301a",   "\u00e9.",
         "\xff",    "a\u00ad\u00e9",   "\u2160",        "\u1100\u1161",   "\u3164",    "\uab70",
         "\u05d0a", "a\u05d0",         "1.\u05d0",      "\u05d0-",        "\u05d0-.a", "-.\u05d0",
         "\u0661",  "\u0661\u05d0",    "\u05d01\u0661", "a\u0661.\u05d0", "a-.\u05d0"});
    std::string umlauts;
    for (int i = 0; i < 64; ++i) umlauts += "\u00fc";
    EXPECT_FALSE(find_format("idn-hostname")(umlauts));
}

TEST(Format, idn_hostname_applies_contextual_rules) {
    expect("idn-hostname",
           {"l\u00b7l", "\u0375\u03b1", "\u05d0\u05f3", "\u05d0\u05f4", "\u30fb\u30a2",
            "\u0915\u094d\u200d", "\u0915\u094d\u200c", "\u0628\u200c\u0628",
            "\u0628\u064e\u200c\u064e\u0627", "\u0628\u0660\u0661", "\u06f0\u06f1",
            "\ua872\u200c\ua840", "\U0001E922\U0001E94B\u200c\u0628"},
           {"\u00b7",
            "l\u00b7",
            "\u00b7l",
            "a\u00b7l",
            "l\u00b7a",
            "\u0375",
            "\u0375a",
            "\u05f3",
            "a\u05f4",
            "\u30fb",
            "a\u30fb",
            "\u200d",
            "a\u200d",
            "\u200c",
            "a\u200cb",
            "\u0628\u200c",
            "\u200c\u0628",
            "\u0627\u200c\u0628",
            "\u0628\u200ca",
            "\u0628\u0660\u06f0",
            "\u0628\u200c\u064e",
            "\u0628\u064e\u200c"});
}

TEST(Format, checks_uri) {
    expect("uri",
           {"a:", "a:b", "a+b-c.1:x", "http://h", "http://h:", "http://h:80/p?q#f", "http://u:p@h/",
            "http://[::1]:80/", "http://[v1.a:b]/", "http://[V1F.a]", "a:/b", "a://",
            "http://h/%41", "urn:a:b", "http://h?a/b?c", "http://h#a/b?c", "a:?q", "a:#f"},
           {"",
            ":",
            "a",
            "/a",
            "//h",
            "1a:b",
            "a_b:c",
            "http://h:x",
            "http://[::1",
            "http://[]",
            "http://[::1]x",
            "http://[v.a]",
            "http://[v1.]",
            "http://[v1]",
            "http://[vg.a]",
            "http://[v1.%41]",
            "http://h/%",
            "http://h/%4",
            "http://h/%4g",
            "http://h/%g4",
            "http://h/ ",
            "http://h/\"",
            "http://u[@h",
            "http://h#a#b",
            "http://h?[",
            "http://h[",
            "http://\u00e9",
            "a:\u00e9",
            "http://a@b@c",
            "a:b\x7f"});
}

TEST(Format, checks_uri_reference) {
    expect("uri-reference", {"", "a", "/a", "//h", "?q", "#f", "a/b:c", "./a:b", "a:b", "../a"},
           {"1:b", ":a", "a b", "\\", "a#b#c", "//h:x", "\u00e9", "%"});
}

TEST(Format, checks_iri) {
    expect("iri",
           {"http://\u00e9/\u4e2d?\ue000#\u00e9", "a:\U0001F600", "http://u\u00e9@h",
            "a:?\U000F0000", "a:?\U00100000", "a:\ufdf0", "a:\uf900"},
           {"\u00e9", "a:\ue000", "a:#\ue000", "a:\u0085", "a:\ufdd0", "a:\ufffe", "a:\U000E0001",
            "a:\U0001FFFE", "a:?\U000FFFFE", "\u00e9:a", "a:\xff", "a:\ufff0", "a:?\u0085",
            "a:\U000F0000", "a:\U000EFFFE", "a:?\U0010FFFE"});
}

TEST(Format, checks_iri_reference) {
    expect("iri-reference", {"", "\u00e9", "//\u00e9", "a:\u00e9"}, {"\\", "\u00e9 ", "\xff"});
}

TEST(Format, checks_uuid) {
    expect("uuid", {"01234567-89ab-cdef-ABCD-EF0123456789"},
           {"", "0123456789abcdefABCDEF0123456789", "01234567-89ab-cdef-ABCD-EF012345678g",
            "01234567-89ab-cdef-ABCD-EF01234567890", "012345678-9ab-cdef-ABCD-EF0123456789"});
}

TEST(Format, checks_json_pointer) {
    expect("json-pointer", {"", "/", "/a/b", "/~0~1", "/a b", "/\u00e9"},
           {"a", "#/a", "/~", "/~2", "/a~", "/~0~"});
}

TEST(Format, checks_relative_json_pointer) {
    expect("relative-json-pointer", {"0", "1/a", "10#", "0/~0"},
           {"", "/a", "01", "00", "-1", "1##", "1#/a", "1a", "1/~"});
}

TEST(Format, checks_uri_template) {
    expect("uri-template", {"", "a", "/{a}{?b,c*}", "{a:3}"}, {"{", "}", "{}", "{a", "{a:0}", " "});
}

TEST(Format, checks_regex) {
    expect("regex", {"", "a", "(?=a)", "(a)\\1", "a{2000}", "\\p{Emoji}"},
           {"(", "[", "\\", "a{2,1}", "\\a", "\\p{Nothing}"});
}

}  // namespace
}  // namespace lanyard::schema
