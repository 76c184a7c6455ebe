#include "http/client/client_machine.hpp"

#include <algorithm>

#include "base/deadline.hpp"
#include "http/client/client_exchange.hpp"
#include "http/client/request_writer.hpp"

namespace lanyard::http {

namespace {

// How long a notification or an answer may take to be accepted.
constexpr std::chrono::seconds message_timeout(30);

constexpr std::string_view listen_method = "subscriptions/listen";

}  // namespace

ClientMachine::ClientMachine(Url url, ClientMachineOptions options, CallRunner& runner,
                             ClientInbox& inbox, Random& random)
    : url_(std::move(url)),
      options_(std::move(options)),
      runner_(runner),
      inbox_(inbox),
      random_(random) {}

ClientMachine::~ClientMachine() = default;

auto ClientMachine::make(ExchangeKind kind) -> std::unique_ptr<Exchange> {
    ReconnectOptions reconnecting;
    reconnecting.wait = options_.reconnect_wait;
    // The stream for the server's own messages is reopened without limit, because messages may come
    // at any time. Requests are limited by the session's timeout.
    bool const endless =
        kind == Exchange::Kind::server_stream || kind == Exchange::Kind::endpoint_stream;
    if (endless) reconnecting.backoff.max_retries.reset();
    return std::make_unique<Exchange>(kind, url_, reconnecting, options_.max_event_bytes);
}

auto ClientMachine::add(std::unique_ptr<Exchange> exchange) -> Exchange& {
    auto const id = ++last_id_;
    exchange->id = id;
    for (auto const request : exchange->message.ids) by_request_[request] = id;
    if (exchange->is_one_way()) {
        ++unaccepted_;
        unaccepted_bytes_ += exchange->body.size();
    }
    return *exchanges_.emplace(id, std::move(exchange)).first->second;
}

auto ClientMachine::find(CallId id) noexcept -> Exchange* {
    auto const found = exchanges_.find(id);
    return found == exchanges_.end() ? nullptr : found->second.get();
}

void ClientMachine::send(std::string_view message, TimePoint now) {
    if (closing_) return;
    auto outgoing = read_outgoing(message, tools_);
    if (outgoing.cancels) {
        cancel(*outgoing.cancels, message, now);
    } else {
        post(std::move(outgoing), message, now);
    }
}

void ClientMachine::post(OutgoingMessage message, std::string_view text, TimePoint now) {
    auto made = make(Exchange::Kind::message);
    made->message = std::move(message);
    made->body = text;
    auto& exchange = add(std::move(made));
    if (exchange.stands_alone()) claimed_version_ = exchange.message.version;
    if (exchange.is_initialize()) {
        initialize_ = text;
        session_id_.clear();
        claimed_version_.clear();
        version_.reset();
    }
    if (exchange.is_initialized()) gate_open_ = false;
    if (!must_wait(exchange)) {
        start(exchange, now);
    } else if (held_count() > options_.max_held) {
        fail(exchange, Error(Errc::busy, "too many requests wait for the session"), now);
    }
}

// No message of a session may be sent before the handshake is complete.
bool ClientMachine::must_wait(Exchange const& exchange) const noexcept {
    if (exchange.stands_alone()) return false;
    if (mode_ == Mode::events && !endpoint_known_) return true;
    if (exchange.is_initialize() || exchange.is_initialized()) return false;
    return !gate_open_ && exchange.message.kind != OutgoingMessage::Kind::answer;
}

std::size_t ClientMachine::held_count() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(exchanges_, [](auto const& entry) {
        return entry.second->state == Exchange::State::held;
    }));
}

void ClientMachine::release_held(TimePoint now) {
    for (auto const& [id, exchange] : exchanges_) {
        if (exchange->state == Exchange::State::held && !must_wait(*exchange)) {
            start(*exchange, now);
        }
    }
}

void ClientMachine::start(Exchange& exchange, TimePoint now) {
    using Kind = Exchange::Kind;
    exchange.begin_answer();
    exchange.state = Exchange::State::running;
    if (!exchange.resuming) exchange.generation = generation_;
    if (exchange.carries_message() && mode_ == Mode::events && endpoint_ && !exchange.redirects) {
        exchange.url = *endpoint_;
    }
    exchange.in_session = mode_ == Mode::streamable && !session_id_.empty() &&
                          !exchange.stands_alone() && !exchange.is_initialize();
    HttpCall call;
    call.fresh = std::exchange(exchange.fresh, false);
    write_request(exchange, call.bytes);
    bool const stays_open =
        exchange.method() == Method::get || exchange.message.method == listen_method;
    if (stays_open) {
        call.lane = Lane::stream;
    } else {
        call.lane =
            exchange.kind == Kind::message && exchange.is_request() ? Lane::call : Lane::message;
    }
    if (exchange.kind == Kind::ending) {
        set_due(exchange, rpc::after(now, options_.close_timeout));
    } else {
        set_due(exchange,
                exchange.is_one_way() ? rpc::after(now, message_timeout) : TimePoint::max());
    }
    runner_.start(exchange.id, std::move(call));
}

void ClientMachine::write_request(Exchange const& exchange, std::string& out) const {
    auto const host = exchange.url.authority();
    auto const absolute = options_.absolute_targets ? exchange.url.to_string() : std::string();
    auto const more = exchange.message.mirrored + options_.headers;
    bool const posts = exchange.method() == Method::post;
    CallHead head;
    head.method = exchange.method();
    head.target = options_.absolute_targets ? absolute : exchange.url.target();
    head.host = host;
    head.takes_json = posts;
    head.takes_stream = exchange.method() != Method::delete_;
    if (exchange.in_session) head.session_id = session_id_;
    if (exchange.stands_alone()) {
        head.protocol_version = exchange.message.version;
    } else if (!exchange.is_initialize()) {
        head.protocol_version = claimed_version_;
        if (version_ && *version_ >= Version::v2025_06_18) {
            head.protocol_version = to_string(*version_);
        }
    }
    if (exchange.method() == Method::get) head.last_event_id = exchange.parser.last_event_id();
    head.authorization = options_.authorization;
    head.more = more;
    append_request(out, head, posts ? std::string_view(exchange.body) : std::string_view());
}

void ClientMachine::start_later(Exchange& exchange, TimePoint when) {
    exchange.state = Exchange::State::waiting;
    set_due(exchange, when);
}

void ClientMachine::set_due(Exchange& exchange, TimePoint when) {
    if (exchange.due != TimePoint::max()) due_.erase({exchange.due, exchange.id});
    exchange.due = when;
    if (when != TimePoint::max()) due_.insert({when, exchange.id});
}

// Cancels a stateless request by closing its connection. Cancels any other request by sending the
// notification `message`, unless the request has not been sent yet.
void ClientMachine::cancel(std::int64_t request, std::string_view message, TimePoint now) {
    auto const found = by_request_.find(request);
    if (found == by_request_.end()) return;
    auto& exchange = *find(found->second);
    bool const unsent = exchange.state == Exchange::State::held ||
                        (exchange.state == Exchange::State::waiting && !exchange.resuming);
    bool const silent = exchange.stands_alone() || unsent;
    by_request_.erase(found);
    std::erase(exchange.message.ids, request);
    if (exchange.message.ids.empty()) {
        if (exchange.state == Exchange::State::running) runner_.abort(exchange.id);
        remove(exchange);
    }
    if (silent) return;
    OutgoingMessage told;
    told.method = "notifications/cancelled";
    told.repeatable = true;
    post(std::move(told), message, now);
}

void ClientMachine::remove(Exchange& exchange) {
    set_due(exchange, TimePoint::max());
    for (auto const request : exchange.message.ids) by_request_.erase(request);
    if (exchange.is_one_way()) {
        --unaccepted_;
        unaccepted_bytes_ -= exchange.body.size();
    }
    exchanges_.erase(exchange.id);
}

void ClientMachine::fail_requests(Exchange& exchange, Error const& error) {
    // The session gets no failure for a handshake that renews it, because the machine sent that
    // handshake.
    bool const is_known = exchange.kind != Exchange::Kind::handshake;
    for (auto const request : exchange.message.ids) {
        by_request_.erase(request);
        if (is_known) inbox_.add_failure(request, error);
    }
    exchange.message.ids.clear();
}

void ClientMachine::fail(Exchange& exchange, Error const& error, TimePoint now) {
    if (exchange.kind == Exchange::Kind::handshake) {
        end_renewal(exchange, error, now);
        return;
    }
    fail_requests(exchange, error);
    finish(exchange, now);
}

void ClientMachine::finish(Exchange& exchange, TimePoint now) {
    bool const opens = exchange.is_initialized();
    remove(exchange);
    if (opens) on_initialized(now);
}

void ClientMachine::on_time(TimePoint now) {
    while (!due_.empty() && due_.begin()->first <= now) {
        auto& exchange = *find(due_.begin()->second);
        set_due(exchange, TimePoint::max());
        if (exchange.resuming && exchange.generation != generation_) {
            fail(exchange, lost_with_session(), now);
        } else if (exchange.kind == Exchange::Kind::handshake && must_wait(exchange)) {
            exchange.state = Exchange::State::held;
        } else if (exchange.state == Exchange::State::waiting) {
            start(exchange, now);
        } else {
            // The server has not accepted a message in time, or has kept a stream open after the
            // answer to its request.
            runner_.abort(exchange.id);
            finish(exchange, now);
        }
    }
}

TimePoint ClientMachine::next_deadline() const noexcept {
    return due_.empty() ? TimePoint::max() : due_.begin()->first;
}

void ClientMachine::close(TimePoint now) {
    if (closing_) return;
    abandon();
    if (mode_ == Mode::streamable && !session_id_.empty()) {
        start(add(make(Exchange::Kind::ending)), now);
    }
}

void ClientMachine::abandon() noexcept {
    closing_ = true;
    for (auto const& [id, exchange] : exchanges_) {
        if (exchange->state == Exchange::State::running) runner_.abort(id);
    }
    exchanges_.clear();
    by_request_.clear();
    due_.clear();
    unaccepted_ = 0;
    unaccepted_bytes_ = 0;
}

}  // namespace lanyard::http
