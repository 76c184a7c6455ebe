// Acceptor: takes connections from a listening socket, also when descriptors have run out.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <lanyard/time_source.hpp>

#include "sockets/bind.hpp"

namespace lanyard::sockets {

/// Used on one executor. A connection that cannot be had is not the end: with no descriptor left,
/// it keeps one in reserve to turn the client away with, and pauses.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
public:
    /// Gets a non-blocking socket, which it then owns.
    using Take = std::function<void(int socket, PeerName peer)>;
    using Log = std::function<void(std::string_view)>;
    /// A client was turned away for want of descriptors.
    using Drop = std::function<void()>;

    Acceptor(boost::asio::any_io_executor const& executor, transport::Descriptor socket,
             TimeSource& time, Take take, Log log, Drop drop = {});

    void start();
    /// Takes what has already connected, then no more.
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
    bool dry_ = false;  // descriptors have run out, which was logged
};

}  // namespace lanyard::sockets
