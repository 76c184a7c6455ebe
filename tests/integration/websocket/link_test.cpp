// How a WebSocket link writes to its socket: each write arrives as one packet.
#include "http/websocket/websocket_link.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "lanyard/rpc/outbox.hpp"
#include "support/websocket_frames.hpp"

namespace lanyard::test {
namespace {

/// Reads one packet; an empty text if there is none.
std::string read_packet(int descriptor) {
    std::array<char, 4096> bytes{};
    auto const size = ::recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
    return size > 0 ? std::string(bytes.data(), static_cast<std::size_t>(size)) : std::string();
}

TEST(WebSocketLink, queued_messages_leave_in_one_write) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()),
              0);
    boost::asio::io_context context;
    {
        auto const shared = std::make_shared<http::WebSocketShared>(WebSocketOptions(), 4096);
        http::WebSocketLink::Socket socket(
            context, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[0]);
        auto const link = std::make_shared<http::WebSocketLink>(shared, std::move(socket), nullptr,
                                                                real_time(), "test");
        link->accept({.key = "dGhlIHNhbXBsZSBub25jZQ==", .extensions = {}, .protocol = {}}, "");
        EXPECT_TRUE(read_packet(ends[1]).starts_with("HTTP/1.1 101 "));
        rpc::Outbox outbox;
        for (auto const* const text : {"one", "two", "three"}) {
            outbox.begin() += text;
            outbox.end();
        }
        link->write_now(outbox);
        EXPECT_TRUE(outbox.empty());
        auto packet = read_packet(ends[1]);
        std::vector<std::string> texts;
        while (auto const frame = take_frame(packet)) texts.push_back(frame->payload);
        EXPECT_EQ(texts, (std::vector<std::string>{"one", "two", "three"}));
        EXPECT_EQ(read_packet(ends[1]), "");
        link->abandon();
    }
    context.poll();
    ::close(ends[1]);
}

}  // namespace
}  // namespace lanyard::test
