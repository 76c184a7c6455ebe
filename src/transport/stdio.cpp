#include "lanyard/transport/stdio.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <unistd.h>

#include "lanyard/error.hpp"
#include "runtime/descriptors.hpp"
#include "runtime/standard_descriptors.hpp"
#include "transport/stream_transport.hpp"

namespace lanyard {

namespace {

using boost::asio::posix::stream_descriptor;

// Reserves stdin and stdout for the transport. While this object lives, the rest of the program
// reads nothing from stdin, and output of the program to stdout goes to stderr. The destructor
// restores stdin and stdout.
class StandardStreams {
public:
    StandardStreams() {
        std::fflush(stdout);
        in_ = transport::duplicate(STDIN_FILENO);
        out_ = transport::duplicate(STDOUT_FILENO);
        transport::Descriptor const nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        dup2(nothing.get(), STDIN_FILENO);
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    ~StandardStreams() {
        std::fflush(stdout);
        dup2(in_.get(), STDIN_FILENO);
        dup2(out_.get(), STDOUT_FILENO);
    }
    StandardStreams(StandardStreams const&) = delete;
    StandardStreams& operator=(StandardStreams const&) = delete;

    transport::Descriptor in() const { return transport::duplicate(in_.get()); }
    transport::Descriptor out() const { return transport::duplicate(out_.get()); }

private:
    transport::Descriptor in_;
    transport::Descriptor out_;
};

// A transport over stdin and stdout. It detects the exit of the client even if another process has
// inherited the pipes and keeps them open.
class StdioTransport final : public transport::StreamTransport {
public:
    StdioTransport(boost::asio::any_io_executor const& executor, transport::Descriptor in,
                   transport::Descriptor out, StreamOptions const& options)
        : StreamTransport(executor, std::move(in), std::move(out), options,
                          {.kind = "stdio", .peer = "process " + std::to_string(getppid())}),
          parent_(executor) {
        auto parent = transport::open_process(getppid());
        if (!parent.is_open()) return;
        parent_ = transport::adopt(executor, std::move(parent));
        // The wait may complete after the transport was destroyed. In that case nothing has to be
        // closed.
        parent_.async_wait(stream_descriptor::wait_read,
                           [alive = std::weak_ptr(self_)](boost::system::error_code const& error) {
                               if (auto const self = alive.lock(); self && !error) (*self)->close();
                           });
    }

    void close() noexcept override {
        boost::system::error_code ignored;
        parent_.close(ignored);
        StreamTransport::close();
    }

private:
    stream_descriptor parent_;  // readable once the client's process has ended
    std::shared_ptr<StdioTransport*> self_ = std::make_shared<StdioTransport*>(this);
};

class StdioListener final : public Listener {
public:
    explicit StdioListener(StreamOptions const& options) : options_(options) {}

    Task<> run(Endpoint& endpoint) override {
        if (running_.exchange(true)) {
            throw Error(Errc::unavailable, "stdin and stdout are served already");
        }
        for (int const closed : {STDIN_FILENO, STDOUT_FILENO}) {
            if (!runtime::was_closed(closed)) continue;
            throw Error(Errc::unavailable,
                        std::string(closed == STDIN_FILENO ? "stdin" : "stdout") +
                            " is closed: a server over stdio needs a client at both");
        }
        // With SIGPIPE ignored, writing to a client that has exited fails with an error instead of
        // ending the program.
        std::signal(SIGPIPE, SIG_IGN);
        auto const executor = co_await boost::asio::this_coro::executor;
        StandardStreams const streams;
        co_await endpoint.serve(
            std::make_unique<StdioTransport>(executor, streams.in(), streams.out(), options_));
    }

    // There are no further connections to refuse. The endpoint ends the only connection.
    void stop() noexcept override {}

    std::string describe() const override { return "stdio"; }

private:
    StreamOptions options_;
    std::atomic<bool> running_ = false;
};

}  // namespace

std::unique_ptr<Listener> stdio(StreamOptions const& options) {
    return std::make_unique<StdioListener>(options);
}

}  // namespace lanyard
