// The WebSocket protocol, case by case.
#include <gtest/gtest.h>

#include "support/websocket_cases.hpp"
#include "unit/http/websocket/websocket_harness.hpp"

namespace lanyard::test {
namespace {

// Echoes every message and records the sent frames.
class EchoingWebSocket {
public:
    void receive(std::string_view bytes) {
        served.receive(bytes);
        // There may be more messages than one take() returns.
        while (served.connection.has_messages()) {
            auto const frames = served.connection.take(served.now);
            for (auto const& frame : frames) {
                if (frame.kind == rpc::Frame::Kind::message) {
                    served.connection.send(frame.text, served.now);
                }
            }
        }
        for (auto& frame : served.frames()) sent.push_back(std::move(frame));
    }

    ServedWebSocket served;
    std::vector<ReadFrame> sent;
};

void check(WebSocketCase const& expected) {
    EchoingWebSocket echo;
    for (auto const& bytes : expected.writes()) echo.receive(bytes);
    auto& sent = echo.sent;
    if (expected.code == 0) {
        ASSERT_TRUE(echo.served.connection.is_open()) << echo.served.connection.end_reason();
        echo.receive(close_frame(1000));
    } else if (expected.code == 1003) {
        // The connection has started the closing handshake itself.
        echo.receive(close_frame(1003));
    }
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(sent.back().opcode, opcode::close);
    EXPECT_EQ(sent.back().close_code(), expected.code == 0 ? 1000 : expected.code);
    EXPECT_TRUE(echo.served.connection.ending());
    sent.pop_back();
    ASSERT_EQ(sent.size(), expected.answers.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ(sent[i].opcode, expected.answers[i].opcode);
        EXPECT_TRUE(sent[i].payload == expected.answers[i].payload) << "answer " << i;
        EXPECT_TRUE(sent[i].fin);
        EXPECT_FALSE(sent[i].masked);
        EXPECT_EQ(sent[i].reserved, 0U);
    }
}

TEST(WebSocketCases, are_answered_as_specified) {
    for (auto const& one : websocket_test_cases()) {
        SCOPED_TRACE(one.id);
        check(one);
    }
}

TEST(WebSocketCases, have_the_same_answers_byte_by_byte) {
    for (auto one : websocket_test_cases()) {
        if (one.bytes.size() > 5'000) continue;
        SCOPED_TRACE(one.id);
        one.piece = 1;
        check(one);
    }
}

// 6.4: invalid text is refused with the byte that makes it invalid, not at the end of the message.
TEST(WebSocketCases, text_is_refused_as_soon_as_it_is_wrong) {
    using namespace websocket_cases;
    auto const good = from_hex("CEBAE1BDB9CF83CEBCCEB5");
    auto const wrong = from_hex("F4908080");
    auto const rest = from_hex("656469746564");
    {
        EchoingWebSocket echo;
        echo.receive(first_fragment(good));
        EXPECT_TRUE(echo.sent.empty());
        echo.receive(next_fragment(wrong));
        ASSERT_EQ(echo.sent.size(), 1U);
        EXPECT_EQ(echo.sent[0].close_code(), 1007U);
    }
    {
        EchoingWebSocket echo;
        echo.receive(first_fragment(good + wrong.substr(0, 1)));
        EXPECT_TRUE(echo.sent.empty());
        echo.receive(next_fragment(wrong.substr(1, 1)));
        ASSERT_EQ(echo.sent.size(), 1U);
        EXPECT_EQ(echo.sent[0].close_code(), 1007U);
    }
    {
        // The error is in the middle of a frame.
        EchoingWebSocket echo;
        auto const whole = text_frame(good + wrong + rest);
        auto const head = whole.size() - good.size() - wrong.size() - rest.size();
        echo.receive(std::string_view(whole).substr(0, head + good.size()));
        EXPECT_TRUE(echo.sent.empty());
        echo.receive(std::string_view(whole).substr(head + good.size(), wrong.size()));
        ASSERT_EQ(echo.sent.size(), 1U);
        EXPECT_EQ(echo.sent[0].close_code(), 1007U);
    }
}

// RFC 6455, section 5.1: a server closes the connection if a client's frame is not masked; and 5.2:
// lengths are written in the fewest bytes.
TEST(WebSocketCases, frames_have_one_form) {
    for (auto const& bytes :
         {text_frame("x", false), frame({.opcode = opcode::ping, .masked = false}),
          frame({.payload = "x", .length_bytes = 2}), frame({.payload = "x", .length_bytes = 8}),
          frame({.payload = std::string(126, 'x'), .length_bytes = 8}),
          frame({.opcode = opcode::ping, .payload = "x", .length_bytes = 2})}) {
        EchoingWebSocket echo;
        echo.receive(bytes);
        ASSERT_EQ(echo.sent.size(), 1U);
        EXPECT_EQ(echo.sent[0].close_code(), 1002U);
        EXPECT_EQ(echo.served.counters.protocol_errors, 1U);
    }
}

TEST(WebSocketCases, wrong_text_is_counted) {
    EchoingWebSocket echo;
    echo.receive(text_frame("\xFF"));
    EXPECT_EQ(echo.served.counters.invalid_payloads, 1U);
    EchoingWebSocket binary;
    binary.receive(frame({.opcode = opcode::binary, .payload = "x"}));
    EXPECT_EQ(binary.served.counters.binary_messages, 1U);
    EXPECT_EQ(binary.served.counters.protocol_errors, 0U);
}

}  // namespace
}  // namespace lanyard::test
