// Message values, and the writer: its output is one line and reads back as the same message.
#include "lanyard/rpc/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jsonrpc/envelope.hpp"
#include "jsonrpc/message_writer.hpp"

namespace lanyard::rpc {
namespace {

RawJson raw(std::string_view text) {
    return RawJson::trusted(std::string(text));
}

std::vector<Message> samples() {
    return {
        Request{1, "ping", {}},
        Request{"a\"\\\n\x01", "tools/call", raw(R"({"name":"x"})")},
        Request{"", "quote \" and \xE2\x80\xA8", raw("{}")},
        Notification{"notifications/progress", raw(R"({"progress":1})")},
        Notification{"n", {}},
        Response{0, raw("{}")},
        Response{INT64_MIN, raw(R"({"a":[1,2]})")},
        ErrorResponse{RequestId("x"), -32601, "no \"such\" method", raw(R"({"method":"y"})")},
        ErrorResponse{RequestId(2), INT64_MAX, "", {}},
        ErrorResponse{std::nullopt, -32700, "bad", raw("null")},
    };
}

TEST(Messages, messages_round_trip) {
    for (auto const& message : samples()) {
        for (auto const missing_id : {MissingId::omit, MissingId::null}) {
            auto const text = serialize(message, missing_id);
            EXPECT_EQ(text.find_first_of("\r\n"), std::string::npos) << text;
            auto const back = parse_message(text);
            ASSERT_TRUE(back) << text << "\n" << back.error().message;
            EXPECT_TRUE(*back == message) << text;
        }
    }
}

TEST(Messages, each_kind_has_its_form) {
    EXPECT_EQ(serialize(Request{1, "ping", {}}), R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    EXPECT_EQ(serialize(Request{"1", "m", raw(R"({"a":1})")}),
              R"({"jsonrpc":"2.0","id":"1","method":"m","params":{"a":1}})");
    EXPECT_EQ(serialize(Notification{"n", raw("{}")}),
              R"({"jsonrpc":"2.0","method":"n","params":{}})");
    EXPECT_EQ(serialize(Response{-7, {}}), R"({"jsonrpc":"2.0","id":-7,"result":{}})");
    EXPECT_EQ(serialize(ErrorResponse{RequestId(3), -32002, "gone", raw(R"({"uri":"a:b"})")}),
              R"({"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"gone",)"
              R"("data":{"uri":"a:b"}}})");
}

TEST(Rule, J07_an_unreadable_id_is_omitted_or_null) {
    ErrorResponse const error{std::nullopt, -32700, "bad", {}};
    EXPECT_EQ(serialize(error), R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}})");
    EXPECT_EQ(serialize(error, MissingId::null),
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}})");
}

TEST(Rule, J12_a_notification_is_written_without_an_id) {
    auto const text = serialize(Notification{"n", {}});
    EXPECT_EQ(text, R"({"jsonrpc":"2.0","method":"n"})");
}

TEST(Rule, S02_no_raw_line_break_is_written) {
    auto const text = serialize(Request{"a\r\nb", "m\n", raw("{\r\n  \"a\" :\n[1,\r2]\n}")});
    EXPECT_EQ(text,
              "{\"jsonrpc\":\"2.0\",\"id\":\"a\\r\\nb\",\"method\":\"m\\n\",\"params\":"
              "{    \"a\" : [1, 2] }}");
    EXPECT_EQ(serialize(ErrorResponse{std::nullopt, 1, "x\ny", raw("[\n]")}),
              R"({"jsonrpc":"2.0","error":{"code":1,"message":"x\ny","data":[ ]}})");
    EXPECT_EQ(serialize(Response{1, raw("{\n}")}), R"({"jsonrpc":"2.0","id":1,"result":{ }})");
}

TEST(Rule, J13_output_is_utf8_for_any_input) {
    auto const text = serialize(ErrorResponse{RequestId("\xff"), 1, "a\xc3", {}});
    EXPECT_TRUE(parse_message(text)) << text;
}

TEST(Writer, an_id_is_echoed_byte_for_byte) {
    EnvelopeReader reader;
    std::string const request = R"({"jsonrpc":"2.0","id":"a\/\u0062","method":"m"})";
    auto const envelope = reader.read(request);
    std::string out;
    append_result(out, *envelope->id, "{}");
    EXPECT_EQ(out, R"({"jsonrpc":"2.0","id":"a\/\u0062","result":{}})");
    out.clear();
    append_error(out, *envelope->id, {-32601, "no such method", {}});
    EXPECT_EQ(out, R"({"jsonrpc":"2.0","id":"a\/\u0062","error":{"code":-32601,)"
                   R"("message":"no such method"}})");
}

TEST(Writer, payloads_can_be_written_in_place) {
    std::string out;
    begin_notification(out, "m");
    out += "{}";
    end_message(out);
    EXPECT_EQ(out, R"({"jsonrpc":"2.0","method":"m","params":{}})");
    out.clear();
    begin_result(out, RequestId("r"));
    out += "{}";
    end_message(out);
    EXPECT_EQ(out, R"({"jsonrpc":"2.0","id":"r","result":{}})");
}

TEST(Writer, nothing_is_allocated_beyond_the_output) {
    std::string out;
    out.reserve(256);
    auto const* const place = out.data();
    append_request(out, RequestId(1), "tools/call", R"({"name":"x"})");
    EXPECT_EQ(out.data(), place);
}

TEST(Messages, a_text_that_is_no_message_is_refused) {
    EXPECT_EQ(parse_message("[]").error().reason, Malformed::Reason::not_message);
    EXPECT_EQ(parse_message("{").error().reason, Malformed::Reason::not_json);
    json::ParseOptions small;
    small.max_bytes = 3;
    EXPECT_EQ(parse_message("{   }", small).error().reason, Malformed::Reason::too_large);
}

TEST(Messages, unknown_members_are_dropped) {
    auto const message = parse_message(
        R"({"jsonrpc":"2.0","x":1,"id":1,"error":{"stack":"s","code":7,"message":"m","y":[]}})");
    EXPECT_TRUE(*message == Message(ErrorResponse{RequestId(1), 7, "m", {}}));
}

TEST(Messages, only_strings_and_integers_are_ids) {
    json::Document document;
    auto id_of = [&](std::string_view text) { return to_id(*document.parse(text)); };
    EXPECT_EQ(id_of("5"), RequestId(5));
    EXPECT_EQ(id_of("\"5\""), RequestId("5"));
    for (auto const* text : {"5.0", "null", "true", "{}", "[]", "18446744073709551615"}) {
        EXPECT_EQ(id_of(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace lanyard::rpc
