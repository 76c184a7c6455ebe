// stream_connector: opens connections to a server over sockets.
#include <boost/asio/this_coro.hpp>

#include "auth/credentials.hpp"
#include "base/deadline.hpp"
#include "lanyard/error.hpp"
#include "lanyard/transport/stream.hpp"
#include "sockets/dialer.hpp"
#include "sockets/local_socket.hpp"
#include "transport/socket_settings.hpp"
#include "transport/socket_transport.hpp"
#include "transport/stream_url.hpp"

namespace lanyard {

namespace {

using transport::Descriptor;
using transport::SocketTransport;
using transport::StreamUrl;

// The wait before another attempt if the server's queue of pending connections is full.
constexpr Duration knock_again = std::chrono::milliseconds(10);

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

// One attempt to connect, which can be cancelled.
struct ConnectAttempt {
    explicit ConnectAttempt(boost::asio::any_io_executor const& executor) : dialer(executor) {}

    void give_up() {
        given_up = true;
        dialer.cancel();
        if (opened) opened->close();
    }

    sockets::Dialer dialer;
    std::unique_ptr<SocketTransport> opened;
    bool given_up = false;
};

class StreamConnector final : public Connector {
public:
    StreamConnector(std::string url, StreamClientOptions options)
        : text_(std::move(url)), options_(std::move(options)) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto const url = check();
        auto& time = options_.time();
        auto const started = time.now();
        ConnectAttempt attempt(executor);
        auto const give_up = [&attempt] { attempt.give_up(); };
        auto const alarm = time.make_alarm(executor, give_up);
        alarm->set(after(started, options_.connect_timeout()));
        try {
            co_await connect(url, executor, attempt);
        } catch (Error const&) {
            if (!attempt.given_up) throw;
        }
        if (attempt.given_up) {
            throw Error(Errc::unavailable, "no connection to " + url.to_string() + " in time");
        }
        co_return std::move(attempt.opened);
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

    Task<> connect(StreamUrl const& url, boost::asio::any_io_executor const& executor,
                   ConnectAttempt& attempt) {
        Descriptor socket;
        if (url.kind == StreamUrl::Kind::local) {
            socket = co_await connect_local(url.path, attempt);
            transport::apply_buffers(options_.socket(), socket.get());
        } else {
            auto dialed = co_await attempt.dialer.dial(url.host, url.port);
            dialed.non_blocking(true);
            socket = Descriptor(dialed.release());
            transport::apply_tcp(options_.socket(), socket.get());
        }
        transport::SocketSetup setup{
            .info = {.kind = std::string(kind_of(url)), .peer = url.to_string()},
            .max_message_bytes = options_.socket().max_message_bytes(),
            .buffers =
                std::make_shared<transport::ReadBuffers>(options_.socket().read_buffer_bytes()),
            .time = options_.time(),
            .expects_refusal = true};
        if (url.kind == StreamUrl::Kind::tls) {
            setup.tls = std::make_unique<sockets::TlsEngine>(*tls_, url.host);
        }
        attempt.opened =
            std::make_unique<SocketTransport>(executor, std::move(socket), std::move(setup));
        co_await attempt.opened->handshake();
        if (!options_.bearer_token().empty()) {
            attempt.opened->say_first(transport::authorization_line(options_.bearer_token()));
        }
    }

    Task<Descriptor> connect_local(std::string const& path, ConnectAttempt& attempt) {
        for (;;) {
            auto socket = sockets::connect_local_socket(path);
            if (socket.is_open()) co_return socket;
            if (errno != EAGAIN) {
                throw Error(Errc::unavailable, "cannot connect to unix:" + path + ": " +
                                                   std::generic_category().message(errno));
            }
            co_await sleep_until(options_.time(), options_.time().now() + knock_again);
            if (attempt.given_up) throw Error(Errc::unavailable, "given up");
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
