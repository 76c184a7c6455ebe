#include "http/websocket/websocket_connection.hpp"

#include <gtest/gtest.h>

#include "unit/http/websocket/websocket_harness.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

TEST(WebSocketConnection, answers_the_handshake_of_the_specification) {
    ServedWebSocket served;
    EXPECT_TRUE(served.handshake.starts_with("HTTP/1.1 101 Switching Protocols\r\n"));
    EXPECT_NE(served.handshake.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
              std::string::npos);
    EXPECT_NE(served.handshake.find("Sec-WebSocket-Protocol: mcp\r\n"), std::string::npos);
    EXPECT_EQ(served.handshake.find("Sec-WebSocket-Extensions"), std::string::npos);
    EXPECT_EQ(served.handshake.find("Beast"), std::string::npos);
    EXPECT_TRUE(served.connection.is_open());
}

TEST(WebSocketConnection, carries_messages_both_ways) {
    ServedWebSocket served;
    served.receive(text_frame("one") + text_frame("two"));
    EXPECT_EQ(served.messages(), (Texts{"one", "two"}));
    EXPECT_EQ(served.messages(), Texts{});
    served.connection.send("three", served.now);
    served.connection.send("four", served.now);
    auto const sent = served.frames();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].payload, "three");
    EXPECT_EQ(sent[1].payload, "four");
    EXPECT_EQ(sent[1].opcode, opcode::text);
    EXPECT_TRUE(sent[1].fin);
    EXPECT_FALSE(sent[1].masked);
}

TEST(WebSocketConnection, sends_a_large_message_as_one_frame) {
    ServedWebSocket served;
    served.connection.send(std::string(1 << 20, 'x'), served.now);
    auto const sent = served.frames();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].payload.size(), 1U << 20);
}

TEST(WebSocketConnection, reads_a_large_message_in_any_pieces) {
    std::string const text(300'000, 'x');
    for (std::size_t const piece : {1UL, 7UL, 1536UL, 5000UL, 65536UL, 1'000'000UL}) {
        ServedWebSocket served;
        served.receive(text_frame(text), piece);
        EXPECT_EQ(served.messages(), Texts{text}) << piece;
    }
}

TEST(WebSocketConnection, answers_a_close_with_its_code_and_ends) {
    for (unsigned const code : {1000U, 1001U, 1002U, 1003U, 1007U, 1009U, 1011U, 3000U, 4999U}) {
        ServedWebSocket served;
        served.receive(close_frame(code, "bye"));
        EXPECT_EQ(served.closed_with(), code);
        EXPECT_TRUE(served.connection.ending());
        EXPECT_FALSE(served.connection.has_messages());
        EXPECT_EQ(served.connection.end_reason(),
                  "the peer closed the connection: " +
                      http::describe(static_cast<http::CloseCode>(code)) + ": bye");
    }
}

TEST(WebSocketConnection, close_codes_have_names) {
    EXPECT_EQ(http::describe(http::CloseCode::normal), "1000 (normal)");
    EXPECT_EQ(http::describe(http::CloseCode::going_away), "1001 (going away)");
    EXPECT_EQ(http::describe(http::CloseCode::protocol_error), "1002 (protocol error)");
    EXPECT_EQ(http::describe(http::CloseCode::unsupported_data), "1003 (unsupported data)");
    EXPECT_EQ(http::describe(http::CloseCode::no_code), "1005 (no code)");
    EXPECT_EQ(http::describe(http::CloseCode::abnormal), "1006 (abnormal closure)");
    EXPECT_EQ(http::describe(http::CloseCode::invalid_payload), "1007 (invalid payload)");
    EXPECT_EQ(http::describe(http::CloseCode::too_big), "1009 (message too big)");
    EXPECT_EQ(http::describe(http::CloseCode::internal_error), "1011 (internal error)");
    EXPECT_EQ(http::describe(static_cast<http::CloseCode>(4000)), "4000");
}

TEST(WebSocketConnection, closes_with_the_given_code_and_awaits_the_answer) {
    ServedWebSocket served;
    served.connection.close(http::CloseCode::going_away, served.now);
    EXPECT_EQ(served.closed_with(), 1001U);
    EXPECT_FALSE(served.connection.ending());
    EXPECT_FALSE(served.connection.takes_more());
    // Frames that arrive after close() are dropped.
    served.receive(text_frame("late") + frame({.opcode = opcode::ping}) + close_frame(1001));
    EXPECT_TRUE(served.connection.ending());
    EXPECT_FALSE(served.connection.dead());
    EXPECT_EQ(served.frames().size(), 0U);
    EXPECT_FALSE(served.connection.has_messages());
    EXPECT_EQ(served.connection.end_reason(), "");
}

TEST(WebSocketConnection, closes_in_the_middle_of_a_message) {
    ServedWebSocket served;
    auto const message = text_frame(std::string(10'000, 'x'));
    served.receive(message.substr(0, 5'000));
    served.connection.close(http::CloseCode::normal, served.now);
    EXPECT_EQ(served.closed_with(), 1000U);
    served.receive(message.substr(5'000));
    EXPECT_FALSE(served.connection.ending());
    served.receive(close_frame(1000));
    EXPECT_TRUE(served.connection.ending());
}

TEST(WebSocketConnection, waits_for_the_answer_to_a_close_as_long_as_the_limit) {
    ServedWebSocket served(WebSocketOptions().close_timeout(2s));
    served.connection.close(http::CloseCode::normal, served.now);
    served.take_output();
    served.wait(2s - 1ms);
    EXPECT_FALSE(served.connection.dead());
    EXPECT_EQ(served.counters.cut_off, 0U);
    served.wait(1ms);
    EXPECT_TRUE(served.connection.dead());
    EXPECT_EQ(served.counters.cut_off, 1U);
    served.wait(1h);
    EXPECT_EQ(served.counters.cut_off, 1U);
}

TEST(WebSocketConnection, closing_twice_sends_one_close) {
    ServedWebSocket served;
    served.connection.close(http::CloseCode::normal, served.now);
    served.connection.close(http::CloseCode::going_away, served.now);
    EXPECT_EQ(served.closed_with(), 1000U);
}

TEST(WebSocketConnection, an_end_without_a_close_is_an_error) {
    ServedWebSocket served;
    served.receive(text_frame("one"));
    served.connection.end_of_input(served.now);
    EXPECT_TRUE(served.connection.ending());
    EXPECT_EQ(served.messages(), Texts{"one"});
    EXPECT_FALSE(served.connection.has_messages());
    EXPECT_EQ(served.connection.engine().fault_code(), Errc::transport_down);
    EXPECT_EQ(served.connection.engine().code(), http::CloseCode::abnormal);
    EXPECT_NE(served.connection.end_reason(), "");
}

TEST(WebSocketConnection, an_end_after_a_close_is_no_error) {
    ServedWebSocket served;
    served.connection.close(http::CloseCode::normal, served.now);
    served.connection.end_of_input(served.now);
    EXPECT_TRUE(served.connection.ending());
    EXPECT_EQ(served.connection.end_reason(), "");
}

// Limits.

TEST(WebSocketConnection, a_message_may_be_as_long_as_the_limit) {
    for (std::size_t const size : {999UL, 1000UL}) {
        ServedWebSocket served(WebSocketOptions().max_message_bytes(1000));
        served.receive(text_frame(std::string(size, 'x')));
        EXPECT_EQ(served.messages(), Texts{std::string(size, 'x')});
    }
    ServedWebSocket served(WebSocketOptions().max_message_bytes(1000));
    served.receive(text_frame("one") + text_frame(std::string(1001, 'x')));
    EXPECT_EQ(served.closed_with(), 1009U);
    EXPECT_EQ(served.counters.too_big, 1U);
    EXPECT_EQ(served.messages(), Texts{"one"});
    auto const last = served.messages();
    ASSERT_EQ(last.size(), 1U);
    EXPECT_TRUE(last[0].starts_with("broken: "));
    EXPECT_EQ(served.messages(), Texts{});
    EXPECT_EQ(served.connection.engine().fault_code(), Errc::too_large);
}

TEST(WebSocketConnection, a_message_that_is_announced_too_long_is_not_awaited) {
    ServedWebSocket served;
    served.receive(std::string("\x81\xFF\x00\x00\x00\x00\x01\x00\x00\x01", 10) +
                   "\x01\x02\x03\x04");
    EXPECT_EQ(served.closed_with(), 1009U);
    EXPECT_EQ(served.counters.too_big, 1U);
}

TEST(WebSocketConnection, fragments_of_a_message_count_together_for_the_limit) {
    for (std::size_t const last : {499UL, 500UL, 501UL}) {
        ServedWebSocket served(WebSocketOptions().max_message_bytes(1000));
        served.receive(frame({.payload = std::string(500, 'a'), .fin = false}) +
                       frame({.opcode = opcode::continuation, .payload = std::string(last, 'b')}));
        if (last <= 500) {
            EXPECT_EQ(served.messages(), Texts{std::string(500, 'a') + std::string(last, 'b')});
        } else {
            EXPECT_EQ(served.closed_with(), 1009U);
            EXPECT_EQ(served.counters.too_big, 1U);
        }
    }
}

TEST(WebSocketConnection, text_that_is_cut_off_by_an_empty_fragment_is_invalid) {
    auto const end = frame({.opcode = opcode::continuation});
    ServedWebSocket served;
    served.receive(frame({.payload = "\xE2\x82\xAC", .fin = false}) + end);
    EXPECT_EQ(served.messages(), Texts{"\xE2\x82\xAC"});
    served.receive(frame({.payload = "\xE2\x82", .fin = false}) + end);
    EXPECT_EQ(served.closed_with(), 1007U);
    EXPECT_EQ(served.counters.invalid_payloads, 1U);
    EXPECT_EQ(served.counters.binary_messages, 0U);
}

TEST(WebSocketConnection, a_message_may_take_as_long_as_the_limit) {
    auto const begin = frame({.payload = "a", .fin = false});
    auto const end = frame({.opcode = opcode::continuation, .payload = "b"});
    ServedWebSocket quick;
    quick.receive(begin);
    quick.wait(30s - 1ms);
    quick.receive(end);
    EXPECT_EQ(quick.messages(), Texts{"ab"});
    quick.wait(1ms);
    EXPECT_TRUE(quick.connection.is_open());

    ServedWebSocket slow;
    slow.receive(begin);
    slow.wait(15s);
    slow.receive(frame({.opcode = opcode::continuation, .payload = "c", .fin = false}));
    slow.wait(15s);
    EXPECT_EQ(slow.closed_with(), 1009U);
    EXPECT_EQ(slow.counters.too_slow, 1U);
    EXPECT_EQ(slow.counters.too_big, 0U);
    EXPECT_EQ(slow.connection.end_reason(), "a message takes too long");
}

TEST(WebSocketConnection, the_time_of_a_message_begins_with_its_own_first_byte) {
    ServedWebSocket served;
    auto const begin = frame({.payload = "a", .fin = false});
    auto const end = frame({.opcode = opcode::continuation, .payload = "b"});
    served.receive(begin);
    served.wait(20s);
    served.receive(end + begin);
    served.wait(20s);
    served.receive(end);
    EXPECT_EQ(served.messages(), (Texts{"ab", "ab"}));
}

TEST(WebSocketConnection, pings_a_peer_and_accepts_its_pong) {
    ServedWebSocket served;
    served.wait(30s - 1ms);
    EXPECT_EQ(served.frames().size(), 0U);
    served.wait(1ms);
    auto const pings = served.frames();
    ASSERT_EQ(pings.size(), 1U);
    EXPECT_EQ(pings[0].opcode, opcode::ping);
    served.wait(10s - 1ms);
    served.receive(frame({.opcode = opcode::pong, .payload = pings[0].payload}));
    served.wait(1ms);
    EXPECT_TRUE(served.connection.is_open());
    // The next ping is sent one interval after the first.
    served.wait(20s - 1ms);
    EXPECT_EQ(served.frames().size(), 0U);
    served.wait(1ms);
    EXPECT_EQ(served.frames().size(), 1U);
}

TEST(WebSocketConnection, a_peer_without_a_pong_is_closed) {
    ServedWebSocket served;
    served.wait(30s);
    EXPECT_EQ(served.frames().size(), 1U);
    served.receive(frame({.opcode = opcode::pong, .payload = "unasked"}) + text_frame("hello"));
    served.wait(10s - 1ms);
    EXPECT_TRUE(served.connection.is_open());
    served.wait(1ms);
    EXPECT_EQ(served.closed_with(), 1011U);
    EXPECT_EQ(served.counters.pongs_missed, 1U);
    EXPECT_EQ(served.connection.end_reason(), "a ping was not answered");
}

TEST(WebSocketConnection, a_peer_in_the_middle_of_a_frame_cannot_answer_a_ping) {
    ServedWebSocket served(WebSocketOptions().message_timeout(1h));
    auto const message = text_frame(std::string(1000, 'x'));
    served.wait(30s);
    auto const pings = served.frames();
    ASSERT_EQ(pings.size(), 1U);
    served.receive(message.substr(0, 100));
    served.wait(9s);
    served.receive(message.substr(100, 100));
    served.wait(9s);
    EXPECT_TRUE(served.connection.is_open());
    served.receive(message.substr(200) +
                   frame({.opcode = opcode::pong, .payload = pings[0].payload}));
    served.wait(1s);
    EXPECT_TRUE(served.connection.is_open());
    EXPECT_EQ(served.counters.pongs_missed, 0U);
}

TEST(WebSocketConnection, pings_can_be_switched_off) {
    ServedWebSocket served(WebSocketOptions().ping(0s, 10s));
    served.wait(24h);
    EXPECT_EQ(served.frames().size(), 0U);
    EXPECT_EQ(served.connection.next_deadline(), TimePoint::max());
}

TEST(WebSocketConnection, reading_pauses_at_four_fifths_and_continues_when_messages_are_taken) {
    // 80 % of 1000 bytes.
    ServedWebSocket served(WebSocketOptions().max_waiting_bytes(1000));
    served.receive(text_frame(std::string(799, 'a')));
    EXPECT_TRUE(served.connection.wants_input());
    served.receive(text_frame("b") + text_frame("c") + frame({.opcode = opcode::ping}));
    EXPECT_FALSE(served.connection.wants_input());
    EXPECT_EQ(served.counters.reads_paused, 1U);
    EXPECT_EQ(served.frames().size(), 0U);
    // Bytes that were read before the pause are kept.
    served.receive(text_frame("d"));
    EXPECT_EQ(served.messages(), (Texts{std::string(799, 'a'), "b"}));
    EXPECT_TRUE(served.connection.wants_input());
    EXPECT_EQ(served.frames().size(), 1U);
    EXPECT_EQ(served.messages(), (Texts{"c", "d"}));
}

TEST(WebSocketConnection, one_message_may_be_larger_than_the_limit_of_the_queue) {
    ServedWebSocket served(WebSocketOptions().max_waiting_bytes(1000));
    served.receive(text_frame(std::string(5000, 'a')) + text_frame("b"));
    EXPECT_EQ(served.messages(), Texts{std::string(5000, 'a')});
    EXPECT_EQ(served.messages(), Texts{"b"});
}

TEST(WebSocketConnection, a_peer_that_is_not_read_from_need_not_answer_pings) {
    ServedWebSocket served(WebSocketOptions().max_waiting_bytes(10));
    served.receive(text_frame("0123456789"));
    EXPECT_FALSE(served.connection.wants_input());
    served.wait(30s);
    EXPECT_EQ(served.frames().size(), 1U);
    served.wait(1min);
    EXPECT_TRUE(served.connection.is_open());
}

TEST(WebSocketConnection, an_end_is_delivered_after_queued_messages) {
    ServedWebSocket served(WebSocketOptions().max_waiting_bytes(10));
    served.receive(text_frame("0123456789") + text_frame("last") + close_frame(1000));
    served.connection.end_of_input(served.now);
    EXPECT_EQ(served.messages(), Texts{"0123456789"});
    EXPECT_EQ(served.messages(), Texts{"last"});
    EXPECT_TRUE(served.connection.ending());
}

TEST(WebSocketConnection, messages_are_queued_for_a_peer_that_does_not_read) {
    ServedWebSocket served;
    EXPECT_TRUE(served.connection.takes_more());
    std::string const text(1000, 'x');
    while (served.connection.takes_more()) served.connection.send(text, served.now);
    EXPECT_GE(served.connection.output().size(), http::WebSocketConnection::max_unsent);
    EXPECT_LT(served.connection.output().size(),
              http::WebSocketConnection::max_unsent + text.size() + 10);
    served.take_output();
    EXPECT_TRUE(served.connection.takes_more());
}

TEST(WebSocketConnection, a_peer_that_reads_nothing_is_disconnected) {
    ServedWebSocket served(WebSocketOptions().ping(0s, 0s));
    served.wait(1h);
    served.connection.send("hello", served.now);
    served.wait(30s - 1ms);
    EXPECT_FALSE(served.connection.dead());
    served.connection.sent(1, served.now);
    served.wait(30s - 1ms);
    EXPECT_FALSE(served.connection.dead());
    served.wait(1ms);
    EXPECT_TRUE(served.connection.dead());
    EXPECT_EQ(served.counters.cut_off, 1U);
    EXPECT_EQ(served.connection.end_reason(), "the peer does not read its input");
}

TEST(WebSocketConnection, the_time_to_read_can_be_configured) {
    ServedWebSocket served(WebSocketOptions().ping(0s, 0s).write_timeout(3s));
    served.connection.send("hello", served.now);
    served.wait(3s - 1ms);
    EXPECT_FALSE(served.connection.dead());
    served.wait(1ms);
    EXPECT_TRUE(served.connection.dead());
}

TEST(WebSocketConnection, reading_pauses_while_pongs_are_unsent) {
    ServedWebSocket served;
    auto const ping = frame({.opcode = opcode::ping, .payload = std::string(125, 'p')});
    std::size_t pings = 0;
    while (served.connection.wants_input() && pings < 10'000) {
        served.receive(ping);
        ++pings;
    }
    EXPECT_EQ(pings, (http::WebSocketConnection::max_unsent_pongs + 126) / 127);
    served.take_output();
    EXPECT_TRUE(served.connection.wants_input());
}

// The memory of all connections together.

TEST(WebSocketBudget, an_unfinished_message_beyond_the_budget_closes_with_a_code) {
    ServedWebSocket served({}, {}, 1'000'000);
    auto const message = text_frame(std::string(2'000'000, 'x'));
    std::size_t at = 0;
    for (; served.connection.is_open() && at < message.size(); at += 10'000) {
        served.receive(std::string_view(message).substr(at, 10'000));
        ASSERT_LE(served.budget.used(), 1'000'000U);
    }
    EXPECT_GT(at, 400'000U);
    EXPECT_EQ(served.closed_with(), 1013U);
    EXPECT_EQ(served.counters.no_room, 1U);
    EXPECT_EQ(served.budget.used(), 0U) << "its memory is given back at once";
    EXPECT_EQ(http::describe(http::CloseCode::try_again_later), "1013 (try again later)");
    // The peer may still send; nothing of it is kept.
    served.receive(std::string_view(message).substr(at));
    EXPECT_EQ(served.budget.used(), 0U);
    EXPECT_FALSE(served.connection.has_messages());
}

TEST(WebSocketBudget, messages_count_until_they_are_processed) {
    ServedWebSocket served({}, {}, 10'000'000);
    served.receive(text_frame(std::string(500'000, 'x')), 10'000);
    EXPECT_GE(served.budget.used(), 500'000U);
    EXPECT_EQ(served.messages().size(), 1U);
    EXPECT_GE(served.budget.used(), 500'000U);
    served.connection.drop_taken();
    EXPECT_EQ(served.budget.used(), 0U);
}

TEST(WebSocketBudget, small_messages_are_accepted_if_the_budget_is_used_up) {
    ServedWebSocket served({}, {}, 0);
    auto const message = text_frame(std::string(20'000, 'x'));
    served.receive(message, 1'000);
    EXPECT_EQ(served.messages(), Texts{std::string(20'000, 'x')});
    EXPECT_TRUE(served.connection.is_open());
}

// Compression.

TEST(WebSocketConnection, compresses_if_enabled_and_the_peer_supports_it) {
    ServedWebSocket served(WebSocketOptions().deflate(true),
                           "permessage-deflate; client_max_window_bits");
    EXPECT_NE(served.handshake.find("Sec-WebSocket-Extensions: permessage-deflate"),
              std::string::npos);
    std::string const text(10'000, 'x');
    served.connection.send(text, served.now);
    auto const sent = served.frames();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].reserved, 4U);
    EXPECT_LT(sent[0].payload.size(), 1'000U);
    // The other end can read the compressed message.
    served.receive(frame({.payload = sent[0].payload, .reserved = 4}));
    EXPECT_EQ(served.messages(), Texts{text});
}

TEST(WebSocketConnection, the_limit_counts_the_decompressed_message) {
    ServedWebSocket large(WebSocketOptions().deflate(true), "permessage-deflate");
    large.connection.send(std::string(100'000, 'x'), large.now);
    auto const bomb = large.frames().at(0).payload;
    ServedWebSocket served(WebSocketOptions().deflate(true).max_message_bytes(99'999),
                           "permessage-deflate");
    served.receive(frame({.payload = bomb, .reserved = 4}));
    EXPECT_EQ(served.closed_with(), 1009U);
    EXPECT_EQ(served.counters.too_big, 1U);
}

TEST(WebSocketConnection, invalid_compressed_data_closes_with_a_code) {
    for (std::string const& payload :
         {std::string(16, '\xFF'), std::string("not deflate at all"), std::string(1, '\x07')}) {
        ServedWebSocket served(WebSocketOptions().deflate(true), "permessage-deflate");
        served.receive(frame({.payload = payload, .reserved = 4}));
        EXPECT_EQ(served.closed_with(), 1007U);
        EXPECT_EQ(served.counters.invalid_payloads, 1U);
        EXPECT_TRUE(served.connection.ending());
    }
}

TEST(WebSocketConnection, does_not_compress_by_default) {
    ServedWebSocket served({}, "permessage-deflate");
    EXPECT_EQ(served.handshake.find("Sec-WebSocket-Extensions"), std::string::npos);
    served.receive(frame({.payload = "x", .reserved = 4}));
    EXPECT_EQ(served.closed_with(), 1002U);
}

// Both ends.

TEST(WebSocketConnection, a_client_and_a_server_exchange_messages) {
    for (bool const deflate : {false, true}) {
        boost::asio::io_context context;
        auto const options = WebSocketOptions().deflate(deflate);
        http::WebSocketCounters counters;
        ByteBudget budget{SIZE_MAX};
        std::array<char, 1000> scratch{};
        TimePoint const now{};
        http::WebSocketConnection client(context, options, counters, budget, scratch, now);
        client.ask({.host = "a.example",
                    .target = "/mcp/ws",
                    .protocol = "mcp",
                    .headers = {{"X-One", "1"}}},
                   now);
        std::string const asked(client.output());
        client.sent(asked.size(), now);
        EXPECT_TRUE(client.is_opening());
        EXPECT_NE(asked.find("X-One: 1\r\n"), std::string::npos);
        auto const field = [&](std::string const& name) {
            auto const at = asked.find(name + ": ");
            if (at == asked.npos) return std::string();
            auto const begin = at + name.size() + 2;
            return asked.substr(begin, asked.find("\r\n", begin) - begin);
        };
        http::WebSocketConnection server(context, options, counters, budget, scratch, now);
        auto const key = field("Sec-WebSocket-Key");
        auto const extensions = field("Sec-WebSocket-Extensions");
        server.accept({.key = key, .extensions = extensions, .protocol = "mcp"}, now);
        auto const pass = [&](auto& from, auto& to) {
            std::string const bytes(from.output());
            from.sent(bytes.size(), now);
            to.receive(bytes, now);
        };
        pass(server, client);
        ASSERT_TRUE(client.is_open());
        std::string const text(100'000, 'y');
        client.send(text, now);
        pass(client, server);
        auto const got = server.take(now);
        ASSERT_EQ(got.size(), 1U);
        EXPECT_EQ(got[0].text, text);
        server.send(text, now);
        pass(server, client);
        ASSERT_EQ(client.take(now).size(), 1U);
        server.close(http::CloseCode::going_away, now);
        pass(server, client);
        EXPECT_TRUE(client.ending());
        EXPECT_EQ(client.end_reason(), "the peer closed the connection: 1001 (going away)");
        pass(client, server);
        EXPECT_TRUE(server.ending());
    }
}

// A client whose handshake was answered; the given lines are added to the answer.
class AskingWebSocket {
public:
    explicit AskingWebSocket(bool deflate, std::string const& lines = {})
        : options(WebSocketOptions().deflate(deflate)) {
        connection.ask({.host = "a.example", .target = "/", .protocol = "mcp", .headers = {}}, now);
        auto const asked = take_output();
        auto const at = asked.find("Sec-WebSocket-Key: ") + 19;
        auto const key = asked.substr(at, asked.find("\r\n", at) - at);
        http::WebSocketConnection server(context, options, counters, budget, scratch, now);
        server.accept({.key = key, .extensions = {}, .protocol = "mcp"}, now);
        std::string answer(server.output());
        answer.insert(answer.size() - 2, lines);
        connection.receive(answer, now);
    }
    std::string take_output() {
        std::string bytes(connection.output());
        connection.sent(bytes.size(), now);
        return bytes;
    }
    /// The code of the only frame, which must be a masked close frame; otherwise 0.
    unsigned closed_with() {
        auto bytes = take_output();
        auto const sent = take_frames(bytes);
        bool const closes = sent.size() == 1 && sent[0].opcode == opcode::close && sent[0].masked;
        return closes ? sent[0].close_code() : 0;
    }

    boost::asio::io_context context;
    WebSocketOptions options;
    http::WebSocketCounters counters;
    ByteBudget budget{SIZE_MAX};
    std::array<char, 4096> scratch{};
    TimePoint now = TimePoint{} + std::chrono::hours(1);
    http::WebSocketConnection connection{context, options, counters, budget, scratch, now};
};

TEST(WebSocketConnection, a_client_refuses_extensions_that_it_did_not_request) {
    std::string const deflate = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
    EXPECT_TRUE(AskingWebSocket(false).connection.is_open());
    EXPECT_TRUE(AskingWebSocket(true, deflate).connection.is_open());
    for (auto const& [asked, lines] :
         {std::pair(false, deflate), std::pair(true, deflate + deflate),
          std::pair(true, std::string("Sec-WebSocket-Extensions: x-other\r\n")),
          std::pair(true, std::string("Sec-WebSocket-Extensions: ;;\r\n")),
          std::pair(true,
                    std::string("Sec-WebSocket-Extensions: permessage-deflate, x-other\r\n"))}) {
        AskingWebSocket client(asked, lines);
        EXPECT_FALSE(client.connection.is_open()) << lines;
        EXPECT_EQ(client.connection.end_reason(),
                  "the server chose an extension that was not offered");
    }
}

TEST(WebSocketConnection, a_client_closes_with_the_same_codes) {
    AskingWebSocket compressed(true, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    compressed.connection.receive(
        frame({.payload = std::string(16, '\xFF'), .reserved = 4, .masked = false}),
        compressed.now);
    EXPECT_EQ(compressed.closed_with(), 1007U);
    AskingWebSocket plain(false);
    plain.connection.receive(close_frame(1000, "\xFF", false), plain.now);
    EXPECT_EQ(plain.closed_with(), 1007U);
}

}  // namespace
}  // namespace lanyard::test
