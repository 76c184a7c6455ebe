#include "failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nearest.hpp"

namespace lanyard::app {
namespace {

Failure of(auto const& thrown) {
    return failure_of(std::make_exception_ptr(thrown));
}

TEST(Failure, a_local_error_has_the_exit_code_of_its_kind) {
    std::pair<Errc, Exit> const expected[] = {
        {Errc::unauthorized, Exit::authorization_needed},
        {Errc::timeout, Exit::timeout},
        {Errc::cancelled, Exit::interrupted},
        {Errc::closed, Exit::unreachable},
        {Errc::transport_down, Exit::unreachable},
        {Errc::unavailable, Exit::unreachable},
        {Errc::failed, Exit::unreachable},
        {Errc::shutdown, Exit::unreachable},
        {Errc::invalid_argument, Exit::usage},
        {Errc::capability_missing, Exit::protocol_error},
        {Errc::version_mismatch, Exit::protocol_error},
        {Errc::protocol_violation, Exit::protocol_error},
        {Errc::unsupported_in_era, Exit::protocol_error},
    };
    for (auto const& [code, exit] : expected) {
        EXPECT_EQ(of(Error(code, "x")).exit(), exit) << to_string(code);
    }
    EXPECT_STREQ(of(Error(Errc::closed, "x")).what(), "x");
    EXPECT_STREQ(of(Error(Errc::timeout, "no answer in time")).what(),
                 "no answer in time; --timeout sets how long to wait");
}

TEST(Failure, an_error_of_the_peer_keeps_its_code_and_data) {
    auto const failure = of(Error::from_peer(-32602, "unknown tool", R"({"tool":"x"})"));
    EXPECT_EQ(failure.exit(), Exit::protocol_error);
    EXPECT_EQ(failure.code(), -32602);
    EXPECT_EQ(failure.data().text(), R"({"tool":"x"})");
    EXPECT_STREQ(failure.what(), "the server refused: unknown tool (code -32602)");
}

TEST(Failure, any_other_exception_is_a_protocol_error) {
    EXPECT_EQ(of(ToolError("broken")).exit(), Exit::tool_error);
    EXPECT_EQ(of(std::runtime_error("odd")).exit(), Exit::protocol_error);
    EXPECT_EQ(of(Failure(Exit::timeout, "late")).exit(), Exit::timeout);
}

TEST(Failure, is_reported_in_a_sentence) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(report(Failure(Exit::timeout, "too late"), false), Exit::timeout);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "lanyard: too late\n");
}

TEST(Failure, is_reported_as_a_line_of_json) {
    testing::internal::CaptureStderr();
    report(of(Error::from_peer(-32602, "no", R"({"a":1})")), true);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              R"x({"error":{"kind":"protocol_error","exit":6,)x"
              R"x("message":"the server refused: no (code -32602)","code":-32602,)x"
              R"x("data":{"a":1}}})x"
              "\n");
}

TEST(Failure, keeps_its_code_and_data_with_another_text) {
    auto const other = of(Error::from_peer(-32602, "no", R"({"a":1})")).with_text("other");
    EXPECT_STREQ(other.what(), "other");
    EXPECT_EQ(other.exit(), Exit::protocol_error);
    EXPECT_EQ(other.code(), -32602);
    EXPECT_EQ(other.data().text(), R"({"a":1})");
}

TEST(Failure, control_characters_do_not_reach_the_terminal) {
    auto const hostile =
        of(Error::from_peer(-32602, "a\x1B]0;b\x07\xC2\x9B\u202E\rc", "\"\xC2\x9B\""));
    testing::internal::CaptureStderr();
    report(hostile, false);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "lanyard: the server refused: a\\x1B]0;b\\x07\\x9B\\u202E\\x0Dc (code -32602)\n");
    testing::internal::CaptureStderr();
    report(hostile, true);
    auto const line = testing::internal::GetCapturedStderr();
    EXPECT_EQ(line.find_first_of("\x1B\x07\r"), std::string::npos);
    EXPECT_EQ(line.find("\xC2\x9B"), std::string::npos);
    EXPECT_EQ(line.find("\u202E"), std::string::npos);
}

TEST(Failure, kinds_have_names) {
    for (auto const exit :
         {Exit::ok, Exit::usage, Exit::authorization_needed, Exit::unreachable, Exit::tool_error,
          Exit::protocol_error, Exit::timeout, Exit::interrupted}) {
        EXPECT_FALSE(to_string(exit).empty());
    }
}

TEST(Nearest, is_the_name_with_the_fewest_changes) {
    std::vector<std::string> const names{"echo", "add", "weather"};
    EXPECT_EQ(nearest("ehco", names), "echo");
    EXPECT_EQ(nearest("wether", names), "weather");
    EXPECT_EQ(nearest("xyzzyplugh", names), std::nullopt);
    EXPECT_EQ(nearest("", names), std::nullopt);
    EXPECT_EQ(nearest(std::string(1000, 'a'), names), std::nullopt);
    EXPECT_EQ(nearest("add", {std::string(1000, 'a')}), std::nullopt);
    std::vector<std::string> const commands{"log", "prompt", "list"};
    EXPECT_EQ(nearest("foo", commands), std::nullopt);
    EXPECT_EQ(nearest("proxy", commands), std::nullopt);
    EXPECT_EQ(nearest("c", {"a"}), std::nullopt);
    EXPECT_EQ(suggestion("ad", names, "none"), "; did you mean 'add'?");
    EXPECT_EQ(suggestion("xyzzyplugh", names, "none"), "; none");
}

}  // namespace
}  // namespace lanyard::app
