// Libraries that are loaded on first use.
#include "crypto/library.hpp"

#include <gtest/gtest.h>

#include "lanyard/error.hpp"

namespace lanyard::crypto {
namespace {

constinit Library const libm("libm.so.6");
constinit Library const nowhere("liblanyard-has-no-such.so.0");

std::string message_of(auto const& call) {
    try {
        call();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::unavailable));
        return error.message();
    }
    return "nothing";
}

TEST(Library, functions_can_be_called_repeatedly) {
    constinit static LazyFunction<double(double)> const cosine(libm, "cos");
    EXPECT_EQ(cosine(0.0), 1.0);
    EXPECT_EQ(cosine(0.0), 1.0);
    EXPECT_TRUE(libm.load());
}

TEST(Library, errors_name_the_missing_function_or_library) {
    constinit static LazyFunction<int()> const unknown(libm, "lanyard_has_no_such_function");
    auto const no_function = message_of([] { unknown(); });
    EXPECT_NE(no_function.find("lanyard_has_no_such_function cannot be used: "), std::string::npos)
        << no_function;

    constinit static LazyFunction<int()> const homeless(nowhere, "cos");
    auto const no_library = message_of([] { homeless(); });
    EXPECT_NE(no_library.find("liblanyard-has-no-such.so.0 cannot be used: "), std::string::npos)
        << no_library;
    EXPECT_TRUE(nowhere.load().error().is(Errc::unavailable));
}

}  // namespace
}  // namespace lanyard::crypto
