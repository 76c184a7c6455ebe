// The text of usage errors.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "failure.hpp"

namespace lanyard::app {

/// Returns the text of the usage error that the function throws; without one, the test fails and
/// the text is empty.
template <class F>
std::string usage_text(F function) {
    try {
        function();
    } catch (Failure const& failure) {
        EXPECT_EQ(failure.exit(), Exit::usage);
        return failure.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

}  // namespace lanyard::app
