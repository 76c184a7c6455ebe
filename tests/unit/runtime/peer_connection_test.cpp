#include "runtime/peer_connection.hpp"

#include <gtest/gtest.h>

#include <functional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/testing/fake_time.hpp"
#include "lanyard/transport/memory.hpp"

namespace lanyard::runtime {
namespace {

using namespace std::chrono_literals;

// Answers every request immediately, or never.
class Owner : public rpc::PeerEvents {
public:
    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override {
        ++requests;
        if (request.method == "never") return;
        if (request.method == "throw") throw std::runtime_error("the owner gives up");
        if (auto* out = connection->peer().begin_result(ticket)) {
            out->append(R"({"method":")").append(request.method).append("\"}");
            connection->peer().end_result();
        }
    }
    void on_notification(rpc::Envelope const&) override {}
    void on_failure(Error const& failure) noexcept override {
        failures.emplace_back(failure.what());
        if (on_failed) on_failed();
    }

    std::vector<std::string> failures;
    std::function<void()> on_failed;
    PeerConnection* connection = nullptr;
    int requests = 0;
};

class Waiter : public rpc::AnswerSink {
public:
    void on_answer(rpc::Answer const& answer) noexcept override {
        ++answers;
        text =
            answer.result ? std::string(answer.result->raw()) : std::string(answer.error->what());
    }
    int answers = 0;
    std::string text;
};

// A transport whose reads return the frame that the test gives it.
class OddTransport : public Transport {
public:
    OddTransport(boost::asio::any_io_executor executor, rpc::Frame frame)
        : executor_(std::move(executor)), frame_(frame) {}
    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        if (reads_++ > 0) throw std::runtime_error("the wire is cut");
        co_return std::span<rpc::Frame const>(&frame_, 1);
    }
    void write_now(rpc::Outbox&) noexcept override {}
    Task<> write(rpc::Outbox&) override {
        throw Error(Errc::transport_down, "nobody reads");
        co_return;
    }
    void close() noexcept override {}
    TransportInfo info() const override { return {}; }

private:
    boost::asio::any_io_executor executor_;
    rpc::Frame frame_;
    int reads_ = 0;
};

// A transport that passes the messages of the test to the sink.
class PushingTransport : public Transport, public TransportExtras {
public:
    explicit PushingTransport(boost::asio::any_io_executor const& executor)
        : executor_(executor), closed_(executor) {}
    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        ++reads;
        while (!ended) co_await closed_.wait();
        co_return std::nullopt;
    }
    void set_sink(rpc::FrameSink& sink) noexcept override { sink_ = &sink; }
    TransportTraits traits() const noexcept override { return {.ends_at_noise = true}; }
    void push(rpc::Frame const& frame, TimePoint received) {
        sink_->on_frames({&frame, 1}, received);
    }
    void write_now(rpc::Outbox& outbox) noexcept override {
        for (; !outbox.empty(); outbox.pop()) sent.emplace_back(outbox.front());
    }
    Task<> write(rpc::Outbox&) override { co_return; }
    void close() noexcept override {
        ended = true;
        closed_.notify();
    }
    TransportInfo info() const override { return {}; }

    std::vector<std::string> sent;
    int reads = 0;
    bool ended = false;

private:
    boost::asio::any_io_executor executor_;
    Event closed_;
    rpc::FrameSink* sink_ = nullptr;
};

// A transport of a user: it delivers one request, and then its input ends.
class EndingTransport final : public Transport {
public:
    EndingTransport(boost::asio::any_io_executor executor, bool half_closes)
        : executor_(std::move(executor)), half_closes_(half_closes) {}
    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        if (reads_++ > 0) co_return std::nullopt;
        co_return std::span<rpc::Frame const>(&frame_, 1);
    }
    Task<> write(rpc::Outbox& outbox) override {
        if (fails) throw Error(Errc::transport_down, "the peer is gone");
        for (; !outbox.empty(); outbox.pop()) sent.emplace_back(outbox.front());
        co_return;
    }
    void close() noexcept override {}
    TransportInfo info() const override { return {}; }
    TransportTraits traits() const noexcept override { return {.half_closes = half_closes_}; }

    std::vector<std::string> sent;
    bool fails = false;

private:
    boost::asio::any_io_executor executor_;
    rpc::Frame frame_{rpc::Frame::Kind::message, R"({"jsonrpc":"2.0","id":1,"method":"later"})"};
    int reads_ = 0;
    bool half_closes_;
};

// Keeps its requests open, also after the input has ended.
class LateOwner final : public Owner {
public:
    void on_request(rpc::Envelope const&, rpc::Ticket request) override { ticket = request; }
    bool on_input_ended() override { return true; }
    void answer() {
        if (auto* out = connection->peer().begin_result(ticket)) {
            out->append("{}");
            connection->peer().end_result();
        }
        connection->flush();
    }

    rpc::Ticket ticket;
};

class PeerConnectionTest : public ::testing::Test {
protected:
    void start(PeerConnection& connection, Owner& owner) {
        owner.connection = &connection;
        boost::asio::co_spawn(context, connection.run(), [this](std::exception_ptr failure) {
            EXPECT_FALSE(failure);
            ++ended;
        });
    }
    void poll() {
        context.restart();
        context.poll();
    }

    boost::asio::io_context context;
    testing::FakeTime time;
    Owner left_owner;
    Owner right_owner;
    int ended = 0;
};

TEST_F(PeerConnectionTest, two_peers_exchange_messages_and_end_together) {
    auto [a, b] = memory_pair(context.get_executor(), context.get_executor());
    PeerConnection left(std::move(a), left_owner, time);
    PeerConnection right(std::move(b), right_owner, time);
    start(left, left_owner);
    start(right, right_owner);
    Waiter answered;
    Waiter pending;
    ASSERT_TRUE(left.peer().request("hello", "", answered, left.now()));
    ASSERT_TRUE(left.peer().request("never", "", pending, left.now()));
    left.flush();
    poll();
    EXPECT_EQ(answered.text, R"({"method":"hello"})");
    EXPECT_EQ(pending.answers, 0);
    left.close();
    left.close();
    poll();
    EXPECT_EQ(ended, 2);
    EXPECT_EQ(pending.text, "shutdown: this side is stopping");
    EXPECT_FALSE(left.failure());
    EXPECT_EQ(right.peer().in_flight(), 1U);  // its handler has not returned yet
}

TEST_F(PeerConnectionTest, a_request_ends_by_itself_when_its_time_is_over) {
    auto [a, b] = memory_pair(context.get_executor(), context.get_executor());
    PeerConnection left(std::move(a), left_owner, time);
    PeerConnection right(std::move(b), right_owner, time);
    start(left, left_owner);
    start(right, right_owner);
    Waiter waiter;
    ASSERT_TRUE(left.peer().request("never", "", waiter, left.now()));
    left.flush();
    poll();
    time.advance(29s);
    poll();
    EXPECT_EQ(waiter.answers, 0);
    time.advance(1s);
    poll();
    EXPECT_EQ(waiter.text, "timeout: no answer in time");
    EXPECT_EQ(right.peer().inbound_counters().cancelled, 1U);
    right.close();
    poll();
    EXPECT_EQ(ended, 2);
}

TEST_F(PeerConnectionTest, writing_waits_for_a_slow_reader) {
    auto [a, b] = memory_pair(context.get_executor(), context.get_executor(), 1);
    PeerConnection left(std::move(a), left_owner, time);
    Owner idle;
    PeerConnection right(std::move(b), idle, time);
    start(left, left_owner);
    for (int i = 0; i < 10; ++i) left.peer().notify("n", "{}");
    left.flush();
    left.flush();
    poll();
    EXPECT_GT(left.unsent_bytes(), 0U);
    start(right, idle);
    poll();
    EXPECT_EQ(left.unsent_bytes(), 0U);
    left.close();
    poll();
    EXPECT_EQ(ended, 2);
}

TEST_F(PeerConnectionTest, a_connection_that_closes_while_a_write_waits_ends) {
    auto [a, b] = memory_pair(context.get_executor(), context.get_executor(), 1);
    PeerConnection left(std::move(a), left_owner, time);
    start(left, left_owner);
    for (int i = 0; i < 10; ++i) left.peer().notify("n", "{}");
    left.flush();
    poll();
    left.close();
    poll();
    EXPECT_EQ(ended, 1);
    EXPECT_FALSE(left.failure());
}

TEST_F(PeerConnectionTest, a_broken_stream_ends_the_connection_with_the_reason) {
    PeerConnection broken(std::make_unique<OddTransport>(
                              context.get_executor(),
                              rpc::Frame{rpc::Frame::Kind::broken, "the header is not a header"}),
                          left_owner, time);
    start(broken, left_owner);
    poll();
    EXPECT_EQ(ended, 1);
    ASSERT_TRUE(broken.failure());
    EXPECT_TRUE(broken.failure()->is(Errc::protocol_violation));
}

TEST_F(PeerConnectionTest, a_message_that_was_read_already_is_not_read_again) {
    rpc::EnvelopeReader reader;
    auto const item = reader.read(R"({"jsonrpc":"2.0","id":1,"method":"never"})");
    rpc::Frame frame{rpc::Frame::Kind::message, "not JSON"};
    frame.envelope = &*item;
    PeerConnection connection(std::make_unique<OddTransport>(context.get_executor(), frame),
                              left_owner, time);
    start(connection, left_owner);
    poll();
    EXPECT_EQ(left_owner.requests, 1);
}

TEST_F(PeerConnectionTest, errors_of_the_transport_are_kept) {
    PeerConnection cut(
        std::make_unique<OddTransport>(context.get_executor(),
                                       rpc::Frame{rpc::Frame::Kind::too_long, "too long"}),
        left_owner, time);
    start(cut, left_owner);
    poll();
    EXPECT_EQ(ended, 1);
    ASSERT_TRUE(cut.failure());
    EXPECT_TRUE(cut.failure()->is(Errc::transport_down));
}

class PushedTest : public PeerConnectionTest {
protected:
    PushedTest() {
        start(connection, left_owner);
        poll();
    }
    void push(std::string_view text, rpc::Frame::Kind kind = rpc::Frame::Kind::message) {
        transport->push({kind, text}, time.now() - 1s);
    }

    PushingTransport* transport = new PushingTransport(context.get_executor());
    PeerConnection connection{std::unique_ptr<Transport>(transport), left_owner, time};
};

TEST_F(PushedTest, pushed_messages_are_answered_in_place) {
    for (int i = 1; i <= 2; ++i) {
        push(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"hello"})");
        ASSERT_EQ(transport->sent.size(), static_cast<std::size_t>(i));
        EXPECT_EQ(transport->sent.back(), R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                                              R"(,"result":{"method":"hello"}})");
    }
    EXPECT_EQ(connection.received(), time.now() - 1s);
    poll();
    EXPECT_EQ(transport->reads, 1) << "the reader goes on waiting";
    connection.close();
    poll();
    EXPECT_EQ(ended, 1);
    EXPECT_FALSE(connection.failure());
}

TEST_F(PushedTest, a_pushed_error_ends_the_connection) {
    push("the header is not a header", rpc::Frame::Kind::broken);
    poll();
    EXPECT_EQ(ended, 1);
    ASSERT_TRUE(connection.failure());
    EXPECT_TRUE(connection.failure()->is(Errc::protocol_violation));
}

// The end is counted before the peer can see it.
TEST_F(PushedTest, a_failure_is_reported_once_before_the_transport_is_closed) {
    for (auto const kind : {rpc::Frame::Kind::message, rpc::Frame::Kind::broken}) {
        Owner owner;
        auto* const pushing = new PushingTransport(context.get_executor());
        PeerConnection failing(std::unique_ptr<Transport>(pushing), owner, time);
        start(failing, owner);
        poll();
        bool closed = true;
        owner.on_failed = [&] { closed = pushing->ended; };
        pushing->push({kind, "this is not JSON"}, time.now());
        EXPECT_FALSE(closed);
        poll();
        EXPECT_TRUE(pushing->ended);
        EXPECT_EQ(owner.failures.size(), 1U);
    }
}

TEST_F(PushedTest, an_owner_that_throws_ends_the_connection) {
    push(R"({"jsonrpc":"2.0","id":1,"method":"throw"})");
    poll();
    EXPECT_EQ(ended, 1);
    ASSERT_TRUE(connection.failure());
    EXPECT_EQ(connection.failure()->message(), "the owner gives up");
}

class HalfClosed : public PeerConnectionTest {
protected:
    EndingTransport* serve(bool half_closes) {
        auto transport = std::make_unique<EndingTransport>(context.get_executor(), half_closes);
        auto* const raw = transport.get();
        connection.emplace(std::move(transport), owner, time);
        start(*connection, owner);
        poll();
        return raw;
    }

    LateOwner owner;
    std::optional<PeerConnection> connection;
};

TEST_F(HalfClosed, a_peer_that_may_still_read_gets_its_answer) {
    auto const* const transport = serve(true);
    EXPECT_EQ(ended, 0);
    owner.answer();
    poll();
    EXPECT_EQ(transport->sent.size(), 1U);
    EXPECT_EQ(ended, 0) << "the owner decides when nothing is left to send";
    connection->close();
    poll();
    EXPECT_EQ(ended, 1);
    EXPECT_FALSE(connection->failure());
}

TEST_F(HalfClosed, a_failed_write_ends_the_connection) {
    serve(true)->fails = true;
    owner.answer();
    poll();
    EXPECT_EQ(ended, 1);
    EXPECT_FALSE(connection->failure());
}

TEST_F(HalfClosed, a_transport_that_cannot_half_close_ends_with_its_input) {
    auto const* const transport = serve(false);
    EXPECT_EQ(ended, 1);
    EXPECT_TRUE(transport->sent.empty());
}

}  // namespace
}  // namespace lanyard::runtime
