// How a transport gives what it reads to a connection step by step, without a coroutine.
#pragma once

#include <span>

#include "lanyard/rpc/frame.hpp"

namespace lanyard::runtime {

/// Takes frames.
class StepSink {
public:
    /// The frames are valid until take_more() returns false.
    virtual void begin_frames(std::span<rpc::Frame const> frames) noexcept = 0;
    /// True: a handler is to run before the next frame is taken. False: all are taken.
    virtual bool take_more() noexcept = 0;
    /// Whether more is to be read. If not, FramePump::read_on() is called when that has changed.
    virtual bool wants_more() = 0;

protected:
    ~StepSink() = default;
};

/// A transport that can do so.
class FramePump {
public:
    /// From now on all that is read goes to the sink; Transport::read() completes only at the end,
    /// with nothing.
    virtual void pump_to(StepSink& sink) = 0;
    /// The sink wants more again.
    virtual void read_on() noexcept = 0;

protected:
    ~FramePump() = default;
};

}  // namespace lanyard::runtime
