// Content-Type and Accept.
#include "http/message/media_type.hpp"

#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

Acceptance accepted(std::initializer_list<std::string_view> values) {
    Fields fields;
    for (auto const value : values) fields.add("Accept", value);
    return read_acceptance(fields);
}

constexpr Acceptance both{true, true};
constexpr Acceptance neither{false, false};
constexpr Acceptance only_json{true, false};
constexpr Acceptance only_stream{false, true};

TEST(MediaType, json_is_json_in_utf8) {
    for (auto const* type :
         {"application/json", "Application/Json", " application/json ", "application/json;",
          "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
          "application/json;charset=utf8", "application/json; a=b; CHARSET=utf-8",
          "application/json;a=\"x;y,z\\\"\""}) {
        EXPECT_TRUE(is_json(type)) << type;
    }
    for (auto const* type : {"",
                             "application",
                             "application/",
                             "/json",
                             "text/plain",
                             "text/json",
                             "application/jsonx",
                             "application/json-rpc",
                             "application/vnd.api+json",
                             "application/json; charset=x",
                             "application/json; charset=utf-16",
                             "text/plain, application/json",
                             "application/json, text/plain",
                             "application/json;charset",
                             "application/json;a=b c",
                             "application/json;=b",
                             "application/json;a=\"b",
                             "application/json;a=\"b\"c",
                             "application/json;a=\"\\",
                             "application/json;a=",
                             "*/*",
                             "multipart/form-data; boundary=x"}) {
        EXPECT_FALSE(is_json(type)) << type;
    }
}

TEST(MediaType, event_streams_are_recognized) {
    EXPECT_TRUE(is_event_stream("text/event-stream"));
    EXPECT_TRUE(is_event_stream("text/Event-Stream; charset=UTF-8"));
    EXPECT_FALSE(is_event_stream("text/event-stream; charset=latin1"));
    EXPECT_FALSE(is_event_stream("text/plain"));
    EXPECT_FALSE(is_event_stream(""));
}

TEST(Accept, an_absent_header_accepts_anything) {
    EXPECT_EQ(accepted({}), both);
}

TEST(Accept, types_are_listed) {
    EXPECT_EQ(accepted({"application/json, text/event-stream"}), both);
    EXPECT_EQ(accepted({"application/json", "text/event-stream"}), both);
    EXPECT_EQ(accepted({"APPLICATION/JSON,text/EVENT-stream"}), both);
    EXPECT_EQ(accepted({"application/json"}), only_json);
    EXPECT_EQ(accepted({"text/event-stream"}), only_stream);
    EXPECT_EQ(accepted({"text/html"}), neither);
    EXPECT_EQ(accepted({""}), neither);
}

TEST(Accept, wildcards_are_accepted) {
    EXPECT_EQ(accepted({"*/*"}), both);
    EXPECT_EQ(accepted({"application/*, text/*"}), both);
    EXPECT_EQ(accepted({"application/*"}), only_json);
    EXPECT_EQ(accepted({"text/html, */*;q=0.1"}), both);
    EXPECT_EQ(accepted({"*/json"}), neither);
}

TEST(Accept, quality_zero_refuses_a_type) {
    EXPECT_EQ(accepted({"application/json;q=0, text/event-stream;q=0.5"}), only_stream);
    EXPECT_EQ(accepted({"*/*, application/json;q=0.000"}), only_stream);
    EXPECT_EQ(accepted({"application/json;q=0, */*"}), only_stream);
    EXPECT_EQ(accepted({"*/*;q=0, application/json"}), only_json);
    EXPECT_EQ(accepted({"text/*;q=0, */*"}), only_json);
    EXPECT_EQ(accepted({"application/json; Q=0.001"}), only_json);
    EXPECT_EQ(accepted({"application/json;q=0;x=y, application/json"}), only_json);
    EXPECT_EQ(accepted({"application/json, application/json;q=0"}), only_json);
}

TEST(Accept, malformed_ranges_are_ignored) {
    EXPECT_EQ(accepted({"json, ;, application/json;q, text/event-stream"}), only_stream);
    EXPECT_EQ(accepted({",,application/json,,"}), only_json);
    EXPECT_EQ(accepted({"text/html;a=\"application/json,text/event-stream\""}), neither);
}

}  // namespace
}  // namespace lanyard::http
