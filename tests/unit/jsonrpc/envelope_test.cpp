// The envelope reader: rules J-01 to J-15 and the parser differentials of the hardening list.
#include "jsonrpc/envelope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard::rpc {
namespace {

using ::testing::HasSubstr;

// One reader for all tests, as in a connection; `text` must live as long as the envelope.
EnvelopeReader reader;
std::string text;

constexpr ReadOptions batches{.json = {}, .batches = true, .max_batch = 100};

EnvelopeReader::Item read(std::string input, ReadOptions const& options = {}) {
    text = std::move(input);
    return reader.read(text, options);
}

Envelope accept(std::string input, ReadOptions const& options = {}) {
    auto item = read(std::move(input), options);
    EXPECT_TRUE(item) << text << "\n" << (item ? "" : item.error().message);
    return std::move(item).value();
}

Malformed refuse(std::string input, ReadOptions const& options = {}) {
    auto item = read(std::move(input), options);
    EXPECT_FALSE(item) << text;
    return item ? Malformed{} : item.error();
}

TEST(Envelopes, a_request_consists_of_views_into_its_text) {
    auto const envelope =
        accept(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}})");
    EXPECT_EQ(envelope.kind, MessageKind::request);
    EXPECT_EQ(to_id(*envelope.id), RequestId(7));
    EXPECT_EQ(envelope.method, "tools/call");
    EXPECT_EQ(envelope.params->raw(), R"({"name":"x"})");
    EXPECT_EQ(envelope.whole.raw(), text);
    EXPECT_GE(envelope.method.data(), text.data());
    EXPECT_LT(envelope.method.data(), text.data() + text.size());
    EXPECT_FALSE(envelope.result);
    EXPECT_FALSE(envelope.error);
}

TEST(Envelopes, the_metadata_of_a_call_is_found) {
    auto const with = [](std::string params) {
        auto const envelope =
            accept(R"({"jsonrpc":"2.0","id":7,"method":"m","params":)" + params + "}");
        return envelope.meta ? std::string(envelope.meta->raw()) : "none";
    };
    EXPECT_EQ(with(R"({"a":1,"_meta":{"b":2}})"), R"({"b":2})");
    EXPECT_EQ(with(R"({"_meta":3})"), "3");
    EXPECT_EQ(with(R"({"a":{"_meta":{}}})"), "none");
    EXPECT_FALSE(accept(R"({"jsonrpc":"2.0","method":"m","_meta":{}})").meta);
}

TEST(Envelopes, members_come_in_any_order_among_unknown_ones) {
    auto const envelope = accept(
        R"({"x":[1],"params":{},"method":"ping","trace":"t","id":"a","jsonrpc":"2.0","y":null})");
    EXPECT_EQ(envelope.kind, MessageKind::request);
    EXPECT_EQ(envelope.method, "ping");
    EXPECT_EQ(to_id(*envelope.id), RequestId("a"));
}

TEST(Envelopes, a_method_written_with_escapes_is_decoded) {
    auto const envelope = accept(R"({"jsonrpc":"2.0","id":1,"method":"tools\/call"})");
    EXPECT_EQ(envelope.method, "tools/call");
    EXPECT_FALSE(envelope.params);
}

TEST(Envelopes, a_key_written_with_escapes_is_that_key) {
    EXPECT_EQ(accept(R"({"jsonrpc":"2.0","id":1,"m\u0065thod":"ping"})").method, "ping");
}

TEST(Envelopes, a_reader_can_be_reused) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(accept(R"({"jsonrpc":"2.0","id":1,"method":"a\/b"})").method, "a/b");
        refuse("{");
        reader.shrink();
    }
}

TEST(Rule, J01_jsonrpc_is_exactly_2_0) {
    for (auto const* version :
         {R"("1.0")", R"("2")", R"("2.0 ")", R"(2.0)", "2", "null", R"(["2.0"])"}) {
        auto const failure =
            refuse(R"({"jsonrpc":)" + std::string(version) + R"(,"id":1,"method":"ping"})");
        EXPECT_EQ(failure.reason, Malformed::Reason::not_message);
        EXPECT_EQ(failure.message, "jsonrpc must be \"2.0\" at byte 11");
        EXPECT_EQ(failure.id, RequestId(1));
        EXPECT_TRUE(failure.owes_answer());
    }
    auto const failure = refuse(R"({"id":1,"method":"ping"})");
    EXPECT_EQ(failure.message, "jsonrpc is missing; it must be \"2.0\"");
    EXPECT_EQ(failure.id, RequestId(1));
}

TEST(Rule, J02_ids_are_strings_or_integers_and_keep_their_type) {
    auto id_of = [&](std::string_view id) {
        return *to_id(*accept(R"({"jsonrpc":"2.0","method":"m","id":)" + std::string(id) + "}").id);
    };
    EXPECT_EQ(id_of("0"), RequestId(0));
    EXPECT_EQ(id_of(R"("")"), RequestId(""));
    EXPECT_EQ(id_of("1"), RequestId(1));
    EXPECT_EQ(id_of(R"("1")"), RequestId("1"));
    EXPECT_NE(id_of("1"), id_of(R"("1")"));
    EXPECT_EQ(id_of("-5"), RequestId(-5));
    EXPECT_EQ(id_of("9223372036854775807"), RequestId(INT64_MAX));
    EXPECT_EQ(id_of("-9223372036854775808"), RequestId(INT64_MIN));
    EXPECT_EQ(id_of(R"("a\u0000b")"), RequestId(std::string("a\0b", 3)));
}

TEST(Rule, J02_other_ids_are_refused) {
    for (auto const* id : {"1.0", "1e0", "0.5", "true", "false", "[]", "{}", "[1]",
                           "9223372036854775808", "18446744073709551615"}) {
        auto const failure =
            refuse(R"({"jsonrpc":"2.0","method":"m","id":)" + std::string(id) + "}");
        EXPECT_EQ(failure.reason, Malformed::Reason::not_message) << id;
        EXPECT_THAT(failure.message, HasSubstr("id must be a string or a 64-bit integer, found "));
        EXPECT_THAT(failure.message, HasSubstr(" at byte 35"));
        EXPECT_FALSE(failure.id);
        EXPECT_EQ(failure.intent, Intent::request);
        EXPECT_TRUE(failure.owes_answer());
    }
    EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","method":"m","id":9223372036854775808})").message,
              "id must be a string or a 64-bit integer, found an integer above 9223372036854775807 "
              "at byte 35");
}

TEST(Rule, J03_a_request_id_is_never_null) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","id":null,"method":"ping"})");
    EXPECT_EQ(failure.reason, Malformed::Reason::not_message);
    EXPECT_THAT(failure.message, HasSubstr("found null"));
    EXPECT_FALSE(failure.id);
    EXPECT_TRUE(failure.owes_answer());
}

TEST(Rule, J05_a_result_names_the_request) {
    auto const envelope = accept(R"({"result":{"ok":true},"id":"r","jsonrpc":"2.0"})");
    EXPECT_EQ(envelope.kind, MessageKind::result);
    EXPECT_EQ(to_id(*envelope.id), RequestId("r"));
    EXPECT_EQ(envelope.result->raw(), R"({"ok":true})");

    EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","result":{}})").message, "a result has no id");
    for (auto const* id : {"null", "1.5", "true"}) {
        auto const failure =
            refuse(R"({"jsonrpc":"2.0","result":{},"id":)" + std::string(id) + "}");
        EXPECT_THAT(failure.message, HasSubstr("id must be a string"));
        EXPECT_FALSE(failure.owes_answer());
    }
}

TEST(Rule, J06_a_result_is_an_object) {
    for (auto const* result : {"[]", "1", "\"x\"", "true"}) {
        auto const failure =
            refuse(R"({"jsonrpc":"2.0","id":4,"result":)" + std::string(result) + "}");
        EXPECT_THAT(failure.message, HasSubstr("result must be an object, found "));
        EXPECT_EQ(failure.intent, Intent::response);
        EXPECT_EQ(failure.id, RequestId(4));
        EXPECT_FALSE(failure.owes_answer());
    }
}

TEST(Envelopes, a_result_that_is_null_is_empty) {
    auto const envelope = accept(R"({"jsonrpc":"2.0","id":4,"result":null})");
    EXPECT_EQ(envelope.kind, MessageKind::result);
    EXPECT_EQ(envelope.result->raw(), "{}");
}

TEST(Envelopes, a_null_result_next_to_an_error_is_ignored_and_vice_versa) {
    auto const result = accept(R"({"jsonrpc":"2.0","id":4,"result":{"a":1},"error":null})");
    EXPECT_EQ(result.kind, MessageKind::result);
    EXPECT_EQ(result.result->raw(), R"({"a":1})");
    EXPECT_FALSE(result.error);
    auto const error =
        accept(R"({"jsonrpc":"2.0","id":4,"result":null,"error":{"code":1,"message":"m"}})");
    EXPECT_EQ(error.kind, MessageKind::error);
    EXPECT_FALSE(error.result);
    auto const neither = accept(R"({"jsonrpc":"2.0","id":4,"result":null,"error":null})");
    EXPECT_EQ(neither.kind, MessageKind::result);
    EXPECT_EQ(neither.result->raw(), "{}");
}

TEST(Rule, J07_an_error_may_lack_its_id) {
    for (auto const* id : {"", R"("id":null,)"}) {
        auto const envelope = accept(R"({"jsonrpc":"2.0",)" + std::string(id) +
                                     R"("error":{"code":-32700,"message":"no"}})");
        EXPECT_EQ(envelope.kind, MessageKind::error);
        EXPECT_FALSE(envelope.id);
    }
    auto const named = accept(R"({"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no"}})");
    EXPECT_EQ(to_id(*named.id), RequestId(3));
    EXPECT_FALSE(refuse(R"({"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":""}})").id);
}

TEST(Rule, J08_an_error_has_a_code) {
    auto message_for = [&](std::string_view error) {
        auto const failure =
            refuse(R"({"jsonrpc":"2.0","id":1,"error":)" + std::string(error) + "}");
        EXPECT_EQ(failure.intent, Intent::response);
        EXPECT_EQ(failure.id, RequestId(1));
        return failure.message;
    };
    EXPECT_EQ(message_for("{}"), "error has no code: {}");
    EXPECT_EQ(
        message_for(R"({"code":1,"message":2})"),
        R"(error.message must be a string, found an integer at byte 52: {"code":1,"message":2})");
    EXPECT_EQ(message_for("null"), "error must be an object, found null at byte 32: null");
    EXPECT_EQ(message_for(R"("boom")"),
              R"(error must be an object, found a string at byte 32: "boom")")
        << "what the peer says is shown";
    auto const full =
        accept(R"({"jsonrpc":"2.0","id":1,"error":{"data":[1],"message":"m","code":1001}})");
    EXPECT_EQ(full.error->find("data")->raw(), "[1]");
}

TEST(Envelopes, an_error_may_lack_its_message) {
    for (auto const* message : {"", R"(,"message":null)"}) {
        auto const envelope =
            accept(R"({"jsonrpc":"2.0","id":1,"error":{"code":-3)" + std::string(message) + "}}");
        auto const error = std::get<ErrorResponse>(to_message(envelope));
        EXPECT_EQ(error.code, -3);
        EXPECT_EQ(error.message, "the peer gave no reason");
    }
}

TEST(Envelopes, an_error_code_may_be_written_as_a_real_number) {
    auto const envelope =
        accept(R"({"jsonrpc":"2.0","id":1,"error":{"message":"m","code":-32000.0}})");
    EXPECT_EQ(std::get<ErrorResponse>(to_message(envelope)).code, -32000);
}

TEST(Rule, J09_error_codes_are_integers) {
    for (auto const* error_code : {"1.5", "\"-32600\"", "null", "1e300", "9223372036854775808"}) {
        EXPECT_THAT(refuse(R"({"jsonrpc":"2.0","id":1,"error":{"message":"m","code":)" +
                           std::string(error_code) + "}}")
                        .message,
                    HasSubstr("error.code must be a 64-bit integer"));
    }
}

TEST(Rule, J10_a_response_never_has_both_result_and_error) {
    auto const failure =
        refuse(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}})");
    EXPECT_EQ(failure.message, "a response has both result and error");
    EXPECT_FALSE(failure.owes_answer());
    EXPECT_EQ(failure.id, RequestId(1));
}

TEST(Rule, J10_a_message_is_never_request_and_response_at_once) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})");
    EXPECT_EQ(failure.message, "a message has both method and result");
    EXPECT_EQ(failure.intent, Intent::unknown);
    EXPECT_FALSE(failure.id);
    EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","method":"m","error":{}})").message,
              "a message has both method and error");
}

TEST(Rule, J11_a_refused_notification_is_not_answered) {
    for (auto const* input : {R"({"jsonrpc":"1.0","method":"n"})", R"({"method":"n"})",
                              R"({"jsonrpc":"2.0","method":"n","params":[]})"}) {
        auto const failure = refuse(input);
        EXPECT_EQ(failure.intent, Intent::notification);
        EXPECT_FALSE(failure.owes_answer());
    }
}

TEST(Rule, J12_a_message_without_an_id_is_a_notification) {
    auto const envelope =
        accept(R"({"jsonrpc":"2.0","method":"notifications/initialized","params":{"a":1}})");
    EXPECT_EQ(envelope.kind, MessageKind::notification);
    EXPECT_FALSE(envelope.id);
    EXPECT_EQ(envelope.params->raw(), R"({"a":1})");
}

TEST(Rule, J13_messages_are_utf8) {
    auto const failure = refuse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}");
    EXPECT_EQ(failure.reason, Malformed::Reason::not_json);
    EXPECT_THAT(failure.message, HasSubstr("at byte 34"));
    EXPECT_TRUE(failure.owes_answer());
    EXPECT_EQ(failure.id, RequestId(1)) << "which can be read all the same";
}

TEST(Rule, J14_batches_are_accepted_if_the_version_has_them) {
    auto const envelope =
        accept(R"([{"jsonrpc":"2.0","id":1,"method":"a\/b"},{"jsonrpc":"2.0","method":"c\/d"},)"
               R"({"jsonrpc":"2.0","id":2,"result":{}},7,{"jsonrpc":"2.0","id":"x","method":1}])",
               batches);
    EXPECT_EQ(envelope.kind, MessageKind::batch);
    auto const& items = reader.batch();
    ASSERT_EQ(items.size(), 5U);
    EXPECT_EQ(items[0]->method, "a/b");
    EXPECT_EQ(items[1]->kind, MessageKind::notification);
    EXPECT_EQ(items[1]->method, "c/d");
    EXPECT_EQ(items[2]->kind, MessageKind::result);
    EXPECT_THAT(items[3].error().message,
                HasSubstr("a message must be an object, found an integer"));
    EXPECT_TRUE(items[3].error().owes_answer());
    EXPECT_EQ(items[4].error().id, RequestId("x"));
}

TEST(Rule, J14_batches_are_refused_elsewhere) {
    auto const failure = refuse(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
    EXPECT_EQ(failure.reason, Malformed::Reason::not_message);
    EXPECT_EQ(failure.message, "batches exist only in protocol version 2025-03-26");
    EXPECT_TRUE(failure.owes_answer());
    EXPECT_FALSE(failure.id);
}

TEST(Rule, J14_batches_are_not_empty_and_not_nested) {
    EXPECT_EQ(refuse("[]", batches).message, "a batch must not be empty");
    accept(R"([[{"jsonrpc":"2.0","id":1,"method":"ping"}]])", batches);
    EXPECT_FALSE(reader.batch()[0]);
}

TEST(Rule, J15_initialize_is_never_inside_a_batch) {
    auto const failure = refuse(
        R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"initialize"}])",
        batches);
    EXPECT_EQ(failure.message, "initialize must not be part of a batch");
    EXPECT_TRUE(reader.batch().empty());
}

TEST(Envelopes, params_is_an_object) {
    EXPECT_FALSE(accept(R"({"jsonrpc":"2.0","id":9,"method":"m","params":null})").params);
    for (auto const* params : {"[]", "[1]", "1", "\"x\"", "true"}) {
        auto const failure =
            refuse(R"({"jsonrpc":"2.0","id":9,"method":"m","params":)" + std::string(params) + "}");
        EXPECT_THAT(failure.message, HasSubstr("params must be an object, found "));
        EXPECT_EQ(failure.id, RequestId(9));
        EXPECT_TRUE(failure.owes_answer());
    }
}

TEST(Envelopes, method_is_a_string) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","method":1})");
    EXPECT_EQ(failure.message, "method must be a string, found an integer at byte 26");
    EXPECT_EQ(failure.intent, Intent::unknown);
    EXPECT_TRUE(failure.owes_answer());
}

TEST(Envelopes, an_object_that_is_no_message_is_answered_with_its_id) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","id":5})");
    EXPECT_EQ(failure.message, "a message needs method, result or error");
    EXPECT_EQ(failure.intent, Intent::unknown);
    EXPECT_EQ(failure.id, RequestId(5));
}

TEST(Envelopes, other_values_are_no_messages) {
    for (auto const* input : {"1", "\"x\"", "null", "true"}) {
        EXPECT_THAT(refuse(input).message, HasSubstr("a message must be an object, found "));
    }
}

TEST(Envelopes, text_that_is_not_json_is_refused_with_the_place) {
    for (auto const* input :
         {"", " ", "{", "}", R"({"jsonrpc":"2.0")", "nul", "{}{}", "\"", "[", "\xEF\xBB\xBF{}"}) {
        auto const failure = refuse(input);
        EXPECT_EQ(failure.reason, Malformed::Reason::not_json) << text;
        EXPECT_THAT(failure.message, HasSubstr("byte")) << text;
        EXPECT_EQ(failure.intent, Intent::unknown);
    }
}

TEST(Envelopes, text_that_exceeds_the_byte_limit_is_too_large) {
    std::string const text = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    for (auto const& [limit, good] :
         {std::pair{text.size() - 1, false}, std::pair{text.size(), true},
          std::pair{text.size() + 1, true}}) {
        ReadOptions options;
        options.json.max_bytes = limit;
        auto const item = read(text, options);
        EXPECT_EQ(item.has_value(), good);
        if (!good) {
            EXPECT_EQ(item.error().reason, Malformed::Reason::too_large);
        }
    }
}

TEST(Hardening, S10_ids_of_different_types_do_not_alias) {
    auto const number = to_id(*accept(R"({"jsonrpc":"2.0","id":1,"method":"m"})").id);
    auto const string = to_id(*accept(R"({"jsonrpc":"2.0","id":"1","method":"m"})").id);
    EXPECT_NE(number, string);
    refuse(R"({"jsonrpc":"2.0","id":1.0,"method":"m"})");
}

TEST(Hardening, S20_keys_are_compared_byte_for_byte) {
    for (auto const* key : {"Method", "METHOD", "method ", " method", "m\xC3\xA9thod"}) {
        auto const failure =
            refuse(R"({"jsonrpc":"2.0","id":1,")" + std::string(key) + R"(":"ping"})");
        EXPECT_EQ(failure.message, "a message needs method, result or error") << key;
    }
    // U+017F and U+212A fold to "s" and "k" under Unicode case folding.
    auto const long_s =
        accept("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"param\xC5\xBF\":[],\"ID\":null}");
    EXPECT_FALSE(long_s.params);
    EXPECT_EQ(accept("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"\xE2\x84\xAA\":1,"
                     "\"Params\":7,\"JSONRPC\":\"1.0\",\"Result\":{}}")
                  .kind,
              MessageKind::request);
}

TEST(Hardening, S21_a_key_with_nul_is_another_key) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","id":1,"method\u0000":"ping"})");
    EXPECT_EQ(failure.message, "a message needs method, result or error");
    EXPECT_EQ(accept(R"({"jsonrpc":"2.0","id":1,"method":"a","method\u0000":"b"})").method, "a");
}

TEST(Hardening, S22_duplicate_keys_are_refused_at_every_depth) {
    for (auto const* input : {
             R"({"jsonrpc":"2.0","id":1,"method":"a","method":"b"})",
             R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1,"x":2}})",
             R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"k":1,"k":1}}})",
             R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"d":[[{"k":{"z":0,"z":0}}]]}})",
             R"({"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":"b"})",
             R"({"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"a"})",
             R"({"jsonrpc":"2.0","id":1,"method":"a","extra":1,"extra":1})",
         }) {
        auto const failure = refuse(input);
        EXPECT_EQ(failure.reason, Malformed::Reason::not_message) << input;
        EXPECT_THAT(failure.message, HasSubstr("duplicate key"));
        EXPECT_THAT(failure.message, HasSubstr("byte"));
        EXPECT_EQ(failure.id, RequestId(1)) << text;
        EXPECT_EQ(failure.intent, Intent::request);
    }
    auto const response = refuse(R"({"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}})");
    EXPECT_EQ(response.intent, Intent::response);
    EXPECT_FALSE(response.owes_answer());
    auto const notification = refuse(R"({"jsonrpc":"2.0","method":"n","params":{"a":1,"a":2}})");
    EXPECT_FALSE(notification.owes_answer());
}

TEST(Hardening, S22_two_different_ids_are_no_id) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"a"})");
    EXPECT_THAT(failure.message, HasSubstr("duplicate key"));
    EXPECT_FALSE(failure.id);
    EXPECT_TRUE(failure.owes_answer());
}

TEST(Hardening, S22_a_duplicate_in_a_batch_has_no_id) {
    EXPECT_FALSE(refuse(R"([{"id":1,"id":2}])", batches).id);
}

TEST(Hardening, S22_a_duplicate_before_another_error_names_its_request) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","id":1,"method":"a","a":{"x":1,"x":2},})");
    EXPECT_EQ(failure.id, RequestId(1));
    EXPECT_EQ(failure.intent, Intent::request);
}

TEST(Hardening, S22_two_equal_ids_are_one_id) {
    auto const failure = refuse(R"({"jsonrpc":"2.0","id":1,"id":1,"result":{}})");
    EXPECT_EQ(failure.id, RequestId(1));
    EXPECT_EQ(failure.intent, Intent::response);
}

TEST(Hardening, S23_a_raw_nul_is_refused_at_every_position) {
    std::string const text = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,"x"]}})";
    for (std::size_t at = 0; at <= text.size(); ++at) {
        auto broken = text;
        broken.insert(at, 1, '\0');
        EXPECT_EQ(refuse(broken).reason, Malformed::Reason::not_json) << at;
    }
    EXPECT_EQ(refuse(text + std::string(1, '\0') + text).reason, Malformed::Reason::not_json);
}

TEST(Hardening, S24_depth_is_limited) {
    auto nested = [](std::size_t depth) {
        // The message and its params are two levels.
        return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" +
               std::string(depth - 2, '[') + std::string(depth - 2, ']') + "}}";
    };
    accept(nested(63));
    accept(nested(64));
    EXPECT_EQ(refuse(nested(65)).reason, Malformed::Reason::not_json);
    EXPECT_EQ(refuse(nested(1'000'000)).reason, Malformed::Reason::not_json);
    EXPECT_EQ(refuse(std::string(1'000'000, '[')).reason, Malformed::Reason::not_json);
}

TEST(Hardening, R11_batches_are_capped) {
    auto batch_of = [](std::size_t count) {
        std::string text = "[";
        for (std::size_t i = 0; i < count; ++i) {
            text += R"({"jsonrpc":"2.0","method":"n"},)";
        }
        text.back() = ']';
        return text;
    };
    accept(batch_of(99), batches);
    accept(batch_of(100), batches);
    EXPECT_EQ(reader.batch().size(), 100U);
    EXPECT_EQ(refuse(batch_of(101), batches).message,
              "a batch holds at most 100 messages, got 101");
    EXPECT_FALSE(refuse(batch_of(100'000), batches).message.empty());
    EXPECT_TRUE(reader.batch().empty());
}

}  // namespace
}  // namespace lanyard::rpc
