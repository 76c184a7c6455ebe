// The public test cases of RFC 6570 (uritemplate-test), for expansion and, in reverse, for
// matching.
#include <gtest/gtest.h>

#include <iostream>

#include "lanyard/json.hpp"
#include "lanyard/uri_template.hpp"
#include "support/data.hpp"
#include "unit/uri_template/variables_text.hpp"

namespace lanyard {
namespace {

std::string scalar_text(Json const& json) {
    return json.is_string() ? std::string(json.as_string()) : json::serialize(json);
}

UriVariables variables_of(JsonObject const& object) {
    UriVariables variables;
    for (auto const& [name, value] : object) {
        if (value.is_array()) {
            UriList list;
            for (auto const& item : value.as_array()) list.push_back(scalar_text(item));
            variables.set(name, std::move(list));
        } else if (value.is_object()) {
            UriPairs pairs;
            for (auto const& [key, item] : value.as_object())
                pairs.emplace_back(key, scalar_text(item));
            variables.set(name, std::move(pairs));
        } else if (!value.is_null()) {
            variables.set(name, scalar_text(value));
        }
    }
    return variables;
}

struct Case {
    std::string where;
    UriVariables variables;
    std::string text;
    Json expected;  // a string, an array of accepted strings, or false for an error

    bool expects(std::string const& expansion) const {
        if (expected.is_string()) return expected.as_string() == expansion;
        if (!expected.is_array()) return false;
        for (auto const& one : expected.as_array()) {
            if (one.as_string() == expansion) return true;
        }
        return false;
    }
};

std::vector<Case> read_cases(std::filesystem::path const& folder) {
    std::vector<Case> cases;
    for (auto const* file :
         {"spec-examples.json", "spec-examples-by-section.json", "negative-tests.json"}) {
        auto const groups = json::parse(test::read_file(folder / file)).value();
        for (auto const& [name, group] : groups.as_object()) {
            auto const variables = variables_of(group.at("variables").as_object());
            for (auto const& row : group.at("testcases").as_array()) {
                cases.push_back({std::string(file) + ", " + std::string(name), variables,
                                 std::string(row.at(0).as_string()), row.at(1)});
            }
        }
    }
    return cases;
}

class Rfc6570 : public testing::Test {
protected:
    void SetUp() override {
        auto const folder = test::data_folder("uritemplate-test");
        if (!folder) LANYARD_SKIP_WITHOUT_DATA("uritemplate-test");
        cases_ = read_cases(*folder);
    }

    std::vector<Case> cases_;
};

TEST_F(Rfc6570, every_case_expands_as_expected_or_is_refused) {
    std::size_t passed = 0;
    for (auto const& one : cases_) {
        auto const expansion = UriTemplate::parse(one.text).and_then(
            [&](UriTemplate const& parsed) { return parsed.expand(one.variables); });
        bool const good = expansion ? one.expects(*expansion) : one.expected == Json(false);
        EXPECT_TRUE(good) << one.where << ": " << one.text << " gives "
                          << (expansion ? *expansion : expansion.error().to_string());
        passed += good;
    }
    std::cout << "COUNT: RFC 6570 " << passed << '/' << cases_.size() << '\n';
    EXPECT_EQ(cases_.size(), 217U);
}

TEST_F(Rfc6570, every_expansion_matches_variables_that_expand_to_it) {
    std::size_t matched = 0;
    for (auto const& one : cases_) {
        if (one.expected == Json(false)) continue;
        auto const parsed = UriTemplate::parse(one.text).value();
        auto const uri = parsed.expand(one.variables).value();
        auto const found = parsed.match(uri);
        ASSERT_TRUE(found) << one.text << " does not match " << uri;
        EXPECT_EQ(parsed.expand(*found).value(), uri) << one.text << ": " << test::text_of(found);
        ++matched;
    }
    std::cout << "COUNT: RFC 6570 matched backwards " << matched << "/181\n";
    EXPECT_EQ(matched, 181U);
}

// Whether matching returns the expanded values unchanged. That is so if neither the operator nor a
// modifier drops a part of a value: a string that is not cut to a prefix, and an exploded list or
// associative array.
bool is_invertible(UriTemplate const& parsed, UriVariables const& variables) {
    auto const& text = parsed.text();
    bool const exploded = text.find('*') != std::string::npos;
    if (text.find(':') != std::string::npos) return false;
    // With '+' and '#' a comma may be part of a value or separate two values.
    bool const reserved =
        text.find("{+") != std::string::npos || text.find("{#") != std::string::npos;
    if (reserved && (exploded || parsed.variables().size() > 1)) return false;
    // Without names, a value takes the position of an undefined variable before it.
    bool const named = text.find_first_of(";?&") == text.find('{') + 1;
    for (auto const& name : parsed.variables()) {
        auto const* value = variables.find(name);
        if (value == nullptr && !named && parsed.variables().size() > 1) return false;
        if (value == nullptr) continue;
        if (std::holds_alternative<UriPairs>(*value) && !exploded) return false;
        if (std::holds_alternative<UriList>(*value) && reserved) return false;
        if (auto const* string = std::get_if<std::string>(value)) {
            if (exploded || string->empty()) return false;
            if (text.find("{.") != std::string::npos && string->find('.') != std::string::npos) {
                return false;
            }
        }
    }
    return true;
}

TEST_F(Rfc6570, matching_returns_the_variables_if_expansion_is_invertible) {
    std::size_t compared = 0;
    for (auto const& one : cases_) {
        if (one.expected == Json(false)) continue;
        auto const parsed = UriTemplate::parse(one.text).value();
        if (!is_invertible(parsed, one.variables)) continue;
        auto const found = parsed.match(parsed.expand(one.variables).value());
        for (auto const& name : parsed.variables()) {
            auto const* before = one.variables.find(name);
            bool const defined = before != nullptr && *before != UriValue(UriPairs());
            auto const* after = found->find(name);
            ASSERT_EQ(after != nullptr, defined) << one.text << " " << name;
            EXPECT_TRUE(!defined || *after == *before) << one.text << ": " << test::text_of(found);
        }
        ++compared;
    }
    EXPECT_GT(compared, 90U);
}

}  // namespace
}  // namespace lanyard
