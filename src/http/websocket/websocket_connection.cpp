#include "http/websocket/websocket_connection.hpp"

#include <algorithm>

#include "base/deadline.hpp"

namespace lanyard::http {
namespace {

// A buffer larger than this is freed when its content is not needed any more.
constexpr std::size_t kept_capacity = std::size_t{4} * 1024;
// Up to this size, the received messages of a connection do not count for the budget.
constexpr std::size_t small_messages = std::size_t{64} * 1024;

template <class Container>
void empty(Container& container) noexcept {
    container.clear();
    if (container.capacity() * sizeof(container[0]) > kept_capacity) Container().swap(container);
}

}  // namespace

WebSocketConnection::WebSocketConnection(boost::asio::execution_context& context,
                                         WebSocketOptions const& options,
                                         WebSocketCounters& counters, ByteBudget& budget,
                                         std::span<char> scratch, TimePoint now)
    : options_(options),
      counters_(counters),
      engine_(context, {.max_message_bytes = options.max_message_bytes(),
                        .deflate = options.deflate(),
                        .scratch = scratch}),
      share_(&budget, small_messages),
      since_(now),
      heard_(now),
      progress_(now),
      next_ping_(now) {}

void WebSocketConnection::accept(WebSocketOffer const& offer, TimePoint now) {
    engine_.accept(offer);
    run({}, now);
}

void WebSocketConnection::ask(WebSocketRequest const& request, TimePoint now) {
    engine_.ask(request);
    run({}, now);
}

void WebSocketConnection::enter(Stage stage, TimePoint now) noexcept {
    stage_ = stage;
    since_ = now;
    awaits_pong_ = false;
    partial_since_.reset();
}

void WebSocketConnection::receive(std::string_view bytes, TimePoint now) {
    if (ending()) return;
    heard_ = now;
    if (backlog_.empty()) {
        run(bytes, now);
    } else {
        backlog_.append(bytes);
        resume(now);
    }
}

void WebSocketConnection::resume(TimePoint now) {
    auto const input = std::exchange(backlog_, {});
    run(input, now);
}

void WebSocketConnection::end_of_input(TimePoint now) {
    if (ending()) return;
    engine_.end_of_input();
    resume(now);
}

// Processes input. Stops when the total size of the messages that wait for take() is too large. In
// this case the rest of the input is stored in backlog_.
void WebSocketConnection::run(std::string_view input, TimePoint now) {
    using Event = WebSocketEngine::Event;
    auto const output_before = engine_.output().size();
    engine_.receive(input);
    bool more = !pauses() && !ending();
    while (more) {
        switch (engine_.next()) {
            case Event::need_more:
                more = false;
                break;
            case Event::opened:
                enter(Stage::open, now);
                next_ping_ = after(now, options_.ping_interval());
                break;
            case Event::message:
                partial_since_.reset();
                keep_message();
                more = !pauses();
                break;
            case Event::ended:
                on_ended(now);
                more = false;
                break;
        }
    }
    backlog_.append(engine_.unread());
    engine_.receive({});
    if (output_before == 0) progress_ = now;
    unsent_pongs_ += engine_.output().size() - output_before;
    if (!engine_.is_open() && stage_ == Stage::open) {
        // The engine has begun to close, because a message was binary or not valid UTF-8.
        bool const binary = engine_.code() == CloseCode::unsupported_data;
        ++(binary ? counters_.binary_messages : counters_.invalid_payloads);
        enter(Stage::closing, now);
        closed_here_ = true;
    }
    if (!count_bytes(now) || stage_ != Stage::open) return;
    if (engine_.partial()) {
        if (!partial_since_) partial_since_ = now;
    } else {
        partial_since_.reset();
    }
    if (awaits_pong_ && engine_.pong() == std::to_string(pings_)) {
        awaits_pong_ = false;
        next_ping_ = after(next_ping_, options_.ping_interval());
    }
}

std::size_t WebSocketConnection::held_bytes() noexcept {
    return engine_.message().capacity() + backlog_.capacity() + waiting_.capacity() +
           taken_.capacity();
}

// Counts the memory of received messages. If an unfinished message exceeds the budget, begins to
// close the connection and returns false.
bool WebSocketConnection::count_bytes(TimePoint now) {
    auto const held = held_bytes();
    if (stage_ != Stage::open || !engine_.partial()) {
        share_.set(held);
        return true;
    }
    if (share_.resize(held)) return true;
    give_up(now, CloseCode::try_again_later, "the messages that are arriving have too many bytes",
            counters_.no_room);
    std::string().swap(engine_.message());
    share_.set(held_bytes());
    return false;
}

void WebSocketConnection::keep_message() {
    if (waiting_.empty()) {
        waiting_.swap(engine_.message());
    } else {
        waiting_.append(engine_.message());
    }
    ends_.push_back(waiting_.size());
    if (!paused_ && waiting_.size() >= options_.max_waiting_bytes() / 5 * 4) {
        paused_ = true;
        ++counters_.reads_paused;
    }
}

void WebSocketConnection::on_ended(TimePoint now) {
    // A fault of the peer is counted only if the WebSocket was not already being closed.
    if (stage_ == Stage::open && !engine_.fault().empty()) {
        switch (engine_.code()) {
            case CloseCode::too_big:
                ++counters_.too_big;
                break;
            case CloseCode::invalid_payload:
                ++counters_.invalid_payloads;
                break;
            case CloseCode::protocol_error:
                ++counters_.protocol_errors;
                break;
            default:
                break;
        }
    }
    enter(Stage::ending, now);
}

bool WebSocketConnection::has_messages() const noexcept {
    return !ends_.empty() || (!engine_.is_open() && !told_fault_ && !engine_.fault().empty() &&
                              engine_.fault_code() != Errc::transport_down);
}

void WebSocketConnection::drop_taken() noexcept {
    if (frames_.empty()) return;
    empty(frames_);
    empty(taken_);
    share_.set(held_bytes());
}

std::span<rpc::Frame const> WebSocketConnection::take(TimePoint now) {
    drop_taken();
    taken_.swap(waiting_);
    std::size_t begin = 0;
    for (auto const end : ends_) {
        frames_.push_back(
            {rpc::Frame::Kind::message, std::string_view(taken_).substr(begin, end - begin)});
        begin = end;
    }
    empty(ends_);
    if (frames_.empty() && has_messages()) {
        told_fault_ = true;
        frames_.push_back({rpc::Frame::Kind::broken, engine_.fault()});
    }
    if (std::exchange(paused_, false)) {
        heard_ = now;
        resume(now);
    }
    return frames_;
}

bool WebSocketConnection::takes_more() const noexcept {
    return stage_ == Stage::open && engine_.output().size() < max_unsent;
}

void WebSocketConnection::send(std::string_view message, TimePoint now) {
    if (!unsent()) progress_ = now;
    engine_.send(message);
}

void WebSocketConnection::close(CloseCode code, TimePoint now) {
    switch (stage_) {
        case Stage::opening:
            enter(Stage::dead, now);
            break;
        case Stage::open:
            enter(Stage::closing, now);
            closed_here_ = true;
            if (!unsent()) progress_ = now;
            engine_.close(code);
            // The stored input is processed now, because it may contain the peer's close frame.
            // Messages in it are dropped.
            resume(now);
            break;
        default:
            break;
    }
}

// Begins to close, because the peer has exceeded a time limit.
void WebSocketConnection::give_up(TimePoint now, CloseCode code, std::string_view why,
                                  std::uint64_t& counter) {
    ++counter;
    why_ = why;
    closed_here_ = true;
    if (!unsent()) progress_ = now;
    engine_.close(code, why);
    enter(Stage::closing, now);
}

void WebSocketConnection::sent(std::size_t bytes, TimePoint now) noexcept {
    progress_ = now;
    engine_.consume(bytes);
    if (!unsent()) unsent_pongs_ = 0;
}

bool WebSocketConnection::wants_input() const noexcept {
    return !ending() && !pauses() && unsent_pongs_ < max_unsent_pongs;
}

// The latest time for the pong to arrive. A pong cannot arrive in the middle of a frame, so while a
// message is arriving, the time limit restarts with each piece of input.
TimePoint WebSocketConnection::pong_deadline() const noexcept {
    if (!awaits_pong_ || !wants_input()) return never;
    auto const since = partial_since_ ? std::max(next_ping_, heard_) : next_ping_;
    return after(since, options_.ping_timeout());
}

TimePoint WebSocketConnection::next_deadline() const noexcept {
    auto next = unsent() ? after(progress_, options_.write_timeout()) : never;
    switch (stage_) {
        case Stage::open:
            next = std::min(next, pong_deadline());
            if (!awaits_pong_ && options_.ping_interval() > Duration::zero()) {
                next = std::min(next, next_ping_);
            }
            if (partial_since_) {
                next = std::min(next, after(*partial_since_, options_.message_timeout()));
            }
            return next;
        case Stage::closing:
        case Stage::ending:
            return std::min(next, after(since_, options_.close_timeout()));
        default:
            return next;
    }
}

void WebSocketConnection::tick(TimePoint now) {
    if (now < next_deadline() || stage_ == Stage::dead) return;
    if (stage_ == Stage::closing || stage_ == Stage::ending ||
        (unsent() && now >= after(progress_, options_.write_timeout()))) {
        if (unsent() || stage_ == Stage::closing) ++counters_.cut_off;
        if (why_.empty() && stage_ == Stage::open) why_ = "the peer does not read its input";
        enter(Stage::dead, now);
        return;
    }
    if (stage_ != Stage::open) return;
    if (partial_since_ && now >= after(*partial_since_, options_.message_timeout())) {
        give_up(now, CloseCode::too_big, "a message takes too long", counters_.too_slow);
    } else if (now >= pong_deadline()) {
        give_up(now, CloseCode::internal_error, "a ping was not answered", counters_.pongs_missed);
    } else if (!awaits_pong_ && now >= next_ping_ && options_.ping_interval() > Duration::zero()) {
        if (!unsent()) progress_ = now;
        engine_.ping(std::to_string(++pings_));
        awaits_pong_ = true;
        next_ping_ = now;
    }
}

std::string WebSocketConnection::end_reason() const {
    if (!why_.empty()) return why_;
    if (!engine_.fault().empty()) return engine_.fault();
    if (!ending() || closed_here_) return {};
    auto text = "the peer closed the connection: " + describe(engine_.code());
    if (!engine_.reason().empty()) text.append(": ").append(engine_.reason());
    return text;
}

}  // namespace lanyard::http
