#include "transport/socket_transport.hpp"

#include <array>
#include <system_error>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/ascii.hpp"
#include "base/deadline.hpp"
#include "lanyard/error.hpp"
#include "lanyard/json/document.hpp"
#include "runtime/event.hpp"
#include "runtime/turn.hpp"
#include "wire/errors.hpp"

namespace lanyard::transport {

namespace {

using sockets::ByteChannel;
using Input = ByteChannel::Input;
using Output = ByteChannel::Output;

constexpr std::size_t kept_buffers = 8;
// After this many reads, timers and other connections get their turn, even if the peer sends
// without a pause.
constexpr int most_reads_in_a_row = 8;
constexpr std::string_view authorization_name = "Authorization:";
// The maximum length of a refusal (see refusal()). A longer first line of the peer is not checked
// for being a refusal.
constexpr std::size_t max_first_line = 1024;

std::string text_of(int error) {
    return std::generic_category().message(error);
}

// Receives and drops some of the peer's input. Returns false at the end of the input or on an
// error. A separate function, so that its buffer is not part of a coroutine's frame.
bool drop_some(ByteChannel& channel) noexcept {
    std::array<char, 4096> dropped;
    channel.on_readable();
    channel.receive(dropped);
    return channel.is_input_open();
}

}  // namespace

std::unique_ptr<ReadBuffer> ReadBuffers::take() {
    if (free_.empty()) {
        // Reserves space now, so that give_back() cannot fail later.
        free_.reserve(kept_buffers);
        return std::make_unique<ReadBuffer>(bytes_);
    }
    auto buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
}

void ReadBuffers::give_back(std::unique_ptr<ReadBuffer> buffer) noexcept {
    if (!buffer || free_.size() == kept_buffers) return;
    buffer->batch.shrink(bytes_);
    free_.push_back(std::move(buffer));
}

std::string authorization_line(std::string_view token) {
    return std::string(authorization_name) + " Bearer " + std::string(token) + "\n";
}

SocketTransport::SocketTransport(boost::asio::any_io_executor const& executor, Descriptor socket,
                                 SocketSetup setup)
    : socket_(executor, socket.release()),
      buffers_(std::move(setup.buffers)),
      time_(setup.time),
      channel_(socket_.native_handle(), std::move(setup.tls)),
      idle_limit_(setup.idle_limit),
      linger_(setup.linger),
      message_budget_(std::move(setup.message_budget)),
      reader_(setup.max_message_bytes, message_budget_.get()),
      watch_(time_, setup.message_timeout),
      info_(std::move(setup.info)),
      expects_authorization_(setup.expects_authorization),
      expects_refusal_(setup.expects_refusal) {}

SocketTransport::~SocketTransport() {
    // The event loop may be about to end, so closing must not start an operation.
    linger_ = Duration::zero();
    SocketTransport::close();
}

// Returns false if the connection was closed meanwhile.
Task<bool> SocketTransport::wait(Waiting::wait_type what) {
    auto const [error] = co_await socket_.async_wait(what, runtime::without_frame);
    if (closed_) co_return false;
    if (error) throw Error(Errc::transport_down, error.message());
    co_return true;
}

Task<> SocketTransport::handshake() {
    auto* const tls = channel_.tls();
    if (tls == nullptr) co_return;
    tls->start();
    std::array<char, 4096> room;
    while (tls->state() == sockets::TlsEngine::State::handshake && !closed_) {
        channel_.flush();
        if (channel_.output() == Output::full) {
            co_await wait(Waiting::wait_write);
            channel_.on_writable();
            continue;
        }
        auto const bytes = receive(room);
        if (!bytes.empty()) {
            channel_.decrypt(bytes);
        } else if (channel_.is_input_open()) {
            co_await wait(Waiting::wait_read);
            channel_.on_readable();
        } else {
            throw Error(Errc::unavailable,
                        "the peer ended the connection during the handshake of TLS");
        }
    }
    if (closed_) throw Error(Errc::unavailable, "the handshake of TLS was given up");
    channel_.flush();
    if (tls->state() == sockets::TlsEngine::State::failed) {
        throw Error(tls_fault_code(Errc::unavailable), "no secure connection: " + tls->fault());
    }
}

// Reading.

Task<std::optional<std::span<rpc::Frame const>>> SocketTransport::read() {
    return pumps() ? pump() : read_frames();
}

std::span<rpc::Frame const> SocketTransport::frames() {
    return buffer_ ? buffer_->batch.view() : std::span<rpc::Frame const>();
}

void SocketTransport::drop_frames() noexcept {
    if (buffer_) buffer_->batch.clear();
}

void SocketTransport::on_pause() noexcept {
    buffers_->give_back(std::move(buffer_));
}

bool SocketTransport::is_over() const noexcept {
    return closed_ || (input_ended_ && (!buffer_ || buffer_->batch.empty()));
}

void SocketTransport::check_end() const {
    if (watch_.is_late()) throw Error(Errc::timeout, "a message took too long");
    if (closed_) return;
    if (auto const why = refusal(); why && why->is(Errc::unauthorized)) throw Error(*why);
}

void SocketTransport::wait_readable(Woken woken) {
    channel_.on_readable();
    socket_.async_wait(Waiting::wait_read, std::move(woken));
}

Task<std::optional<std::span<rpc::Frame const>>> SocketTransport::read_frames() {
    if (!std::exchange(held_, false) && buffer_) buffer_->batch.clear();
    for (;;) {
        if (closed_) {
            check_end();
            co_return std::nullopt;
        }
        if (buffer_ && !buffer_->batch.empty()) co_return buffer_->batch.view();
        if (input_ended_) {
            buffers_->give_back(std::move(buffer_));
            check_end();
            co_return std::nullopt;
        }
        if (reads_in_a_row_ == most_reads_in_a_row) {
            reads_in_a_row_ = 0;
            co_await runtime::give_turn();
            continue;
        }
        ++reads_in_a_row_;
        if (read_once()) continue;
        reads_in_a_row_ = 0;
        buffers_->give_back(std::move(buffer_));
        auto const [error] =
            co_await socket_.async_wait(Waiting::wait_read, runtime::without_frame);
        if (error && !closed_) throw Error(Errc::transport_down, error.message());
        channel_.on_readable();
    }
}

// Reads once. Returns an empty view if no bytes are available, or the input has ended.
std::string_view SocketTransport::receive(std::span<char> room) {
    auto const bytes = channel_.receive(room);
    if (channel_.input() == Input::failed) {
        throw Error(Errc::transport_down, text_of(channel_.input_error()));
    }
    info_.bytes_in += bytes.size();
    return bytes;
}

// Reads the next bytes of the peer; returns false if nothing is available at the moment.
bool SocketTransport::read_once() {
    bool const secure = channel_.tls() != nullptr;
    if (!secure && channel_.input() == Input::drained) return false;
    if (!buffer_) buffer_ = buffers_->take();
    if (secure && read_plaintext()) return true;
    auto const bytes = receive({buffer_->raw.get(), buffers_->bytes()});
    if (bytes.empty()) {
        // Without a close_notify of TLS, an attacker may have cut the connection, so this is an
        // error.
        if (channel_.input() == Input::cut) {
            throw Error(Errc::transport_down, "the connection was cut");
        }
        if (channel_.is_input_open()) return false;
        end_input();
    } else if (secure) {
        channel_.decrypt(bytes);
    } else {
        take(bytes);
    }
    return true;
}

// Returns false if TLS needs more bytes.
bool SocketTransport::read_plaintext() {
    bool const found = channel_.read_plaintext(buffer_->plain);
    channel_.on_writable();
    channel_.flush();
    if (found) {
        take(buffer_->plain);
        return true;
    }
    switch (channel_.input()) {
        case Input::ended:
            end_input();
            return true;
        case Input::tls_failed:
            throw Error(tls_fault_code(Errc::transport_down),
                        "the secure connection broke: " + channel_.tls()->fault());
        default:
            return false;
    }
}

// A peer that disconnects in the middle of a line has not sent the whole message.
void SocketTransport::end_input() {
    input_ended_ = true;
    auto const last = reader_.finish();
    if (!last) return;
    ++info_.messages_in;
    buffer_->batch.add(last->kind, last->text, {}, last->remains);
    if (fresh_) take_first();
}

void SocketTransport::take(std::string_view text) {
    auto& batch = buffer_->batch;
    reader_.feed(text);
    while (auto const frame = reader_.next()) {
        if (frame->kind == rpc::Frame::Kind::message) ++info_.messages_in;
        batch.add(frame->kind, frame->text, text, frame->remains);
    }
    if (reader_.buffered() != 0) {
        watch_.begin(socket_.get_executor(), reader_.buffered(), !batch.empty(),
                     [this] { on_late(); });
    } else {
        watch_.end();
    }
    if (batch.empty()) return;
    if (fresh_) {
        take_first();
    } else if (!first_line_.empty()) {
        first_line_.clear();
    }
}

// Called when a message has taken too long. If unread input is waiting, this side may have caused
// the delay, so the message gets more time.
void SocketTransport::on_late() {
    if (watch_.expire(reader_.buffered(), channel_.has_unread())) close();
}

void SocketTransport::take_first() {
    // If the first line is an authorization, the next line is the first message.
    if (std::exchange(expects_authorization_, false) && take_authorization()) {
        if (buffer_->batch.empty()) return;
    }
    fresh_ = false;
    auto const frames = buffer_->batch.view();
    if (expects_refusal_ && frames.size() == 1 && frames.front().text.size() <= max_first_line) {
        first_line_ = frames.front().text;
    }
}

bool SocketTransport::take_authorization() {
    auto const& first = buffer_->batch.view().front();
    if (first.kind != rpc::Frame::Kind::message || first.text.size() < authorization_name.size() ||
        !ascii::equals_ignoring_case(first.text.substr(0, authorization_name.size()),
                                     authorization_name)) {
        return false;
    }
    authorization_ = ascii::trim(first.text.substr(authorization_name.size()));
    --info_.messages_in;
    buffer_->batch.drop_front();
    return true;
}

Task<bool> SocketTransport::first_message() {
    auto const frames = co_await read();
    held_ = frames.has_value();
    co_return held_;
}

// Returns the error that the server sent instead of serving the connection, if any.
std::optional<Error> SocketTransport::refusal() const {
    if (info_.messages_in != 1) return std::nullopt;
    auto const message = json::parse(first_line_);
    if (!message || !message->is_object()) return std::nullopt;
    auto const member = [](Json const* in, std::string_view name) -> Json const* {
        return in != nullptr && in->is_object() ? in->get_object().if_contains(name) : nullptr;
    };
    auto const* const error = member(&*message, "error");
    auto const* const id = member(&*message, "id");
    auto const* const text = member(error, "message");
    if (text == nullptr || !text->is_string() || (id != nullptr && !id->is_null())) {
        return std::nullopt;
    }
    auto const* const reason = member(member(error, "data"), "reason");
    bool const unknown = reason != nullptr && reason->is_string() &&
                         reason->get_string() == wire::row(wire::Condition::unauthorized).name;
    return Error(unknown ? Errc::unauthorized : Errc::transport_down,
                 "the server refuses the connection: " + std::string(text->get_string()));
}

std::string SocketTransport::end_reason() const {
    auto const why = refusal();
    return why ? why->message() : std::string();
}

// Writing.

auto SocketTransport::send(rpc::Outbox& outbox) noexcept -> Progress {
    // Tries to send even if the socket was full at the last attempt: after write_now(), no wait
    // reports that the socket is writable again.
    channel_.on_writable();
    if (closed_ || channel_.output() != Output::open) return Progress::failed;
    while (!first_words_.empty()) {
        auto const taken = channel_.send(first_words_);
        if (taken == 0) return progress();
        first_words_.erase(0, taken);
    }
    while (!outbox.empty()) {
        auto const taken = channel_.send(outbox.bytes());
        if (taken == 0) return progress();
        auto const before = outbox.count();
        outbox.consume(taken);
        info_.messages_out += before - outbox.count();
    }
    channel_.flush();
    return channel_.has_unsent() ? progress() : Progress::sent;
}

// The result of send() if something was not sent.
auto SocketTransport::progress() const noexcept -> Progress {
    return channel_.output() == Output::full ? Progress::would_block : Progress::failed;
}

void SocketTransport::write_now(rpc::Outbox& outbox) noexcept {
    send(outbox);
}

Errc SocketTransport::tls_fault_code(Errc otherwise) const noexcept {
    return channel_.tls()->is_refused() ? Errc::unauthorized : otherwise;
}

Error SocketTransport::write_failure() const {
    if (auto const error = channel_.output_error(); error != 0) {
        return {Errc::transport_down, text_of(error)};
    }
    if (auto const* const tls = channel_.tls(); tls != nullptr && !tls->fault().empty()) {
        return {tls_fault_code(Errc::transport_down),
                "the secure connection broke: " + tls->fault()};
    }
    return {Errc::transport_down, "the connection is closed"};
}

Task<> SocketTransport::write(rpc::Outbox& outbox) {
    for (;;) {
        switch (send(outbox)) {
            case Progress::sent:
                co_return;
            case Progress::failed:
                throw write_failure();
            case Progress::would_block:
                break;
        }
        co_await wait(Waiting::wait_write);
    }
}

TransportInfo SocketTransport::info() const {
    auto info = info_;
    info.bytes_out = channel_.bytes_sent();
    return info;
}

// Ending.

void SocketTransport::close_output() noexcept {
    if (!socket_.is_open()) return;
    channel_.on_writable();
    channel_.end_now();
}

// A socket that is about to be closed. Before that, the peer's input is received and dropped for a
// while: if a socket is closed with unread input, the system sends a reset, and the peer may lose
// the last output.
struct SocketTransport::LingeringClose {
    LingeringClose(boost::asio::any_io_executor const& executor, int descriptor)
        : socket(executor, descriptor), channel(descriptor), changed(executor) {}

    void close() noexcept {
        boost::system::error_code ignored;
        socket.close(ignored);
        channel.close();
    }

    Waiting socket;
    ByteChannel channel;
    runtime::Event changed;
    bool done = false;
};

Task<> SocketTransport::linger_close(std::shared_ptr<LingeringClose> lingering_close,
                                     TimeSource& time, Duration timeout) {
    auto& socket = lingering_close->socket;
    auto const give_up = [closing = lingering_close.get()] { closing->close(); };
    auto const alarm = time.make_alarm(socket.get_executor(), give_up);
    alarm->set(after(time.now(), timeout));
    while (socket.is_open()) {
        auto const [error] = co_await socket.async_wait(Waiting::wait_read, runtime::without_frame);
        if (error || !drop_some(lingering_close->channel)) break;
    }
    lingering_close->close();
    lingering_close->done = true;
    lingering_close->changed.notify();
}

void SocketTransport::close() noexcept {
    if (closed_) return;
    close_output();
    channel_.close();
    closed_ = true;
    wake_pump();
    if (linger_ > Duration::zero() && channel_.output_error() == 0) {
        try {
            auto const executor = socket_.get_executor();
            lingering_close_ = std::make_shared<LingeringClose>(executor, socket_.release());
            boost::asio::co_spawn(executor, linger_close(lingering_close_, time_, linger_),
                                  boost::asio::detached);
            return;
        } catch (std::exception const&) {
            // Out of memory: close without waiting.
        }
    }
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void SocketTransport::cut() noexcept {
    linger_ = Duration::zero();
    close();
    if (lingering_close_) lingering_close_->close();
}

Task<> SocketTransport::closed() {
    auto const lingering_close = lingering_close_;
    while (lingering_close && !lingering_close->done) co_await lingering_close->changed.wait();
}

}  // namespace lanyard::transport
