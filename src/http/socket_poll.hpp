// SocketPoll: tells the sockets of an executor when they can go on.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/epoll.h>

#include <lanyard/clock.hpp>

#include "runtime/loop.hpp"

namespace lanyard::http {

/// A set of sockets, registered once, in an epoll descriptor for which the executor waits. One
/// wake-up brings all that can go on; between two requests of a connection there is nothing to arm
/// or to cancel, and a connection that waits takes no memory for it.
///
/// What has become possible is said once (edge-triggered): who does not use it up has to remember.
///
/// Sockets that can go on at the same time go through the same steps together: all read, all deal
/// with what they have read, all write. The kernel's code and this program's displace each other
/// from the processor's caches; so each is fetched once for all of them. A round is short, so that
/// nobody waits long for what the others do. Handlers run between the turns of two sockets, at the
/// shallow point of the loop, so that another thread may have to continue a round.
class SocketPoll final : public runtime::Round {
public:
    struct Ready {
        bool input;    ///< there is something to read: bytes, the end or an error
        bool output;   ///< there is room for output
        bool hung_up;  ///< the peer has ended its side, perhaps behind bytes that are still unread
    };
    /// The three steps of a round. Who leaves the set is left out of those that follow.
    class Member {
    public:
        /// Reads. The room is the member's until on_turn() returns.
        virtual void on_ready(Ready ready, std::span<char> room) = 0;
        /// Deals with what was read.
        virtual void on_turn(TimePoint now) = 0;
        /// Writes.
        virtual void on_round_end(TimePoint now) = 0;

    protected:
        ~Member() = default;
    };

    /// A socket that is in the set as long as this exists.
    class Place {
    public:
        /// Throws boost::system::system_error.
        Place(std::shared_ptr<SocketPoll> poll, int socket, Member& member);
        ~Place();
        Place(Place const&) = delete;
        Place& operator=(Place const&) = delete;

    private:
        std::shared_ptr<SocketPoll> poll_;
        Member& member_;
        int socket_;
    };

    /// Throws boost::system::system_error where there is no descriptor left.
    SocketPoll(boost::asio::any_io_executor const& executor, Clock const& clock);
    SocketPoll(SocketPoll const&) = delete;
    SocketPoll& operator=(SocketPoll const&) = delete;

private:
    void wait(std::shared_ptr<SocketPoll> self);
    void fetch(std::shared_ptr<SocketPoll> self);
    bool step() override;
    void read_all();
    void write_all(std::size_t end);
    Member* member(std::size_t i) const noexcept {
        return static_cast<Member*>(fetched_[i].data.ptr);
    }

    boost::asio::posix::stream_descriptor set_;
    Clock const& clock_;
    std::array<epoll_event, 64> events_{};
    runtime::Loop* loop_;             // null where the executor is somebody else's
    std::span<epoll_event> fetched_;  // of events_; without a member where that has left
    // Where the round is: sockets up to end_ have read, up to turn_ had their turn, up to unsent_
    // written.
    std::size_t end_ = 0;
    std::size_t turn_ = 0;
    std::size_t unsent_ = 0;
    TimePoint began_;  // when the first of those who have not written had its turn
    TimePoint now_;
    std::unique_ptr<char[]> rooms_;
    std::size_t members_ = 0;
    bool waiting_ = false;
};

}  // namespace lanyard::http
