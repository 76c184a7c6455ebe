#include "http/server/server_loop.hpp"

#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>

#include "auth/instant_verifier.hpp"
#include "http/server/socket_connection.hpp"
#include "lanyard/protocol/logging.hpp"
#include "runtime/await_on.hpp"
#include "runtime/cancelled_by.hpp"
#include "runtime/descriptors.hpp"
#include "runtime/post.hpp"

namespace lanyard::http {
namespace {

constexpr Duration tick_interval = std::chrono::seconds(1);
// tick() is called for this many connections at once, then there is a pause before the next
// connections. tick() may send keepalive comments, and requests must not wait for thousands of
// writes.
constexpr std::size_t ticks_at_a_time = 512;
constexpr Duration tick_pause = std::chrono::milliseconds(5);
// How long clients may take to read the responses that end_replies() sends when the grace period is
// over.
constexpr Duration final_response_time = std::chrono::milliseconds(500);
constexpr std::size_t scratch_bytes = std::size_t{64} * 1024;

ConnectionLimits limits_of(HttpServerOptions const& options) {
    ConnectionLimits limits;
    limits.request.max_head_bytes = options.max_head_bytes();
    limits.request.max_body_bytes = options.max_body_bytes();
    limits.head_timeout = limits.body_timeout = options.request_timeout();
    limits.idle_expiry = options.idle_expiry();
    limits.write_timeout = options.write_timeout();
    limits.keepalive_interval = options.keepalive_interval();
    limits.soft_unsent = options.max_unsent_bytes();
    limits.hard_unsent = options.hard_unsent_bytes();
    limits.max_requests_per_principal = options.max_requests_per_principal();
    return limits;
}

}  // namespace

ServerLoop::ServerLoop(boost::asio::any_io_executor executor, Parts parts, Endpoint const& endpoint,
                       std::unique_ptr<RequestHandler> handler, std::size_t index)
    : executor_(std::move(executor)),
      parts_(std::move(parts)),
      endpoint_(endpoint),
      handler_(std::move(handler)),
      shared_{.gate = *parts_.gate,
              .handler = *handler_,
              .verifier = parts_.options.verifier().get(),
              .time = parts_.options.time() != nullptr ? *parts_.options.time() : endpoint.time(),
              .totals = *parts_.totals,
              .loop = index,
              .limits = limits_of(parts_.options)},
      poll_(std::make_shared<SocketPoll>(executor_, shared_.time)),
      scratch_(scratch_bytes),
      alarm_(shared_.time.make_alarm(executor_, [this] { tick(); })),
      changed_(executor_),
      tick_at_(connections_.end()) {}

ServerLoop::~ServerLoop() = default;

void ServerLoop::add(int socket, std::string address, std::string peer,
                     std::string_view already_read) {
    transport::Descriptor owned(socket);
    // Out of memory or descriptors: only this connection is closed.
    try {
        auto counted = stopping() ? ConnectionCounts::Place()
                                  : parts_.totals->connections->add(std::move(address));
        if (!counted) {
            turn_away(owned.release());
            return;
        }
        LeavingConnection parts;
        parts.loop = shared_from_this();
        parts.socket = std::move(owned);
        if (parts_.tls) {
            parts.tls = std::make_unique<sockets::TlsEngine>(parts_.tls->current());
        }
        parts.counted = std::move(counted);
        parts.peer = std::move(peer);
        auto const connection = std::make_shared<SocketConnection>(std::move(parts));
        begin(connection, [&] { connection->start(already_read); });
    } catch (std::exception const& error) {
        record(LoggingLevel::error, error.what());
    }
}

void ServerLoop::adopt(LeavingConnection connection) {
    try {
        connection.loop = shared_from_this();
        auto unread = std::move(connection.unread);
        auto const adopted = std::make_shared<SocketConnection>(std::move(connection));
        begin(adopted, [&] { adopted->go_on(std::move(unread)); });
    } catch (std::exception const& error) {
        record(LoggingLevel::error, error.what());
    }
}

template <class F>
void ServerLoop::begin(std::shared_ptr<LoopMember> const& member, F const& start) {
    member->place_ = connections_.insert(connections_.end(), member);
    try {
        if (!armed_) rearm();
        start();
    } catch (...) {
        member->close();
        throw;
    }
}

void ServerLoop::add(std::shared_ptr<LoopMember> const& member) {
    begin(member, [] {});
}

void ServerLoop::verify(Credentials const& credentials, boost::asio::cancellation_signal& cancel,
                        std::function<void(Verification const&)> decide) {
    auto finish = [decide = std::move(decide)](std::exception_ptr const& failure,
                                               std::optional<Verification> const& verification) {
        decide(failure || !verification ? Verification::refuse() : *verification);
    };
    auto asking = auth::ask_verifier(parts_.options.verifier(), credentials);
    auto running =
        runtime::await_on(runtime::user_executor(executor_, verifier_code_), std::move(asking));
    boost::asio::co_spawn(executor_, std::move(running),
                          runtime::cancelled_by(cancel.slot(), std::move(finish)));
}

// Refuses a connection. Without TLS, sends a 503 first, which tells the client to retry later.
void ServerLoop::turn_away(int socket) noexcept {
    if (!parts_.tls) {
        constexpr std::string_view answer =
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
            "Content-Length: 0\r\n\r\n";
        // Reads the input first: closing a socket with unread input would reset the connection, and
        // the client might lose the response. The number of reads is limited, because a client may
        // send endlessly.
        constexpr int most_reads = 16;
        for (int i = 0; i < most_reads; ++i) {
            auto const got = ::recv(socket, scratch_.data(), scratch_.size(), MSG_DONTWAIT);
            if (got != static_cast<ssize_t>(scratch_.size())) break;
        }
        [[maybe_unused]] auto const ignored =
            ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        ::shutdown(socket, SHUT_WR);
    }
    ::close(socket);
}

void ServerLoop::replace(LoopMember& former, std::shared_ptr<LoopMember> member) noexcept {
    member->place_ = former.place_;
    *former.place_ = std::move(member);
}

void ServerLoop::remove(LoopMember& member) noexcept {
    if (tick_at_ == member.place_) ++tick_at_;
    member.counted_.leave();
    connections_.erase(member.place_);
    if (connections_.empty()) changed_.notify();
}

void ServerLoop::rearm() {
    bool const pausing = tick_at_ != connections_.end();
    alarm_->set(std::min(now() + (pausing ? tick_pause : tick_interval), grace_end_));
    armed_ = true;
}

void ServerLoop::tick() {
    armed_ = false;
    auto const time = now();
    if (parts_.tls) {
        if (auto const reloaded = parts_.tls->check(time)) {
            if (*reloaded) {
                record(LoggingLevel::info, "the certificate has changed and is used from now on");
            } else {
                record(LoggingLevel::error, reloaded->error().message());
            }
        }
    }
    if (time >= grace_end_) {
        if (std::exchange(overdue_, true)) {
            close();
            return;
        }
        // The requests that are still pending are answered with an error now.
        grace_end_ = time + final_response_time;
        handler_->end_replies();
    }
    if (tick_at_ == connections_.end()) tick_at_ = connections_.begin();
    for (std::size_t i = 0; i < ticks_at_a_time && tick_at_ != connections_.end(); ++i) {
        // A copy of the pointer, because tick() may end the connection and remove it from the list.
        auto const connection = *tick_at_++;
        connection->tick(time);
    }
    check_stopped();
    if (!connections_.empty()) rearm();
}

void ServerLoop::stop(Duration grace) {
    grace_end_ = std::min(grace_end_, now() + grace);
    if (!ending_) handler_->stop(grace);
    check_stopped();
    if (!connections_.empty()) rearm();
    changed_.notify();
}

void ServerLoop::stop_if_idle() noexcept {
    if (ending_ || shared_.pending > 0) return;
    ending_ = true;
    runtime::post_always(executor_, [self = shared_from_this()] {
        auto const connections = self->connections_;
        for (auto const& connection : connections) connection->stop();
    });
}

Task<> ServerLoop::ended() {
    while (!stopping() || !connections_.empty()) co_await changed_.wait();
    co_await handler_->ended();
}

void ServerLoop::close() noexcept {
    ending_ = true;
    while (!connections_.empty()) {
        auto const connection = connections_.front();
        connection->close();
    }
    changed_.notify();
}

void ServerLoop::destroy() noexcept {
    close();
    handler_.reset();
}

}  // namespace lanyard::http
