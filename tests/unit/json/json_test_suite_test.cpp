// JSONTestSuite: texts that every parser must accept (y_), must refuse (n_), or may accept (i_).
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "lanyard/json.hpp"
#include "support/data.hpp"

namespace lanyard {
namespace {

// The suite tests the grammar, which allows an object to repeat a key.
json::ParseOptions grammar_only() {
    json::ParseOptions options;
    options.unique_keys = false;
    return options;
}

// The undefined cases we accept: numbers that a double rounds to zero or to its nearest value. All
// others are refused: numbers out of range, encodings other than UTF-8, lone surrogates, byte order
// marks and nesting beyond the limit.
std::set<std::string> const accepted_by_choice{
    "i_number_double_huge_neg_exp.json",
    "i_number_real_underflow.json",
};

TEST(JsonTestSuite, every_case_has_the_result_of_the_suite) {
    auto const folder = test::data_folder("json-test-suite");
    if (!folder) LANYARD_SKIP_WITHOUT_DATA("json-test-suite");
    std::map<char, int> cases;
    std::map<char, int> accepted;
    json::Document document;
    for (auto const& entry : std::filesystem::directory_iterator(*folder / "test_parsing")) {
        auto const name = entry.path().filename().string();
        auto const text = test::read_file(entry.path());
        auto const parsed = document.parse(text, grammar_only());
        ++cases[name[0]];
        if (parsed) ++accepted[name[0]];
        auto const verdict = parsed ? "accepted" : parsed.error().to_string();
        switch (name[0]) {
            case 'y':
                EXPECT_TRUE(parsed) << name << ": " << verdict;
                break;
            case 'n':
                EXPECT_FALSE(parsed) << name;
                break;
            default:
                EXPECT_EQ(bool(parsed), accepted_by_choice.contains(name))
                    << name << ": " << verdict;
                std::cout << "undefined by the suite: " << name << ": " << verdict << '\n';
        }
    }
    EXPECT_EQ(cases['y'], 95);
    EXPECT_EQ(cases['n'], 188);
    EXPECT_EQ(cases['i'], 35);
    std::cout << "COUNT: JSONTestSuite accepted " << accepted['y'] << "/" << cases['y']
              << ", refused " << cases['n'] - accepted['n'] << "/" << cases['n'] << ", undefined "
              << cases['i'] << " (accepted " << accepted['i'] << ")\n";
}

}  // namespace
}  // namespace lanyard
