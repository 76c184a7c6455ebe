#include "lanyard/testing/failing_transport.hpp"

#include <string>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "lanyard/error.hpp"
#include "runtime/event.hpp"
#include "runtime/transport_extras.hpp"

namespace lanyard::testing {

namespace {

using Frames = std::optional<std::span<rpc::Frame const>>;

Error injected() {
    return {Errc::transport_down, "the connection broke: a fault of the test"};
}

class FailingTransport final : public Transport, public runtime::TransportExtras {
public:
    FailingTransport(std::unique_ptr<Transport> inner, std::shared_ptr<FaultPlan> plan)
        : inner_(std::move(inner)),
          inner_extras_(dynamic_cast<runtime::TransportExtras*>(inner_.get())),
          plan_(std::move(plan)),
          closing_(inner_->executor()) {}

    boost::asio::any_io_executor executor() const override { return inner_->executor(); }

    Task<Frames> read() override {
        if (!failed_reading_) {
            auto const frames = co_await inner_->read();
            if (take(frames)) co_return std::span<rpc::Frame const>(frames_);
        }
        if (!closed_ && failed_reading_ == Fault::error) throw injected();
        while (!closed_ && failed_reading_ == Fault::stall) co_await closing_.wait();
        co_return std::nullopt;
    }

    void write_now(rpc::Outbox& outbox) noexcept override {
        while (!failed_writing_) {
            inner_->write_now(passing_);
            if (!passing_.empty() || outbox.empty()) return;
            pass_next(outbox);
        }
    }

    Task<> write(rpc::Outbox& outbox) override {
        for (;;) {
            write_now(outbox);
            while (!closed_ && failed_writing_ == Fault::stall) co_await closing_.wait();
            if (closed_ || failed_writing_) throw injected();
            if (passing_.empty()) co_return;
            co_await inner_->write(passing_);
        }
    }

    void close() noexcept override {
        closed_ = true;
        inner_->close();
        closing_.notify();
    }
    void close_output() noexcept override { inner_->close_output(); }
    Task<> hung_up() override {
        if (inner_extras_ != nullptr) {
            co_await inner_extras_->hung_up();
        } else {
            while (!closed_) co_await closing_.wait();
        }
    }
    Task<> closed() override { return inner_->closed(); }
    TransportInfo info() const override { return inner_->info(); }
    TransportTraits traits() const noexcept override {
        return {.half_closes = inner_->traits().half_closes};
    }
    std::string end_reason() const override { return inner_->end_reason(); }

private:
    // Keeps the frames before the planned fault. If the fault truncates a frame, also keeps half of
    // that frame. Returns false if no frame is kept.
    bool take(Frames const& frames) {
        frames_.clear();
        if (!frames) {
            failed_reading_ = plan_->next().value_or(Fault::end_of_stream);
            return false;
        }
        for (auto const& frame : *frames) {
            failed_reading_ = plan_->next();
            if (!failed_reading_) {
                frames_.push_back(frame);
                continue;
            }
            if (failed_reading_ == Fault::truncated) {
                frames_.push_back({frame.kind, frame.text.substr(0, frame.text.size() / 2)});
            }
            // The frames point into the inner transport and stay valid until its next read; closing
            // does not invalidate them.
            if (failed_reading_ != Fault::stall) break_connection();
            break;
        }
        return !frames_.empty();
    }

    void pass_next(rpc::Outbox& outbox) {
        failed_writing_ = plan_->next();
        if (failed_writing_ == Fault::stall) return;
        auto const text = outbox.front();
        if (!failed_writing_ || failed_writing_ == Fault::truncated) {
            passing_.begin().append(
                text.substr(0, failed_writing_ ? text.size() / 2 : text.size()));
            passing_.end();
        }
        outbox.pop();
        if (!failed_writing_) return;
        inner_->write_now(passing_);
        break_connection();
    }

    // Closes the connection. The peer gets the end of the connection; this side gets the planned
    // fault.
    void break_connection() {
        if (!failed_reading_) failed_reading_ = Fault::end_of_stream;
        if (!failed_writing_) failed_writing_ = Fault::error;
        inner_->close();
    }

    std::unique_ptr<Transport> inner_;
    runtime::TransportExtras* inner_extras_;
    std::shared_ptr<FaultPlan> plan_;
    runtime::Event closing_;
    std::vector<rpc::Frame> frames_;
    rpc::Outbox passing_;
    std::optional<Fault> failed_reading_;
    std::optional<Fault> failed_writing_;
    bool closed_ = false;
};

class FailingConnector final : public Connector {
public:
    FailingConnector(std::unique_ptr<Connector> inner, std::shared_ptr<FaultPlan> plan)
        : inner_(std::move(inner)), plan_(std::move(plan)) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto const fault = plan_->next();
        if (fault == Fault::stall) {
            runtime::Event never(co_await boost::asio::this_coro::executor);
            for (;;) co_await never.wait();
        }
        if (fault) throw Error(Errc::unavailable, "cannot be opened: a fault of the test");
        auto transport = co_await inner_->open();
        co_return failing_transport(std::move(transport), plan_);
    }

    bool starts_peer() const noexcept override { return inner_->starts_peer(); }
    std::string describe() const override { return inner_->describe(); }

private:
    std::unique_ptr<Connector> inner_;
    std::shared_ptr<FaultPlan> plan_;
};

}  // namespace

std::unique_ptr<Transport> failing_transport(std::unique_ptr<Transport> transport,
                                             std::shared_ptr<FaultPlan> plan) {
    return std::make_unique<FailingTransport>(std::move(transport), std::move(plan));
}

std::unique_ptr<Connector> failing_connector(std::unique_ptr<Connector> connector,
                                             std::shared_ptr<FaultPlan> plan) {
    return std::make_unique<FailingConnector>(std::move(connector), std::move(plan));
}

}  // namespace lanyard::testing
