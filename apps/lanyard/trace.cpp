#include "trace.hpp"

#include <string_view>
#include <utility>

#include "terminal.hpp"

namespace lanyard::app {
namespace {

class TracedTransport : public Transport {
public:
    TracedTransport(std::unique_ptr<Transport> inner, std::ostream& out)
        : inner_(std::move(inner)), out_(&out) {}

    boost::asio::any_io_executor executor() const override { return inner_->executor(); }

    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        auto frames = co_await inner_->read();
        if (frames) {
            for (auto const& frame : *frames) print("<-- ", frame.text);
        }
        co_return frames;
    }

    Task<> write(rpc::Outbox& outbox) override {
        while (!outbox.empty()) {
            print("--> ", outbox.front());
            one_.begin() += outbox.front();
            one_.end(outbox.front_route());
            outbox.pop();
            co_await inner_->write(one_);
        }
    }

    void close() noexcept override { inner_->close(); }
    Task<> closed() override { return inner_->closed(); }
    TransportInfo info() const override { return inner_->info(); }
    TransportTraits traits() const noexcept override { return inner_->traits(); }
    std::string end_reason() const override { return inner_->end_reason(); }

private:
    void print(std::string_view direction, std::string_view text) {
        *out_ << direction << without_control_characters(text) << std::endl;
    }

    std::unique_ptr<Transport> inner_;
    std::ostream* out_;
    rpc::Outbox one_;
};

class TracedConnector : public Connector {
public:
    TracedConnector(std::unique_ptr<Connector> inner, std::ostream& out)
        : inner_(std::move(inner)), out_(&out) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto transport = co_await inner_->open();
        co_return std::make_unique<TracedTransport>(std::move(transport), *out_);
    }
    std::string describe() const override { return inner_->describe(); }

private:
    std::unique_ptr<Connector> inner_;
    std::ostream* out_;
};

}  // namespace

std::unique_ptr<Connector> traced(std::unique_ptr<Connector> connector, std::ostream& out) {
    return std::make_unique<TracedConnector>(std::move(connector), out);
}

}  // namespace lanyard::app
