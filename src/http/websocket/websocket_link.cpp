#include "http/websocket/websocket_link.hpp"

#include <boost/asio/query.hpp>

#include "runtime/post.hpp"

namespace lanyard::http {
namespace {

using Input = sockets::ByteChannel::Input;
using Output = sockets::ByteChannel::Output;

// The maximum number of consecutive reads from one connection. After that, other connections get
// their turn.
constexpr int reads_at_a_time = 4;

}  // namespace

WebSocketLink::WebSocketLink(std::shared_ptr<WebSocketShared> shared, Socket socket,
                             std::unique_ptr<sockets::TlsEngine> tls, TimeSource& time,
                             std::string peer)
    : shared_(std::move(shared)),
      socket_(std::move(socket)),
      executor_(socket_.get_executor()),
      channel_(socket_.native_handle(), std::move(tls)),
      time_(time),
      connection_(boost::asio::query(executor_, boost::asio::execution::context), shared_->options,
                  shared_->counters, *shared_->budget, shared_->payload, time.now()),
      info_{.kind = "websocket", .peer = std::move(peer)},
      changed_(executor_),
      loop_(runtime::Loop::of(executor_)) {}

void WebSocketLink::accept(WebSocketOffer const& offer, std::string_view already_read) {
    auto const now = time_.now();
    connection_.accept(offer, now);
    if (!already_read.empty()) connection_.receive(already_read, now);
    pump(now);
}

Task<> WebSocketLink::ask(WebSocketRequest const& request) {
    auto const self = shared_from_this();
    alarm_ = time_.make_alarm(executor_, [this] {
        alarm_at_ = TimePoint::max();
        tick(time_.now());
    });
    auto const now = time_.now();
    connection_.ask(request, now);
    if (auto* const tls = channel_.tls()) tls->start();
    pump(now);
    while (connection_.is_opening() && !released_) {
        ++waiters_;
        co_await changed_.wait();
        --waiters_;
    }
    if (connection_.is_open()) co_return;
    auto const& engine = connection_.engine();
    abandon();
    auto const* const tls = channel_.tls();
    if (tls != nullptr && tls->state() == sockets::TlsEngine::State::failed) {
        throw Error(tls->is_refused() ? Errc::unauthorized : Errc::unavailable,
                    "no secure connection: " + tls->fault());
    }
    if (engine.fault().empty()) throw Error(Errc::unavailable, "the connection was closed");
    throw Error(engine.fault_code(), engine.fault());
}

// Reading.

// Begins to wait for input. The wait needs no buffer, because all connections of a thread read into
// one shared buffer.
void WebSocketLink::arm() {
    if (reading_ || released_ || !takes_input()) return;
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](auto const& error) mutable {
        self->reading_ = false;
        self->guarded([&] { self->on_readable(error); });
        if (self->sink_ != nullptr) run(std::move(self));
    });
    reading_ = true;
}

void WebSocketLink::on_readable(boost::system::error_code const& error) {
    if (released_) return;
    if (error) {
        release();
        return;
    }
    auto const now = time_.now();
    channel_.on_readable();
    for (int i = 0; i < reads_at_a_time && channel_.input() == Input::available; ++i) {
        if (!takes_input()) break;
        auto const bytes = channel_.receive(shared_->input);
        if (!bytes.empty()) take(bytes, now);
        if (!channel_.is_input_open()) connection_.end_of_input(now);
    }
    pump(now);
}

bool WebSocketLink::takes_input() const noexcept {
    return channel_.is_input_open() &&
           (channel_.output() == Output::ended || connection_.wants_input());
}

void WebSocketLink::take(std::string_view bytes, TimePoint now) {
    if (channel_.output() == Output::ended) return;
    info_.bytes_in += bytes.size();
    channel_.unwrap(bytes, shared_->plaintext,
                    [&](std::string_view text) { connection_.receive(text, now); });
}

void WebSocketLink::pump_to(runtime::StepSink& sink) {
    sink_ = &sink;
    begin();
}

void WebSocketLink::read_on() noexcept {
    if (std::exchange(paused_, false)) begin();
}

// Posts run() instead of calling it, because run() may call handlers, which need an almost empty
// stack (see "shallow point" in docs/design/loops.md).
void WebSocketLink::begin() {
    runtime::post_always(executor_,
                         [self = shared_from_this()]() mutable { run(std::move(self)); });
}

void WebSocketLink::run(std::shared_ptr<WebSocketLink> link) {
    if (auto* const loop = link->loop_) {
        loop->drive(std::move(link));
    } else {
        while (link->step()) continue;
    }
}

bool WebSocketLink::step() {
    bool again = false;
    guarded([&] { again = take_step(); });
    return again;
}

bool WebSocketLink::take_step() {
    for (;;) {
        if (taking_) {
            if (sink_->take_more()) return true;
            taking_ = false;
            // Free the memory now, not when the next message arrives: many connections may be idle.
            connection_.drop_taken();
        }
        if (sink_ == nullptr || closing_ || broken_ || !connection_.has_messages()) break;
        paused_ = !sink_->wants_more();
        if (paused_) break;
        auto const now = time_.now();
        auto const frames = connection_.take(now);
        info_.messages_in += frames.size();
        pump(now);
        taking_ = true;
        sink_->begin_frames(frames);
    }
    wake();
    return false;
}

bool WebSocketLink::has_ended() const noexcept {
    if (closing_ || broken_) return true;
    return !taking_ && !connection_.has_messages() && (!connection_.is_open() || released_);
}

// Does the work of read() if a sink gets the messages: waits for the end of the connection.
Task<WebSocketLink::Frames> WebSocketLink::wait_for_end() {
    auto const self = shared_from_this();
    while (!has_ended()) co_await ended_.wait();
    sink_ = nullptr;
    if (!closing_) check_end();
    co_return std::nullopt;
}

void WebSocketLink::check_end() const {
    auto const& engine = connection_.engine();
    if (!engine.fault().empty() && engine.fault_code() == Errc::transport_down) {
        throw Error(Errc::transport_down, engine.fault());
    }
}

Task<WebSocketLink::Frames> WebSocketLink::read() {
    return sink_ != nullptr ? wait_for_end() : read_messages();
}

Task<WebSocketLink::Frames> WebSocketLink::read_messages() {
    auto const self = shared_from_this();
    // Free the memory now, not when the next message arrives: many connections may be idle.
    connection_.drop_taken();
    while (!closing_ && !broken_) {
        if (connection_.has_messages()) {
            auto const now = time_.now();
            auto const frames = connection_.take(now);
            info_.messages_in += frames.size();
            pump(now);
            co_return frames;
        }
        if (!connection_.is_open() || released_) {
            check_end();
            break;
        }
        ++waiters_;
        co_await changed_.wait();
        --waiters_;
    }
    co_return std::nullopt;
}

// Writing.

void WebSocketLink::write_now(rpc::Outbox& outbox) noexcept {
    auto const now = time_.now();
    try {
        // Gives the connection as many messages as it takes, then sends them, and repeats this
        // while the socket accepts more.
        do {
            take_messages(outbox, now);
            pump(now);
        } while (!outbox.empty() && connection_.takes_more() && !released_);
    } catch (std::exception const&) {
        // Out of memory: unsent messages stay in the outbox.
        release();
    }
}

void WebSocketLink::take_messages(rpc::Outbox& outbox, TimePoint now) {
    while (!outbox.empty() && connection_.takes_more() && !released_) {
        if (outbox.front_route().kind != rpc::Route::Kind::none) {
            connection_.send(outbox.front(), now);
            ++info_.messages_out;
        }
        outbox.pop();
    }
}

Task<> WebSocketLink::write(rpc::Outbox& outbox) {
    auto const self = shared_from_this();
    for (;;) {
        write_now(outbox);
        if (outbox.empty()) co_return;
        if (!connection_.is_open() || released_) {
            auto const why = connection_.end_reason();
            throw Error(Errc::transport_down, why.empty() ? "the connection is closed" : why);
        }
        if (connection_.takes_more()) continue;
        ++waiters_;
        co_await changed_.wait();
        --waiters_;
    }
}

void WebSocketLink::send(TimePoint now) {
    if (channel_.output() != Output::open) return;
    while (!connection_.output().empty() || channel_.has_unsent()) {
        auto const taken = channel_.send(connection_.output());
        if (taken == 0) break;
        connection_.sent(taken, now);
    }
    after_send();
}

void WebSocketLink::after_send() {
    if (channel_.output() == Output::full) wait_writable();
    if (channel_.output() == Output::failed) release();
}

void WebSocketLink::wait_writable() {
    socket_.async_wait(Socket::wait_write, [self = shared_from_this()](auto const& error) {
        self->channel_.on_writable();
        if (self->released_) return;
        if (error) {
            self->release();
        } else {
            self->guarded([&] { self->pump(self->time_.now()); });
        }
    });
}

// Called after every event. Sends output, closes or waits for input, and wakes waiting coroutines,
// as the new state requires.
void WebSocketLink::pump(TimePoint now) {
    if (released_) return;
    send(now);
    if (connection_.dead()) {
        release();
    } else if (connection_.ending() && channel_.output() != Output::full) {
        end_output();
    }
    arm();
    wake();
    watch_time();
}

// Called when all output was sent. Half-closes the connection. A peer that has made a protocol
// error may still be sending: its data is received and dropped, because closing with unread input
// could make the peer lose the close frame.
void WebSocketLink::end_output() {
    if (!channel_.end()) {
        after_send();
        return;
    }
    if (!channel_.is_input_open() || connection_.engine().fault().empty()) release();
}

TransportInfo WebSocketLink::info() const {
    auto info = info_;
    info.bytes_out = channel_.bytes_sent();
    return info;
}

void WebSocketLink::wake() noexcept {
    if (waiters_ > 0) changed_.notify();
    if (sink_ != nullptr && has_ended()) ended_.notify();
}

// Timeouts and closing.

void WebSocketLink::tick(TimePoint now) {
    if (released_) return;
    guarded([&] {
        connection_.tick(now);
        pump(now);
    });
}

void WebSocketLink::watch_time() {
    if (!alarm_ || released_) return;
    auto const next = connection_.next_deadline();
    if (next >= alarm_at_) return;
    alarm_at_ = next;
    alarm_->set(next);
}

void WebSocketLink::close() noexcept {
    if (closing_) return;
    closing_ = true;
    try {
        auto const now = time_.now();
        connection_.close(shared_->going_away ? CloseCode::going_away : CloseCode::normal, now);
        pump(now);
    } catch (std::exception const&) {
        release();
    }
    wake();
}

void WebSocketLink::abandon() noexcept {
    close();
    release();
}

Task<> WebSocketLink::closed() {
    auto const self = shared_from_this();
    while (!released_) {
        ++waiters_;
        co_await changed_.wait();
        --waiters_;
    }
}

void WebSocketLink::release() noexcept {
    if (std::exchange(released_, true)) return;
    boost::system::error_code ignored;
    socket_.close(ignored);
    channel_.close();
    alarm_.reset();
    wake();
    if (auto const call = std::exchange(on_released_, nullptr)) call();
}

}  // namespace lanyard::http
