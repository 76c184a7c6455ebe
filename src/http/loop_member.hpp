// LoopMember: a connection among those of a ServerLoop, whatever it speaks; and how one that has
// spoken HTTP becomes another.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>

#include <lanyard/clock.hpp>

#include "sockets/tls_engine.hpp"
#include "transport/descriptors.hpp"

namespace lanyard::http {

class ServerLoop;

/// Leaves the loop by ServerLoop::remove() when it ends.
class LoopMember {
public:
    explicit LoopMember(std::string address) : address_(std::move(address)) {}
    virtual ~LoopMember() = default;
    LoopMember(LoopMember const&) = delete;
    LoopMember& operator=(LoopMember const&) = delete;

    /// Time has passed; called about once a second.
    virtual void tick(TimePoint now) = 0;
    /// The server stops: ends once nothing is under way.
    virtual void stop() = 0;
    /// Ends at once.
    virtual void close() noexcept = 0;

    /// Of the peer, without its port.
    std::string const& address() const noexcept { return address_; }

private:
    friend class ServerLoop;

    std::string address_;
    std::list<std::shared_ptr<LoopMember>>::iterator place_{};
};

/// What is left of a connection once HTTP has ended on it.
struct Departure {
    std::shared_ptr<ServerLoop> loop;
    transport::Descriptor socket;
    std::unique_ptr<sockets::TlsEngine> tls;  ///< null: plain
    std::string address;
    std::string peer;    ///< "192.0.2.1:49152"
    std::string unread;  ///< what the peer has sent behind its last request
};

/// Goes on with a connection after HTTP.
class Upgrade {
public:
    virtual ~Upgrade() = default;
    /// Called once; the member then has the connection's place in the loop.
    virtual std::shared_ptr<LoopMember> take(Departure departure) = 0;
    /// Called once it has that place.
    virtual void start() = 0;
};

}  // namespace lanyard::http
