// SocketPoll: tells the sockets of an executor when they can go on.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/epoll.h>

namespace lanyard::http {

/// A set of sockets, registered once, in an epoll descriptor for which the executor waits. One
/// wake-up brings all that can go on; between two requests of a connection there is nothing to arm
/// or to cancel, and a connection that waits takes no memory for it.
///
/// What has become possible is said once (edge-triggered): who does not use it up has to remember.
class SocketPoll : public std::enable_shared_from_this<SocketPoll> {
public:
    struct Ready {
        bool input;    ///< there is something to read: bytes, the end or an error
        bool output;   ///< there is room for output
        bool hung_up;  ///< the peer has ended its side, perhaps behind bytes that are still unread
    };
    class Member {
    public:
        virtual void on_ready(Ready ready) = 0;

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
    explicit SocketPoll(boost::asio::any_io_executor const& executor);
    SocketPoll(SocketPoll const&) = delete;
    SocketPoll& operator=(SocketPoll const&) = delete;

private:
    void wait();
    void on_wake();

    boost::asio::posix::stream_descriptor set_;
    std::array<epoll_event, 64> events_{};
    std::span<epoll_event> untold_;  // of events_, those whose members have not been told yet
    std::size_t members_ = 0;
    bool waiting_ = false;
};

}  // namespace lanyard::http
