// SocketPoll: notifies the connections of an executor when their sockets can be read or written.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/epoll.h>

#include "lanyard/clock.hpp"
#include "runtime/loop.hpp"

namespace lanyard::http {

/// The sockets of an executor's connections, registered in one epoll descriptor. The executor waits
/// for that descriptor only. One wake-up returns all sockets that are ready. A socket is registered
/// once, for its whole life: between two requests no wait has to be started or cancelled, and an
/// idle connection needs no memory for a wait.
///
/// Readiness is reported once (edge-triggered): a connection that does not read all available input
/// must remember that the socket is readable.
///
/// Sockets that are ready at the same time form a round and go through the same steps together: all
/// read, all process their input, all write. This is faster than serving one socket after the
/// other: the processor switches less often between the kernel's code and the program's code, which
/// evict each other from its caches. Only a few sockets take a step together, so that no socket
/// waits long for the other sockets.
///
/// Handlers run between processing the input of one socket and that of the next one. At that point
/// the stack is almost empty (see "shallow point" in docs/design/loops.md). If a handler blocks,
/// another thread continues the round.
class SocketPoll final : public runtime::Round {
public:
    struct Ready {
        bool input;    ///< reading will return bytes, the end of the input, or an error
        bool output;   ///< the socket accepts output
        bool hung_up;  ///< the peer has half-closed the connection; unread bytes may remain
    };
    /// A connection whose socket is in the set. Its functions are called for the three steps of a
    /// round. If the socket is removed from the set during a round, the remaining steps are
    /// skipped.
    class Member {
    public:
        /// First step: reads input. The buffer `room` may be used until on_turn() returns.
        virtual void on_ready(Ready ready, std::span<char> room) = 0;
        /// Second step: processes the input that was read.
        virtual void on_turn(TimePoint now) = 0;
        /// Third step: writes the output.
        virtual void on_round_end(TimePoint now) = 0;

    protected:
        ~Member() = default;
    };

    /// The registration of a socket: the socket is in the set as long as this object exists.
    class Place {
    public:
        /// Throws boost::system::system_error if the socket cannot be registered.
        Place(std::shared_ptr<SocketPoll> poll, int socket, Member& member);
        ~Place();
        Place(Place const&) = delete;
        Place& operator=(Place const&) = delete;

    private:
        std::shared_ptr<SocketPoll> poll_;
        Member& member_;
        int socket_;
    };

    /// Throws boost::system::system_error if the process has no file descriptor left.
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
    // Null if the executor is not a Loop.
    runtime::Loop* loop_;
    // The part of events_ that is in use. data.ptr is null for sockets that were removed from the
    // set.
    std::span<epoll_event> fetched_;
    // Progress of the round, as indexes into fetched_: the sockets before end_ were read, the input
    // of the sockets before turn_ was processed, and the output of the sockets before unsent_ was
    // written.
    std::size_t end_ = 0;
    std::size_t turn_ = 0;
    std::size_t unsent_ = 0;
    TimePoint began_;  // when the oldest output that is still unwritten was produced
    TimePoint now_;
    std::unique_ptr<char[]> rooms_;
    std::size_t members_ = 0;
    bool waiting_ = false;
};

}  // namespace lanyard::http
