// Result: a value or an error, with the accessors of std::expected.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard {
namespace {

using Text = Result<std::string, int>;
using Owner = Result<std::unique_ptr<int>, std::unique_ptr<std::string>>;

TEST(Result, holds_a_value) {
    Text result = "text";
    EXPECT_TRUE(result.has_value());
    EXPECT_TRUE(result);
    EXPECT_EQ(*result, "text");
    EXPECT_EQ(result->size(), 4U);
    EXPECT_EQ(result.value(), "text");
    *result = "other";
    result->push_back('!');
    EXPECT_EQ(result.value(), "other!");
}

TEST(Result, holds_an_error) {
    Text result = Unexpected(7);
    EXPECT_FALSE(result.has_value());
    EXPECT_FALSE(result);
    EXPECT_EQ(result.error(), 7);
    result.error() = 8;
    EXPECT_EQ(std::as_const(result).error(), 8);
}

TEST(Result, is_a_default_value_by_default) {
    Text const result;
    EXPECT_TRUE(result);
    EXPECT_EQ(*result, "");
    EXPECT_EQ(result->size(), 0U);
    struct NoDefault {
        explicit NoDefault(int) {}
    };
    static_assert(!std::default_initializable<Result<NoDefault, int>>);
}

TEST(Result, converts_as_its_value_type_does) {
    static_assert(std::convertible_to<char const*, Text>);
    static_assert(!std::convertible_to<std::string_view, Text>);
    static_assert(std::constructible_from<Text, std::string_view>);
    static_assert(!std::constructible_from<Text, void*>);
    EXPECT_EQ(*Text(std::string_view("text")), "text");
}

TEST(Result, value_and_error_may_have_the_same_type) {
    Result<int, int> const value = 1;
    Result<int, int> const error = Unexpected(1);
    EXPECT_TRUE(value);
    EXPECT_FALSE(error);
}

TEST(Result, accepts_an_error_that_converts) {
    Result<int, std::string> const result = Unexpected("why");
    EXPECT_EQ(result.error(), "why");
    static_assert(!std::constructible_from<Result<int, std::string>, Unexpected<void*>>);
}

TEST(Result, value_throws_the_error_itself) {
    Text result = Unexpected(7);
    EXPECT_THROW((void)result.value(), int);
    EXPECT_THROW((void)std::as_const(result).value(), int);
    EXPECT_THROW((void)std::move(result).value(), int);
    Result<int> const failed = Unexpected(Error(Errc::busy, "later"));
    try {
        (void)failed.value();
        FAIL();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::busy));
    }
}

TEST(Result, holds_move_only_values) {
    Owner owner = std::make_unique<int>(1);
    EXPECT_EQ(**owner, 1);
    Owner moved = std::move(owner);
    EXPECT_EQ(**moved, 1);
    std::unique_ptr<int> const out = *std::move(moved);
    EXPECT_EQ(*out, 1);
    EXPECT_EQ(*Owner(std::make_unique<int>(2)).value(), 2);

    Owner failed = Unexpected(std::make_unique<std::string>("why"));
    std::unique_ptr<std::string> const error = std::move(failed).error();
    EXPECT_EQ(*error, "why");
}

TEST(Result, value_or_falls_back) {
    Text const value = "text";
    Text const error = Unexpected(7);
    EXPECT_EQ(value.value_or("fallback"), "text");
    EXPECT_EQ(error.value_or("fallback"), "fallback");
    EXPECT_EQ(*Owner(std::make_unique<int>(3)).value_or(nullptr), 3);
    EXPECT_EQ(Owner(Unexpected(nullptr)).value_or(nullptr), nullptr);
}

TEST(Result, and_then_chains_results_and_stops_at_the_first_error) {
    auto const half = [](int n) -> Result<int, std::string> {
        if (n % 2 != 0) return Unexpected(std::to_string(n) + " is odd");
        return n / 2;
    };
    EXPECT_EQ(Result<int>(8).value(), 8);
    EXPECT_EQ((Result<int, std::string>(8).and_then(half).and_then(half).value()), 2);
    EXPECT_EQ((Result<int, std::string>(6).and_then(half).and_then(half).error()), "3 is odd");
    auto const to_void = [](int) { return Result<void, std::string>(); };
    EXPECT_TRUE((Result<int, std::string>(1).and_then(to_void)));
    EXPECT_FALSE((Result<int, std::string>(Unexpected("no")).and_then(to_void)));
}

TEST(Result, transform_wraps_the_return_value_of_the_function) {
    auto const length = [](std::string&& text) { return text.size(); };
    EXPECT_EQ(Text("text").transform(length).value(), 4U);
    EXPECT_EQ(Text(Unexpected(7)).transform(length).error(), 7);
    auto const owner = Owner(std::make_unique<int>(1)).transform([](std::unique_ptr<int> in) {
        ++*in;
        return in;
    });
    EXPECT_EQ(**owner, 2);
}

TEST(Result, of_void_is_success_or_an_error) {
    Result<void, std::string> const good;
    EXPECT_TRUE(good);
    EXPECT_TRUE(good.has_value());
    EXPECT_NO_THROW(good.value());

    Result<void, std::string> bad = Unexpected("why");
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.error(), "why");
    EXPECT_EQ(std::as_const(bad).error(), "why");
    EXPECT_THROW(bad.value(), std::string);
    std::string const moved = std::move(bad).error();
    EXPECT_EQ(moved, "why");
}

TEST(Result, works_in_constant_expressions) {
    constexpr Result<int, int> value = 1;
    static_assert(value.has_value() && *value == 1 && value.value_or(2) == 1);
    constexpr Result<int, int> error = Unexpected(3);
    static_assert(!error && error.error() == 3 && error.value_or(2) == 2);
}

TEST(Unexpected, can_move_its_error_out) {
    Unexpected<std::string> unexpected("why");
    EXPECT_EQ(unexpected.error(), "why");
    std::string const moved = std::move(unexpected).error();
    EXPECT_EQ(moved, "why");
}

}  // namespace
}  // namespace lanyard
