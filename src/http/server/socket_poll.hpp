// SocketPoll: notifies the sockets of an executor when they can be read or written.
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

/// A set of sockets, each registered once, in an epoll descriptor for which the executor waits. One
/// wake-up returns all sockets that are ready. Between two requests of a connection nothing has to
/// be armed or cancelled, and a waiting connection takes no memory for it.
///
/// Readiness is reported once (edge-triggered): a member that does not drain its socket must
/// remember that the socket is readable.
///
/// Sockets that are ready at the same time form a round and go through the same steps together: all
/// read, all process their input, all write. Kernel code and the code of this program evict each
/// other from the processor's caches; this way each is loaded only once for all sockets. A round is
/// short, so that no socket waits long for the others. Handlers run between the turns of two
/// sockets, at the shallow point of the loop (see docs/design/loops.md), so another thread may have
/// to continue a round.
class SocketPoll final : public runtime::Round {
public:
    struct Ready {
        bool input;    ///< there is something to read: bytes, the end of the input, or an error
        bool output;   ///< there is room for output
        bool hung_up;  ///< the peer has half-closed the connection; unread bytes may remain
    };
    /// The three steps of a round. A member that leaves the set is skipped in the remaining steps.
    class Member {
    public:
        /// First step: reads. `room` belongs to the member until on_turn() returns.
        virtual void on_ready(Ready ready, std::span<char> room) = 0;
        /// Second step: processes the input that was read.
        virtual void on_turn(TimePoint now) = 0;
        /// Writes.
        virtual void on_round_end(TimePoint now) = 0;

    protected:
        ~Member() = default;
    };

    /// Keeps a socket in the set as long as it exists.
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

    /// Throws boost::system::system_error if no descriptor is left.
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
    runtime::Loop* loop_;             // null if the executor is not a Loop
    std::span<epoll_event> fetched_;  // part of events_; its pointers to members that left are null
    // Progress of the round: the sockets before end_ have read, those before turn_ have processed
    // their input, those before unsent_ have written.
    std::size_t end_ = 0;
    std::size_t turn_ = 0;
    std::size_t unsent_ = 0;
    TimePoint began_;  // when the first socket that has not written yet processed its input
    TimePoint now_;
    std::unique_ptr<char[]> rooms_;
    std::size_t members_ = 0;
    bool waiting_ = false;
};

}  // namespace lanyard::http
