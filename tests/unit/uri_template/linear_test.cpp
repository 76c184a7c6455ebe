// The cost of matching grows at most linearly with the length of the URI, for any template.
#include <gtest/gtest.h>

#include "uri_template/matcher.hpp"
#include "uri_template/program.hpp"
#include "uri_template/syntax.hpp"

namespace lanyard::uri_template {
namespace {

struct Attack {
    std::string_view text;
    std::string_view begin;
    std::string_view repeated;
    std::string_view end;
};

constexpr std::array attacks{
    Attack{"{/id*}", "/", ",", ""},
    Attack{"{/id*}", "", "/", ""},
    Attack{"{/id*}", "", "/a", ","},
    Attack{"{/id*}", "", "/a=", "/b"},
    Attack{"{/a*,b*,c*}", "", "/x", "|"},
    Attack{"{/a*}{/b*}{/c*}", "", "/x", "|"},
    Attack{"{id*}", "", "a,", "|"},
    Attack{"{a}{b}{c}{d}", "", "x", "|"},
    Attack{"{a}x{b}x{c}x{d}y", "", "x", ""},
    Attack{"{+a}{+b}{+c}", "", "/,", "|"},
    Attack{"{+a*}{+b*}", "", ",", "|"},
    Attack{"{a,b,c,d}{e,f,g,h}", "", "x,", "|"},
    Attack{"{.a,b*,c}{.d}", "", ".", "|"},
    Attack{"{?a*,b*}{&c*}", "?", "x=1&", "|"},
    Attack{"{?a,b*}", "?", "a=1&", "|"},
    Attack{"{;a*}{;b*}", "", ";a", "|"},
    Attack{"{a:9999}{b:9999}{c:9999}", "", "x", "|"},
    Attack{"{a}x{b:9999}x{c}y", "", "x", ""},
    Attack{"{a}%41{b}%41{c}y", "", "%41", ""},
};

std::size_t steps_for(Attack const& attack, std::size_t size) {
    std::string uri(attack.begin);
    while (uri.size() < size) uri += attack.repeated;
    uri += attack.end;
    auto const syntax = parse(attack.text).value();
    std::size_t steps = 0;
    match(syntax, compile(syntax), uri, steps);
    return steps;
}

TEST(Hardening, S27_doubling_a_uri_at_most_doubles_the_steps) {
    for (auto const& attack : attacks) {
        for (std::size_t const size : {500UL, 8'000UL}) {
            auto const once = static_cast<double>(steps_for(attack, size));
            auto const twice = static_cast<double>(steps_for(attack, 2 * size));
            EXPECT_LE(twice, 2.3 * once) << attack.text << " against " << attack.repeated;
        }
    }
}

TEST(Hardening, S27_a_long_uri_costs_a_few_steps_per_byte_and_node) {
    constexpr std::size_t size = 10'000;
    for (auto const& attack : attacks) {
        auto const nodes = compile(parse(attack.text).value()).nodes.size();
        EXPECT_LE(steps_for(attack, size), 4 * nodes * size) << attack.text;
    }
}

TEST(Hardening, S27_a_template_that_provokes_retries_runs_out_of_budget) {
    Attack const attack{"{.a:500,b:500}{c:500}y", ".", "x.", ""};
    auto const nodes = compile(parse(attack.text).value()).nodes.size();
    for (std::size_t const size : {500UL, 1'000UL, 10'000UL}) {
        EXPECT_LE(steps_for(attack, size), 9 * nodes * size);
    }
}

TEST(Hardening, S27_a_megabyte_of_commas_is_refused_at_the_first) {
    EXPECT_LE(steps_for(attacks[0], 1'000'000), 20U);
}

TEST(UriTemplateCost, an_ordinary_match_reads_each_character_once) {
    auto const syntax = parse("db://{table}/{id}{?columns}").value();
    std::string const uri = "db://users/1234567890?columns=name";
    std::size_t steps = 0;
    ASSERT_TRUE(match(syntax, compile(syntax), uri, steps));
    EXPECT_LE(steps, uri.size() + 12);
}

TEST(UriTemplateCost, a_different_prefix_fails_at_the_first_step) {
    auto const syntax = parse("db://{table}/{id}").value();
    std::size_t steps = 0;
    EXPECT_FALSE(match(syntax, compile(syntax), "file:///etc/hosts", steps));
    EXPECT_EQ(steps, 1U);
}

}  // namespace
}  // namespace lanyard::uri_template
