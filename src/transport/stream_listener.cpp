// Implements listen() for streams: the addresses, the threads, and the state that the threads
// share.
#include <exception>
#include <mutex>

#include <boost/asio/this_coro.hpp>

#include "lanyard/error.hpp"
#include "lanyard/transport/stream.hpp"
#include "runtime/loop_threads.hpp"
#include "runtime/post.hpp"
#include "sockets/bind.hpp"
#include "sockets/failed_listener.hpp"
#include "sockets/local_socket.hpp"
#include "transport/socket_settings.hpp"
#include "transport/stream_loop.hpp"
#include "transport/stream_url.hpp"

namespace lanyard {

namespace {

using transport::Descriptor;
using transport::StreamLoop;
using transport::StreamShared;
using transport::StreamUrl;

[[noreturn]] void refuse(std::string const& text) {
    throw Error(Errc::invalid_argument, text);
}

StreamUrl parse(std::string_view text) {
    auto url = StreamUrl::parse(text);
    if (!url) refuse("cannot listen at \"" + std::string(text) + "\": " + url.error().to_string());
    return *std::move(url);
}

void check(StreamUrl const& url, StreamServerOptions const& options) {
    bool const secure = url.kind == StreamUrl::Kind::tls;
    if (secure && !options.tls()) refuse("tls:// needs a certificate: set tls()");
    if (!secure && options.tls()) refuse("there is a certificate, but the URL is not tls://");
    if (options.threads() == 0) refuse("a listener needs a thread");
    if (options.socket().read_buffer_bytes() == 0) refuse("a connection needs a read buffer");
    bool const knows_clients =
        options.verifier() || (options.tls() && !options.tls()->client_authorities().empty());
    if (!url.loopback && !knows_clients && !options.allow_public()) {
        refuse(
            url.to_string() +
            " can be reached from other machines: set a verifier(), require client certificates, "
            "or admit every client with allow_public()");
    }
}

class SocketStreamListener final : public StreamListener {
public:
    SocketStreamListener(StreamUrl url, StreamServerOptions options) : url_(std::move(url)) {
        check(url_, options);
        shared_ = std::make_shared<StreamShared>(std::move(options));
        shared_->kind = url_.kind == StreamUrl::Kind::local ? "unix"
                        : url_.kind == StreamUrl::Kind::tls ? "tls"
                                                            : "tcp";
        if (auto const& tls = shared_->options.tls()) {
            shared_->tls = std::make_shared<sockets::TlsSource>(*tls, false);
        }
        bind();
    }

    Task<> run(Endpoint& endpoint) override {
        auto const executor = co_await boost::asio::this_coro::executor;
        if (!begin(endpoint, executor)) co_return;
        Guard const guard(*this);
        if (threads_) {
            auto const serve = [this](std::size_t i) { return loops_[i]->ended(); };
            co_await threads_->run(serve);
        } else {
            co_await loops_.front()->ended();
        }
    }

    void stop() noexcept override {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
        for (auto const& loop : loops_) {
            runtime::post_always(
                loop->executor(),
                [loop, grace = shared_->options.shutdown_timeout()] { loop->stop(grace); });
        }
    }

    std::string describe() const override { return url(); }
    std::string url() const override { return url_.to_string(); }
    std::uint16_t port() const override { return url_.port; }

    void reload_tls() override {
        if (!shared_->tls) refuse("this server has no certificate");
        if (auto const reloaded = shared_->tls->reload(); !reloaded) throw Error(reloaded.error());
    }

    bool reload() override {
        if (!shared_->tls) return false;
        reload_tls();
        return true;
    }

    StreamStats stats() const noexcept override {
        StreamStats stats;
        stats.open = shared_->open.load(std::memory_order_relaxed);
        stats.accepted = shared_->accepted.load(std::memory_order_relaxed);
        stats.turned_away = shared_->turned_away.load(std::memory_order_relaxed);
        stats.unauthorized = shared_->unauthorized.load(std::memory_order_relaxed);
        stats.failed = shared_->failed.load(std::memory_order_relaxed);
        stats.dropped = shared_->dropped.load(std::memory_order_relaxed);
        stats.messages_refused = shared_->messages->refused();
        return stats;
    }

private:
    void bind() {
        auto const& options = shared_->options;
        if (url_.kind == StreamUrl::Kind::local) {
            auto bound = sockets::bind_local_socket(url_.path, options.socket_mode());
            if (!bound) throw Error(bound.error());
            file_ = std::move(bound->file);
            // All threads accept connections from the same socket.
            for (std::size_t i = 1; i < options.threads(); ++i) {
                listening_.push_back(transport::duplicate(bound->socket.get()));
            }
            listening_.push_back(std::move(bound->socket));
            for (auto const& socket : listening_) {
                transport::apply_buffers(options.socket(), socket.get());
            }
            return;
        }
        sockets::ListenSettings settings;
        settings.shares = options.threads();
        auto bound = sockets::bind_sockets(url_.host, url_.port, settings);
        if (!bound) throw Error(bound.error());
        url_.port = bound->port;
        listening_ = std::move(bound->sockets);
        for (auto const& socket : listening_) transport::apply_tcp(options.socket(), socket.get());
    }

    // Begins to accept connections. Returns false if stop() has already been called.
    bool begin(Endpoint& endpoint, boost::asio::any_io_executor const& executor) {
        std::lock_guard const lock(mutex_);
        if (stopped_) return false;
        if (listening_.empty()) throw Error(Errc::unavailable, url() + " is served already");
        try {
            open_loops(endpoint, executor);
        } catch (...) {
            for (auto const& loop : loops_) loop->close();
            loops_.clear();
            threads_.reset();
            throw;
        }
        return true;
    }

    void open_loops(Endpoint& endpoint, boost::asio::any_io_executor const& executor) {
        auto const threads = shared_->options.threads();
        if (threads > 1) threads_ = std::make_unique<runtime::LoopThreads>(threads);
        for (std::size_t i = 0; i < threads; ++i) {
            loops_.push_back(std::make_shared<StreamLoop>(
                threads_ ? threads_->executor(i) : executor, shared_, endpoint));
        }
        std::size_t next = 0;
        for (auto& socket : std::exchange(listening_, {})) {
            loops_[next++ % threads]->accept_from(std::move(socket));
        }
    }

    // Stops accepting and serving when run() ends, even if its coroutine is destroyed early.
    class Guard {
    public:
        explicit Guard(SocketStreamListener& listener) : listener_(listener) {}
        ~Guard() {
            std::vector<std::shared_ptr<StreamLoop>> loops;
            {
                std::lock_guard const lock(listener_.mutex_);
                listener_.stopped_ = true;
                loops = std::exchange(listener_.loops_, {});
            }
            if (listener_.threads_) listener_.threads_->stop();
            for (auto const& loop : loops) loop->close();
            listener_.file_ = sockets::LocalSocketFile();
            loops.clear();
            listener_.threads_.reset();
        }
        Guard(Guard const&) = delete;
        Guard& operator=(Guard const&) = delete;

    private:
        SocketStreamListener& listener_;
    };

    StreamUrl url_;
    std::shared_ptr<StreamShared> shared_;
    sockets::LocalSocketFile file_;
    std::vector<Descriptor> listening_;
    std::unique_ptr<runtime::LoopThreads> threads_;  // null if the executor of run() is used
    std::mutex mutex_;
    std::vector<std::shared_ptr<StreamLoop>> loops_;
    bool stopped_ = false;
};

class FailedStreamListener final : public sockets::FailedListener<StreamListener> {
public:
    using FailedListener::FailedListener;

    StreamStats stats() const noexcept override { return {}; }
};

}  // namespace

std::unique_ptr<StreamListener> listen(std::string_view url, StreamServerOptions options) {
    try {
        return std::make_unique<SocketStreamListener>(parse(url), std::move(options));
    } catch (Error const&) {
        return std::make_unique<FailedStreamListener>(url, std::current_exception());
    }
}

}  // namespace lanyard
