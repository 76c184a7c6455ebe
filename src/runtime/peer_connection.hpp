// PeerConnection: a rpc::Peer on a Transport. Reads, writes and keeps time; what the messages mean
// is the owner's business.
#pragma once

#include <memory>

#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"
#include "rpc/peer.hpp"
#include "runtime/event.hpp"

namespace lanyard::runtime {

/// All functions are called on the transport's executor. The object must live until run() has
/// completed.
class PeerConnection {
public:
    PeerConnection(std::unique_ptr<Transport> transport, rpc::PeerEvents& events, TimeSource& time,
                   rpc::PeerOptions const& options = {});

    rpc::Peer& peer() noexcept { return peer_; }
    Transport& transport() noexcept { return *transport_; }
    TimePoint now() const noexcept { return time_.now(); }

    /// Reads and dispatches until the connection ends, for whatever reason. When it completes,
    /// every request of either side has ended, the transport is closed and released. Does not
    /// throw; failure() tells why it ended where that was not orderly.
    Task<> run();

    /// Sends what the peer has put into the outbox. To be called after using peer() outside of the
    /// callbacks of PeerEvents. A second send while one is waiting joins it.
    void flush();

    /// Ends the connection after what is in the outbox was sent, as far as that needs no waiting.
    void close(rpc::Outcome outcome = rpc::Outcome::shutdown) noexcept;

    /// Whether messages still go out and are still taken.
    bool is_open() const noexcept { return !closed_; }
    std::optional<Error> const& failure() const noexcept { return failure_; }
    /// Bytes that wait because the peer does not read.
    std::size_t unsent_bytes() const noexcept { return outbox_.bytes().size(); }

private:
    Task<> read_all();
    Task<> write_all();
    void take(rpc::Frame const& frame);
    void on_alarm();
    void rearm();

    std::unique_ptr<Transport> transport_;
    TimeSource& time_;
    rpc::Outbox outbox_;
    rpc::Peer peer_;
    std::unique_ptr<Alarm> alarm_;
    Event writer_done_;
    std::optional<Error> failure_;
    rpc::Outcome outcome_ = rpc::Outcome::connection_lost;
    bool writing_ = false;
    bool closed_ = false;
};

}  // namespace lanyard::runtime
