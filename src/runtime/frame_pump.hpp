// Lets a transport pass frames to a connection step by step, without a coroutine.
#pragma once

#include <span>

#include "lanyard/rpc/frame.hpp"
#include "runtime/transport_extras.hpp"

namespace lanyard::runtime {

/// Receives frames.
class StepSink {
public:
    /// Starts to take the frames, which are valid until take_more() returns false.
    virtual void begin_frames(std::span<rpc::Frame const> frames) noexcept = 0;
    /// Takes frames. Returns true if a handler is to run before the next frame is taken, false if
    /// all frames are taken.
    virtual bool take_more() noexcept = 0;
    /// Whether the transport should read more. If not, FramePump::read_on() is called later.
    virtual bool wants_more() = 0;

protected:
    ~StepSink() = default;
};

/// A transport that can pass frames to a StepSink.
class FramePump : public TransportExtras {
public:
    FramePump* frame_pump() noexcept final { return this; }
    /// From now on all frames that are read go to the sink; Transport::read() completes only when
    /// the connection ends, with nothing.
    virtual void pump_to(StepSink& sink) = 0;
    /// Resumes reading, after wants_more() has returned false.
    virtual void read_on() noexcept = 0;

protected:
    ~FramePump() = default;
};

}  // namespace lanyard::runtime
