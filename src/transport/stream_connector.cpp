// stream_connector: opens connections to a server over sockets.
#include <boost/asio/this_coro.hpp>

#include "auth/credentials.hpp"
#include "lanyard/error.hpp"
#include "lanyard/transport/stream.hpp"
#include "sockets/connect_attempt.hpp"
#include "sockets/dialer.hpp"
#include "sockets/local_socket.hpp"
#include "transport/socket_settings.hpp"
#include "transport/socket_transport.hpp"
#include "transport/stream_url.hpp"

namespace lanyard {

namespace {

using sockets::ConnectAttempt;
using transport::Descriptor;
using transport::SocketTransport;
using transport::StreamUrl;

// The wait before another attempt if the server's queue of pending connections is full.
constexpr Duration retry_interval = std::chrono::milliseconds(10);

std::string_view kind_of(StreamUrl const& url) noexcept {
    switch (url.kind) {
        case StreamUrl::Kind::tcp:
            return "tcp";
        case StreamUrl::Kind::tls:
            return "tls";
        default:
            return "unix";
    }
}

class StreamConnector final : public Connector {
public:
    StreamConnector(std::string url, StreamClientOptions options)
        : text_(std::move(url)), options_(std::move(options)) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto const url = check();
        ConnectAttempt attempt;
        auto opening = attempt.run(connect(url, executor, attempt), options_.time(),
                                   options_.connect_timeout(), url.to_string());
        auto transport = co_await std::move(opening);
        co_return transport;
    }

    std::string describe() const override { return text_; }

private:
    // Reports errors in the URL and the options before anything is sent.
    StreamUrl check() {
        auto url = StreamUrl::parse(text_);
        if (!url) {
            throw Error(Errc::invalid_argument,
                        "cannot connect to \"" + text_ + "\": " + url.error().to_string());
        }
        auto const& token = options_.bearer_token();
        if (!token.empty() && !auth::is_bearer_token(token)) {
            throw Error(Errc::invalid_argument,
                        "a token consists of letters, digits and -._~+/ (and = at the end)");
        }
        if (url->kind == StreamUrl::Kind::tls && !tls_) {
            sockets::TlsClientRules rules;
            rules.authorities = options_.ca_file();
            rules.certificate = options_.certificate_file();
            rules.key = options_.key_file();
            rules.insecure = options_.insecure();
            rules.http = false;
            tls_ = sockets::TlsContext::client(rules).value();
        }
        return *std::move(url);
    }

    Task<std::unique_ptr<Transport>> connect(StreamUrl const& url,
                                             boost::asio::any_io_executor const& executor,
                                             ConnectAttempt& attempt) {
        Descriptor socket;
        sockets::Dialer dialer(executor);
        if (url.kind == StreamUrl::Kind::local) {
            socket = co_await connect_local(url.path, attempt);
            transport::apply_buffers(options_.socket(), socket.get());
        } else {
            attempt.on_give_up([&dialer] { dialer.cancel(); });
            auto dialed = co_await dialer.dial(url.host, url.port);
            dialed.non_blocking(true);
            socket = Descriptor(dialed.release());
            transport::apply_tcp(options_.socket(), socket.get());
        }
        auto opened =
            std::make_unique<SocketTransport>(executor, std::move(socket), make_setup(url));
        attempt.on_give_up([&opened] { opened->close(); });
        co_await opened->handshake();
        if (!options_.bearer_token().empty()) {
            opened->say_first(transport::authorization_line(options_.bearer_token()));
        }
        co_return std::move(opened);
    }

    transport::SocketSetup make_setup(StreamUrl const& url) const {
        // The initialization of the aggregate must not throw: g++ 12 destroys the members that are
        // already initialized twice.
        TransportInfo info;
        info.kind = kind_of(url);
        info.peer = url.to_string();
        auto buffers =
            std::make_shared<transport::ReadBuffers>(options_.socket().read_buffer_bytes());
        transport::SocketSetup setup{.info = std::move(info),
                                     .max_message_bytes = options_.socket().max_message_bytes(),
                                     .buffers = std::move(buffers),
                                     .time = options_.time(),
                                     .expects_refusal = true};
        if (url.kind == StreamUrl::Kind::tls) {
            setup.tls = std::make_unique<sockets::TlsEngine>(*tls_, url.host);
        }
        return setup;
    }

    Task<Descriptor> connect_local(std::string const& path, ConnectAttempt& attempt) {
        for (;;) {
            auto socket = sockets::connect_local_socket(path);
            if (socket.is_open()) co_return socket;
            if (errno != EAGAIN) {
                throw Error(Errc::unavailable, "cannot connect to unix:" + path + ": " +
                                                   std::generic_category().message(errno));
            }
            co_await sleep_until(options_.time(), options_.time().now() + retry_interval);
            if (attempt.given_up()) throw Error(Errc::unavailable, "given up");
        }
    }

    std::string text_;
    StreamClientOptions options_;
    std::optional<sockets::TlsContext> tls_;
};

}  // namespace

std::unique_ptr<Connector> stream_connector(std::string url, StreamClientOptions options) {
    return std::make_unique<StreamConnector>(std::move(url), std::move(options));
}

}  // namespace lanyard
