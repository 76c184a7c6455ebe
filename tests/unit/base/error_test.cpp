// Error, DecodeError, ToolError and Refusal.
#include "lanyard/error.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard {
namespace {

TEST(Error, a_local_failure_has_code_text_and_advice) {
    Error const error(Errc::transport_down, "the pipe broke", R"({"pid":1})");
    EXPECT_TRUE(error.is(Errc::transport_down));
    EXPECT_FALSE(error.is(Errc::closed));
    EXPECT_EQ(error.code().category(), lanyard_category());
    EXPECT_EQ(error.code(), Errc::transport_down);
    EXPECT_EQ(error.peer_code(), std::nullopt);
    EXPECT_EQ(error.message(), "the pipe broke");
    EXPECT_EQ(error.data(), R"({"pid":1})");
    EXPECT_STREQ(error.what(), "transport down: the pipe broke");
    EXPECT_EQ(error.kind(), ErrorKind::transport);
    EXPECT_EQ(error.advice(), Advice::reconnect);
    EXPECT_TRUE(error.recoverable());
}

TEST(Error, a_peers_error_keeps_code_text_and_data) {
    auto const error = Error::from_peer(-32601, "no such method", R"({"method":"x"})");
    EXPECT_EQ(error.code().category(), rpc_category());
    EXPECT_EQ(error.code().value(), -32601);
    EXPECT_EQ(error.code().message(), "JSON-RPC error -32601");
    EXPECT_EQ(error.peer_code(), -32601);
    EXPECT_EQ(error.kind(), ErrorKind::jsonrpc);
    EXPECT_EQ(error.advice(), Advice::abort);
    EXPECT_FALSE(error.recoverable());
    EXPECT_STREQ(error.what(), "JSON-RPC error -32601: no such method");
}

TEST(Error, a_peers_code_beyond_int_is_kept) {
    EXPECT_EQ(Error::from_peer(INT64_MAX, "").peer_code(), INT64_MAX);
    EXPECT_EQ(Error::from_peer(INT64_MAX, "").code().value(), INT32_MAX);
    EXPECT_EQ(Error::from_peer(INT64_MIN, "").code().value(), INT32_MIN);
}

TEST(Error, every_code_has_a_distinct_name_and_text) {
    std::set<std::string> names;
    std::set<std::string> texts;
    for (auto const code : all_errcs()) {
        names.insert(std::string(to_string(code)));
        texts.insert(make_error_code(code).message());
        EXPECT_EQ(Error(code, "why").what(), make_error_code(code).message() + ": why");
    }
    EXPECT_EQ(names.size(), all_errcs().size());
    EXPECT_EQ(texts.size(), all_errcs().size());
}

TEST(Error, categories_describe_unknown_codes) {
    EXPECT_STREQ(lanyard_category().name(), "lanyard");
    EXPECT_STREQ(rpc_category().name(), "lanyard.rpc");
    EXPECT_EQ(lanyard_category().message(0), "unknown error 0");
    EXPECT_EQ(lanyard_category().message(999), "unknown error 999");
}

TEST(Error, advice_depends_on_the_kind_of_failure) {
    for (auto const code : all_errcs()) {
        Error const error(code, "");
        if (error.kind() == ErrorKind::timeout) {
            EXPECT_EQ(error.advice(), Advice::retry);
        }
        EXPECT_EQ(error.recoverable(),
                  error.advice() == Advice::retry || error.advice() == Advice::reconnect);
    }
    EXPECT_EQ(Error(Errc::rate_limited, "").advice(), Advice::retry);
    EXPECT_EQ(Error(Errc::not_initialized, "").advice(), Advice::reconnect);
    EXPECT_EQ(Error(Errc::cancelled, "").advice(), Advice::ignore);
}

TEST(Error, kinds_and_advice_have_names) {
    EXPECT_EQ(to_string(Advice::retry), "retry");
    EXPECT_EQ(to_string(Advice::ignore), "ignore");
    EXPECT_EQ(to_string(ErrorKind::transport), "transport");
    EXPECT_EQ(to_string(ErrorKind::capability), "capability");
}

TEST(Error, a_code_converts_to_an_error_code_by_itself) {
    std::error_code const code = Errc::busy;
    EXPECT_EQ(code, make_error_code(Errc::busy));
    EXPECT_NE(code, std::error_code(code.value(), rpc_category()));
}

TEST(Error, a_copy_shares_the_details) {
    Error const error(Errc::busy, "later");
    Error const copy = error;
    EXPECT_EQ(&copy.message(), &error.message());
}

TEST(Error, is_caught_as_a_standard_exception) {
    try {
        throw Error::from_peer(-32000, "sorry", "[1]", ErrorKind::state, Advice::retry);
    } catch (std::exception const& error) {
        EXPECT_STREQ(error.what(), "JSON-RPC error -32000: sorry");
        auto const& ours = dynamic_cast<Error const&>(error);
        EXPECT_EQ(ours.data(), "[1]");
        EXPECT_EQ(ours.kind(), ErrorKind::state);
        EXPECT_TRUE(ours.recoverable());
    }
}

TEST(DecodeError, has_a_place_and_a_message) {
    EXPECT_EQ((DecodeError{"/times", "must be at most 5, got 9"}.to_string()),
              "/times: must be at most 5, got 9");
    EXPECT_EQ((DecodeError{"", "must be an object"}.to_string()), "must be an object");
}

TEST(DecodeError, compares_by_place_and_message) {
    EXPECT_EQ((DecodeError{"/a", "b"}), (DecodeError{"/a", "b"}));
    EXPECT_NE((DecodeError{"/a", "b"}), (DecodeError{"/a", "c"}));
    EXPECT_NE((DecodeError{"/a", "b"}), (DecodeError{"", "b"}));
}

TEST(ToolError, carries_a_text_for_the_model_and_a_kind) {
    ToolError const plain("ask for fewer rows");
    EXPECT_STREQ(plain.what(), "ask for fewer rows");
    EXPECT_EQ(plain.kind(), ToolErrorKind::failed);
    EXPECT_EQ(ToolError("x", ToolErrorKind::not_allowed).kind(), ToolErrorKind::not_allowed);
    EXPECT_EQ(to_string(ToolErrorKind::result_too_large), "result_too_large");
    EXPECT_EQ(advice_for(ToolErrorKind::timeout), Advice::retry);
    EXPECT_EQ(advice_for(ToolErrorKind::schema_invalid), Advice::abort);
    EXPECT_EQ(all_tool_error_kinds().size(), 10U);
}

TEST(Refusal, has_a_code_a_text_and_data) {
    Refusal const refusal(RefusalReason::permission, "not yours", R"({"path":"/x"})");
    EXPECT_EQ(refusal.code(), 1005);
    EXPECT_STREQ(refusal.what(), "not yours");
    EXPECT_EQ(refusal.data(), R"({"path":"/x"})");
    EXPECT_EQ(refusal.advice(), Advice::abort);
    EXPECT_EQ(Refusal(RefusalReason::rate_limit, "").advice(), Advice::retry);
    EXPECT_EQ(Refusal(RefusalReason::temporarily_unavailable, "").advice(), Advice::retry);
    EXPECT_EQ(to_string(RefusalReason::content_policy), "content_policy");
    EXPECT_EQ(to_string(RefusalReason::custom), "custom");
    EXPECT_EQ(all_refusal_reasons().size(), 10U);
}

TEST(Refusal, an_application_has_codes_1011_to_1089) {
    EXPECT_EQ(Refusal::application(1011, "").code(), 1011);
    EXPECT_EQ(Refusal::application(1089, "").code(), 1089);
    EXPECT_EQ(Refusal::application(1089, "").advice(), Advice::abort);
    for (auto const code : {1010, 1090, 0, -32600}) {
        try {
            (void)Refusal::application(code, "");
            ADD_FAILURE() << code;
        } catch (Error const& error) {
            EXPECT_TRUE(error.is(Errc::invalid_argument));
            EXPECT_THAT(error.message(), ::testing::HasSubstr(std::to_string(code)));
        }
    }
}

TEST(Refusal, only_codes_1001_to_1089_are_refusals) {
    EXPECT_EQ(refusal_advice(1000), std::nullopt);
    EXPECT_EQ(refusal_advice(1001), Advice::abort);
    EXPECT_EQ(refusal_advice(1003), Advice::retry);
    EXPECT_EQ(refusal_advice(1010), Advice::abort);
    EXPECT_EQ(refusal_advice(1011), Advice::abort);
    EXPECT_EQ(refusal_advice(1089), Advice::abort);
    EXPECT_EQ(refusal_advice(1090), std::nullopt);
}

}  // namespace
}  // namespace lanyard
