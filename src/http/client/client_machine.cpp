#include "http/client/client_machine.hpp"

#include <algorithm>

#include "base/deadline.hpp"
#include "http/client/client_operation.hpp"
#include "http/client/request_writer.hpp"

namespace lanyard::http {

namespace {

// How long the server may take to accept a notification or an answer.
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

auto ClientMachine::make(OperationKind kind) -> std::unique_ptr<Operation> {
    auto stream_retries = options_.stream_retries;
    // A stream that belongs to no request is reopened without limit, even if it delivers nothing,
    // because the server may send messages at any time. For the stream of a request, the options
    // limit the attempts that deliver no event.
    bool const endless =
        kind == Operation::Kind::server_stream || kind == Operation::Kind::endpoint_stream;
    if (endless) stream_retries.backoff.max_retries.reset();
    return std::make_unique<Operation>(kind, url_, options_, stream_retries);
}

auto ClientMachine::add(std::unique_ptr<Operation> operation) -> Operation& {
    auto const id = ++last_id_;
    operation->id = id;
    for (auto const request : operation->message.ids) by_request_[request] = id;
    if (operation->is_one_way()) {
        ++unaccepted_;
        unaccepted_bytes_ += operation->body.size();
    }
    return *operations_.emplace(id, std::move(operation)).first->second;
}

auto ClientMachine::find(CallId id) noexcept -> Operation* {
    auto const found = operations_.find(id);
    return found == operations_.end() ? nullptr : found->second.get();
}

void ClientMachine::send(std::string_view message, rpc::Route const& route, TimePoint now) {
    if (closing_) return;
    auto outgoing = describe_outgoing(message, route, tools_);
    if (outgoing.cancels) {
        cancel(*outgoing.cancels, message, now);
    } else {
        post(std::move(outgoing), message, now);
    }
}

void ClientMachine::post(OutgoingMessage message, std::string_view text, TimePoint now) {
    auto made = make(Operation::Kind::message);
    made->message = std::move(message);
    made->body = text;
    auto& operation = add(std::move(made));
    if (operation.is_stateless()) claimed_version_ = operation.message.version;
    if (operation.is_initialize()) {
        initialize_ = text;
        session_id_.clear();
        claimed_version_.clear();
        version_.reset();
    }
    if (operation.is_initialized()) gate_open_ = false;
    if (!must_wait(operation)) {
        start(operation, now);
    } else if (held_count() > options_.max_held) {
        fail(operation, Error(Errc::busy, "too many requests wait for the session"), now);
    }
}

// Whether the message must wait. Requests and notifications of a session wait until its handshake
// is complete; in mode `events`, all messages of a session wait until the endpoint is known.
bool ClientMachine::must_wait(Operation const& operation) const noexcept {
    if (operation.is_stateless()) return false;
    if (mode_ == Mode::events && !endpoint_known_) return true;
    if (operation.is_initialize() || operation.is_initialized()) return false;
    return !gate_open_ && operation.message.kind != OutgoingMessage::Kind::answer;
}

std::size_t ClientMachine::held_count() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(operations_, [](auto const& entry) {
        return entry.second->state == Operation::State::held;
    }));
}

void ClientMachine::release_held(TimePoint now) {
    for (auto const& [id, operation] : operations_) {
        if (operation->state == Operation::State::held && !must_wait(*operation)) {
            start(*operation, now);
        }
    }
}

void ClientMachine::start(Operation& operation, TimePoint now) {
    using Kind = Operation::Kind;
    operation.begin_answer();
    operation.state = Operation::State::running;
    if (!operation.resuming) operation.generation = generation_;
    if (operation.carries_message() && mode_ == Mode::events && endpoint_ && !operation.redirects) {
        operation.url = *endpoint_;
    }
    operation.in_session = mode_ == Mode::streamable && !session_id_.empty() &&
                           !operation.is_stateless() && !operation.is_initialize();
    HttpCall call;
    call.fresh = std::exchange(operation.fresh, false);
    write_request(operation, call.bytes);
    bool const stays_open =
        operation.method() == Method::get || operation.message.method == listen_method;
    if (stays_open) {
        call.lane = SlotKind::stream;
    } else {
        call.lane = operation.kind == Kind::message && operation.is_request() ? SlotKind::call
                                                                              : SlotKind::message;
    }
    if (operation.kind == Kind::ending) {
        set_due(operation, after(now, options_.close_timeout));
    } else {
        set_due(operation, operation.is_one_way() ? after(now, message_timeout) : TimePoint::max());
    }
    runner_.start(operation.id, std::move(call));
}

void ClientMachine::write_request(Operation const& operation, std::string& out) const {
    auto const host = operation.url.authority();
    auto const absolute = options_.absolute_targets ? operation.url.to_string() : std::string();
    bool const posts = operation.method() == Method::post;
    CallHead head;
    head.method = operation.method();
    head.target = options_.absolute_targets ? absolute : operation.url.target();
    head.host = host;
    head.takes_json = posts;
    head.takes_stream = operation.method() != Method::delete_;
    if (operation.in_session) head.session_id = session_id_;
    if (operation.is_stateless()) {
        head.protocol_version = operation.message.version;
    } else if (!operation.is_initialize()) {
        head.protocol_version = claimed_version_;
        if (version_ && *version_ >= Version::v2025_06_18) {
            head.protocol_version = to_string(*version_);
        }
    }
    if (operation.method() == Method::get) head.last_event_id = operation.parser.last_event_id();
    head.authorization = options_.authorization;
    head.mirrored = operation.message.mirrored;
    head.more = options_.headers;
    append_request(out, head, posts ? std::string_view(operation.body) : std::string_view());
}

void ClientMachine::start_later(Operation& operation, TimePoint when) {
    operation.state = Operation::State::waiting;
    set_due(operation, when);
}

void ClientMachine::set_due(Operation& operation, TimePoint when) {
    if (operation.due != TimePoint::max()) due_.erase({operation.due, operation.id});
    operation.due = when;
    if (when != TimePoint::max()) due_.insert({when, operation.id});
}

// Cancels a request. A stateless request is cancelled by closing its connection. For any other
// request, `message` (the notification) is sent to the server, unless the request has not been sent
// yet.
void ClientMachine::cancel(std::int64_t request, std::string_view message, TimePoint now) {
    auto const found = by_request_.find(request);
    if (found == by_request_.end()) return;
    auto& operation = *find(found->second);
    // The handshake that renews a session repeats the id of the request that opened it. It is the
    // machine's own, and the messages that wait for the session depend on it.
    if (operation.kind == Operation::Kind::handshake) return;
    bool const unsent = operation.state == Operation::State::held ||
                        (operation.state == Operation::State::waiting && !operation.resuming);
    bool const silent = operation.is_stateless() || unsent;
    by_request_.erase(found);
    std::erase(operation.message.ids, request);
    if (operation.message.ids.empty()) {
        if (operation.state == Operation::State::running) runner_.abort(operation.id);
        remove(operation);
    }
    if (silent) return;
    OutgoingMessage told;
    told.method = "notifications/cancelled";
    post(std::move(told), message, now);
}

void ClientMachine::remove(Operation& operation) {
    set_due(operation, TimePoint::max());
    for (auto const request : operation.message.ids) by_request_.erase(request);
    if (operation.is_one_way()) {
        --unaccepted_;
        unaccepted_bytes_ -= operation.body.size();
    }
    operations_.erase(operation.id);
}

void ClientMachine::fail_requests(Operation& operation, Error const& error) {
    // The machine itself sent the request of a handshake that renews the session. The client's
    // session has no such pending request, so it gets no failure.
    bool const is_known = operation.kind != Operation::Kind::handshake;
    for (auto const request : operation.message.ids) {
        by_request_.erase(request);
        if (is_known) inbox_.add_failure(request, error);
    }
    operation.message.ids.clear();
}

void ClientMachine::fail(Operation& operation, Error const& error, TimePoint now) {
    if (operation.kind == Operation::Kind::handshake) {
        end_renewal(operation, error, now);
        return;
    }
    fail_requests(operation, error);
    finish(operation, now);
}

void ClientMachine::finish(Operation& operation, TimePoint now) {
    bool const opens = operation.is_initialized();
    remove(operation);
    if (opens) on_initialized(now);
}

void ClientMachine::on_time(TimePoint now) {
    while (!due_.empty() && due_.begin()->first <= now) {
        auto& operation = *find(due_.begin()->second);
        set_due(operation, TimePoint::max());
        if (operation.resuming && operation.generation != generation_) {
            fail(operation, lost_with_session(), now);
        } else if (operation.kind == Operation::Kind::handshake && must_wait(operation)) {
            operation.state = Operation::State::held;
        } else if (operation.state == Operation::State::waiting) {
            start(operation, now);
        } else {
            // Either the server has not accepted a message in time, or it has kept a stream open
            // for too long after the answer.
            runner_.abort(operation.id);
            finish(operation, now);
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
        start(add(make(Operation::Kind::ending)), now);
    }
}

void ClientMachine::abandon() noexcept {
    closing_ = true;
    for (auto const& [id, operation] : operations_) {
        if (operation->state == Operation::State::running) runner_.abort(id);
    }
    operations_.clear();
    by_request_.clear();
    due_.clear();
    unaccepted_ = 0;
    unaccepted_bytes_ = 0;
}

}  // namespace lanyard::http
