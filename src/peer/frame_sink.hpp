// FrameSink: receives the frames of a connection, and can suspend the connection.
#pragma once

#include <memory>
#include <span>

#include "lanyard/clock.hpp"
#include "lanyard/rpc/frame.hpp"

namespace lanyard::rpc {

/// The state of a suspended connection. A later connection continues from it, and the peer does not
/// notice the suspension.
class Suspended {
public:
    virtual ~Suspended() = default;
};

/// Receives the frames of a connection through function calls. This is cheaper than
/// Transport::read(), which has to resume a waiting coroutine.
class FrameSink {
public:
    /// The frames are valid only until on_frames() returns.
    virtual void on_frames(std::span<Frame const> frames, TimePoint received) noexcept = 0;
    /// Suspends an idle connection: returns the state from which a later connection can continue.
    /// The caller must then close this connection. Returns null if the connection cannot be
    /// suspended, for example because requests are in progress.
    virtual std::unique_ptr<Suspended> suspend() { return nullptr; }

protected:
    ~FrameSink() = default;
};

}  // namespace lanyard::rpc
