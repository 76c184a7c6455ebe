// What a usage error says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "failure.hpp"

namespace lanyard::app {

/// The text of the usage error that the function throws; empty, and a failed test, without one.
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
