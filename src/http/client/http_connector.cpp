// Connects over HTTP, or over a WebSocket, as the URL requires.
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "http/client/client_network.hpp"
#include "http/client/websocket_connector.hpp"
#include "lanyard/http/client.hpp"
#include "lanyard/transport.hpp"

namespace lanyard::http {

namespace {

class HttpTransport final : public Transport {
public:
    explicit HttpTransport(std::shared_ptr<ClientNetwork> network) : network_(std::move(network)) {}
    ~HttpTransport() override { network_->abandon(); }

    boost::asio::any_io_executor executor() const override { return network_->executor(); }
    Task<std::optional<std::span<rpc::Frame const>>> read() override { return network_->read(); }
    // If memory runs out, read() throws.
    void write_now(rpc::Outbox& outbox) noexcept override { network_->send(outbox); }
    Task<> write(rpc::Outbox& outbox) override {
        network_->send(outbox);
        co_return;
    }
    void close() noexcept override { network_->close(); }
    Task<> closed() override { return network_->closed(); }
    TransportInfo info() const override { return network_->info(); }
    TransportTraits traits() const noexcept override { return {.speaks_http = true}; }

private:
    std::shared_ptr<ClientNetwork> network_;
};

class HttpConnector final : public Connector {
public:
    HttpConnector(std::string url, HttpClientOptions options)
        : url_(std::move(url)), options_(std::move(options)) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto route = plan_route(url_, options_);
        auto const executor = co_await boost::asio::this_coro::executor;
        auto network = std::make_shared<ClientNetwork>(executor, std::move(route), options_);
        std::unique_ptr<Transport> transport = std::make_unique<HttpTransport>(std::move(network));
        co_return transport;
    }
    std::string describe() const override { return url_; }

private:
    std::string url_;
    HttpClientOptions options_;
};

}  // namespace

}  // namespace lanyard::http

namespace lanyard {

std::unique_ptr<Connector> http_connector(std::string url, HttpClientOptions options) {
    if (http::is_websocket_url(url)) {
        return http::websocket_connector(std::move(url), std::move(options));
    }
    return std::make_unique<http::HttpConnector>(std::move(url), std::move(options));
}

}  // namespace lanyard
