// A transport over a simulated connection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jsonrpc/framing.hpp"
#include "lanyard/error.hpp"
#include "lanyard/transport.hpp"
#include "network.hpp"
#include "runtime/event.hpp"

namespace lanyard::simulation {

/// One end of a link. `alive` counts the existing transports.
class SimulatedTransport final : public Transport, public Receiver {
public:
    SimulatedTransport(boost::asio::any_io_executor executor, Direction& in, Direction& out,
                       int& alive)
        : executor_(std::move(executor)), in_(in), out_(out), changed_(executor_), alive_(alive) {
        ++alive_;
        in_.deliver_to(this);
        out_.on_room([this] { changed_.notify(); });
    }
    ~SimulatedTransport() override {
        --alive_;
        SimulatedTransport::close();
        out_.on_room(nullptr);
    }

    boost::asio::any_io_executor executor() const override { return executor_; }

    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        while (!closed_) {
            if (!arrived_.empty()) {
                taken_.clear();
                taken_.swap(arrived_);
                frames_.clear();
                for (auto const& text : taken_) {
                    frames_.push_back({rpc::Frame::Kind::message, text});
                }
                co_return std::span<rpc::Frame const>(frames_);
            }
            if (ended_) break;
            co_await changed_.wait();
        }
        co_return std::nullopt;
    }

    void write_now(rpc::Outbox& outbox) noexcept override {
        while (!closed_ && !out_.is_cut() && !outbox.empty() && out_.has_room()) {
            out_.send(outbox.front());
            outbox.pop();
        }
    }

    Task<> write(rpc::Outbox& outbox) override {
        for (;;) {
            write_now(outbox);
            if (outbox.empty()) co_return;
            if (closed_ || out_.is_cut()) throw Error(Errc::transport_down, "the link is cut");
            co_await changed_.wait();
        }
    }

    void close() noexcept override {
        if (closed_) return;
        closed_ = true;
        in_.deliver_to(nullptr);
        in_.cut();
        out_.finish();
        changed_.notify();
    }

    TransportInfo info() const override {
        TransportInfo info;
        info.kind = "simulated";
        return info;
    }

    void on_bytes(std::string_view bytes) override {
        reader_.feed(bytes);
        while (auto const frame = reader_.next()) arrived_.emplace_back(frame->text);
        changed_.notify();
    }

    void on_end() override {
        if (auto const last = reader_.finish()) arrived_.emplace_back(last->text);
        ended_ = true;
        changed_.notify();
    }

private:
    boost::asio::any_io_executor executor_;
    Direction& in_;
    Direction& out_;
    runtime::Event changed_;
    int& alive_;
    rpc::LineReader reader_;
    std::vector<std::string> arrived_;
    std::vector<std::string> taken_;
    std::vector<rpc::Frame> frames_;
    bool ended_ = false;
    bool closed_ = false;
};

}  // namespace lanyard::simulation
