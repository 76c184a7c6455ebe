// Lets a transport pass frames to a connection step by step, without a coroutine.
#pragma once

#include <span>

#include "lanyard/rpc/frame.hpp"
#include "runtime/transport_extras.hpp"

namespace lanyard::runtime {

/// Receives frames and processes them step by step, so that handlers can run between two frames.
class StepSink {
public:
    /// Starts to process frames, which must stay valid until take_more() returns false.
    virtual void begin_frames(std::span<rpc::Frame const> frames) noexcept = 0;
    /// Processes frames. Returns true if a handler must run before the next frame is processed. In
    /// this case, take_more() is called again after that handler. Returns false when all frames
    /// have been processed.
    virtual bool take_more() noexcept = 0;
    /// Whether the transport should read more now. If not, the sink calls FramePump::read_on() when
    /// the transport should continue to read.
    virtual bool wants_more() = 0;

protected:
    ~StepSink() = default;
};

/// A transport that can pass frames to a StepSink.
class FramePump : public TransportExtras {
public:
    FramePump* frame_pump() noexcept final { return this; }
    /// From now on the transport passes all frames to the sink. Transport::read() returns no more
    /// frames and completes only when the connection ends.
    virtual void pump_to(StepSink& sink) = 0;
    /// Resumes reading, after wants_more() has returned false.
    virtual void read_on() noexcept = 0;

protected:
    ~FramePump() = default;
};

}  // namespace lanyard::runtime
