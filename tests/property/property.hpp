// Property tests: rapidcheck inside GoogleTest, with a count at the end.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lanyard/clock.hpp"

namespace lanyard::test {

/// How often each property is tried: 100 times, 5,000 with LANYARD_TEST_LONG=1.
int property_iterations();

/// Counts one more checked property.
void count_property();

/// Checks a property: a function with generated arguments that asserts with RC_ASSERT. A failure
/// shows the smallest example found and how to run it again.
template <class Testable>
void check_property(Testable&& testable) {
    namespace rcd = rc::detail;
    auto const* info = testing::UnitTest::GetInstance()->current_test_info();
    rcd::TestMetadata metadata;
    metadata.id = std::string(info->test_suite_name()) + "." + info->name();
    metadata.description = metadata.id;
    auto params = rcd::configuration().testParams;
    params.maxSuccess = property_iterations();
    auto const result = rcd::checkTestable(std::forward<Testable>(testable), metadata, params);
    std::ostringstream text;
    rcd::printResultMessage(result, text);
    EXPECT_TRUE(result.template is<rcd::SuccessResult>()) << text.str();
    count_property();
}

/// One step of a script: an action, its target, and the time that passes before it.
struct Step {
    int action = 0;
    int target = 0;
    Duration wait{};
};

inline void showValue(Step const& step, std::ostream& out) {
    out << "{" << step.action << "," << step.target << ",+" << step.wait.count() << "ns}";
}

/// Scripts of up to about `length` steps with actions and targets in [0, n).
inline rc::Gen<std::vector<Step>> scripts(int actions, int targets, Duration longest_wait,
                                          double length = 300) {
    auto step =
        rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, actions), rc::gen::inRange(0, targets),
                                    rc::gen::inRange<std::int64_t>(0, longest_wait.count() + 1)),
                     [](std::tuple<int, int, std::int64_t> const& t) {
                         return Step{std::get<0>(t), std::get<1>(t), Duration(std::get<2>(t))};
                     });
    return rc::gen::scale(length / 100, rc::gen::container<std::vector<Step>>(std::move(step)));
}

}  // namespace lanyard::test
