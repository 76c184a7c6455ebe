#include "http/http_listener.hpp"

#include <mutex>

#include <boost/asio/this_coro.hpp>

#include "base/option_check.hpp"
#include "http/mcp/mcp_routes.hpp"
#include "http/message/url.hpp"
#include "lanyard/protocol/logging.hpp"
#include "runtime/post.hpp"
#include "sockets/acceptor.hpp"

namespace lanyard::http {
namespace {

std::string bracketed(HostName const& host) {
    std::string const name(host.view());
    return host.is_ipv6() ? "[" + name + "]" : name;
}

Url parse_url(std::string_view text) {
    auto parsed = Url::parse(text, ", or, for other transports, with tcp://, tls:// or unix:");
    if (!parsed) {
        throw Error(Errc::invalid_argument, "cannot listen at \"" + std::string(text) +
                                                "\": " + parsed.error().to_string());
    }
    return *std::move(parsed);
}

class SocketListener final : public UrlListener {
public:
    SocketListener(std::string_view url, HttpServerOptions options, HandlerFactory factory)
        : SocketListener(parse_url(url), std::move(options), std::move(factory)) {}

    SocketListener(Url const& at, HttpServerOptions options, HandlerFactory factory)
        : factory_(std::move(factory)), host_(bracketed(at.host())), secure_(at.secure()) {
        if (secure_ && !options.tls()) {
            throw Error(Errc::invalid_argument, "https needs a certificate: set tls()");
        }
        if (!secure_ && options.tls()) {
            throw Error(Errc::invalid_argument, "there is a certificate, but the URL is not https");
        }
        if (at.target() != "/") {
            auto mcp = options.mcp();
            mcp.path(at.target());
            options.mcp(std::move(mcp));
        }
        parts_ = make_parts(std::move(options), host_);
        auto bound = sockets::bind_sockets(std::string(at.host().view()), at.port(),
                                           {.dead_after = parts_.options.write_timeout()});
        if (!bound) throw Error(bound.error());
        bound_ = *std::move(bound);
    }

    Task<> run(Endpoint& endpoint) override {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto const loop = open(endpoint, executor);
        if (!loop) co_return;
        Guard const guard(*this, *loop);
        co_await loop->ended();
    }

    void stop() noexcept override {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
        if (auto const loop = loop_.lock()) {
            runtime::post_always(loop->executor(), [self = self_, loop] {
                if (*self != nullptr) (*self)->stop_accepting();
                loop->stop(loop->grace());
            });
        }
    }

    std::string describe() const override { return url(); }
    std::string url() const override {
        return std::string(secure_ ? "https://" : "http://") + host_ + ":" +
               std::to_string(bound_.port) + parts_.options.mcp().path();
    }
    std::uint16_t port() const override { return bound_.port; }

    void reload_tls() override {
        if (!parts_.tls) throw Error(Errc::invalid_argument, "this server has no certificate");
        if (auto const reloaded = parts_.tls->reload(); !reloaded) throw Error(reloaded.error());
    }

    bool reload() override {
        if (!parts_.tls) return false;
        reload_tls();
        return true;
    }

private:
    // Begins to serve. Returns null if stop() has already been called.
    std::shared_ptr<ServerLoop> open(Endpoint& endpoint,
                                     boost::asio::any_io_executor const& executor) {
        std::lock_guard const lock(mutex_);
        if (stopped_) return nullptr;
        if (bound_.sockets.empty()) {
            throw Error(Errc::unavailable, url() + " is served already");
        }
        auto const loop = std::make_shared<ServerLoop>(
            executor, parts_, endpoint, factory_(endpoint, executor, parts_.options));
        loop_ = loop;
        for (auto& socket : std::exchange(bound_.sockets, {})) {
            acceptors_.push_back(std::make_shared<sockets::Acceptor>(
                executor, std::move(socket), loop->time(),
                [loop](int accepted, sockets::PeerName peer) {
                    loop->add(accepted, std::move(peer.address), std::move(peer.text));
                },
                [loop](std::string_view text) { loop->record(LoggingLevel::warning, text); }));
            acceptors_.back()->start();
        }
        return loop;
    }

    void stop_accepting() noexcept {
        for (auto const& acceptor : acceptors_) acceptor->stop();
        acceptors_.clear();
    }

    // Stops accepting and closes all connections when run() ends, even if the coroutine of run() is
    // destroyed early.
    class Guard {
    public:
        Guard(SocketListener& listener, ServerLoop& loop) : listener_(listener), loop_(loop) {}
        ~Guard() {
            *listener_.self_ = nullptr;
            listener_.stop_accepting();
            loop_.destroy();
        }
        Guard(Guard const&) = delete;
        Guard& operator=(Guard const&) = delete;

    private:
        SocketListener& listener_;
        ServerLoop& loop_;
    };

    HandlerFactory factory_;
    std::string host_;
    bool secure_;
    ServerLoop::Parts parts_;
    sockets::BoundSockets bound_;
    std::vector<std::shared_ptr<sockets::Acceptor>> acceptors_;
    std::mutex mutex_;
    std::weak_ptr<ServerLoop> loop_;
    // Points to a pointer to this object. This inner pointer is set to null when run() ends,
    // because a function that stop() has posted may run later, when it must not use this object any
    // more. The inner pointer is read and set on the executor only.
    std::shared_ptr<SocketListener*> self_ = std::make_shared<SocketListener*>(this);
    bool stopped_ = false;
};

template <class T>
T take(Result<T> result) {
    if (!result) throw Error(result.error());
    return *std::move(result);
}

}  // namespace

ServerLoop::Parts make_parts(HttpServerOptions options, std::string bind_host) {
    check_not_negative("McpHttpOptions::stream_retry_interval",
                       options.mcp().stream_retry_interval());
    check_not_negative("McpHttpOptions::sse_retry_interval", options.mcp().sse_retry_interval());
    check_at_least("HttpServerOptions::hard_unsent_bytes", options.hard_unsent_bytes(),
                   options.max_unsent_bytes(), "max_unsent_bytes");
    AdmissionOptions admission;
    admission.bind_host = std::move(bind_host);
    admission.allowed_hosts = options.allowed_hosts();
    admission.allowed_origins = options.allowed_origins();
    auto router = take(Router::make(endpoint_routes(options.mcp())));
    ServerLoop::Parts parts;
    parts.gate = std::make_shared<AdmissionGate const>(
        take(AdmissionGate::make(admission, std::move(router))));
    if (options.tls()) parts.tls = std::make_shared<sockets::TlsSource>(*options.tls());
    parts.options = std::move(options);
    return parts;
}

std::unique_ptr<UrlListener> make_listener(std::string_view url, HttpServerOptions options,
                                           HandlerFactory factory) {
    return std::make_unique<SocketListener>(url, std::move(options), std::move(factory));
}

}  // namespace lanyard::http
