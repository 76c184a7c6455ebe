#include "http/client/websocket_connector.hpp"

#include <array>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/ascii.hpp"
#include "base/at_end.hpp"
#include "http/client/client_route.hpp"
#include "http/client/request_writer.hpp"
#include "http/websocket/websocket_link.hpp"
#include "sockets/connect_attempt.hpp"
#include "sockets/dialer.hpp"

namespace lanyard::http {
namespace {

using boost::asio::ip::tcp;

constexpr std::string_view plain_scheme = "ws://";
constexpr std::string_view secure_scheme = "wss://";
constexpr std::size_t buffer_bytes = std::size_t{16} * 1024;

bool begins_with(std::string_view text, std::string_view scheme) noexcept {
    return text.size() >= scheme.size() &&
           ascii::equals_ignoring_case(text.substr(0, scheme.size()), scheme);
}

// A WebSocket begins as an HTTP request, so its URL is parsed like an HTTP URL.
Url parse(std::string const& text) {
    bool const secure = begins_with(text, secure_scheme);
    auto const rest = text.substr((secure ? secure_scheme : plain_scheme).size());
    auto url = Url::parse((secure ? "https://" : "http://") + rest);
    if (!url) {
        throw Error(Errc::invalid_argument,
                    "cannot connect to \"" + text + "\": " + url.error().to_string());
    }
    return *std::move(url);
}

// The address to connect to, and the request to send there.
struct Plan {
    std::string host;
    std::uint16_t port = 0;
    ClientWireOptions tunnel;  // how to reach the server through a proxy; tunnel.tunnel is empty if
                               // there is no proxy
    std::optional<sockets::TlsContext> tls;
    std::string certificate_host;
    WebSocketRequest request;
};

WebSocketRequest plan_request(Url const& url, HttpClientOptions const& options) {
    WebSocketRequest request;
    request.host = url.authority();
    request.target = url.target() == "/" ? "/mcp/ws" : url.target();
    request.protocol = websocket_protocol;
    for (auto const& [name, value] : options.headers()) {
        auto const allowed = check_custom_header(name, value);
        if (!allowed) throw Error(Errc::invalid_argument, allowed.error().to_string());
        if (begins_with(name, "Sec-WebSocket-")) {
            throw Error(Errc::invalid_argument, name + " belongs to the transport");
        }
        request.headers.emplace_back(name, value);
    }
    if (auto value = authorization_of(options); !value.empty()) {
        request.headers.emplace_back("Authorization", std::move(value));
    }
    return request;
}

Plan make_plan(std::string const& text, HttpClientOptions const& options) {
    auto const url = parse(text);
    Plan plan;
    plan.host = plan.certificate_host = url.host().view();
    plan.port = url.port();
    plan.request = plan_request(url, options);
    if (url.secure()) {
        sockets::TlsClientRules rules;
        rules.authorities = options.ca_file();
        rules.certificate = options.certificate_file();
        rules.key = options.key_file();
        rules.insecure = options.insecure();
        plan.tls = sockets::TlsContext::client(rules).value();
    }
    auto const proxy = choose_proxy(url, options);
    if (!proxy) return plan;
    if (proxy->url.secure()) {
        throw Error(Errc::invalid_argument,
                    "a proxy is reached by http:// only, not by " + proxy->url.origin());
    }
    auto const name = url.host().is_ipv6() ? "[" + plan.host + "]" : plan.host;
    plan.tunnel.tunnel = name + ":" + std::to_string(plan.port);
    plan.tunnel.proxy_authorization = proxy->authorization;
    plan.host = proxy->url.host().view();
    plan.port = proxy->url.port();
    return plan;
}

// Asks the proxy at the other end of the socket for a tunnel to the server.
Task<> open_tunnel(tcp::socket& socket, ClientWireOptions const& options) {
    ClientWire wire(options);
    wire.start();
    boost::system::error_code error;
    std::string const request(wire.output());
    co_await boost::asio::async_write(
        socket, boost::asio::buffer(request),
        boost::asio::redirect_error(boost::asio::use_awaitable, error));
    wire.consume(request.size());
    std::array<char, 4096> buffer{};
    while (!error) {
        auto const event = wire.next();
        if (event == ClientWire::Event::ready) co_return;
        if (event == ClientWire::Event::failed) throw Error(wire.fault());
        auto const size = co_await socket.async_read_some(
            boost::asio::buffer(buffer),
            boost::asio::redirect_error(boost::asio::use_awaitable, error));
        wire.receive({buffer.data(), size});
    }
    throw Error(Errc::unavailable, "the proxy ended the connection");
}

class WebSocketConnector final : public Connector {
public:
    WebSocketConnector(std::string url, HttpClientOptions options)
        : url_(std::move(url)), options_(std::move(options)) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto const plan = make_plan(url_, options_);
        sockets::ConnectAttempt attempt;
        auto opening = attempt.run(connect(plan, executor, attempt), options_.time(),
                                   options_.connect_timeout(), url_);
        auto transport = co_await std::move(opening);
        co_return transport;
    }

    std::string describe() const override { return url_; }

private:
    Task<std::unique_ptr<Transport>> connect(Plan const& plan,
                                             boost::asio::any_io_executor const& executor,
                                             sockets::ConnectAttempt& attempt) {
        sockets::Dialer dialer(executor);
        attempt.on_give_up([&dialer] { dialer.cancel(); });
        auto socket = co_await dialer.dial(plan.host, plan.port);
        attempt.on_give_up([&socket] {
            boost::system::error_code ignored;
            socket.close(ignored);
        });
        socket.set_option(tcp::no_delay(true));
        socket.set_option(tcp::socket::keep_alive(true));
        if (!plan.tunnel.tunnel.empty()) co_await open_tunnel(socket, plan.tunnel);
        socket.non_blocking(true);
        std::unique_ptr<sockets::TlsEngine> tls;
        if (plan.tls) tls = std::make_unique<sockets::TlsEngine>(*plan.tls, plan.certificate_host);
        auto shared = std::make_shared<WebSocketShared>(options_.websocket_options(), buffer_bytes);
        auto const link = std::make_shared<WebSocketLink>(std::move(shared),
                                                          WebSocketLink::Socket(std::move(socket)),
                                                          std::move(tls), options_.time(), url_);
        attempt.on_give_up([&link] { link->abandon(); });
        std::unique_ptr<Transport> transport;
        bool opened = false;
        AtEnd const abandon([&] {
            if (!opened) link->abandon();
        });
        co_await link->ask(plan.request);
        transport = std::make_unique<WebSocketTransport>(link, nullptr);
        opened = true;
        co_return transport;
    }

    std::string url_;
    HttpClientOptions options_;
};

}  // namespace

bool is_websocket_url(std::string_view url) noexcept {
    return begins_with(url, plain_scheme) || begins_with(url, secure_scheme);
}

std::unique_ptr<Connector> websocket_connector(std::string url, HttpClientOptions options) {
    return std::make_unique<WebSocketConnector>(std::move(url), std::move(options));
}

}  // namespace lanyard::http
