#include "http/server/socket_connection.hpp"

#include <cerrno>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <sys/socket.h>

#include "runtime/await_on.hpp"
#include "runtime/cancelled_by.hpp"

namespace lanyard::http {
namespace {

// The maximum number of consecutive reads from one connection; then other connections get their
// turn.
constexpr int reads_at_a_time = 4;
// A connection that has been idle for this long frees its buffers.
constexpr Duration release_after = std::chrono::seconds(2);
// The maximum number of bytes that are received and dropped after the last output.
constexpr std::size_t max_dropped = std::size_t{64} * 1024 * 1024;

}  // namespace

SocketConnection::SocketConnection(std::shared_ptr<ServerLoop> loop, transport::Descriptor socket,
                                   std::string address, std::string peer,
                                   std::unique_ptr<sockets::TlsEngine> tls)
    : LoopMember(std::move(address)),
      loop_(std::move(loop)),
      socket_(std::move(socket)),
      tls_(std::move(tls)),
      connection_(loop_->shared(), *this, std::move(peer)),
      taken_at_(loop_->now()) {}

void SocketConnection::start(std::string_view already_read) {
    auto const now = loop_->now();
    try {
        polled_.emplace(loop_->poll(), socket_.get(), *this);
    } catch (...) {
        close();
        throw;
    }
    if (!already_read.empty()) take(already_read, now);
    pump(now);
}

// Reading.

void SocketConnection::on_ready(SocketPoll::Ready ready, std::span<char> room) {
    readable_ = readable_ || ready.input;
    hung_up_ = hung_up_ || ready.hung_up;
    if (ready.output) writing_ = false;
    if (readable_ && takes_input()) early_ = read_into(room);
}

void SocketConnection::on_turn(TimePoint now) {
    connection_.begin_turn();
    if (!early_.empty()) take(std::exchange(early_, {}), now);
    read_available(now);
}

void SocketConnection::on_round_end(TimePoint now) {
    connection_.end_turn();
    pump(now);
}

bool SocketConnection::takes_input() const noexcept {
    return !input_ended_ && !failed_ && !closed_ && (ended_output_ || connection_.wants_input());
}

bool SocketConnection::has_unread() const noexcept {
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

// Reads once. Returns an empty view if no bytes are available, the input has ended, or reading
// failed.
std::string_view SocketConnection::read_into(std::span<char> room) {
    auto const size = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (size > 0) {
        // If the read did not fill the buffer, the socket has no more bytes for now. After a
        // half-close another read is needed all the same: it returns 0, the end of the input.
        readable_ = hung_up_ || static_cast<std::size_t>(size) == room.size();
        return {room.data(), static_cast<std::size_t>(size)};
    }
    if (size == 0) {
        on_end_of_input();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        readable_ = false;
    } else if (errno != EINTR) {
        failed_ = true;
    }
    return {};
}

// Reads the available input. Returns false if the connection was closed.
bool SocketConnection::read_available(TimePoint now) {
    for (int i = 0; i < reads_at_a_time && readable_ && takes_input(); ++i) {
        if (auto const bytes = read_into(loop_->scratch()); !bytes.empty()) take(bytes, now);
    }
    if (failed_) close();
    // A client that has disconnected cancels its pending request, even if input before the end of
    // the connection is still unread.
    if (hung_up_ && connection_.replying() && !connection_.wants_input()) on_end_of_input();
    return !closed_;
}

void SocketConnection::take(std::string_view bytes, TimePoint now) {
    if (ended_output_) {
        dropped_ += bytes.size();
        if (dropped_ > max_dropped) close();
    } else if (tls_) {
        take_ciphertext(bytes, now);
    } else {
        connection_.receive(bytes, now);
    }
}

void SocketConnection::take_ciphertext(std::string_view bytes, TimePoint now) {
    bool const opening = tls_->state() == sockets::TlsEngine::State::handshake;
    tls_->receive(bytes);
    if (opening && tls_->state() == sockets::TlsEngine::State::open) {
        connection_.set_certificate(tls_->peer_subject());
    }
    auto& plaintext = loop_->plaintext();
    while (tls_->read(plaintext)) connection_.receive(plaintext, now);
    auto const state = tls_->state();
    if (state == sockets::TlsEngine::State::ended || state == sockets::TlsEngine::State::failed)
        on_end_of_input();
}

void SocketConnection::on_end_of_input() {
    input_ended_ = true;
    connection_.end_of_input();
}

// Writing.

void SocketConnection::pump(TimePoint now) {
    if (closed_) return;
    send(now);
    if (connection_.upgraded()) {
        hand_over();
        return;
    }
    if (!resuming_ && (connection_.can_resume() || (readable_ && takes_input()))) {
        resuming_ = true;
        boost::asio::post(loop_->executor(), [self = shared_from_this()] {
            self->resuming_ = false;
            auto const time = self->loop_->now();
            self->connection_.resume(time);
            if (self->read_available(time)) self->pump(time);
        });
    }
    if (connection_.ending() && !writing_ && !breaking_) end_output(now);
    loop_->check_stopped();
}

void SocketConnection::send(TimePoint now) {
    if (sending_ || writing_ || closed_ || breaking_) return;
    sending_ = true;
    for (;;) {
        auto bytes = connection_.output();
        if (tls_) {
            if (auto const taken = tls_->write(bytes); taken > 0) connection_.sent(taken, now);
            bytes = tls_->output();
        }
        if (bytes.empty()) break;
        auto const size =
            ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size >= 0) {
            taken_at_ = now;
            if (tls_) {
                tls_->consume(static_cast<std::size_t>(size));
            } else {
                connection_.sent(static_cast<std::size_t>(size), now);
            }
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            writing_ = true;
            break;
        } else if (errno != EINTR) {
            on_broken();
            break;
        }
    }
    sending_ = false;
}

// Called when all output was sent. Half-closes the connection, and closes it when the client's
// input has ended.
void SocketConnection::end_output(TimePoint now) {
    if (!ended_output_) {
        if (tls_) {
            tls_->end();
            send(now);
            if (writing_ || breaking_) return;
        }
        ended_output_ = true;
        taken_at_ = now;
        ::shutdown(socket_.get(), SHUT_WR);
    }
    // A stopping server does not wait for the end of the input if the client is not sending
    // anything.
    if (input_ended_ || (loop_->stopping() && !has_unread())) close();
}

// Passes the connection to the upgrade. Does nothing while input or output is still pending; this
// function is then called again later.
void SocketConnection::hand_over() {
    if (writing_ || breaking_ || !early_.empty()) return;
    auto const self = shared_from_this();
    closed_ = true;
    polled_.reset();
    std::string unread;
    auto const upgrade = connection_.take_upgrade(unread);
    loop_->replace(*this, upgrade->take({.loop = loop_,
                                         .socket = std::move(socket_),
                                         .tls = std::move(tls_),
                                         .address = address(),
                                         .peer = connection_.peer(),
                                         .unread = std::move(unread)}));
    upgrade->start();
    loop_->check_stopped();
}

void SocketConnection::on_reply() noexcept {
    if (sending_ || closed_) return;
    auto const self = shared_from_this();
    pump(loop_->now());
}

void SocketConnection::on_broken() noexcept {
    if (std::exchange(breaking_, true)) return;
    boost::asio::post(loop_->executor(), [self = shared_from_this()] { self->close(); });
}

void SocketConnection::ask_verifier(Credentials const& credentials) {
    verifying_ = std::make_unique<boost::asio::cancellation_signal>();
    auto const decide = [self = shared_from_this()](std::exception_ptr const& failure,
                                                    std::optional<Verification> verdict) {
        self->verifying_.reset();
        if (self->closed_) return;
        auto const now = self->loop_->now();
        self->connection_.on_verdict(failure || !verdict ? Verification::refuse() : *verdict, now);
        self->pump(now);
    };
    auto asking = auth::ask_verifier(loop_->verifier(), credentials);
    auto running = runtime::await_on(loop_->verifier_executor(), std::move(asking));
    boost::asio::co_spawn(loop_->executor(), std::move(running),
                          runtime::cancelled_by(verifying_->slot(), decide));
}

// Timeouts and closing.

void SocketConnection::tick(TimePoint now) {
    auto const& limits = loop_->shared().limits;
    if (ended_output_) {
        if (now - taken_at_ >= limits.linger) close();
        return;
    }
    if (tls_ && !tls_->output().empty() && now - taken_at_ >= limits.write_timeout) {
        close();
        return;
    }
    switch (connection_.tick(now)) {
        case Connection::Due::cut:
            close();
            return;
        case Connection::Due::output:
            pump(now);
            return;
        case Connection::Due::nothing:
            break;
    }
    if (connection_.idle() && now - connection_.since() >= release_after) connection_.release();
}

void SocketConnection::stop() {
    if (closed_) return;
    // No request is being received or served, so closing loses nothing.
    if (connection_.idle()) {
        close();
        return;
    }
    connection_.stop();
    pump(loop_->now());
}

void SocketConnection::close() noexcept {
    if (std::exchange(closed_, true)) return;
    if (verifying_) verifying_->emit(boost::asio::cancellation_type::all);
    auto self = shared_from_this();
    connection_.lost();
    polled_.reset();
    socket_ = transport::Descriptor();
    loop_->remove(*this);
    loop_->check_stopped();
    // Keeps this object alive until the functions that called close() have returned.
    boost::asio::post(loop_->executor(), [self = std::move(self)] {});
}

}  // namespace lanyard::http
