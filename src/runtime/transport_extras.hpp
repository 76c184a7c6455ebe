// TransportExtras: functions of the library's own transports that Transport does not have.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "jsonrpc/envelope.hpp"
#include "lanyard/transport.hpp"
#include "peer/frame_sink.hpp"

namespace lanyard::runtime {

class FramePump;

/// An optional second base class of a transport, in addition to Transport. All functions are called
/// on the transport's executor.
class TransportExtras {
public:
    /// The transport as a FramePump; null if it does not implement FramePump.
    virtual FramePump* frame_pump() noexcept { return nullptr; }

    /// Sets the sink. While a read() is pending, a transport that receives messages one by one may
    /// pass them directly to the sink, which saves resuming the coroutine that reads. Only a
    /// transport whose write_now() accepts everything may do this, because the sink cannot make
    /// the transport wait while output is queued.
    virtual void set_sink(rpc::FrameSink& /*sink*/) noexcept {}

    /// For transports with TransportTraits::half_closes. Called after the peer has half-closed the
    /// connection. Completes when the peer has closed its receiving direction, too, or close() is
    /// called.
    virtual Task<> hung_up() { co_return; }

    /// Returns the sender of the message with this origin (see rpc::Peer); each request may have a
    /// different sender. Origin 0 means the connection as a whole. Returns null if TransportInfo
    /// contains all information about the sender.
    virtual std::shared_ptr<PeerInfo const> peer_info(std::uint64_t /*origin*/) const {
        return nullptr;
    }

    /// Closes the stream that carries the messages for the request with this origin, although the
    /// request has not ended; the peer reconnects to get the remaining messages. Does nothing if
    /// there is no such stream.
    virtual void release_stream(std::uint64_t /*origin*/) noexcept {}

    /// Returns the message reader that all connections of this executor share to save memory, or
    /// null if each connection has its own. The reader must outlive this object.
    virtual rpc::EnvelopeReader* shared_reader() noexcept { return nullptr; }

    /// If this transport continues a suspended connection (see rpc::FrameSink::suspend()), returns
    /// the state of that connection, otherwise null. Called once, before any other function.
    virtual std::unique_ptr<rpc::Suspended> take_suspended() noexcept { return nullptr; }

    /// Reports how a server has answered the client's `initialize`, before the answer is written:
    /// `version` is the negotiated revision, or nullopt if the handshake was refused.
    virtual void on_handshake(std::optional<Version> /*version*/) noexcept {}

protected:
    ~TransportExtras() = default;
};

/// A transport and its TransportExtras. The constructor finds the TransportExtras with a
/// dynamic_cast.
struct ExtendedTransport {
    template <std::derived_from<Transport> T>
    ExtendedTransport(std::unique_ptr<T> given)
        : transport(std::move(given)), extras(dynamic_cast<TransportExtras*>(transport.get())) {}

    std::unique_ptr<Transport> transport;
    TransportExtras* extras;  ///< null if the transport is not one of the library's own
};

}  // namespace lanyard::runtime
