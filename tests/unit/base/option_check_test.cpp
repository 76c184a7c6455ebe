// Options that are refused: the error names the option and the value.
#include "base/option_check.hpp"

#include <gtest/gtest.h>

#include "lanyard/error.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

template <class F>
std::string error_of(F check) {
    try {
        check();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        return error.message();
    }
    return "none";
}

TEST(OptionCheck, durations_have_a_sign) {
    EXPECT_EQ(error_of([] { check_positive("A::b", 1ns); }), "none");
    EXPECT_EQ(error_of([] { check_positive("A::b", 0s); }),
              "A::b: must be more than zero, got 0 ms");
    EXPECT_EQ(error_of([] { check_not_negative("A::b", 0s); }), "none");
    EXPECT_EQ(error_of([] { check_not_negative("A::b", -5s); }),
              "A::b: must not be negative, got -5000 ms");
    EXPECT_EQ(error_of([] { check_not_negative("A::b", -5ns); }),
              "A::b: must not be negative, got -5 ns");
}

TEST(OptionCheck, values_have_a_lower_limit) {
    EXPECT_EQ(error_of([] { check_at_least("A::b", 3, 3, "c"); }), "none");
    EXPECT_EQ(error_of([] { check_at_least("A::b", 2, 3, "c"); }),
              "A::b: must be at least c (3), got 2");
    EXPECT_EQ(error_of([] { check_at_least("A::b", 2, 3); }), "A::b: must be at least 3, got 2");
    EXPECT_EQ(error_of([] { check_at_least("A::b", 3s, 3s, "c"); }), "none");
    EXPECT_EQ(error_of([] { check_at_least("A::b", 2s, 3s, "c"); }),
              "A::b: must be at least c (3000 ms), got 2000 ms");
}

}  // namespace
}  // namespace lanyard
