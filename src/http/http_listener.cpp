#include "http/http_listener.hpp"

#include <mutex>

#include <boost/asio/this_coro.hpp>

#include "base/option_check.hpp"
#include "http/mcp/mcp_routes.hpp"
#include "http/mcp/session_ids.hpp"
#include "http/message/url.hpp"
#include "lanyard/protocol/logging.hpp"
#include "runtime/loop_threads.hpp"
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
        auto bound = sockets::bind_sockets(
            std::string(at.host().view()), at.port(),
            {.dead_after = parts_.options.write_timeout(), .shares = parts_.options.threads()});
        if (!bound) throw Error(bound.error());
        bound_ = *std::move(bound);
    }

    Task<> run(Endpoint& endpoint) override {
        auto const executor = co_await boost::asio::this_coro::executor;
        if (!open(endpoint, executor)) co_return;
        Guard const guard(*this);
        if (threads_) {
            auto const serve = [this](std::size_t i) { return served_[i]->loop->ended(); };
            co_await threads_->run(serve);
        } else {
            co_await served_.front()->loop->ended();
        }
    }

    void stop() noexcept override {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
        for (auto const& served : served_) {
            runtime::post_always(served->loop->executor(), [served] {
                served->stop_accepting();
                served->loop->stop(served->loop->grace());
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
    // A loop and the sockets from which it accepts connections. Used on the executor of the loop.
    struct Served {
        std::shared_ptr<ServerLoop> loop;
        std::vector<std::shared_ptr<sockets::Acceptor>> acceptors{};

        void accept_from(transport::Descriptor socket) {
            auto const acceptor = std::make_shared<sockets::Acceptor>(
                loop->executor(), std::move(socket), loop->time(),
                [loop = loop](int accepted, sockets::PeerName peer) {
                    loop->add(accepted, std::move(peer.address), std::move(peer.text));
                },
                [loop = loop](std::string_view text) {
                    loop->record(LoggingLevel::warning, text);
                });
            acceptors.push_back(acceptor);
            acceptor->start();
        }
        void stop_accepting() noexcept {
            for (auto const& acceptor : acceptors) acceptor->stop();
            acceptors.clear();
        }
    };

    // Begins to serve. Returns false if stop() has already been called.
    bool open(Endpoint& endpoint, boost::asio::any_io_executor const& executor) {
        std::lock_guard const lock(mutex_);
        if (stopped_) return false;
        if (bound_.sockets.empty()) {
            throw Error(Errc::unavailable, url() + " is served already");
        }
        try {
            open_loops(endpoint, executor);
        } catch (...) {
            close(std::exchange(served_, {}));
            throw;
        }
        return true;
    }

    void open_loops(Endpoint& endpoint, boost::asio::any_io_executor const& executor) {
        auto const count = parts_.options.threads();
        std::shared_ptr<LoopSet> loops;
        if (count > 1) {
            threads_ = std::make_unique<runtime::LoopThreads>(count);
            loops = std::make_shared<LoopSet>();
        }
        for (std::size_t i = 0; i < count; ++i) {
            auto const on = threads_ ? threads_->executor(i) : executor;
            auto handler = factory_(endpoint, on, parts_.options, {loops, i});
            auto const loop =
                std::make_shared<ServerLoop>(on, parts_, endpoint, std::move(handler), i);
            served_.push_back(std::make_shared<Served>(Served{loop}));
            if (loops) loops->add(loop);
        }
        std::size_t next = 0;
        for (auto& socket : std::exchange(bound_.sockets, {})) {
            served_[next++ % count]->accept_from(std::move(socket));
        }
    }

    // Closes all connections. The threads must have ended.
    void close(std::vector<std::shared_ptr<Served>> all) noexcept {
        for (auto const& served : all) {
            served->stop_accepting();
            served->loop->destroy();
        }
        all.clear();
        threads_.reset();
    }

    // Stops accepting and closes all connections when run() ends, even if the coroutine of run() is
    // destroyed early.
    class Guard {
    public:
        explicit Guard(SocketListener& listener) : listener_(listener) {}
        ~Guard() {
            std::vector<std::shared_ptr<Served>> all;
            {
                std::lock_guard const lock(listener_.mutex_);
                listener_.stopped_ = true;
                all = std::exchange(listener_.served_, {});
            }
            if (listener_.threads_) listener_.threads_->stop();
            listener_.close(std::move(all));
        }
        Guard(Guard const&) = delete;
        Guard& operator=(Guard const&) = delete;

    private:
        SocketListener& listener_;
    };

    HandlerFactory factory_;
    std::string host_;
    bool secure_;
    ServerLoop::Parts parts_;
    sockets::BoundSockets bound_;
    std::unique_ptr<runtime::LoopThreads> threads_;  // null if the executor of run() is used
    std::mutex mutex_;
    std::vector<std::shared_ptr<Served>> served_;
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
    if (options.threads() == 0 || options.threads() > SessionIds::max_loops) {
        throw Error(Errc::invalid_argument, "HttpServerOptions::threads must be between 1 and " +
                                                std::to_string(SessionIds::max_loops));
    }
    AdmissionOptions admission;
    admission.bind_host = std::move(bind_host);
    admission.allowed_hosts = options.allowed_hosts();
    admission.allowed_origins = options.allowed_origins();
    auto router = take(Router::make(endpoint_routes(options.mcp())));
    ServerLoop::Parts parts;
    parts.gate = std::make_shared<AdmissionGate const>(
        take(AdmissionGate::make(admission, std::move(router))));
    if (options.tls()) parts.tls = std::make_shared<sockets::TlsSource>(*options.tls());
    parts.totals = std::make_shared<ListenerTotals>(options);
    parts.options = std::move(options);
    return parts;
}

std::unique_ptr<UrlListener> make_listener(std::string_view url, HttpServerOptions options,
                                           HandlerFactory factory) {
    return std::make_unique<SocketListener>(url, std::move(options), std::move(factory));
}

}  // namespace lanyard::http
