// Connections with a silent peer: when they are closed, and when their owner is woken.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/testing/fake_time.hpp"
#include "runtime/event.hpp"
#include "runtime/peer_connection.hpp"

namespace lanyard::runtime {
namespace {

using namespace std::chrono_literals;

constexpr auto limit = 300s;

// Returns the frames that the test puts there, and otherwise waits.
class SilentTransport final : public Transport {
public:
    explicit SilentTransport(boost::asio::io_context& context)
        : executor_(context.get_executor()), changed_(executor_) {}

    void say(std::string text) {
        text_ = std::move(text);
        changed_.notify();
    }

    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        while (text_.empty() && !closed_) co_await changed_.wait();
        if (closed_) co_return std::nullopt;
        said_ = std::exchange(text_, {});
        frame_.text = said_;
        co_return std::span<rpc::Frame const>(&frame_, 1);
    }
    void write_now(rpc::Outbox& outbox) noexcept override { outbox.clear(); }
    Task<> write(rpc::Outbox& outbox) override {
        outbox.clear();
        co_return;
    }
    void close() noexcept override {
        closed_ = true;
        changed_.notify();
    }
    TransportInfo info() const override { return {}; }
    TransportTraits traits() const noexcept override { return {.idle_limit = limit}; }

private:
    boost::asio::any_io_executor executor_;
    Event changed_;
    std::string text_;
    std::string said_;
    rpc::Frame frame_{rpc::Frame::Kind::message, {}};
    bool closed_ = false;
};

class Idle : public ::testing::Test, public rpc::PeerEvents {
protected:
    Idle() : silent_(new SilentTransport(context_)) {
        connection_ =
            std::make_unique<PeerConnection>(std::unique_ptr<Transport>(silent_), *this, time_);
        boost::asio::co_spawn(context_, connection_->run(),
                              [this](std::exception_ptr) { ended_ = true; });
        poll();
    }

    void on_request(rpc::Envelope const&, rpc::Ticket ticket) override { ticket_ = ticket; }
    void on_notification(rpc::Envelope const&) override {}
    void on_due() override { ++woken_; }

    void poll() {
        context_.restart();
        context_.poll();
    }
    void pass(Duration by) {
        time_.advance(by);
        poll();
    }
    void say(std::string text) {
        silent_->say(std::move(text));
        poll();
    }

    testing::FakeTime time_;
    boost::asio::io_context context_;
    SilentTransport* silent_;
    std::unique_ptr<PeerConnection> connection_;
    std::optional<rpc::Ticket> ticket_;
    int woken_ = 0;
    bool ended_ = false;
};

TEST_F(Idle, a_peer_that_sends_nothing_is_disconnected_at_the_limit) {
    pass(limit - 1ns);
    EXPECT_FALSE(ended_);
    pass(1ns);
    EXPECT_TRUE(ended_);
    EXPECT_TRUE(connection_->failure()->is(Errc::timeout));
}

TEST_F(Idle, every_message_restarts_the_limit) {
    pass(limit - 1ns);
    say(R"({"jsonrpc":"2.0","method":"notifications/a"})");
    pass(limit - 1ns);
    EXPECT_FALSE(ended_);
    pass(1ns);
    EXPECT_TRUE(ended_);
}

TEST_F(Idle, a_connection_with_a_pending_request_is_not_closed) {
    say(R"({"jsonrpc":"2.0","id":1,"method":"a"})");
    ASSERT_TRUE(ticket_);
    pass(2 * limit);
    EXPECT_FALSE(ended_);
    connection_->peer().begin_result(*ticket_)->append("{}");
    connection_->peer().end_result();
    connection_->flush();
    pass(limit);
    pass(limit);
    EXPECT_TRUE(ended_);
}

TEST_F(Idle, its_owner_is_woken_once) {
    connection_->wake_owner_at(time_.now() + 10s);
    pass(10s - 1ns);
    EXPECT_EQ(woken_, 0);
    pass(1ns);
    EXPECT_EQ(woken_, 1);
    pass(20s);
    EXPECT_EQ(woken_, 1);
}

TEST_F(Idle, its_owner_is_woken_at_the_time_set_last) {
    connection_->wake_owner_at(time_.now() + 10s);
    connection_->wake_owner_at(time_.now() + 20s);
    pass(10s);
    EXPECT_EQ(woken_, 0);
    pass(10s);
    EXPECT_EQ(woken_, 1);

    connection_->wake_owner_at(time_.now() + 10s);
    connection_->wake_owner_at(TimePoint::max());
    pass(20s);
    EXPECT_EQ(woken_, 1);
}

TEST_F(Idle, its_owner_is_not_woken_for_a_connection_that_has_ended) {
    connection_->wake_owner_at(time_.now() + limit);
    pass(limit);
    EXPECT_TRUE(ended_);
    EXPECT_EQ(woken_, 0);
}

}  // namespace
}  // namespace lanyard::runtime
