// The official JSON Schema test suite, required and optional.
#include "unit/schema/suite.hpp"

#include <iostream>
#include <set>

#include <gtest/gtest.h>

#include "support/data.hpp"

namespace lanyard::schema::test {
namespace {

TEST(JsonSchemaSuite, every_required_test_of_2020_12_passes) {
    auto const suite = lanyard::test::data_folder("json-schema-test-suite");
    if (!suite) LANYARD_SKIP_WITHOUT_DATA("json-schema-test-suite");
    auto const result =
        run_folder(*suite / "tests" / "draft2020-12", with_remotes(*suite / "remotes"));
    for (auto const& name : result.failed) ADD_FAILURE() << name;
    std::cout << "COUNT: JSON Schema 2020-12 required " << result.passed << "/" << result.total
              << '\n';
    EXPECT_EQ(result.passed, result.total);
}

}  // namespace
}  // namespace lanyard::schema::test
