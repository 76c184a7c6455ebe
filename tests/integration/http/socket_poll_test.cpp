// SocketPoll: which sockets are notified of which events, in which order.
#include "http/server/socket_poll.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/testing/fake_time.hpp"
#include "runtime/descriptors.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// Sockets that record the order of their notifications by name: to read ("a?"), to process the
/// input ("a") and to write ("a!").
class SocketPollTest : public ::testing::Test {
protected:
    class Socket final : public SocketPoll::Member {
    public:
        Socket(SocketPollTest& test, std::string name) : test_(test), name_(std::move(name)) {
            int ends[2];
            EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
            own_ = transport::Descriptor(ends[0]);
            peer_ = transport::Descriptor(ends[1]);
            place_.emplace(test_.poll_, own_.get(), *this);
        }
        void write() { EXPECT_EQ(::write(peer_.get(), name_.data(), name_.size()), size()); }
        void leave() { place_.reset(); }

        Duration takes{};              // how long it processes its input
        Socket* ends_first = nullptr;  // leaves the set when this one reads
        Socket* ends = nullptr;        // leaves the set in the turn of this one

    private:
        ssize_t size() const { return static_cast<ssize_t>(name_.size()); }
        void on_ready(SocketPoll::Ready ready, std::span<char> room) override {
            // The first notification only reports that there is room for output.
            if (!ready.input) return;
            EXPECT_EQ(::read(own_.get(), room.data(), room.size()), size());
            read_ = {room.data(), name_.size()};
            test_.told_.push_back(name_ + "?");
            if (ends_first != nullptr) ends_first->leave();
        }
        void on_turn(TimePoint now) override {
            EXPECT_EQ(now, test_.time_.now());
            if (read_.empty()) return;
            EXPECT_EQ(read_, name_) << "what was read is still there";
            test_.told_.push_back(name_);
            test_.time_.advance(takes);
            if (ends != nullptr) ends->leave();
        }
        void on_round_end(TimePoint) override {
            if (!read_.empty()) test_.told_.push_back(name_ + "!");
            read_ = {};
        }

        std::string_view read_;
        SocketPollTest& test_;
        std::string name_;
        transport::Descriptor own_;
        transport::Descriptor peer_;
        std::optional<SocketPoll::Place> place_;
    };

    /// Writes to all sockets, runs the loop and returns the recorded notifications.
    std::vector<std::string> tell(std::vector<Socket*> const& sockets) {
        context_.poll();
        told_.clear();
        for (auto* const socket : sockets) socket->write();
        context_.poll();
        return told_;
    }

    boost::asio::io_context context_;
    lanyard::testing::FakeTime time_;
    std::shared_ptr<SocketPoll> poll_ =
        std::make_shared<SocketPoll>(context_.get_executor(), time_);
    std::vector<std::string> told_;
};

TEST_F(SocketPollTest, all_sockets_of_a_round_take_each_step_together) {
    Socket a(*this, "a");
    Socket b(*this, "b");
    Socket c(*this, "c");
    EXPECT_THAT(tell({&a, &b, &c}), ElementsAre("a?", "b?", "c?", "a", "b", "c", "a!", "b!", "c!"));
    EXPECT_THAT(tell({&b}), ElementsAre("b?", "b", "b!"));
}

TEST_F(SocketPollTest, no_socket_waits_long_for_others_before_it_writes) {
    Socket a(*this, "a");
    Socket b(*this, "b");
    Socket c(*this, "c");
    a.takes = 60us;
    b.takes = 60us;
    EXPECT_THAT(tell({&a, &b, &c}), ElementsAre("a?", "b?", "c?", "a", "b", "a!", "b!", "c", "c!"));
    a.takes = 1ms;
    b.takes = 10us;
    EXPECT_THAT(tell({&a, &b, &c}), ElementsAre("a?", "b?", "c?", "a", "a!", "b", "c", "b!", "c!"));
}

TEST_F(SocketPollTest, a_round_has_at_most_sixteen_sockets) {
    std::vector<std::unique_ptr<Socket>> sockets;
    std::vector<Socket*> all;
    for (int i = 0; i < 20; ++i) {
        sockets.push_back(std::make_unique<Socket>(*this, std::to_string(i)));
        all.push_back(sockets.back().get());
    }
    auto const told = tell(all);
    ASSERT_EQ(told.size(), 60U);
    EXPECT_EQ(told[15], "15?");
    EXPECT_EQ(told[16], "0");
    EXPECT_EQ(told[47], "15!");
    EXPECT_EQ(told[48], "16?");
    EXPECT_EQ(told[59], "19!");
}

TEST_F(SocketPollTest, sockets_that_have_left_are_not_called) {
    Socket a(*this, "a");
    Socket b(*this, "b");
    Socket c(*this, "c");
    Socket d(*this, "d");
    b.ends = &d;
    b.ends_first = &c;
    EXPECT_THAT(tell({&a, &b, &c, &d}), ElementsAre("a?", "b?", "d?", "a", "b", "a!", "b!"));
    b.ends = &a;
    EXPECT_THAT(tell({&a, &b}), ElementsAre("a?", "b?", "a", "b", "b!"));
}

}  // namespace
}  // namespace lanyard::http
