#include "http/server/socket_connection.hpp"

#include "lanyard/protocol/logging.hpp"
#include "runtime/post.hpp"

namespace lanyard::http {
namespace {

using Input = sockets::ByteChannel::Input;
using Output = sockets::ByteChannel::Output;

// The maximum number of consecutive reads from one connection. After that, other connections get
// their turn.
constexpr int reads_at_a_time = 4;
// A connection that has been idle for this long frees its buffers.
constexpr Duration release_after = std::chrono::seconds(2);
// The maximum number of bytes that are received and dropped after the last output.
constexpr std::size_t max_dropped = std::size_t{64} * 1024 * 1024;

}  // namespace

SocketConnection::SocketConnection(LeavingConnection connection)
    : LoopMember(std::move(connection.counted)),
      loop_(std::move(connection.loop)),
      socket_(std::move(connection.socket)),
      channel_(socket_.get(), std::move(connection.tls)),
      connection_(loop_->shared(), *this, std::move(connection.peer)),
      taken_at_(loop_->now()) {
    connection_.set_moves(connection.moves);
}

void SocketConnection::start(std::string_view already_read) {
    auto const now = loop_->now();
    polled_.emplace(loop_->poll(), socket_.get(), *this);
    if (!already_read.empty()) take(already_read, now);
    pump(now);
}

void SocketConnection::go_on(std::string unread) {
    if (auto const* const tls = channel_.tls()) connection_.set_certificate(tls->peer_subject());
    connection_.store(std::move(unread));
    polled_.emplace(loop_->poll(), socket_.get(), *this);
}

// Reading.

void SocketConnection::on_ready(SocketPoll::Ready ready, std::span<char> room) {
    if (ready.input) channel_.on_readable();
    if (ready.hung_up) channel_.on_hang_up();
    if (ready.output) channel_.on_writable();
    if (can_read()) early_ = read_into(room);
}

void SocketConnection::on_turn(TimePoint now) {
    guarded([&] {
        connection_.begin_turn();
        if (connection_.has_stored()) connection_.resume(now);
        if (!early_.empty()) take(std::exchange(early_, {}), now);
        read_available(now);
    });
}

void SocketConnection::on_round_end(TimePoint now) {
    guarded([&] {
        connection_.end_turn();
        pump(now);
    });
}

template <class Step>
void SocketConnection::guarded(Step const& step) noexcept {
    try {
        step();
    } catch (std::exception const& error) {
        fail(error);
    }
}

void SocketConnection::fail(std::exception const& error) noexcept {
    loop_->record(LoggingLevel::error, error.what());
    close();
}

bool SocketConnection::can_read() const noexcept {
    return channel_.input() == Input::available && !closed_ &&
           (channel_.output() == Output::ended || connection_.wants_input());
}

// Reads once. Returns an empty view if no bytes are available, the input has ended, or reading
// failed.
std::string_view SocketConnection::read_into(std::span<char> room) {
    auto const bytes = channel_.receive(room);
    if (channel_.input() == Input::ended || channel_.input() == Input::cut) on_end_of_input();
    return bytes;
}

// Reads the available input. Returns false if the connection was closed.
bool SocketConnection::read_available(TimePoint now) {
    for (int i = 0; i < reads_at_a_time && can_read(); ++i) {
        if (auto const bytes = read_into(loop_->scratch()); !bytes.empty()) take(bytes, now);
    }
    if (channel_.input() == Input::failed) close();
    // A client that has disconnected cancels its pending request, even if input before the end of
    // the connection is still unread.
    if (channel_.is_hung_up() && connection_.replying() && !connection_.wants_input()) {
        on_end_of_input();
    }
    return !closed_;
}

void SocketConnection::take(std::string_view bytes, TimePoint now) {
    if (channel_.output() == Output::ended) {
        dropped_ += bytes.size();
        if (dropped_ > max_dropped) close();
    } else if (channel_.tls() != nullptr) {
        take_ciphertext(bytes, now);
    } else {
        connection_.receive(bytes, now);
    }
}

void SocketConnection::take_ciphertext(std::string_view bytes, TimePoint now) {
    auto const& tls = *channel_.tls();
    bool const opening = tls.state() == sockets::TlsEngine::State::handshake;
    channel_.decrypt(bytes);
    if (opening && tls.state() == sockets::TlsEngine::State::open) {
        connection_.set_certificate(tls.peer_subject());
    }
    auto& plaintext = loop_->plaintext();
    while (channel_.read_plaintext(plaintext)) connection_.receive(plaintext, now);
    if (!channel_.is_input_open()) on_end_of_input();
}

void SocketConnection::on_end_of_input() {
    channel_.end_input();
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
    if (!resuming_ && (connection_.can_resume() || can_read())) {
        resuming_ = true;
        runtime::post_always(loop_->executor(), [self = shared_from_this()] {
            self->resuming_ = false;
            auto const time = self->loop_->now();
            self->guarded([&] {
                self->connection_.resume(time);
                if (self->read_available(time)) self->pump(time);
            });
        });
    }
    if (connection_.ending() && channel_.output() != Output::full && !breaking_) end_output(now);
    loop_->check_stopped();
}

void SocketConnection::send(TimePoint now) {
    if (sending_ || closed_ || breaking_) return;
    sending_ = true;
    auto const sent_before = channel_.bytes_sent();
    while (auto const taken = channel_.send(connection_.output())) connection_.sent(taken, now);
    sending_ = false;
    after_send(sent_before, now);
}

void SocketConnection::after_send(std::uint64_t sent_before, TimePoint now) {
    if (channel_.bytes_sent() != sent_before) taken_at_ = now;
    if (channel_.output() == Output::failed) on_broken();
}

// Called when all output was sent. Half-closes the connection, and closes it when the client's
// input has ended.
void SocketConnection::end_output(TimePoint now) {
    if (channel_.output() != Output::ended) {
        auto const sent_before = channel_.bytes_sent();
        bool const ended = channel_.end();
        after_send(sent_before, now);
        if (!ended) return;
        taken_at_ = now;
    }
    // A stopping server does not wait for the end of the input if the client is not sending
    // anything.
    if (!channel_.is_input_open() || (loop_->stopping() && !channel_.has_unread())) close();
}

// Passes the connection to the upgrade. Does nothing while input or output is still pending. In
// that case this function is called again later.
void SocketConnection::hand_over() {
    if (channel_.output() == Output::full || breaking_ || !early_.empty()) return;
    auto const self = shared_from_this();
    closed_ = true;
    polled_.reset();
    bool replaced = false;
    try {
        std::string unread;
        auto const upgrade = connection_.take_upgrade(unread);
        LeavingConnection leaving;
        leaving.loop = loop_;
        leaving.socket = std::move(socket_);
        leaving.tls = channel_.take_tls();
        leaving.counted = take_count();
        leaving.peer = connection_.peer();
        leaving.unread = std::move(unread);
        leaving.moves = connection_.moves();
        if (auto member = upgrade->take(std::move(leaving))) {
            loop_->replace(*this, std::move(member));
            replaced = true;
            upgrade->start();
        } else {
            loop_->remove(*this);
        }
    } catch (std::exception const& error) {
        loop_->record(LoggingLevel::error, error.what());
        if (!replaced) loop_->remove(*this);
    }
    loop_->check_stopped();
}

void SocketConnection::on_reply() noexcept {
    if (sending_ || closed_) return;
    auto const self = shared_from_this();
    guarded([this] { pump(loop_->now()); });
}

void SocketConnection::on_broken() noexcept {
    if (std::exchange(breaking_, true)) return;
    runtime::post_always(loop_->executor(), [self = shared_from_this()] { self->close(); });
}

void SocketConnection::ask_verifier(Credentials const& credentials) {
    verifying_ = std::make_unique<boost::asio::cancellation_signal>();
    loop_->verify(credentials, *verifying_,
                  [self = shared_from_this()](Verification const& verification) {
                      self->verifying_.reset();
                      if (self->closed_) return;
                      auto const now = self->loop_->now();
                      self->guarded([&] {
                          self->connection_.on_verification(verification, now);
                          self->pump(now);
                      });
                  });
}

// Timeouts and closing.

void SocketConnection::tick(TimePoint now) {
    auto const& limits = loop_->shared().limits;
    if (channel_.output() == Output::ended) {
        if (now - taken_at_ >= limits.linger) close();
        return;
    }
    if (channel_.has_unsent() && now - taken_at_ >= limits.write_timeout) {
        close();
        return;
    }
    auto due = Connection::Due::nothing;
    guarded([&] {
        due = connection_.tick(now);
        if (due == Connection::Due::output) pump(now);
    });
    if (due == Connection::Due::cut) close();
    if (due != Connection::Due::nothing) return;
    if (connection_.idle() && now - connection_.since() >= release_after) connection_.release();
}

void SocketConnection::stop() {
    if (closed_) return;
    // No request is being received or served, so closing loses nothing.
    if (connection_.idle()) {
        close();
        return;
    }
    guarded([this] {
        connection_.stop();
        pump(loop_->now());
    });
}

void SocketConnection::close() noexcept {
    if (std::exchange(closed_, true)) return;
    if (verifying_) verifying_->emit(boost::asio::cancellation_type::all);
    auto const self = shared_from_this();
    connection_.lost();
    polled_.reset();
    channel_.close();
    socket_ = transport::Descriptor();
    loop_->remove(*this);
    loop_->check_stopped();
    // Keeps this object alive until the functions that called close() have returned.
    runtime::post_always(loop_->executor(), [self] {});
}

}  // namespace lanyard::http
