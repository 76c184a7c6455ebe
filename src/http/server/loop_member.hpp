// LoopMember: one connection of a ServerLoop, of any protocol. Upgrade: switches an HTTP connection
// to another protocol.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>

#include "http/server/connection_counts.hpp"
#include "lanyard/clock.hpp"
#include "runtime/descriptors.hpp"
#include "sockets/tls_engine.hpp"

namespace lanyard::http {

class ServerLoop;

/// One connection. The derived class must call ServerLoop::remove() when the connection has ended.
class LoopMember {
public:
    /// `counted` is the place of the connection in the counts of its listener. It is empty for a
    /// member that has no connection of its own.
    explicit LoopMember(ConnectionCounts::Place counted = {}) : counted_(std::move(counted)) {}
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

protected:
    ConnectionCounts::Place take_count() noexcept { return std::move(counted_); }

private:
    friend class ServerLoop;

    ConnectionCounts::Place counted_;
    std::list<std::shared_ptr<LoopMember>>::iterator place_{};
};

/// A connection that leaves its loop or switches to another protocol, with everything that is
/// needed to continue it.
struct LeavingConnection {
    std::shared_ptr<ServerLoop> loop;
    transport::Descriptor socket;
    std::unique_ptr<sockets::TlsEngine> tls;  ///< null if the connection does not use TLS
    ConnectionCounts::Place counted;
    std::string peer;    ///< "192.0.2.1:49152"
    std::string unread;  ///< bytes received after the last HTTP request, without TLS
    unsigned moves = 0;  ///< how often the connection has moved to another loop
};

/// Continues a connection with another protocol after HTTP.
class Upgrade {
public:
    virtual ~Upgrade() = default;
    /// Takes over the connection. Called once. The returned object replaces the HTTP connection in
    /// the loop. If it is null, the connection has left the loop.
    virtual std::shared_ptr<LoopMember> take(LeavingConnection departure) = 0;
    /// Called once, after the loop has added the object that take() returned.
    virtual void start() = 0;
};

}  // namespace lanyard::http
