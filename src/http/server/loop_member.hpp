// LoopMember: one connection of a ServerLoop, of any protocol. Upgrade: switches an HTTP connection
// to another protocol.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>

#include "lanyard/clock.hpp"
#include "runtime/descriptors.hpp"
#include "sockets/tls_engine.hpp"

namespace lanyard::http {

class ServerLoop;

/// One connection. The derived class must call ServerLoop::remove() when the connection has ended.
class LoopMember {
public:
    explicit LoopMember(std::string address) : address_(std::move(address)) {}
    virtual ~LoopMember() = default;
    LoopMember(LoopMember const&) = delete;
    LoopMember& operator=(LoopMember const&) = delete;

    /// Called about once a second.
    virtual void tick(TimePoint now) = 0;
    /// Called when the server stops, once no HTTP reply is pending. The connection must end by
    /// itself soon.
    virtual void stop() = 0;
    /// Closes the connection at once.
    virtual void close() noexcept = 0;

    /// The peer's address without its port.
    std::string const& address() const noexcept { return address_; }

private:
    friend class ServerLoop;

    std::string address_;
    std::list<std::shared_ptr<LoopMember>>::iterator place_{};
};

/// A connection on which HTTP has ended, with everything that the next protocol needs.
struct LeavingConnection {
    std::shared_ptr<ServerLoop> loop;
    transport::Descriptor socket;
    std::unique_ptr<sockets::TlsEngine> tls;  ///< null if the connection does not use TLS
    std::string address;
    std::string peer;    ///< "192.0.2.1:49152"
    std::string unread;  ///< bytes received after the last HTTP request
};

/// Continues a connection with another protocol after HTTP.
class Upgrade {
public:
    virtual ~Upgrade() = default;
    /// Takes over the connection. Called once. The returned object replaces the HTTP connection in
    /// the loop.
    virtual std::shared_ptr<LoopMember> take(LeavingConnection departure) = 0;
    /// Called once, after the loop has added the object that take() returned.
    virtual void start() = 0;
};

}  // namespace lanyard::http
