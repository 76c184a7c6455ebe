#include "http/client/client_machine.hpp"

#include <utility>

#include "base/deadline.hpp"
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

std::unique_ptr<ClientOperation> ClientMachine::make(Operation::Kind kind) {
    auto stream_retries = options_.stream_retries;
    // A stream that belongs to no request is reopened without limit, even if it delivers nothing,
    // because the server may send messages at any time. For the stream of a request, the options
    // limit the attempts that deliver no event.
    bool const endless =
        kind == Operation::Kind::server_stream || kind == Operation::Kind::endpoint_stream;
    if (endless) stream_retries.backoff.max_retries.reset();
    return std::make_unique<Operation>(kind, url_, options_.max_event_bytes, stream_retries,
                                       options_.request_retries);
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
    auto& operation = operations_.add(std::move(made));
    session_.on_message(operation);
    if (!session_.must_wait(operation)) {
        start(operation, now);
    } else if (operations_.held() > options_.max_held) {
        fail(operation, Error(Errc::busy, "too many requests wait for the session"), now);
    }
}

void ClientMachine::release_held(TimePoint now) {
    operations_.for_each([this, now](Operation& operation) {
        if (operation.state == Operation::State::held && !session_.must_wait(operation)) {
            start(operation, now);
        }
    });
}

void ClientMachine::start(Operation& operation, TimePoint now) {
    using Kind = Operation::Kind;
    operation.answer = {};
    operation.state = Operation::State::running;
    session_.assign(operation);
    HttpCall call;
    call.fresh = std::exchange(operation.attempts.needs_new_connection, false);
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
        operations_.set_due(operation, after(now, options_.close_timeout));
    } else {
        operations_.set_due(
            operation, operation.is_one_way() ? after(now, message_timeout) : TimePoint::max());
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
    session_.describe(operation, head);
    if (operation.method() == Method::get) head.last_event_id = operation.parser.last_event_id();
    head.authorization = options_.authorization;
    head.mirrored = operation.message.mirrored;
    head.more = options_.headers;
    append_request(out, head, posts ? std::string_view(operation.body) : std::string_view());
}

void ClientMachine::start_later(Operation& operation, TimePoint when) {
    operation.state = Operation::State::waiting;
    operations_.set_due(operation, when);
}

// Cancels a request. A stateless request is cancelled by closing its connection. For any other
// request that was already sent, `message` (the notification of the cancellation) is sent to the
// server.
void ClientMachine::cancel(std::int64_t request, std::string_view message, TimePoint now) {
    auto* const found = operations_.find_request(request);
    if (found == nullptr) return;
    auto& operation = *found;
    // The handshake that renews the session reuses the id of the first `initialize` request. A
    // cancellation of that first request must not cancel the new handshake, because other messages
    // wait for the new session.
    if (operation.kind == Operation::Kind::handshake) return;
    bool const unsent = operation.state == Operation::State::held ||
                        (operation.state == Operation::State::waiting && !operation.resuming);
    bool const silent = operation.is_stateless() || unsent;
    operations_.remove_request(operation, request);
    if (operation.message.ids.empty()) {
        if (operation.state == Operation::State::running) runner_.abort(operation.id);
        operations_.remove(operation);
    }
    if (silent) return;
    OutgoingMessage cancellation;
    cancellation.method = "notifications/cancelled";
    post(std::move(cancellation), message, now);
}

void ClientMachine::fail_requests(Operation& operation, Error const& error) {
    // The machine itself sent the request of a handshake that renews the session. The client's
    // session has no such pending request, so it gets no failure.
    bool const is_known = operation.kind != Operation::Kind::handshake;
    for (auto const request : operations_.take_requests(operation)) {
        if (is_known) inbox_.add_failure(request, error);
    }
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
    operations_.remove(operation);
    if (opens) on_initialized(now);
}

void ClientMachine::on_time(TimePoint now) {
    while (auto* const due = operations_.next_due(now)) {
        auto& operation = *due;
        if (operation.resuming && operation.generation != session_.generation()) {
            fail(operation, lost_with_session(), now);
        } else if (operation.kind == Operation::Kind::handshake && session_.must_wait(operation)) {
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
    return operations_.next_deadline();
}

void ClientMachine::close(TimePoint now) {
    if (closing_) return;
    abandon();
    if (session_.can_be_ended()) {
        start(operations_.add(make(Operation::Kind::ending)), now);
    }
}

void ClientMachine::abandon() noexcept {
    closing_ = true;
    operations_.for_each([this](Operation const& operation) {
        if (operation.state == Operation::State::running) runner_.abort(operation.id);
    });
    operations_.clear();
}

}  // namespace lanyard::http
