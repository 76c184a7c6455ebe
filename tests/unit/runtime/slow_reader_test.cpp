// Peers that read slowly or not at all (hardening R-10).
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/testing/fake_time.hpp"
#include "runtime/event.hpp"
#include "runtime/peer_connection.hpp"

namespace lanyard::runtime {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mib = 1024 * 1024;

// Accepts as many bytes as the test allows, and never receives anything.
class TricklingTransport final : public Transport {
public:
    explicit TricklingTransport(boost::asio::any_io_executor executor)
        : executor_(std::move(executor)), changed_(executor_) {}

    void allow(std::size_t bytes) {
        room_ += bytes;
        changed_.notify();
    }

    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        while (!closed_) co_await changed_.wait();
        co_return std::nullopt;
    }
    void write_now(rpc::Outbox& outbox) noexcept override {
        auto const taken = std::min(room_, outbox.bytes().size());
        outbox.consume(taken);
        room_ -= taken;
        info_.bytes_out += taken;
    }
    Task<> write(rpc::Outbox& outbox) override {
        for (;;) {
            write_now(outbox);
            if (outbox.empty()) co_return;
            if (closed_) throw Error(Errc::transport_down, "closed");
            co_await changed_.wait();
        }
    }
    void close() noexcept override {
        closed_ = true;
        changed_.notify();
    }
    TransportInfo info() const override { return info_; }

private:
    boost::asio::any_io_executor executor_;
    Event changed_;
    std::size_t room_ = 0;
    bool closed_ = false;
    TransportInfo info_;
};

struct Nobody final : rpc::PeerEvents {
    void on_request(rpc::Envelope const&, rpc::Ticket) override {}
    void on_notification(rpc::Envelope const&) override {}
};

class SlowReaderTest : public ::testing::Test {
protected:
    SlowReaderTest() {
        connection.limit_unsent({});
        boost::asio::co_spawn(context, connection.run(), [this](std::exception_ptr failure) {
            EXPECT_FALSE(failure);
            ended = true;
        });
        poll();
    }
    ~SlowReaderTest() override {
        connection.close();
        poll();
        EXPECT_TRUE(ended);
    }
    void poll() {
        context.restart();
        context.poll();
    }
    void send(std::size_t bytes) {
        connection.peer().notify("n", '"' + std::string(bytes, 'x') + '"');
        connection.flush();
        poll();
    }
    /// Lets the peer read this many bytes, then advances the time.
    void pass(Duration duration, std::size_t taken) {
        transport->allow(taken);
        poll();
        time.advance(duration);
        poll();
    }

    boost::asio::io_context context;
    testing::FakeTime time;
    Nobody events;
    std::unique_ptr<TricklingTransport> owned =
        std::make_unique<TricklingTransport>(context.get_executor());
    TricklingTransport* transport = owned.get();
    PeerConnection connection{std::move(owned), events, time};
    bool ended = false;
};

TEST_F(SlowReaderTest, a_single_large_message_is_delivered_at_any_speed) {
    send(16 * mib);
    for (int i = 0; i < 100; ++i) {
        pass(29s, 160 * 1024);
        ASSERT_FALSE(ended) << i;
    }
    pass(1s, 2 * mib);
    EXPECT_EQ(connection.unsent_bytes(), 0U);
    EXPECT_FALSE(ended);
}

TEST_F(SlowReaderTest, R10_a_peer_that_reads_nothing_is_disconnected_after_half_a_minute) {
    send(2 * mib);
    pass(29s, 0);
    EXPECT_FALSE(ended);
    pass(1s, 0);
    EXPECT_TRUE(ended);
    EXPECT_EQ(connection.failure()->message(), "the peer does not read its input");
}

TEST_F(SlowReaderTest, R10_a_slow_peer_is_disconnected_at_the_hard_limit) {
    send(mib);
    for (int i = 0; i < 9; ++i) send(mib);
    for (int i = 0; i < 4; ++i) {
        pass(1s, 100 * 1024);
        EXPECT_FALSE(ended) << i;
    }
    pass(1s, 100 * 1024);
    EXPECT_TRUE(ended);
    EXPECT_EQ(connection.failure()->message(), "the peer reads too slowly");
}

TEST_F(SlowReaderTest, a_peer_that_keeps_reading_may_have_more_than_the_hard_limit_unsent) {
    for (int i = 0; i < 20; ++i) send(mib);
    for (int i = 0; i < 30; ++i) {
        pass(1s, 2 * mib);
        send(2 * mib);
        ASSERT_FALSE(ended) << i;
    }
}

TEST_F(SlowReaderTest, below_the_hard_limit_the_shorter_timeout_ends) {
    for (int i = 0; i < 10; ++i) send(mib);
    pass(2s, 3 * mib);
    send(10);
    for (int i = 0; i < 20; ++i) {
        pass(1s, 10);
        ASSERT_FALSE(ended) << i;
    }
    // Once everything is read, later messages get the full time again.
    pass(1s, 20 * mib);
    for (int i = 0; i < 10; ++i) send(mib);
    pass(4s, 0);
    EXPECT_FALSE(ended);
}

TEST_F(SlowReaderTest, R10_memory_is_bounded_in_any_case) {
    for (int i = 0; i < 63; ++i) send(mib);
    EXPECT_FALSE(ended);
    send(2 * mib);
    EXPECT_TRUE(ended);
    EXPECT_EQ(connection.failure()->message(), "the peer leaves too much unread");
}

}  // namespace
}  // namespace lanyard::runtime
