// ClientMachine: sessions, the streams that belong to them, and HTTP+SSE (protocol revision
// 2024-11-05).
#include "base/deadline.hpp"
#include "http/client/client_machine.hpp"
#include "http/client/client_operation.hpp"
#include "http/message/status.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

namespace {

// If a session is lost less than this time after it was renewed, the next renewal is delayed.
constexpr std::chrono::seconds lasting_session(30);

constexpr std::string_view initialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

}  // namespace

// Handles the answer to a handshake, which may be the first one or one that renews a lost session.
void ClientMachine::learn_session(rpc::Envelope const& answer, Operation& handshake) {
    auto const named = answer.result ? answer.result->find("protocolVersion") : std::nullopt;
    auto const version = named ? parse_version(named->as_string().value_or("")) : std::nullopt;
    handshake.answered = true;
    if (handshake.kind == Operation::Kind::handshake) {
        if (!answer.result) {
            handshake.failure = error_of(answer);
        } else if (version != version_) {
            handshake.failure =
                Error(Errc::version_mismatch, "the server now uses another protocol version");
        }
        return;
    }
    version_ = version;
    session_id_ = answer.result ? handshake.session_id : std::string();
    ++generation_;
}

void ClientMachine::on_initialized(TimePoint now) {
    gate_open_ = true;
    release_held(now);
    if (mode_ == Mode::streamable && options_.server_stream) {
        close_streams(Operation::Kind::server_stream);
        start(add(make(Operation::Kind::server_stream)), now);
    }
}

void ClientMachine::close_streams(OperationKind kind) {
    for (auto at = operations_.begin(); at != operations_.end();) {
        auto& operation = *at++->second;
        if (operation.kind != kind) continue;
        if (operation.state == Operation::State::running) runner_.abort(operation.id);
        remove(operation);
    }
}

// Handles the refusal of the stream for messages that belong to no request. The stream is optional,
// so most refusals are no error. But if the stream was open before, 404 means that the session is
// lost.
void ClientMachine::settle_server_stream(Operation& operation, TimePoint now) {
    if (operation.status >= 500) {
        reopen(operation, refusal(operation), now);
    } else if (operation.established && operation.in_session &&
               operation.status == number_of(Status::not_found)) {
        lose_session(operation, now);
    } else {
        remove(operation);
    }
}

Error ClientMachine::lost_with_session() {
    return {Errc::transport_down,
            "the server lost the session while it worked on the request, which may have been "
            "carried out"};
}

// The server answered 404, so it has lost the session of this operation. If a request was refused
// with this 404, the server has not executed it, so the request is sent once more. If the stream of
// a request was to be resumed, the server may have executed the request, so it fails.
void ClientMachine::lose_session(Operation& operation, TimePoint now) {
    bool const current = operation.generation == generation_;
    bool const opening = operation.is_initialized();
    bool const repeats = operation.is_request() && !operation.resuming;
    if (repeats && operation.renewed) {
        fail(operation,
             Error(Errc::unavailable, "the server does not know the session it has just opened"),
             now);
        return;
    }
    if (repeats) {
        operation.renewed = true;
        operation.state = Operation::State::held;
    } else if (operation.resuming) {
        fail(operation, lost_with_session(), now);
    } else {
        finish(operation, now);
    }
    if (current && !renewing_ && !opening) renew(now);
    release_held(now);
}

void ClientMachine::renew(TimePoint now) {
    renewing_ = true;
    gate_open_ = false;
    auto made = make(Operation::Kind::handshake);
    made->message = read_outgoing(initialize_, tools_);
    made->body = initialize_;
    auto& handshake = add(std::move(made));
    bool const lasted = !renewed_at_ || now - *renewed_at_ >= lasting_session;
    if (lasted) {
        renewal_wait_.reset();
        renewed_at_ = now;
        if (!must_wait(handshake)) start(handshake, now);
    } else {
        auto const next = after(now, renewal_wait_.next(random_).value());
        renewed_at_ = next;
        start_later(handshake, next);
    }
}

void ClientMachine::end_renewal(Operation& handshake, std::optional<Error> failure, TimePoint now) {
    auto const session_id = std::move(handshake.session_id);
    remove(handshake);
    renewing_ = false;
    if (failure) {
        gate_open_ = true;
        Error const error(
            Errc::unavailable,
            "the server lost the session, and no new one could be opened: " + failure->message());
        for (auto at = operations_.begin(); at != operations_.end();) {
            auto& operation = *at++->second;
            if (operation.state != Operation::State::held) continue;
            fail_requests(operation, error);
            remove(operation);
        }
        return;
    }
    session_id_ = session_id;
    ++generation_;
    inbox_.add_renewal();
    post(read_outgoing(initialized, tools_), initialized, now);
}

// Whether the server that refused the handshake may be a server of protocol revision 2024-11-05,
// which accepts no POST at this URL. If the response contains an error code that only later
// revisions define, it is not such a server.
bool ClientMachine::may_be_events(Operation const& handshake) {
    auto const status = handshake.status;
    bool const fits = status == number_of(Status::bad_request) ||
                      status == number_of(Status::not_found) ||
                      status == number_of(Status::method_not_allowed);
    if (!fits) return false;
    auto const item = reader_.read(handshake.text);
    if (!item || item->kind != rpc::MessageKind::error) return true;
    auto const code = item->error->find("code")->as_int64();
    return !code || *code > wire::code::header_mismatch || *code < wire::code::unsupported_version;
}

void ClientMachine::fall_back(Operation& handshake, TimePoint now) {
    handshake.failure = refusal(handshake);
    auto const item = reader_.read(handshake.text);
    if (item && item->kind == rpc::MessageKind::error) handshake.failure = error_of(*item);
    handshake.state = Operation::State::held;
    handshake.redirects = 0;
    mode_ = Mode::events;
    endpoint_.reset();
    endpoint_known_ = false;
    start(add(make(Operation::Kind::endpoint_stream)), now);
}

void ClientMachine::take_endpoint(Operation& stream, std::string_view reference, TimePoint now) {
    auto named = stream.url.resolve(reference);
    if (!named || !named->same_origin(url_)) {
        stream.failure =
            Error(Errc::protocol_violation,
                  "the server names an endpoint that is not its own: " + std::string(reference));
        return;
    }
    bool const another = endpoint_ && (*endpoint_ != *named || !gate_open_);
    endpoint_ = *std::move(named);
    endpoint_known_ = true;
    // The server has begun another session, so a handshake is needed, in two cases: the server
    // names another endpoint than before, or the stream broke off while a session was being opened.
    if (another && version_ && !renewing_) renew(now);
    release_held(now);
}

void ClientMachine::settle_endpoint_stream(Operation& operation, Error const& why, TimePoint now) {
    endpoint_known_ = false;
    if (!endpoint_) {
        // The server named no endpoint that can be used, so HTTP+SSE does not work either. If it
        // named an endpoint that take_endpoint() refused, all waiting requests fail with that error
        // (`failure`). Otherwise the handshake fails with the error from the server's earlier
        // refusal (waiting.failure), and the other requests fail with `why`.
        auto const failure = operation.failure;
        mode_ = Mode::streamable;
        gate_open_ = true;
        remove(operation);
        for (auto at = operations_.begin(); at != operations_.end();) {
            auto& waiting = *at++->second;
            bool const for_stream = waiting.state == Operation::State::held ||
                                    waiting.state == Operation::State::accepted;
            if (!for_stream) continue;
            fail_requests(waiting, failure ? *failure : waiting.failure.value_or(why));
            remove(waiting);
        }
        return;
    }
    Error const lost(Errc::transport_down, "the stream of the server broke off: " + why.message());
    for (auto at = operations_.begin(); at != operations_.end();) {
        auto& other = *at++->second;
        bool const sent = other.state != Operation::State::held;
        if (!sent || !other.carries_message() || !other.is_request()) continue;
        if (other.state == Operation::State::running) runner_.abort(other.id);
        if (other.kind == Operation::Kind::handshake) renewing_ = false;
        fail_requests(other, lost);
        remove(other);
    }
    operation.failure.reset();
    reopen(operation, why, now);
}

}  // namespace lanyard::http
