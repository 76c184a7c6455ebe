// main() of every test program. With CI=true a skipped test is a failure: a check that did not run
// must not look like one that passed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    int const result = RUN_ALL_TESTS();
    int const skipped = testing::UnitTest::GetInstance()->skipped_test_count();
    char const* ci = std::getenv("CI");
    if (result == 0 && skipped > 0 && ci != nullptr && std::strcmp(ci, "true") == 0) {
        std::cerr << "FAILED: " << skipped << " test(s) skipped, and CI=true allows none\n";
        return 1;
    }
    return result;
}
