// PumpedTransport: base of transports over byte streams; passes frames to a sink without a
// coroutine.
#pragma once

#include <memory>
#include <span>

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include "lanyard/error.hpp"
#include "lanyard/transport.hpp"
#include "runtime/event.hpp"
#include "runtime/frame_pump.hpp"
#include "runtime/loop.hpp"

namespace lanyard::transport {

/// Reads and processes input in rounds of the loop. Handlers run between the steps of a round, when
/// the stack is almost empty (see "shallow point" in runtime/loop.hpp).
class PumpedTransport : public Transport, public runtime::FramePump {
public:
    PumpedTransport() = default;
    PumpedTransport(PumpedTransport const&) = delete;
    PumpedTransport& operator=(PumpedTransport const&) = delete;

    void pump_to(runtime::StepSink& sink) override;
    void read_on() noexcept override;

protected:
    ~PumpedTransport() override;

    class Pump;
    /// The function to call when there is something to read.
    class Woken {
    public:
        explicit Woken(std::shared_ptr<Pump> pump) noexcept : pump_(std::move(pump)) {}
        void operator()(boost::system::error_code const& error);

    private:
        std::shared_ptr<Pump> pump_;
    };

    /// Reads once; returns false if nothing is available at the moment. Throws Error.
    virtual bool read_once() = 0;
    /// The frames that were read and not yet dropped by drop_frames().
    virtual std::span<rpc::Frame const> frames() = 0;
    virtual void drop_frames() noexcept = 0;
    /// Called when reading pauses, because no bytes are available or the sink accepts no more
    /// frames.
    virtual void on_pause() noexcept {}
    /// Whether nothing more will be read.
    virtual bool is_over() const noexcept = 0;
    virtual void wait_readable(Woken woken) = 0;
    /// Throws Error if the end of the input is a failure.
    virtual void check_end() const {}

    bool pumps() const noexcept { return sink_ != nullptr; }
    /// The implementation of read() if a sink gets the frames. Completes when the
    /// connection has ended.
    Task<std::optional<std::span<rpc::Frame const>>> pump();
    /// To be called when the connection may have ended, so that pump() completes.
    void wake_pump() noexcept { over_.notify(); }

private:
    bool step();
    void begin();
    void fail(Error error);
    bool ended() const noexcept { return failure_ != nullptr || (is_over() && !taking_); }

    runtime::StepSink* sink_ = nullptr;
    runtime::Loop* loop_ = nullptr;
    std::shared_ptr<Pump> pump_;
    runtime::RareEvent over_;
    std::unique_ptr<Error> failure_;
    bool taking_ = false;  // the sink is processing frames
    bool paused_ = false;  // the sink accepts no more frames for now
};

}  // namespace lanyard::transport
