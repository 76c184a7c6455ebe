#include "transport/pumped_transport.hpp"

#include "runtime/post.hpp"

namespace lanyard::transport {

namespace {

// The maximum number of consecutive reads from one connection. After that, other connections get
// their turn.
constexpr int reads_at_a_time = 4;

}  // namespace

/// The round (see runtime::Round) that reads from a transport. A pending operation keeps this
/// object alive, so it may outlive the transport. In that case `owner` is null.
class PumpedTransport::Pump final : public runtime::Round {
public:
    explicit Pump(PumpedTransport& transport) noexcept : owner(&transport) {}
    bool step() override { return owner != nullptr && owner->step(); }

    static void run(std::shared_ptr<Pump> pump) {
        if (pump->owner == nullptr) return;
        if (auto* const loop = pump->owner->loop_) {
            loop->drive(std::move(pump));
        } else {
            while (pump->step()) continue;
        }
    }

    PumpedTransport* owner;
};

void PumpedTransport::Woken::operator()(boost::system::error_code const& error) {
    auto* const owner = pump_->owner;
    if (owner == nullptr) return;
    if (error && !owner->is_over()) owner->fail(Error(Errc::transport_down, error.message()));
    Pump::run(std::move(pump_));
}

PumpedTransport::~PumpedTransport() {
    if (pump_) pump_->owner = nullptr;
}

void PumpedTransport::pump_to(runtime::StepSink& sink) {
    sink_ = &sink;
    loop_ = runtime::Loop::of(executor());
    pump_ = std::make_shared<Pump>(*this);
}

void PumpedTransport::read_on() noexcept {
    if (std::exchange(paused_, false)) begin();
}

// Posts the pump instead of calling it, because the pump may run handlers, which need an almost
// empty stack (see "shallow point" in runtime/loop.hpp).
void PumpedTransport::begin() {
    runtime::post_always(executor(), [pump = pump_]() mutable { Pump::run(std::move(pump)); });
}

void PumpedTransport::fail(Error error) {
    failure_ = std::make_unique<Error>(std::move(error));
}

Task<std::optional<std::span<rpc::Frame const>>> PumpedTransport::pump() {
    begin();
    while (!ended()) co_await over_.wait();
    if (failure_ && !is_over()) throw Error(*failure_);
    check_end();
    co_return std::nullopt;
}

bool PumpedTransport::step() {
    for (int reads = 0;; ++reads) {
        if (taking_) {
            if (sink_->take_more()) return true;
            taking_ = false;
            drop_frames();
        }
        if (ended()) {
            wake_pump();
            return false;
        }
        if (!sink_->wants_more()) {
            paused_ = true;
            on_pause();
            return false;
        }
        if (reads == reads_at_a_time) {
            begin();
            return false;
        }
        try {
            if (frames().empty() && !read_once()) {
                on_pause();
                wait_readable(Woken(pump_));
                return false;
            }
        } catch (Error const& error) {
            fail(error);
            continue;
        } catch (std::exception const& error) {
            fail(Error(Errc::transport_down, error.what()));
            continue;
        }
        if (frames().empty()) continue;
        taking_ = true;
        sink_->begin_frames(frames());
    }
}

}  // namespace lanyard::transport
