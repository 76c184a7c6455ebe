// The translation of errors: complete for all conditions, codes and versions, and without internal
// details.
#include "wire/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/json/writer.hpp"

namespace lanyard::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto legacy = Version::v2025_11_25;
constexpr auto modern = Version::v2026_07_28;

class FixedRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override {
        for (auto& byte : bytes) byte = std::byte{0xA5};
    }
};

constexpr std::string_view fixed_reference = "5a5a5a5a5a5a5a5a";

FailureAnswer answer_to(std::exception_ptr const& exception, Version version = modern) {
    FixedRandom random;
    return translate(exception, version, random);
}

std::variant<ToolFailure, FailureAnswer> tool_answer_to(std::exception_ptr const& exception,
                                                        Version version = modern) {
    FixedRandom random;
    return translate_tool(exception, version, random);
}

template <class E>
std::exception_ptr thrown(E error) {
    return std::make_exception_ptr(std::move(error));
}

bool is_json_rpc_code(std::int64_t code) {
    return code == -32700 || (code <= -32600 && code >= -32603);
}

TEST(Conditions, every_condition_has_an_error_in_every_version) {
    for (auto const& row : all_conditions()) {
        EXPECT_EQ(&wire::row(row.condition), &row);
        for (auto const version : all_versions) {
            auto const error = translate(row.condition, version);
            EXPECT_EQ(error.code, row.code(version)) << row.name;
            EXPECT_EQ(error.message, row.text);
            EXPECT_EQ(error.http_status, row.http_status(version));
            EXPECT_EQ(error.advice, row.advice);
            EXPECT_EQ(error.recoverable(), recoverable(row.advice));
            EXPECT_GE(error.http_status, 200);
            EXPECT_LT(error.http_status, 600);
            EXPECT_LT(error.message.size(), 80U);
        }
    }
}

TEST(Conditions, every_local_code_has_an_error_in_every_version) {
    FixedRandom random;
    for (auto const code : all_errcs()) {
        for (auto const version : all_versions) {
            auto const answer = translate(Error(code, "m"), version, random);
            EXPECT_EQ(answer.error.code, row(condition_of(code)).code(version));
            EXPECT_EQ(answer.silent, code == Errc::cancelled);
        }
    }
}

TEST(Conditions, a_modern_peer_gets_no_legacy_code) {
    for (auto const& row : all_conditions()) {
        auto const code = row.code(modern);
        EXPECT_TRUE(is_json_rpc_code(code) || code == -1 || (code <= -32020 && code >= -32022))
            << row.name << " " << code;
    }
}

TEST(Conditions, a_legacy_peer_gets_no_modern_code) {
    for (auto const& row : all_conditions()) {
        for (auto const version : all_versions) {
            if (era_of(version) == Era::modern) continue;
            auto const code = row.code(version);
            EXPECT_FALSE(code <= -32020 && code >= -32022) << row.name;
            EXPECT_EQ(code == -32042, version == Version::v2025_11_25 &&
                                          row.condition == Condition::url_elicitation_required);
        }
    }
}

TEST(Conditions, a_vague_code_comes_with_the_reason) {
    EXPECT_EQ(translate(Condition::timeout, modern).data.text(), R"({"reason":"timeout"})");
    EXPECT_EQ(translate(Condition::rate_limited, modern).data.text(),
              R"({"reason":"rate_limited"})");
    EXPECT_EQ(translate(Condition::not_initialized, modern).data.text(),
              R"({"reason":"not_initialized"})");
    for (auto const condition :
         {Condition::timeout, Condition::rate_limited, Condition::not_initialized,
          Condition::subscription_failed, Condition::message_too_large}) {
        EXPECT_TRUE(translate(condition, legacy).data.empty());
    }
    for (auto const condition : {Condition::parse_error, Condition::invalid_request,
                                 Condition::internal_error, Condition::unknown_tool}) {
        EXPECT_TRUE(translate(condition, modern).data.empty());
    }
}

TEST(Conditions, data_names_the_feature_concerned) {
    auto data = [](Condition condition, Version version, Details const& details) {
        return translate(condition, version, details).data.text();
    };
    EXPECT_EQ(data(Condition::resource_not_found, legacy, {.uri = "file:///x"}),
              R"({"uri":"file:///x"})");
    EXPECT_EQ(data(Condition::resource_not_found, modern, {.uri = "file:///x"}),
              R"({"uri":"file:///x"})");
    EXPECT_EQ(data(Condition::unknown_tool, legacy, {.tool = "t"}), R"({"tool":"t"})");
    EXPECT_EQ(data(Condition::unknown_prompt, legacy, {.prompt = "p"}), R"({"prompt":"p"})");
    EXPECT_EQ(data(Condition::unknown_task, legacy, {.task = "1"}), R"({"task":"1"})");
    EXPECT_EQ(data(Condition::method_not_found, legacy, {.method = "a/b"}), R"({"method":"a/b"})");
    EXPECT_EQ(data(Condition::invalid_phase, legacy, {.phase = "closed"}),
              R"({"reason":"invalid_phase","phase":"closed"})");
    EXPECT_EQ(data(Condition::capability_not_offered, legacy, {.capability = "prompts"}),
              R"({"capability":"prompts"})");
    EXPECT_EQ(
        data(Condition::url_elicitation_required, legacy, {.extra = R"({"elicitations":[]})"}),
        R"({"elicitations":[]})");
    EXPECT_EQ(data(Condition::invalid_params, legacy, {.extra = "[1]"}), R"({"details":[1]})");
    EXPECT_EQ(data(Condition::invalid_params, legacy, {.extra = "{no"}), R"({"details":"{no"})");
    EXPECT_EQ(data(Condition::timeout, modern, {.extra = R"({"reason":"mine","a":1})"}),
              R"({"reason":"timeout","a":1})");
    EXPECT_EQ(data(Condition::timeout, legacy, {.extra = R"({"reason":"mine"})"}),
              R"({"reason":"mine"})");
}

TEST(Conditions, versions_are_named) {
    std::array const supported{Version::v2026_07_28, Version::v2025_11_25};
    auto const error = translate(Condition::unsupported_version, modern,
                                 {.requested = "v999", .supported = supported});
    EXPECT_EQ(error.code, -32022);
    EXPECT_EQ(error.http_status, 400);
    EXPECT_EQ(error.message, "Unsupported protocol version: v999");
    EXPECT_EQ(error.data.text(), R"({"supported":["2026-07-28","2025-11-25"],"requested":"v999"})");
    EXPECT_EQ(
        translate(Condition::unsupported_version, legacy, {.requested = "", .supported = supported})
            .data.text(),
        R"({"supported":["2026-07-28","2025-11-25"],"requested":""})");
}

TEST(Conditions, a_modern_peer_gets_the_capabilities_it_should_have_declared) {
    auto data = [](std::string_view capability) {
        auto const error =
            translate(Condition::client_capability_missing, modern, {.capability = capability});
        EXPECT_EQ(error.code, -32021);
        EXPECT_EQ(error.http_status, 400);
        return error.data.text();
    };
    EXPECT_EQ(data("sampling"), R"({"requiredCapabilities":{"sampling":{}}})");
    EXPECT_EQ(data("sampling.tools"), R"({"requiredCapabilities":{"sampling":{"tools":{}}}})");
    EXPECT_EQ(data("a.extensions.b"), R"({"requiredCapabilities":{"a":{"extensions":{"b":{}}}}})");
    EXPECT_EQ(data("extensions.io.modelcontextprotocol/tasks"),
              R"({"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}})");
    EXPECT_EQ(translate(Condition::client_capability_missing, legacy, {.capability = "sampling"})
                  .data.text(),
              R"({"reason":"client_capability_missing","capability":"sampling"})");
}

TEST(Rule, J16_messages_stay_short) {
    std::string const name(5000, 'x');
    auto const error = translate(Condition::unknown_tool, modern, {.tool = name});
    EXPECT_EQ(error.message, "Unknown tool: " + name.substr(0, 128) + "...");
    EXPECT_THAT(error.data.text(), HasSubstr(name));
    std::string umlauts;
    for (int i = 0; i < 100; ++i) umlauts += "x\xC3\xA4";
    auto const cut = translate(Condition::unknown_tool, modern, {.tool = umlauts}).message;
    EXPECT_TRUE(cut.ends_with("x..."));
    std::string const no_characters(200, '\x80');
    EXPECT_EQ(translate(Condition::unknown_tool, modern, {.tool = no_characters}).message,
              "Unknown tool: ...");
    EXPECT_EQ(translate(Condition::unknown_tool, modern, {.message = "m", .tool = "t"}).message,
              "m");
}

TEST(Rule, J17_resource_not_found_changed_its_code) {
    EXPECT_EQ(translate(Condition::resource_not_found, Version::v2024_11_05).code, -32002);
    EXPECT_EQ(translate(Condition::resource_not_found, legacy).code, -32002);
    EXPECT_EQ(translate(Condition::resource_not_found, modern).code, -32602);
}

TEST(Rule, J18_an_unknown_method_is_method_not_found) {
    auto const error = translate(Condition::method_not_found, modern, {.method = "x/y"});
    EXPECT_EQ(error.code, -32601);
    EXPECT_EQ(error.http_status, 404);
    EXPECT_EQ(error.message, "Method not found: x/y");
    EXPECT_EQ(translate(Condition::method_not_found, legacy).http_status, 200);
}

TEST(Rule, J07_an_unreadable_id_is_null_before_2025_11_25) {
    EXPECT_EQ(missing_id(Version::v2024_11_05), rpc::MissingId::null);
    EXPECT_EQ(missing_id(Version::v2025_03_26), rpc::MissingId::null);
    EXPECT_EQ(missing_id(Version::v2025_06_18), rpc::MissingId::null);
    EXPECT_EQ(missing_id(Version::v2025_11_25), rpc::MissingId::omit);
    EXPECT_EQ(missing_id(Version::v2026_07_28), rpc::MissingId::omit);
}

TEST(Translation, malformed_input_has_a_message_and_a_place) {
    auto translated = [](std::string_view text, Version version, std::size_t max_bytes = 1000) {
        json::ParseOptions options;
        options.max_bytes = max_bytes;
        return translate(rpc::parse_message(text, options).error(), version);
    };
    auto const broken = translated("{", modern);
    EXPECT_EQ(broken.code, -32700);
    EXPECT_EQ(broken.http_status, 400);
    EXPECT_THAT(broken.message, HasSubstr("Parse error: "));
    EXPECT_THAT(broken.message, HasSubstr("at byte 1"));
    auto const wrong = translated("{}", legacy);
    EXPECT_EQ(wrong.code, -32600);
    EXPECT_EQ(wrong.message, "Invalid request: jsonrpc is missing; it must be \"2.0\"");
    EXPECT_EQ(translated("{    }", legacy, 3).code, -32012);
    auto const large = translated("{    }", modern, 3);
    EXPECT_EQ(large.code, -32600);
    EXPECT_EQ(large.http_status, 413);
    EXPECT_EQ(large.data.text(), R"({"reason":"message_too_large"})");
}

TEST(Translation, bad_params_carry_the_pointer) {
    DecodeError const bad{"/times", "must be at most 5, got 9"};
    auto const error = translate(bad, modern);
    EXPECT_EQ(error.code, -32602);
    EXPECT_EQ(error.message, "Invalid params: /times: must be at most 5, got 9");
    EXPECT_EQ(error.data.text(), R"({"pointer":"/times"})");
    EXPECT_EQ(answer_to(thrown(bad)).error.code, -32602);
}

TEST(Translation, a_refusal_is_passed_on_unchanged) {
    auto const answer =
        answer_to(thrown(Refusal(RefusalReason::safety, "no", R"({"rule":"r1"})")), legacy);
    EXPECT_EQ(answer.error.code, 1002);
    EXPECT_EQ(answer.error.message, "no");
    EXPECT_EQ(answer.error.data.text(), R"({"rule":"r1"})");
    EXPECT_EQ(answer.error.http_status, 200);
    EXPECT_EQ(answer.error.advice, Advice::abort);
    EXPECT_TRUE(answer.reference.empty());
    EXPECT_EQ(answer_to(thrown(Refusal::application(1042, "own"))).error.code, 1042);
    EXPECT_TRUE(answer_to(thrown(Refusal::application(1042, "own"))).error.data.empty());
}

TEST(Translation, other_exceptions_show_a_reference_and_nothing_else) {
    auto const answer = answer_to(thrown(std::runtime_error("password=hunter2")));
    EXPECT_EQ(answer.error.code, -32603);
    EXPECT_EQ(answer.error.message, "Internal error (reference 5a5a5a5a5a5a5a5a)");
    EXPECT_EQ(answer.error.data.text(), R"({"reference":"5a5a5a5a5a5a5a5a"})");
    EXPECT_EQ(answer.reference, fixed_reference);
    EXPECT_EQ(answer.log, "std::runtime_error: password=hunter2");
    EXPECT_FALSE(answer.silent);
}

TEST(Translation, exceptions_of_other_types_are_caught_too) {
    auto const answer = answer_to(thrown(42));
    EXPECT_EQ(answer.error.code, -32603);
    EXPECT_EQ(answer.reference, fixed_reference);
    EXPECT_EQ(answer.log, "an exception that is no std::exception");
}

TEST(Translation, a_cancelled_call_is_not_answered) {
    EXPECT_TRUE(answer_to(thrown(Error(Errc::cancelled, ""))).silent);
}

TEST(Translation, failures_of_other_connections_stay_inside) {
    for (auto const& error :
         {Error(Errc::transport_down, "10.0.0.7 refused"),
          Error::from_peer(-32022, "10.0.0.7 has another version", R"({"host":"10.0.0.7"})")}) {
        for (auto const version : all_versions) {
            auto const answer = answer_to(thrown(error), version);
            EXPECT_EQ(answer.error.code, -32603);
            EXPECT_THAT(answer.error.message, Not(HasSubstr("10.0.0.7")));
            EXPECT_THAT(answer.error.data.text(), Not(HasSubstr("10.0.0.7")));
            EXPECT_THAT(answer.error.data.text(), HasSubstr(R"("reason":"dependency_failed")"));
            EXPECT_THAT(answer.log, HasSubstr("10.0.0.7"));
        }
    }
}

TEST(Translation, failures_that_concern_the_peer_are_explained) {
    auto const limited =
        answer_to(thrown(Error(Errc::rate_limited, "5 per second", R"({"limit":5})")));
    EXPECT_EQ(limited.error.message, "5 per second");
    EXPECT_EQ(limited.error.http_status, 429);
    EXPECT_EQ(limited.error.data.text(), R"({"reason":"rate_limited","limit":5})");
    EXPECT_TRUE(limited.error.recoverable());

    Error const missing(Errc::capability_missing, "sampling is needed",
                        R"({"capability":"sampling"})");
    EXPECT_EQ(answer_to(thrown(missing)).error.data.text(),
              R"({"requiredCapabilities":{"sampling":{}}})");
    EXPECT_EQ(answer_to(thrown(missing), legacy).error.data.text(),
              R"({"reason":"client_capability_missing","capability":"sampling"})");
    EXPECT_TRUE(answer_to(thrown(Error(Errc::capability_missing, "m"))).error.data.empty());
    for (auto const* data : {R"({"a":1})", R"({"capability":1,"a":1})", "no json"}) {
        EXPECT_FALSE(
            answer_to(thrown(Error(Errc::capability_missing, "m", data))).error.data.empty());
    }
}

TEST(Translation, a_tool_error_outside_a_tool_is_an_internal_error) {
    auto const answer = answer_to(thrown(ToolError("try again with a path")));
    EXPECT_EQ(answer.error.code, -32603);
    EXPECT_EQ(answer.error.message, "try again with a path");
}

TEST(ToolTranslation, errors_for_the_model_are_tool_failures) {
    auto failure = [](std::exception_ptr const& exception) {
        return std::get<ToolFailure>(tool_answer_to(exception));
    };
    auto const plain = failure(thrown(ToolError("fewer rows", ToolErrorKind::result_too_large)));
    EXPECT_EQ(plain.kind, ToolErrorKind::result_too_large);
    EXPECT_EQ(plain.text, "fewer rows");
    EXPECT_TRUE(plain.reference.empty());

    auto const arguments = failure(thrown(DecodeError{"/n", "must be an integer"}));
    EXPECT_EQ(arguments.kind, ToolErrorKind::invalid_arguments);
    EXPECT_EQ(arguments.text, "/n: must be an integer");

    auto const late = failure(thrown(Error(Errc::timeout, "db at 10.0.0.7")));
    EXPECT_EQ(late.kind, ToolErrorKind::timeout);
    EXPECT_THAT(late.text, Not(HasSubstr("10.0.0.7")));
    EXPECT_THAT(late.log, HasSubstr("10.0.0.7"));

    for (auto const& error :
         {Error(Errc::unavailable, "10.0.0.7"), Error::from_peer(-32603, "10.0.0.7")}) {
        auto const dependency = failure(thrown(error));
        EXPECT_EQ(dependency.kind, ToolErrorKind::dependency_failed);
        EXPECT_THAT(dependency.text, Not(HasSubstr("10.0.0.7")));
        EXPECT_EQ(dependency.reference, fixed_reference);
    }
}

TEST(ToolTranslation, other_exceptions_show_a_reference_and_nothing_else) {
    for (auto const& exception : {thrown(std::runtime_error("secret")), thrown(42),
                                  thrown(Error(Errc::invalid_argument, "secret"))}) {
        auto const failure = std::get<ToolFailure>(tool_answer_to(exception));
        EXPECT_EQ(failure.kind, ToolErrorKind::failed);
        EXPECT_EQ(failure.text, "The tool failed (reference 5a5a5a5a5a5a5a5a)");
        EXPECT_EQ(failure.reference, fixed_reference);
        EXPECT_FALSE(failure.log.empty());
    }
}

TEST(ToolTranslation, an_impossible_question_is_a_tool_failure_before_2026_07_28) {
    FixedRandom random;
    for (auto const code : {Errc::capability_missing, Errc::unsupported_in_era}) {
        auto const told =
            translate_tool(thrown(Error(code, "no elicitation")), Version::v2025_11_25, random);
        auto const failure = std::get<ToolFailure>(told);
        EXPECT_EQ(failure.kind, ToolErrorKind::failed);
        EXPECT_EQ(failure.text, "no elicitation");
    }
}

TEST(ToolTranslation, a_cancellation_not_requested_by_the_client_is_a_tool_failure) {
    auto const failure =
        std::get<ToolFailure>(tool_answer_to(thrown(Error(Errc::cancelled, "secret"))));
    EXPECT_EQ(failure.kind, ToolErrorKind::cancelled);
    EXPECT_EQ(failure.text, "The call was cancelled");
}

TEST(ToolTranslation, errors_for_the_host_are_error_responses) {
    EXPECT_EQ(
        std::get<FailureAnswer>(tool_answer_to(thrown(Refusal(RefusalReason::permission, ""))))
            .error.code,
        1005);
    EXPECT_EQ(std::get<FailureAnswer>(tool_answer_to(thrown(Error(Errc::capability_missing, ""))))
                  .error.code,
              -32021);
}

Error received(std::int64_t code, Version version, std::string data = {}) {
    return to_error({RequestId(1), code, "m", RawJson::trusted(std::move(data))}, version);
}

TEST(PeerErrors, keep_code_message_and_data_of_the_peer) {
    auto const error = received(-32602, modern, R"({"uri":"x"})");
    EXPECT_EQ(error.peer_code(), -32602);
    EXPECT_EQ(error.message(), "m");
    EXPECT_EQ(error.data(), R"({"uri":"x"})");
    EXPECT_EQ(error.kind(), ErrorKind::jsonrpc);
    EXPECT_EQ(error.advice(), Advice::abort);
}

TEST(PeerErrors, legacy_codes_mean_something_to_legacy_peers_only) {
    EXPECT_EQ(received(-32009, legacy).kind(), ErrorKind::timeout);
    EXPECT_EQ(received(-32009, legacy).advice(), Advice::retry);
    EXPECT_EQ(received(-32010, legacy).advice(), Advice::retry);
    EXPECT_EQ(received(-32005, legacy).kind(), ErrorKind::state);
    EXPECT_EQ(received(-32005, legacy).advice(), Advice::reconnect);
    for (auto const code : {-32000, -32001, -32002, -32005, -32006, -32009, -32010, -32012}) {
        EXPECT_EQ(received(code, modern).kind(), ErrorKind::jsonrpc);
        EXPECT_EQ(received(code, modern).advice(), Advice::abort);
    }
}

TEST(PeerErrors, modern_codes_mean_something_to_modern_peers_only) {
    EXPECT_EQ(received(-32021, modern).kind(), ErrorKind::capability);
    EXPECT_EQ(received(-32022, modern).kind(), ErrorKind::protocol);
    EXPECT_EQ(received(-32021, legacy).kind(), ErrorKind::jsonrpc);
}

TEST(PeerErrors, the_reason_is_preferred_to_a_vague_code) {
    EXPECT_EQ(received(-32603, modern, R"({"reason":"timeout"})").kind(), ErrorKind::timeout);
    EXPECT_EQ(received(-32603, modern, R"({"reason":"rate_limited"})").advice(), Advice::retry);
    EXPECT_EQ(received(-32602, modern, R"({"reason":"timeout"})").kind(), ErrorKind::jsonrpc);
    EXPECT_EQ(received(-32603, modern, R"({"reason":"else"})").kind(), ErrorKind::jsonrpc);
    EXPECT_EQ(received(-32603, modern, R"({"reason":7})").kind(), ErrorKind::jsonrpc);
    EXPECT_EQ(received(-32603, modern, "[]").kind(), ErrorKind::jsonrpc);
    EXPECT_EQ(received(-32603, modern, "{").kind(), ErrorKind::jsonrpc);
}

TEST(PeerErrors, refusals_keep_their_advice) {
    EXPECT_EQ(received(1003, modern).advice(), Advice::retry);
    EXPECT_EQ(received(1008, legacy).advice(), Advice::retry);
    EXPECT_EQ(received(1001, legacy).advice(), Advice::abort);
    EXPECT_EQ(received(1001, legacy).kind(), ErrorKind::jsonrpc);
}

TEST(PeerErrors, every_condition_round_trips) {
    for (auto const& row : all_conditions()) {
        for (auto const version : all_versions) {
            auto const sent = translate(row.condition, version);
            auto const error =
                to_error({RequestId(1), sent.code, sent.message, sent.data}, version);
            // -32602 and -32601 stand for several conditions to which callers react in the same
            // way.
            bool const shared = sent.code == -32602 || sent.code == -32601;
            if (!shared) {
                EXPECT_EQ(error.kind(), row.kind) << row.name << " " << to_string(version);
            }
            EXPECT_EQ(error.advice(), row.advice) << row.name << " " << to_string(version);
        }
    }
}

}  // namespace
}  // namespace lanyard::wire
