// Information recovered from texts that are not messages, and the repair of payloads.
#include "jsonrpc/salvage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jsonrpc/envelope.hpp"

namespace lanyard::rpc {
namespace {

Remains response(RequestId id) {
    return {Intent::response, std::move(id)};
}
Remains request(RequestId id) {
    return {Intent::request, std::move(id)};
}
Remains const nothing;

TEST(Salvage, the_id_is_found_in_invalid_messages) {
    for (std::string const& result :
         {std::string(R"({"a":NaN})"), std::string("{\"a\":\"\xff\xfe\"}"),
          std::string("{\"a\":\"\n\"}"), std::string(R"({"a":1e400})"), std::string(R"({"a":})"),
          std::string(R"({"a":"\q"})"), std::string(100'000, '[') + std::string(100'000, ']')}) {
        EXPECT_EQ(salvage(R"({"jsonrpc":"2.0","id":7,"result":)" + result + "}"), response(7));
        EXPECT_EQ(salvage(R"({"result":)" + result + R"(,"jsonrpc":"2.0","id":7})"), response(7));
        EXPECT_EQ(salvage(R"({"jsonrpc":"2.0","id":"a","method":"m","params":)" + result + "}"),
                  request("a"));
    }
    EXPECT_EQ(salvage(" \t{ \"id\" : -3 , \"error\" : { } x}"), response(-3));
}

TEST(Salvage, no_id_is_taken_from_a_text_that_is_cut_off) {
    std::string const whole = R"({"id":1,"result":{"content":[{"type":"text","text":"abc"}]},})";
    ASSERT_EQ(salvage(whole), response(1));
    for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
        EXPECT_FALSE(salvage(whole.substr(0, size)).id) << size;
    }
    EXPECT_EQ(salvage(R"({"id":1,"result":{)"), (Remains{Intent::response, {}}));
    EXPECT_EQ(salvage(R"({"id":1,"method":"m",)"), nothing);
}

TEST(Salvage, a_partial_message_gives_the_members_received_so_far) {
    auto const so_far = [](std::string_view text) {
        RemainsScanner scanner;
        scanner.feed(text);
        return scanner.remains();
    };
    EXPECT_EQ(so_far(R"({"id":1,"result":{"content":[{"type":"text","text":"abc)"), response(1));
    EXPECT_EQ(so_far(R"({"id":1)"), nothing) << "more digits may follow";
    EXPECT_EQ(so_far(R"({"id":1,)"), (Remains{Intent::unknown, RequestId(1)}));
    EXPECT_EQ(so_far(R"({"method":"m","params":{)"), nothing);
}

TEST(Salvage, only_members_of_the_message_itself_count) {
    EXPECT_EQ(salvage(R"({"result":{"id":9,"method":"m"},"id":1,})"), response(1));
    EXPECT_EQ(salvage(R"({"result":"{\"id\":9}","id":1,})"), response(1));
    EXPECT_EQ(salvage(R"({"result":["\\","],\"id\":9"],"id":1,})"), response(1));
    EXPECT_EQ(salvage(R"([{"id":1,"result":{}}])"), nothing);
    EXPECT_EQ(salvage(R"(INFO {"id":1,"result":{}})"), nothing);
}

TEST(Salvage, ambiguous_messages_have_no_id) {
    EXPECT_EQ(salvage(R"({"id":1,"id":2,"result":{},})"), (Remains{Intent::response, {}}));
    EXPECT_EQ(salvage(R"({"id":1,"id":null,"result":{},})"), (Remains{Intent::response, {}}));
    EXPECT_EQ(salvage(R"({"id":1,"id":1,"result":{},})"), response(1));
    EXPECT_EQ(salvage(R"({"id":1,"method":"m","result":{},})"), nothing);
    EXPECT_EQ(salvage(R"({"id":1,"id":2,"method":"m",})"), nothing);
}

TEST(Salvage, invalid_ids_are_not_recognised) {
    auto const id_of = [](std::string const& id) {
        return salvage(R"({"result":NaN,"id":)" + id + "}").id;
    };
    for (auto const* id : {"null", "1.0", "1e3", "true", "[1]", "{}", "9223372036854775808", "01",
                           "1x", R"("\u0061")", "NaN", "\"\xff\"", "\"a\nb\""}) {
        EXPECT_FALSE(id_of(id)) << id;
    }
    EXPECT_EQ(id_of("9223372036854775807"), RequestId(INT64_MAX));
    EXPECT_EQ(id_of(R"("")"), RequestId(""));
    auto const longest = std::string(RemainsScanner::max_id_bytes - 2, 'x');
    EXPECT_EQ(id_of("\"" + longest + "\""), RequestId(longest));
    EXPECT_FALSE(id_of("\"" + longest + "x\""));
    EXPECT_FALSE(id_of(std::string(100'000, '1')));
    EXPECT_EQ(salvage("{\"" + std::string(100'000, 'i') + "\":0,\"id\":4,\"result\":NaN}"),
              response(4));
}

TEST(Salvage, a_text_may_be_scanned_in_pieces) {
    std::string const text =
        R"({ "x":[{"id":2}, "\"}"],"jsonrpc":"2.0", "id" : 17 ,"result":{"a":"\\"},})";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        RemainsScanner scanner;
        for (std::size_t at = 0; at < text.size(); at += size) {
            scanner.feed(std::string_view(text).substr(at, size));
        }
        EXPECT_EQ(scanner.remains(), response(17)) << size;
    }
}

TEST(Salvage, the_scanner_reports_when_it_is_done) {
    RemainsScanner scanner;
    scanner.feed(R"({"jsonrpc":"2.0","id":1,"res)");
    EXPECT_FALSE(scanner.settled());
    scanner.feed(R"(ult":{)");
    EXPECT_TRUE(scanner.settled());
    RemainsScanner noise;
    noise.feed("warning: ");
    EXPECT_TRUE(noise.settled());
    RemainsScanner late;
    late.feed(R"({"result":{"a":1},"jsonrpc":"2.0")");
    EXPECT_FALSE(late.settled());
    late.feed(R"(,"id":1})");
    EXPECT_TRUE(late.settled());
}

std::string repaired(std::string_view text) {
    std::string out;
    return repair_payload(text, out) ? out : "unchanged";
}

TEST(Repair, lone_surrogates_become_replacement_characters) {
    auto const with = [](std::string_view characters) {
        return R"({"id":1,"result":{"text":")" + std::string(characters) + R"("}})";
    };
    EXPECT_EQ(repaired(with(R"(Hello \ud83d)")), with(R"(Hello \ufffd)"));
    EXPECT_EQ(repaired(with(R"(\uDE00 x)")), with(R"(\ufffd x)"));
    EXPECT_EQ(repaired(with(R"(\ud83d\ud83d\ude00)")), with(R"(\ufffd\ud83d\ude00)"));
    EXPECT_EQ(repaired(with(R"(\ud83d\u0041\\ud83d\ud83d\\)")),
              with(R"(\ufffd\u0041\\ud83d\ufffd\\)"));
    EXPECT_EQ(repaired(with(R"(\ud83d\ude00\n\u0041\\ud83d)")), "unchanged");
    EXPECT_EQ(repaired(with(R"(\ud8)")), "unchanged");
    EXPECT_EQ(repaired(with(R"(\q\ud83g\)")), "unchanged");
}

TEST(Repair, large_integers_become_real_numbers) {
    auto const with = [](std::string_view number) {
        return R"({"method":"m","params":{"n":[)" + std::string(number) + "]}}";
    };
    for (auto const* number :
         {"18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"}) {
        EXPECT_EQ(repaired(with(number)), with(std::string(number) + ".0"));
    }
    for (auto const* number : {"18446744073709551615", "-9223372036854775808", "1e400", "1.5",
                               "01234567890123456789012", "12345678901234567890x"}) {
        EXPECT_EQ(repaired(with(number)), "unchanged") << number;
    }
    EXPECT_EQ(repaired(with(std::string(400, '9'))), "unchanged") << "beyond a double";
}

TEST(Repair, nothing_is_replaced_outside_of_payloads) {
    for (
        auto const* text : {
            R"({"id":"\ud83d","result":{}})",
            R"({"id":123456789012345678901234567890,"result":{}})",
            R"({"id":1,"method":"\ud83d"})",
            R"({"id":1,"error":{"code":1,"message":"\ud83d"}})",
            R"({"id":1,"result":"\ud83d"})",
            R"({"id":1,"result":["\ud83d"]})",
            R"({"id":1,"x":{"params":{"a":"\ud83d"}}})",
            R"({"id":1,"result":{"\ud83d":1}})",
            R"({"id":1,"result":{"a":{"b":[{"\ud83d" : 1}]}}})",
            R"({"id":1,"params":{"cursor":"\ud83d"}})",
            R"({"id":1,"params":{"c\u0075rsor":"\ud83d"}})",
            R"({"id":1,"result":{"nextCursor":"\ud83d"}})",
            R"({"id":1,"params":{"requestId":123456789012345678901234567890}})",
            R"({"id":1,"params":{"requestState":"\ud83d"}})",
            R"({"id":1,"params":{"taskId":"\ud83d"}})",
            R"({"id":1,"result":{"task":{"taskId":"\ud83d"}}})",
            R"({"id":1,"params":{"progressToken":123456789012345678901234567890}})",
            R"({"id":1,"params":{"_meta":{"progressToken":"\ud83d"}}})",
            R"({"id":1,"params":{"_meta":{"progressToken":123456789012345678901234567890}}})",
            R"({"method":"m","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"\ud83d"}}})",
        }) {
        EXPECT_EQ(repaired(text), "unchanged") << text;
    }
}

TEST(Repair, ids_and_cursors_inside_payloads_are_ordinary_members) {
    EXPECT_EQ(repaired(R"({"params":{"arguments":{"cursor":"\ud83d","id":"\ud83d"}}})"),
              R"({"params":{"arguments":{"cursor":"\ufffd","id":"\ufffd"}}})");
    EXPECT_EQ(repaired(R"({"params":{"_meta":{"x":{"progressToken":"\ud83d"},"y":"\ud83d"}}})"),
              R"({"params":{"_meta":{"x":{"progressToken":"\ufffd"},"y":"\ufffd"}}})");
    EXPECT_EQ(repaired(R"({"params":{"name":"\ud83d","a":[["\ud83d"],{},"\ud83d"]},"id":1})"),
              R"({"params":{"name":"\ufffd","a":[["\ufffd"],{},"\ufffd"]},"id":1})");
}

TEST(Repair, the_messages_of_a_batch_are_repaired) {
    EXPECT_EQ(repaired(R"([{"id":1,"result":{"a":"\ud83d"}},{"id":2,"result":{"a":"\ud83d"}}])"),
              R"([{"id":1,"result":{"a":"\ufffd"}},{"id":2,"result":{"a":"\ufffd"}}])");
}

TEST(Repair, any_text_is_accepted) {
    for (auto const* text :
         {"", "{", "}", "]", "[[[", "\"", "\"\\", "{\"", "{\"a\":\"\\u", "{\"params\":{\"a\":\"\\",
          "{\"params\":{\"a\":\"\\ud83d", "-", "1", "{\"params\":{\"a\":-", ",,,::", "}}}{{{"}) {
        std::string out;
        repair_payload(text, out);
    }
    std::string out;
    EXPECT_FALSE(repair_payload(R"({"params":{"a":"\ud83d","b":)" + std::string(100'000, '['), out))
        << "deeper than any reader accepts";
}

// The envelope reader with such payloads.

TEST(TolerantReading, a_payload_is_read_and_passed_on_with_replacement_characters) {
    EnvelopeReader reader;
    std::string const text =
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"x \ud83d","n":36893488147419103232}})";
    auto const item = reader.read(text);
    ASSERT_TRUE(item) << item.error().message;
    EXPECT_EQ(item->params->find("a")->as_string(), "x \xEF\xBF\xBD");
    EXPECT_EQ(item->params->find("n")->as_double(), 36893488147419103232.0);
    auto const passed_on = std::string(item->params->raw());
    json::Document strict;
    EXPECT_TRUE(strict.parse(passed_on)) << passed_on;
}

TEST(TolerantReading, an_error_of_text_that_cannot_be_repaired_has_its_id) {
    EnvelopeReader reader;
    for (std::string const text : {
             R"({"jsonrpc":"2.0","id":5,"result":{"\ud83d":1}})",
             R"({"jsonrpc":"2.0","id":5,"result":{"n":1e400}})",
             R"({"jsonrpc":"2.0","id":5,"result":{"a":"\ud83d","n":1e400}})",
             R"({"jsonrpc":"2.0","id":5,"result":{"nextCursor":"\ud83d"}})",
             R"({"jsonrpc":"2.0","id":5,"result":{"a":"\ud83d","b":1,"b":2}})",
             R"({"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"\ud83d"}})",
         }) {
        auto const item = reader.read(text);
        ASSERT_FALSE(item) << text;
        EXPECT_EQ(item.error().id, RequestId(5)) << text;
        EXPECT_EQ(item.error().intent, Intent::response) << text;
    }
    auto const id = reader.read(R"({"jsonrpc":"2.0","id":"\ud83d","method":"m"})");
    ASSERT_FALSE(id);
    EXPECT_FALSE(id.error().id);
}

TEST(TolerantReading, repair_does_not_make_two_keys_equal) {
    EnvelopeReader reader;
    EXPECT_FALSE(reader.read(R"({"jsonrpc":"2.0","method":"m","params":{"\ud83d":1,"\ufffd":2}})"));
}

TEST(TolerantReading, the_strict_reader_stays_strict) {
    json::Document document;
    EXPECT_FALSE(document.parse(R"({"params":{"a":"\ud83d"}})"));
    EXPECT_FALSE(document.parse(R"({"params":{"a":18446744073709551616}})"));
}

}  // namespace
}  // namespace lanyard::rpc
