// The WebSocket protocol, case by case, over real sockets.
#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "integration/websocket/raw_websocket.hpp"
#include "lanyard/http/listen.hpp"
#include "support/websocket_cases.hpp"

namespace lanyard::test {
namespace {

// Echoes every message.
struct EchoEndpoint final : Endpoint {
    Task<> serve(std::unique_ptr<Transport> transport) override {
        rpc::Outbox outbox;
        while (auto const frames = co_await transport->read()) {
            for (auto const& frame : *frames) {
                if (frame.kind != rpc::Frame::Kind::message) continue;
                outbox.begin().append(frame.text);
                outbox.end();
            }
            co_await transport->write(outbox);
        }
        transport->close();
        co_await transport->closed();
    }
};

class EchoServer {
public:
    EchoServer()
        : listener_(listen("http://127.0.0.1:0/mcp",
                           HttpServerOptions().mcp(McpHttpOptions().websocket()))) {
        boost::asio::co_spawn(context_, listener_->run(endpoint_), [](std::exception_ptr) {});
        thread_ = std::thread([this] { context_.run(); });
    }
    ~EchoServer() {
        listener_->stop();
        thread_.join();
    }
    std::uint16_t port() const { return listener_->port(); }

private:
    EchoEndpoint endpoint_;
    boost::asio::io_context context_{1};
    std::unique_ptr<UrlListener> listener_;
    std::thread thread_;
};

// Waits for the expected number of answers after each write, so that the answers do not depend on
// how the bytes are split.
void check(EchoServer const& server, WebSocketCase const& expected) {
    RawWebSocket client(server.port());
    ASSERT_TRUE(client.opened());
    std::jthread writer([&] {
        if (expected.code == 0) {
            for (auto const& bytes : expected.writes()) client.client.send(bytes);
        }
    });
    std::vector<std::string> const writes =
        expected.code == 0 ? std::vector<std::string>() : expected.writes();
    std::size_t written = 0;
    std::size_t answered = 0;
    auto const next_answer = [&] {
        auto const frame = client.read();
        ASSERT_TRUE(frame) << "answer " << answered;
        EXPECT_EQ(frame->opcode, expected.answers[answered].opcode);
        EXPECT_TRUE(frame->payload == expected.answers[answered].payload) << "answer " << answered;
        ++answered;
    };
    // If the case ends with an error, the valid part is sent first.
    std::string sent;
    while (written < writes.size() && answered < expected.answers.size()) {
        client.send(writes[written]);
        sent += writes[written++];
        auto rest = sent;
        std::size_t complete = 0;
        while (auto const frame = take_frame(rest)) {
            if (frame->fin && (frame->opcode < opcode::close || frame->opcode == opcode::ping)) {
                ++complete;
            }
        }
        while (answered < std::min(complete, expected.answers.size())) next_answer();
    }
    while (answered < expected.answers.size()) next_answer();
    writer.join();
    for (; written < writes.size(); ++written) client.client.send(writes[written]);
    if (expected.code == 0) client.send(close_frame(1000));
    auto const last = client.read();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->opcode, opcode::close);
    EXPECT_EQ(last->close_code(), expected.code == 0 ? 1000 : expected.code);
    if (expected.code == 1003) client.client.send(close_frame(1003));
    EXPECT_FALSE(client.read());
}

TEST(WebSocketCases, are_answered_as_specified) {
    EchoServer server;
    for (auto const& one : websocket_test_cases()) {
        SCOPED_TRACE(one.id);
        EXPECT_NO_THROW(check(server, one));
    }
}

}  // namespace
}  // namespace lanyard::test
