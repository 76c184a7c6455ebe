// FrameSink: receives the frames of a connection, and suspends the connection.
#pragma once

#include <memory>
#include <span>

#include "lanyard/clock.hpp"
#include "lanyard/rpc/frame.hpp"

namespace lanyard::rpc {

/// The state of a suspended connection, from which it is resumed without the peer noticing.
class Suspended {
public:
    virtual ~Suspended() = default;
};

/// Receives frames in a direct call; unlike Transport::read(), no waiting coroutine has to be
/// resumed.
class FrameSink {
public:
    /// The frames are valid during the call.
    virtual void on_frames(std::span<Frame const> frames, TimePoint received) noexcept = 0;
    /// For a transport whose peer is idle: returns the state from which another connection can
    /// resume. This connection must then be closed. Returns null if requests are in progress.
    virtual std::unique_ptr<Suspended> rest() { return nullptr; }

protected:
    ~FrameSink() = default;
};

}  // namespace lanyard::rpc
