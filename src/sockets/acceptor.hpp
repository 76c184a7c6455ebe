// Acceptor: accepts connections from a listening socket, even when descriptors have run out.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "lanyard/time_source.hpp"
#include "sockets/bind.hpp"

namespace lanyard::sockets {

/// Used on one executor. A failed accept() does not stop the acceptor: if the process has no
/// descriptor left, the acceptor closes a reserved descriptor to accept and disconnect one client,
/// then pauses.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
public:
    /// Called with each accepted socket, which is non-blocking and owned by the callee.
    using Take = std::function<void(int socket, PeerName peer)>;
    using Log = std::function<void(std::string_view)>;
    /// Called after a client was disconnected because no descriptor was left.
    using Drop = std::function<void()>;

    Acceptor(boost::asio::any_io_executor const& executor, transport::Descriptor socket,
             TimeSource& time, Take take, Log log, Drop drop = {});

    void start();
    /// Accepts the connections that already wait in the socket's queue, then closes the socket.
    void stop() noexcept;

private:
    void wait();
    void accept_all();
    bool accept_one();
    void run_dry(int error);

    boost::asio::posix::stream_descriptor socket_;
    transport::Descriptor reserve_;
    TimeSource& time_;
    Take take_;
    Log log_;
    Drop drop_;
    std::unique_ptr<Alarm> alarm_;
    bool stopped_ = false;
    bool dry_ = false;  // descriptors have run out, and the shortage was logged
};

}  // namespace lanyard::sockets
