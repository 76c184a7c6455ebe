// Plans the route to a URL from the client's options and the environment.
#include <cstdlib>

#include "base/option_check.hpp"
#include "http/client/client_transport.hpp"
#include "http/client/proxy.hpp"
#include "http/client/request_writer.hpp"
#include "http/client/websocket_connector.hpp"
#include "http/message/fields.hpp"

namespace lanyard::http {

namespace {

[[noreturn]] void refuse(std::string const& what, DecodeError const& error) {
    throw Error(Errc::invalid_argument, what + ": " + error.to_string());
}

}  // namespace

std::optional<Proxy> choose_proxy(Url const& url, HttpClientOptions const& options) {
    if (auto const& chosen = options.proxy()) {
        if (chosen->empty()) return std::nullopt;
        auto proxy = parse_proxy(*chosen);
        if (!proxy) refuse("the proxy", proxy.error());
        return *std::move(proxy);
    }
    auto const environment = [](std::string const& name) -> std::optional<std::string> {
        auto const* const value = std::getenv(name.c_str());
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    };
    auto const settings = ProxySettings::read(environment);
    if (!settings) refuse("the environment", settings.error());
    auto const* const found = settings->find(url);
    return found != nullptr ? std::optional<Proxy>(*found) : std::nullopt;
}

std::string authorization_of(HttpClientOptions const& options) {
    if (options.bearer_token().empty()) return {};
    auto value = "Bearer " + options.bearer_token();
    if (!is_field_value(value)) {
        throw Error(Errc::invalid_argument, "the bearer token holds a control character");
    }
    return value;
}

namespace {

std::string header_lines(HttpClientOptions const& options) {
    std::string lines;
    for (auto const& [name, value] : options.headers()) {
        auto const allowed = check_custom_header(name, value);
        if (!allowed) throw Error(Errc::invalid_argument, allowed.error().to_string());
        append_header(lines, name, value);
    }
    return lines;
}

void check(HttpClientOptions const& options) {
    check_not_negative("HttpClientOptions::stream_retry_interval", options.stream_retry_interval());
    check_positive("HttpClientOptions::stream_backoff_interval", options.first_stream_backoff());
    check_at_least("HttpClientOptions::stream_backoff_interval", options.longest_stream_backoff(),
                   options.first_stream_backoff(), "the first interval");
    check_positive("HttpClientOptions::request_retries", options.request_retry_interval());
    check_at_least("HttpClientOptions::hard_unsent_bytes", options.hard_unsent_bytes(), 1);
}

RetryPolicy stream_retries(HttpClientOptions const& options) {
    RetryPolicy policy;
    policy.wait = options.stream_retry_interval();
    policy.backoff.first = options.first_stream_backoff();
    policy.backoff.longest = options.longest_stream_backoff();
    policy.backoff.max_retries = options.max_stream_retries();
    return policy;
}

}  // namespace

ClientRoute plan_route(std::string const& url, HttpClientOptions const& options) {
    check(options);
    auto parsed = Url::parse(url);
    if (!parsed) refuse("the URL " + url, parsed.error());
    ClientRoute route{*std::move(parsed)};
    route.host = route.url.host().view();
    route.port = route.url.port();
    route.machine.headers = header_lines(options);
    route.machine.authorization = authorization_of(options);
    route.machine.max_event_bytes = options.max_event_bytes();
    route.machine.stream_retries = stream_retries(options);
    route.machine.request_retries =
        unsent_backoff(options.max_request_retries(), options.request_retry_interval());
    route.machine.max_refusal_retries = options.max_refusal_retries();
    route.machine.close_timeout = options.close_timeout();
    route.machine.server_stream = options.server_stream();
    route.wire.limits.max_head_bytes = options.max_head_bytes();
    route.wire.limits.max_body_bytes = options.max_response_bytes();
    if (route.url.secure()) {
        sockets::TlsClientRules const rules{options.ca_file(), options.certificate_file(),
                                            options.key_file(), options.insecure()};
        route.wire.tls = sockets::TlsContext::client(rules).value();
        route.wire.host = route.host;
    }
    auto const proxy = choose_proxy(route.url, options);
    if (!proxy) return route;
    if (proxy->url.secure()) {
        throw Error(Errc::invalid_argument,
                    "a proxy is reached by http:// only, not by " + proxy->url.origin());
    }
    if (route.url.secure()) {
        auto const& host = route.url.host();
        auto const name = host.is_ipv6() ? "[" + route.host + "]" : route.host;
        route.wire.tunnel = name + ":" + std::to_string(route.port);
        route.wire.proxy_authorization = proxy->authorization;
    } else {
        route.machine.absolute_targets = true;
        if (!proxy->authorization.empty()) {
            append_header(route.machine.headers, "Proxy-Authorization", proxy->authorization);
        }
    }
    route.host = proxy->url.host().view();
    route.port = proxy->url.port();
    return route;
}

namespace {

class HttpTransport final : public Transport {
public:
    explicit HttpTransport(std::shared_ptr<ClientNetwork> network) : network_(std::move(network)) {}
    ~HttpTransport() override { network_->abandon(); }

    boost::asio::any_io_executor executor() const override { return network_->executor(); }
    Task<std::optional<std::span<rpc::Frame const>>> read() override { return network_->read(); }
    void write_now(rpc::Outbox& outbox) noexcept override {
        try {
            network_->send(outbox);
        } catch (std::exception const&) {
            // Out of memory. The unsent messages stay in the outbox. The next write() sends them,
            // and may throw, unlike this function.
        }
    }
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
