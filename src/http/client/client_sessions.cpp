// ClientMachine: sessions, the streams that belong to them, and HTTP+SSE (protocol revision
// 2024-11-05).
#include "base/deadline.hpp"
#include "http/client/client_machine.hpp"
#include "http/message/status.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

namespace {

constexpr std::string_view initialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

}  // namespace

// Handles the answer to a handshake, which is either the first handshake or one that renews a lost
// session.
void ClientMachine::learn_session(rpc::Envelope const& answer, Operation& handshake) {
    auto const named = answer.result ? answer.result->find("protocolVersion") : std::nullopt;
    auto const version = named ? parse_version(named->as_string().value_or("")) : std::nullopt;
    handshake.answered = true;
    if (handshake.kind == Operation::Kind::handshake) {
        if (!answer.result) {
            handshake.failure = error_of(answer);
        } else if (version != session_.version()) {
            handshake.failure =
                Error(Errc::version_mismatch, "the server now uses another protocol version");
        }
        return;
    }
    session_.open(version, answer.result ? handshake.session_id : std::string());
}

void ClientMachine::on_initialized(TimePoint now) {
    session_.allow_messages();
    release_held(now);
    if (!session_.uses_events() && options_.server_stream) {
        close_streams(Operation::Kind::server_stream);
        start(operations_.add(make(Operation::Kind::server_stream)), now);
    }
}

void ClientMachine::close_streams(Operation::Kind kind) {
    operations_.for_each([this, kind](Operation& operation) {
        if (operation.kind != kind) return;
        if (operation.state == Operation::State::running) runner_.abort(operation.id);
        operations_.remove(operation);
    });
}

// Handles the refusal of the server stream, which carries messages that belong to no request. This
// stream is optional, so most refusals are no error. But if the stream was open before, 404 means
// that the session is lost.
void ClientMachine::settle_server_stream(Operation& operation, TimePoint now) {
    if (operation.answer.status >= 500) {
        reopen(operation, refusal(operation), now);
    } else if (operation.established && operation.in_session &&
               operation.answer.status == number_of(Status::not_found)) {
        lose_session(operation, now);
    } else {
        operations_.remove(operation);
    }
}

Error ClientMachine::lost_with_session() {
    return {Errc::transport_down,
            "the server lost the session while it worked on the request, which may have been "
            "carried out"};
}

// The server answered 404, so it has lost the session of this operation. If the operation has a
// request, the consequence depends on what the server refused with 404:
// - The POST of the request: the server has not executed the request, so the request is sent once
//   more.
// - The GET that was to resume the stream of the request: the server may have executed the request,
//   so the request fails.
void ClientMachine::lose_session(Operation& operation, TimePoint now) {
    bool const current = operation.generation == session_.generation();
    bool const opening = operation.is_initialized();
    bool const repeats = operation.is_request() && !operation.resuming;
    if (repeats && operation.attempts.renewed) {
        fail(operation,
             Error(Errc::unavailable, "the server does not know the session it has just opened"),
             now);
        return;
    }
    if (repeats) {
        operation.attempts.renewed = true;
        operation.state = Operation::State::held;
    } else if (operation.resuming) {
        fail(operation, lost_with_session(), now);
    } else {
        finish(operation, now);
    }
    if (current && !session_.renewing() && !opening) renew(now);
    release_held(now);
}

void ClientMachine::renew(TimePoint now) {
    auto made = make(Operation::Kind::handshake);
    made->message = read_outgoing(session_.initialize(), tools_);
    made->body = session_.initialize();
    auto& handshake = operations_.add(std::move(made));
    auto const when = session_.begin_renewal(now, random_);
    if (when) {
        start_later(handshake, *when);
    } else if (!session_.must_wait(handshake)) {
        start(handshake, now);
    }
}

void ClientMachine::end_renewal(Operation& handshake, std::optional<Error> failure, TimePoint now) {
    auto session_id = std::move(handshake.session_id);
    operations_.remove(handshake);
    if (failure) {
        session_.fail_renewal();
        Error const error(
            Errc::unavailable,
            "the server lost the session, and no new one could be opened: " + failure->message());
        operations_.for_each([&](Operation& operation) {
            if (operation.state != Operation::State::held) return;
            fail_requests(operation, error);
            operations_.remove(operation);
        });
        return;
    }
    session_.end_renewal(std::move(session_id));
    inbox_.add_renewal();
    post(read_outgoing(initialized, tools_), initialized, now);
}

// Whether the server that refused the handshake may be a server of protocol revision 2024-11-05,
// which accepts no POST at this URL. A server whose response contains an error code that only later
// revisions define is not such a server.
bool ClientMachine::may_be_events(Operation const& handshake) {
    auto const status = handshake.answer.status;
    bool const fits = status == number_of(Status::bad_request) ||
                      status == number_of(Status::not_found) ||
                      status == number_of(Status::method_not_allowed);
    if (!fits) return false;
    auto const item = reader_.read(handshake.answer.text);
    if (!item || item->kind != rpc::MessageKind::error) return true;
    auto const code = item->error->find("code")->as_int64();
    return !code || *code > wire::code::header_mismatch || *code < wire::code::unsupported_version;
}

void ClientMachine::fall_back(Operation& handshake, TimePoint now) {
    handshake.failure = refusal(handshake);
    auto const item = reader_.read(handshake.answer.text);
    if (item && item->kind == rpc::MessageKind::error) handshake.failure = error_of(*item);
    handshake.state = Operation::State::held;
    handshake.attempts.redirects = 0;
    session_.use_events();
    start(operations_.add(make(Operation::Kind::endpoint_stream)), now);
}

void ClientMachine::take_endpoint(Operation& stream, std::string_view reference, TimePoint now) {
    auto named = stream.url.resolve(reference);
    if (!named || !named->same_origin(url_)) {
        stream.failure =
            Error(Errc::protocol_violation,
                  "the server names an endpoint that is not its own: " + std::string(reference));
        return;
    }
    if (session_.set_endpoint(*std::move(named))) renew(now);
    release_held(now);
}

void ClientMachine::settle_endpoint_stream(Operation& operation, Error const& why, TimePoint now) {
    if (!session_.lose_endpoint()) {
        // The server named no endpoint that can be used, so HTTP+SSE does not work either. If the
        // server named an endpoint that take_endpoint() refused, all waiting requests fail with
        // that error (`failure`). Otherwise the handshake fails with the error from the server's
        // earlier refusal (waiting.failure), and the other requests fail with `why`.
        auto const failure = operation.failure;
        session_.leave_events();
        operations_.remove(operation);
        operations_.for_each([&](Operation& waiting) {
            bool const for_stream = waiting.state == Operation::State::held ||
                                    waiting.state == Operation::State::accepted;
            if (!for_stream) return;
            fail_requests(waiting, failure ? *failure : waiting.failure.value_or(why));
            operations_.remove(waiting);
        });
        return;
    }
    Error const lost(Errc::transport_down, "the stream of the server broke off: " + why.message());
    operations_.for_each([&](Operation& other) {
        bool const sent = other.state != Operation::State::held;
        if (!sent || !other.carries_message() || !other.is_request()) return;
        if (other.state == Operation::State::running) runner_.abort(other.id);
        if (other.kind == Operation::Kind::handshake) session_.cancel_renewal();
        fail_requests(other, lost);
        operations_.remove(other);
    });
    operation.failure.reset();
    reopen(operation, why, now);
}

}  // namespace lanyard::http
