#include "sockets/byte_channel.hpp"

#include <array>
#include <deque>
#include <optional>

#include <gmock/gmock.h>

#include "runtime/descriptors.hpp"
#include "support/certificates.hpp"

namespace lanyard::sockets {
namespace {

// The socket of a test. Each call takes the next planned step; if there is none, it fails with
// EAGAIN.
struct FakeSocket {
    struct Step {
        int error = 0;
        std::string bytes{};      // what receive() returns; empty: the end of the input
        std::size_t accepts = 0;  // number of bytes that send() takes
    };

    void arrives(std::string bytes) { input.push_back({.bytes = std::move(bytes)}); }
    void input_fails(int error) { input.push_back({.error = error}); }
    void input_ends() { input.push_back({}); }
    void accepts(std::size_t bytes) { room.push_back({.accepts = bytes}); }
    void output_fails(int error) { room.push_back({.error = error}); }

    std::deque<Step> input;
    std::deque<Step> room;
    std::string sent;
    int receives = 0;
    int sends = 0;
    int half_closes = 0;
    std::size_t sent_at_half_close = 0;
};

FakeSocket* fake = nullptr;

struct FakeCalls {
    static std::optional<FakeSocket::Step> next(std::deque<FakeSocket::Step>& steps) {
        if (steps.empty()) {
            errno = EAGAIN;
            return std::nullopt;
        }
        auto step = std::move(steps.front());
        steps.pop_front();
        errno = step.error;
        if (step.error != 0) return std::nullopt;
        return step;
    }
    static ssize_t receive(int /*socket*/, std::span<char> room) {
        ++fake->receives;
        auto const step = next(fake->input);
        if (!step) return -1;
        auto const size = std::min(step->bytes.size(), room.size());
        std::copy_n(step->bytes.data(), size, room.data());
        if (size < step->bytes.size()) {
            fake->input.push_front({.bytes = step->bytes.substr(size)});
        }
        return static_cast<ssize_t>(size);
    }
    static ssize_t peek(int /*socket*/, std::span<char> /*room*/) {
        return fake->input.empty() || fake->input.front().bytes.empty() ? -1 : 1;
    }
    static ssize_t send(int /*socket*/, std::string_view bytes) {
        ++fake->sends;
        auto const step = next(fake->room);
        if (!step) return -1;
        auto const size = std::min(step->accepts, bytes.size());
        fake->sent += bytes.substr(0, size);
        return static_cast<ssize_t>(size);
    }
    static void half_close(int /*socket*/) {
        ++fake->half_closes;
        fake->sent_at_half_close = fake->sent.size();
    }
};

using Channel = BasicByteChannel<FakeCalls>;
using Input = Channel::Input;
using Output = Channel::Output;

class ByteChannelTest : public ::testing::Test {
protected:
    ByteChannelTest() { fake = &socket_; }
    ~ByteChannelTest() override { fake = nullptr; }

    std::string_view receive(Channel& channel) { return channel.receive(room_); }

    FakeSocket socket_;
    std::array<char, 8> room_{};
};

using Receiving = ByteChannelTest;
using Sending = ByteChannelTest;

TEST_F(Receiving, short_read_means_that_the_socket_has_no_more_bytes) {
    Channel channel(0);
    socket_.arrives("12345");
    EXPECT_EQ(receive(channel), "12345");
    EXPECT_EQ(channel.input(), Input::drained);
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(socket_.receives, 1);
    socket_.arrives("6");
    channel.on_readable();
    EXPECT_EQ(channel.input(), Input::available);
    EXPECT_EQ(receive(channel), "6");
}

TEST_F(Receiving, full_buffer_means_that_there_may_be_more_bytes) {
    Channel channel(0);
    socket_.arrives("1234567890");
    EXPECT_EQ(receive(channel), "12345678");
    EXPECT_EQ(channel.input(), Input::available);
    EXPECT_EQ(receive(channel), "90");
    EXPECT_EQ(channel.input(), Input::drained);
}

TEST_F(Receiving, socket_without_bytes_is_drained) {
    Channel channel(0);
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(channel.input(), Input::drained);
    EXPECT_TRUE(channel.is_input_open());
    EXPECT_EQ(channel.input_error(), 0);
}

TEST_F(Receiving, interrupted_read_is_repeated) {
    Channel channel(0);
    socket_.input_fails(EINTR);
    socket_.input_fails(EINTR);
    socket_.arrives("12");
    EXPECT_EQ(receive(channel), "12");
    EXPECT_EQ(socket_.receives, 3);
}

TEST_F(Receiving, end_of_input_is_final) {
    Channel channel(0);
    socket_.input_ends();
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(channel.input(), Input::ended);
    EXPECT_FALSE(channel.is_input_open());
    channel.on_readable();
    EXPECT_EQ(channel.input(), Input::ended);
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(socket_.receives, 1);
    EXPECT_EQ(channel.output(), Output::open);
}

TEST_F(Receiving, reset_is_a_failure_with_its_error) {
    Channel channel(0);
    socket_.input_fails(ECONNRESET);
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(channel.input(), Input::failed);
    EXPECT_FALSE(channel.is_input_open());
    EXPECT_EQ(channel.input_error(), ECONNRESET);
    EXPECT_EQ(channel.output_error(), 0);
}

TEST_F(Receiving, after_a_hang_up_the_end_of_the_input_is_read_at_once) {
    Channel channel(0);
    channel.on_hang_up();
    socket_.arrives("12");
    socket_.input_ends();
    EXPECT_EQ(receive(channel), "12");
    EXPECT_EQ(channel.input(), Input::available);
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(channel.input(), Input::ended);
}

TEST_F(Receiving, after_a_hang_up_a_socket_without_bytes_is_drained) {
    Channel channel(0);
    channel.on_hang_up();
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(channel.input(), Input::drained);
}

TEST_F(Receiving, ended_input_is_not_read) {
    Channel channel(0);
    socket_.arrives("12");
    EXPECT_TRUE(channel.has_unread());
    channel.end_input();
    EXPECT_EQ(receive(channel), "");
    EXPECT_EQ(channel.input(), Input::ended);
    EXPECT_TRUE(channel.has_unread());
}

TEST_F(Receiving, without_tls_bytes_are_passed_on_unchanged) {
    Channel channel(0);
    std::string plaintext;
    std::string taken;
    channel.unwrap("12", plaintext, [&](std::string_view text) { taken += text; });
    EXPECT_EQ(taken, "12");
}

TEST_F(Sending, partial_writes_are_continued) {
    Channel channel(0);
    socket_.accepts(2);
    socket_.accepts(1);
    socket_.accepts(9);
    EXPECT_EQ(channel.send("12345"), 5u);
    EXPECT_EQ(socket_.sent, "12345");
    EXPECT_EQ(channel.output(), Output::open);
    EXPECT_EQ(channel.bytes_sent(), 5u);
}

TEST_F(Sending, full_socket_is_not_tried_again_before_it_is_writable) {
    Channel channel(0);
    socket_.accepts(3);
    EXPECT_EQ(channel.send("12345"), 3u);
    EXPECT_EQ(channel.output(), Output::full);
    EXPECT_EQ(channel.send("45"), 0u);
    EXPECT_EQ(socket_.sends, 2);
    channel.on_writable();
    socket_.accepts(2);
    EXPECT_EQ(channel.send("45"), 2u);
    EXPECT_EQ(socket_.sent, "12345");
    EXPECT_EQ(channel.bytes_sent(), 5u);
}

TEST_F(Sending, interrupted_write_is_repeated) {
    Channel channel(0);
    socket_.output_fails(EINTR);
    socket_.accepts(2);
    EXPECT_EQ(channel.send("12"), 2u);
    EXPECT_EQ(socket_.sends, 2);
}

TEST_F(Sending, failure_is_final_and_keeps_its_error) {
    Channel channel(0);
    socket_.accepts(1);
    socket_.output_fails(EPIPE);
    EXPECT_EQ(channel.send("12"), 1u);
    EXPECT_EQ(channel.output(), Output::failed);
    EXPECT_EQ(channel.output_error(), EPIPE);
    EXPECT_EQ(channel.input_error(), 0);
    channel.on_writable();
    EXPECT_EQ(channel.send("2"), 0u);
    EXPECT_FALSE(channel.end());
    EXPECT_EQ(socket_.sends, 2);
    EXPECT_EQ(socket_.half_closes, 0);
}

TEST_F(Sending, half_close_ends_the_output_and_not_the_input) {
    Channel channel(0);
    EXPECT_TRUE(channel.end());
    EXPECT_EQ(channel.output(), Output::ended);
    EXPECT_TRUE(channel.end());
    channel.end_now();
    EXPECT_EQ(socket_.half_closes, 1);
    EXPECT_EQ(channel.send("12"), 0u);
    EXPECT_EQ(socket_.sends, 0);
    socket_.arrives("34");
    EXPECT_EQ(receive(channel), "34");
}

// Two connected sockets of the system.
class RealSockets : public ::testing::Test {
protected:
    void SetUp() override {
        std::array<int, 2> pair{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
        here_ = transport::Descriptor(pair[0]);
        there_ = transport::Descriptor(pair[1]);
    }

    transport::Descriptor here_;
    transport::Descriptor there_;
    std::array<char, 65536> room_{};
};

TEST_F(RealSockets, full_socket_is_writable_again_after_the_peer_has_read) {
    ByteChannel channel(here_.get());
    ByteChannel peer(there_.get());
    std::string const text(4'000'000, 'x');
    auto const taken = channel.send(text);
    EXPECT_GT(taken, 0u);
    EXPECT_LT(taken, text.size());
    EXPECT_EQ(channel.output(), ByteChannel::Output::full);
    std::size_t received = 0;
    while (received < taken) {
        auto const bytes = peer.receive(room_);
        ASSERT_FALSE(bytes.empty());
        received += bytes.size();
        peer.on_readable();
    }
    EXPECT_EQ(peer.receive(room_), "");
    EXPECT_EQ(peer.input(), ByteChannel::Input::drained);
    channel.on_writable();
    EXPECT_EQ(channel.send("end"), 3u);
    peer.on_readable();
    EXPECT_EQ(peer.receive(room_), "end");
}

TEST_F(RealSockets, half_closed_connection_still_carries_the_other_direction) {
    ByteChannel channel(here_.get());
    ByteChannel peer(there_.get());
    EXPECT_TRUE(channel.end());
    EXPECT_EQ(peer.receive(room_), "");
    EXPECT_EQ(peer.input(), ByteChannel::Input::ended);
    EXPECT_EQ(peer.send("answer"), 6u);
    EXPECT_TRUE(channel.has_unread());
    EXPECT_EQ(channel.receive(room_), "answer");
    EXPECT_FALSE(channel.has_unread());
}

TEST_F(RealSockets, peer_that_closes_with_unread_bytes_resets_the_connection) {
    ByteChannel channel(here_.get());
    channel.send("unread");
    there_ = transport::Descriptor();  // closes the socket
    EXPECT_EQ(channel.receive(room_), "");
    EXPECT_EQ(channel.input(), ByteChannel::Input::failed);
    EXPECT_EQ(channel.input_error(), ECONNRESET);
    EXPECT_EQ(channel.send("more"), 0u);
    EXPECT_EQ(channel.output_error(), EPIPE);
}

TEST_F(RealSockets, closed_channel_uses_no_other_socket) {
    ByteChannel channel(here_.get());
    ByteChannel peer(there_.get());
    peer.send("12");
    channel.close();
    EXPECT_EQ(channel.receive(room_), "");
    EXPECT_EQ(channel.input(), ByteChannel::Input::failed);
    EXPECT_EQ(channel.input_error(), EBADF);
    EXPECT_EQ(channel.send("12"), 0u);
    EXPECT_EQ(channel.output(), ByteChannel::Output::failed);
}

// A channel of a server with TLS, and the engine of its client.
class SecureChannel : public ByteChannelTest {
protected:
    static void SetUpTestSuite() {
        files_ = std::make_unique<test::Certificates>();
        server_ = files_->issue("server", "server", "DNS:localhost");
    }
    static void TearDownTestSuite() { files_.reset(); }

    static std::unique_ptr<TlsEngine> server_engine() {
        return std::make_unique<TlsEngine>(
            TlsContext::server({server_.certificate, server_.key, ""}).value());
    }
    static TlsContext client_context() {
        TlsClientRules rules;
        rules.authorities = files_->authority();
        return TlsContext::client(rules).value();
    }

    // Delivers the client's output to the channel.
    void to_server() {
        channel_.on_readable();
        socket_.arrives(std::string(client_.output()));
        client_.consume(client_.output().size());
        std::array<char, 4096> room;
        for (auto bytes = channel_.receive(room); !bytes.empty(); bytes = channel_.receive(room)) {
            channel_.unwrap(bytes, plaintext_, [&](std::string_view text) { at_server_ += text; });
        }
    }
    // Delivers what the channel has sent to the client.
    void to_client() {
        client_.receive(std::exchange(socket_.sent, {}));
        std::string piece;
        while (client_.read(piece)) at_client_ += piece;
    }
    void shake_hands() {
        client_.start();
        to_server();
        socket_.accepts(100'000);
        channel_.flush();
        to_client();
        to_server();
        socket_.accepts(100'000);
        channel_.flush();
        to_client();
        ASSERT_EQ(client_.state(), TlsEngine::State::open);
        ASSERT_EQ(channel_.tls()->state(), TlsEngine::State::open);
        ASSERT_FALSE(channel_.has_unsent());
        socket_.room.clear();
    }

    static inline std::unique_ptr<test::Certificates> files_;
    static inline test::Certificates::Identity server_;
    Channel channel_{0, server_engine()};
    TlsEngine client_{client_context(), "localhost"};
    std::string plaintext_;
    std::string at_server_;
    std::string at_client_;
};

TEST_F(SecureChannel, carries_text_both_ways) {
    shake_hands();
    client_.write("ping");
    to_server();
    EXPECT_EQ(at_server_, "ping");
    EXPECT_EQ(channel_.input(), Input::drained);
    socket_.accepts(100'000);
    EXPECT_EQ(channel_.send("pong"), 4u);
    to_client();
    EXPECT_EQ(at_client_, "pong");
}

TEST_F(SecureChannel, handshake_waits_for_room_and_then_for_input) {
    client_.start();
    to_server();
    EXPECT_EQ(channel_.send("too early"), 0u);
    EXPECT_EQ(channel_.output(), Output::full);
    EXPECT_TRUE(channel_.has_unsent());
    channel_.on_writable();
    socket_.accepts(10);
    EXPECT_FALSE(channel_.flush());
    EXPECT_EQ(channel_.output(), Output::full);
    channel_.on_writable();
    socket_.accepts(100'000);
    EXPECT_TRUE(channel_.flush());
    EXPECT_EQ(channel_.output(), Output::open);
    EXPECT_EQ(channel_.input(), Input::drained);
    EXPECT_EQ(channel_.tls()->state(), TlsEngine::State::handshake);
    to_client();
    to_server();
    EXPECT_EQ(channel_.tls()->state(), TlsEngine::State::open);
}

TEST_F(SecureChannel, bytes_taken_while_the_socket_is_full_are_sent_later) {
    shake_hands();
    EXPECT_EQ(channel_.send("pong"), 4u);
    EXPECT_EQ(channel_.output(), Output::full);
    EXPECT_TRUE(channel_.has_unsent());
    EXPECT_EQ(channel_.send("more"), 0u);
    channel_.on_writable();
    socket_.accepts(100'000);
    EXPECT_EQ(channel_.send(""), 0u);
    EXPECT_FALSE(channel_.has_unsent());
    to_client();
    EXPECT_EQ(at_client_, "pong");
}

TEST_F(SecureChannel, large_text_is_taken_completely_if_the_socket_accepts_it) {
    shake_hands();
    std::string const text(1'000'000, 'x');
    for (int i = 0; i < 100; ++i) socket_.accepts(50'000);
    EXPECT_EQ(channel_.send(text), text.size());
    EXPECT_FALSE(channel_.has_unsent());
    to_client();
    EXPECT_EQ(at_client_, text);
}

TEST_F(SecureChannel, large_text_is_taken_in_part_if_the_socket_is_full) {
    shake_hands();
    std::string const text(1'000'000, 'x');
    auto const taken = channel_.send(text);
    EXPECT_GT(taken, 0u);
    EXPECT_LT(taken, 200'000u);
    EXPECT_EQ(channel_.output(), Output::full);
}

TEST_F(SecureChannel, close_notify_ends_the_input) {
    shake_hands();
    client_.write("last");
    client_.end();
    to_server();
    EXPECT_EQ(at_server_, "last");
    EXPECT_EQ(channel_.input(), Input::ended);
}

TEST_F(SecureChannel, end_of_input_without_close_notify_is_a_cut) {
    shake_hands();
    socket_.input_ends();
    channel_.on_readable();
    EXPECT_EQ(receive(channel_), "");
    EXPECT_EQ(channel_.input(), Input::cut);
}

TEST_F(SecureChannel, bytes_that_are_not_tls_are_a_failure_with_an_alert_to_send) {
    std::string const junk = "GET / HTTP/1.1\r\n\r\n";
    channel_.unwrap(junk, plaintext_, [&](std::string_view text) { at_server_ += text; });
    EXPECT_EQ(channel_.input(), Input::tls_failed);
    EXPECT_EQ(at_server_, "");
    EXPECT_NE(channel_.tls()->fault(), "");
    EXPECT_EQ(channel_.send("12"), 0u);
    EXPECT_EQ(channel_.output(), channel_.has_unsent() ? Output::full : Output::open);
}

TEST_F(SecureChannel, half_close_waits_until_the_close_notify_was_sent) {
    shake_hands();
    EXPECT_FALSE(channel_.end());
    EXPECT_EQ(channel_.output(), Output::full);
    EXPECT_EQ(socket_.half_closes, 0);
    auto const unsent = channel_.tls()->output().size();
    EXPECT_FALSE(channel_.end());
    channel_.on_writable();
    socket_.accepts(1);
    EXPECT_FALSE(channel_.end());
    channel_.on_writable();
    socket_.accepts(100'000);
    EXPECT_TRUE(channel_.end());
    EXPECT_EQ(channel_.output(), Output::ended);
    EXPECT_EQ(socket_.half_closes, 1);
    // One close_notify, although end() was called several times.
    EXPECT_EQ(socket_.sent_at_half_close, unsent);
    to_client();
    EXPECT_EQ(client_.state(), TlsEngine::State::ended);
}

TEST_F(SecureChannel, half_close_at_once_does_not_wait_for_room) {
    shake_hands();
    channel_.end_now();
    EXPECT_EQ(channel_.output(), Output::ended);
    EXPECT_EQ(socket_.half_closes, 1);
    EXPECT_EQ(socket_.sent, "");
}

TEST_F(SecureChannel, tls_continues_with_the_next_user_of_the_socket) {
    shake_hands();
    Channel next(0, channel_.take_tls());
    socket_.accepts(100'000);
    EXPECT_EQ(next.send("pong"), 4u);
    to_client();
    EXPECT_EQ(at_client_, "pong");
}

}  // namespace
}  // namespace lanyard::sockets
