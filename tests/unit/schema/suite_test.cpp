// The official JSON Schema test suite, required and optional.
#include "unit/schema/suite.hpp"

#include <iostream>
#include <string_view>

#include <gtest/gtest.h>

#include "support/data.hpp"

namespace lanyard::schema::test {
namespace {

void print_count(std::string_view what, SuiteResult const& result) {
    std::cout << "COUNT: JSON Schema " << what << " " << result.passed << "/" << result.total
              << '\n';
}

void expect_all(SuiteResult const& result) {
    for (auto const& failure : result.failures) {
        ADD_FAILURE() << failure.test << ": " << failure.why;
    }
    EXPECT_GT(result.total, 0U);
}

TEST(JsonSchemaSuite, every_required_test_of_2020_12_passes) {
    auto const suite = lanyard::test::data_folder("json-schema-test-suite");
    if (!suite) LANYARD_SKIP_WITHOUT_DATA("json-schema-test-suite");
    auto const result =
        run_folder(*suite / "tests" / "draft2020-12", with_remotes(*suite / "remotes"));
    print_count("2020-12 required", result);
    expect_all(result);
}

TEST(JsonSchemaSuite, every_required_test_of_draft_07_passes) {
    std::filesystem::path const suite = "/usr/share/json-schema-test-suite";
    if (!std::filesystem::is_directory(suite / "tests" / "draft7")) {
        GTEST_SKIP() << "the Debian package json-schema-test-suite is not installed";
    }
    auto const result = run_folder(suite / "tests" / "draft7",
                                   with_remotes(suite / "remotes").default_draft(Draft::draft_07));
    print_count("draft-07", result);
    expect_all(result);
}

}  // namespace
}  // namespace lanyard::schema::test
