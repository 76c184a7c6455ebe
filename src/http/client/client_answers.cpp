// ClientMachine: handles the responses.
#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "base/deadline.hpp"
#include "http/client/client_machine.hpp"
#include "http/message/status.hpp"
#include "lanyard/json/writer.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

namespace {

// The maximum number of bytes of a body that an error message quotes.
constexpr std::size_t max_excerpt = 200;
// The maximum memory that is reserved in advance for a body of announced length. The buffer for a
// larger body grows as the body arrives.
constexpr std::size_t max_expected = std::size_t{2} * 1024 * 1024;
// How long the stream of a request may stay open after the answer has arrived on that stream.
constexpr std::chrono::seconds linger_time(1);
// If Retry-After is longer than this, the request fails instead of being retried.
constexpr std::chrono::seconds longest_retry_after(30);

std::optional<Duration> read_retry_after(Fields const& fields) {
    auto const text = fields.find(FieldName::retry_after);
    if (!text) return std::nullopt;
    int seconds = 0;
    auto const [end, fault] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (fault != std::errc() || end != text->data() + text->size()) return std::nullopt;
    if (seconds < 0 || seconds > longest_retry_after.count()) return std::nullopt;
    return std::chrono::seconds(seconds);
}

bool is_session_id(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

Errc code_of(int status) noexcept {
    switch (status) {
        case 401:
        case 403:
            return Errc::unauthorized;
        case 408:
        case 504:
            return Errc::timeout;
        case 413:
            return Errc::too_large;
        case 429:
            return Errc::rate_limited;
        default:
            return status >= 500 ? Errc::unavailable : Errc::failed;
    }
}

// Returns the beginning of the text as one line without control characters.
std::string excerpt_of(std::string_view text) {
    std::string excerpt;
    for (char const c : text.substr(0, max_excerpt)) {
        bool const blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
        if (!blank) {
            excerpt.push_back(c);
        } else if (!excerpt.empty() && excerpt.back() != ' ') {
            excerpt.push_back(' ');
        }
    }
    return excerpt;
}

}  // namespace

void ClientMachine::on_head(CallId id, ResponseHead const& head, TimePoint now) {
    auto* const operation = operations_.find(id);
    if (operation == nullptr) return;
    operation->answer.status = head.status;
    operation->answer.content = head.content;
    if (operation->answer.streams()) {
        operation->established = true;
        operation->reconnect.on_open(now);
        operation->parser.restart();
    } else if (operation->answer.content == ResponseHead::Content::json) {
        operation->answer.text.reserve(std::min<std::size_t>(head.body.length, max_expected));
    }
    if (auto const location = head.fields.find(FieldName::location))
        operation->answer.location = *location;
    operation->answer.challenge = head.fields.find(FieldName::www_authenticate).value_or("");
    operation->answer.retry_after = read_retry_after(head.fields);
    if (operation->is_initialize()) {
        auto const session = head.fields.find(FieldName::mcp_session_id);
        operation->session_id = session && is_session_id(*session) ? *session : "";
    }
}

void ClientMachine::on_body(CallId id, std::string_view bytes, TimePoint now) {
    auto* const operation = operations_.find(id);
    if (operation == nullptr) return;
    if (operation->answer.streams()) {
        operation->parser.feed(bytes);
        take_events(*operation, now);
    } else if (operation->answer.content == ResponseHead::Content::json) {
        operation->answer.text.append(bytes);
    } else if (operation->answer.text.size() < max_excerpt) {
        operation->answer.text.append(bytes.substr(0, max_excerpt));
    }
}

void ClientMachine::on_done(CallId id, TimePoint now) {
    auto* const operation = operations_.find(id);
    if (operation == nullptr) return;
    if (operation->answer.streams()) {
        stream_ended(*operation,
                     Error(Errc::transport_down, "the server ended the stream before the answer"),
                     now);
    } else {
        settle(*operation, now);
    }
}

void ClientMachine::on_lost(CallId id, CallLoss const& loss, TimePoint now) {
    using Stage = CallLoss::Stage;
    auto* const operation = operations_.find(id);
    if (operation == nullptr) return;
    bool const is_stream = !operation->carries_message() || operation->resuming;
    // The server ignores a second answer to its request, but would wait for a lost one.
    bool const may_resend =
        loss.stage == Stage::unsent || (loss.stage == Stage::unanswered &&
                                        operation->message.kind == OutgoingMessage::Kind::answer);
    if (operation->kind == Operation::Kind::ending) {
        operations_.remove(*operation);
    } else if (is_stream || operation->answer.streams()) {
        stream_ended(*operation, loss.error, now);
    } else if (loss.reused && !operation->attempts.restarted &&
               (loss.stage == Stage::unsent ||
                (loss.stage == Stage::unanswered && operation->message.is_repeatable()))) {
        // The server closed an idle connection just when the client used it again. So the message
        // is sent again, on a new connection.
        operation->attempts.restarted = true;
        operation->attempts.needs_new_connection = true;
        start(*operation, now);
    } else if (may_resend && !loss.error.is(Errc::busy) && !loss.error.is(Errc::unauthorized)) {
        auto const wait = operation->attempts.unsent.next(random_);
        if (wait) {
            start_later(*operation, after(now, *wait));
        } else {
            fail(*operation, loss.error, now);
        }
    } else {
        fail(*operation, loss.error, now);
    }
}

void ClientMachine::take_events(Operation& operation, TimePoint now) {
    auto const id_before = std::string(operation.parser.last_event_id());
    while (auto const event = operation.parser.next()) {
        operation.reconnect.on_event();
        if (operation.kind == Operation::Kind::endpoint_stream && event->type == "endpoint") {
            take_endpoint(operation, event->data, now);
        } else if (event->type == "message" && !event->data.empty()) {
            // If the text is not a valid message, the client's session gets it nevertheless, and
            // reports the error.
            auto const origin = origin_of(operation);
            if (take_message(inbox_.read(event->data), operation, now)) inbox_.add(origin);
        }
    }
    if (operation.parser.last_event_id() != id_before) operation.reconnect.on_event();
    if (auto const retry = operation.parser.retry()) operation.reconnect.on_retry(*retry);
    if (operation.parser.failed()) {
        runner_.abort(operation.id);
        if (operation.carries_message()) {
            fail(operation, Error(Errc::too_large, "an event of the server exceeds the limit"),
                 now);
        } else {
            stream_ended(operation, Error(Errc::too_large, "an event exceeds the limit"), now);
        }
        return;
    }
    if (operation.kind == Operation::Kind::endpoint_stream && operation.failure) {
        // take_endpoint() has refused the endpoint that the server named.
        runner_.abort(operation.id);
        auto const failure = *operation.failure;
        stream_ended(operation, failure, now);
        return;
    }
    if (operation.kind == Operation::Kind::handshake && operation.answered) {
        runner_.abort(operation.id);
        end_renewal(operation, operation.failure, now);
        return;
    }
    bool const complete = operation.kind == Operation::Kind::message && operation.is_request() &&
                          operation.message.ids.empty();
    if (complete && operation.due == TimePoint::max()) {
        operations_.set_due(operation, after(now, linger_time));
    }
}

// Returns the id of the operation's request that is still unanswered; 0 if no request or more than
// one request is unanswered.
std::uint64_t ClientMachine::origin_of(Operation const& operation) noexcept {
    auto const& ids = operation.message.ids;
    bool const is_one = operation.kind == Operation::Kind::message && ids.size() == 1;
    return is_one ? static_cast<std::uint64_t>(ids.front()) : 0;
}

// Handles the text that inbox_.read() has parsed last: marks the requests that the text answers as
// answered, and adds the text to the inbox if the client's session must get the text. If the text
// is not a valid message and belongs to no pending request, does not add the text, and returns why
// the text is invalid.
std::optional<std::string> ClientMachine::take_message(rpc::EnvelopeReader::Item const& item,
                                                       Operation& from, TimePoint now) {
    auto const origin = origin_of(from);  // must be read before the request is marked as answered
    bool shown = true;
    if (!item) {
        auto const request = request_of(item.error());
        if (!request) return item.error().message;
        shown = take_unreadable(*request, item.error(), from, now);
    } else if (item->kind == rpc::MessageKind::batch) {
        for (auto const& message : inbox_.batch()) {
            if (message) {
                take_item(*message, from, now);
            } else if (auto const request = request_of(message.error())) {
                take_unreadable(*request, message.error(), from, now);
            }
        }
    } else {
        shown = take_item(*item, from, now);
    }
    if (shown) inbox_.add(origin);
    return std::nullopt;
}

// Returns the id of the pending request to which a malformed answer belongs; nullopt if the id is
// missing or unknown.
std::optional<std::int64_t> ClientMachine::request_of(rpc::Malformed const& answer) const {
    bool const may_be_answer =
        answer.intent == rpc::Intent::response || answer.intent == rpc::Intent::unknown;
    auto const id = answer.id && may_be_answer ? rpc::own_id(*answer.id) : std::nullopt;
    return id && operations_.has_request(*id) ? id : std::nullopt;
}

// Marks the request as answered by a malformed answer. Returns true if the client's session must
// get that answer, so that the request fails in the session.
bool ClientMachine::take_unreadable(std::int64_t request, rpc::Malformed const& answer,
                                    Operation& from, TimePoint now) {
    auto& owner = *operations_.find_request(request);
    operations_.remove_request(owner, request);
    bool const shown = owner.kind != Operation::Kind::handshake;
    if (!shown) {
        owner.answered = true;
        owner.failure = Error(Errc::protocol_violation,
                              "the answer to the handshake cannot be read: " + answer.message);
    }
    release_answered(owner, from, now);
    return shown;
}

// Marks the request as answered if the message is an answer. Returns true if the client's session
// must get the message.
bool ClientMachine::take_item(rpc::Envelope const& message, Operation& from, TimePoint now) {
    bool const is_error = message.kind == rpc::MessageKind::error;
    if (!is_error && message.kind != rpc::MessageKind::result) return true;
    auto const id = message.id ? rpc::to_id(*message.id) : std::nullopt;
    std::optional<std::int64_t> request;
    if (id) request = rpc::own_id(*id);
    // Many servers omit the id when they refuse a request. If exactly one request of this operation
    // is unanswered, the error belongs to that request.
    bool const anonymous = is_error && !id && from.message.ids.size() == 1;
    if (anonymous) request = from.message.ids.front();
    auto* const found = request ? operations_.find_request(*request) : nullptr;
    if (found == nullptr) return true;
    auto& owner = *found;
    operations_.remove_request(owner, *request);
    bool const shown = take_answer(message, owner);
    if (shown && anonymous) inbox_.add_failure(*request, error_of(message));
    release_answered(owner, from, now);
    return shown && !anonymous;
}

// Ends the operation `owner` if all its answers have arrived, and the last one arrived on the
// stream of another operation, `from`.
void ClientMachine::release_answered(Operation& owner, Operation const& from, TimePoint now) {
    bool const waits =
        owner.state == Operation::State::accepted || owner.state == Operation::State::waiting;
    if (&owner == &from || !owner.message.ids.empty() || !waits) return;
    if (owner.kind == Operation::Kind::handshake) {
        end_renewal(owner, owner.failure, now);
    } else {
        operations_.remove(owner);
    }
}

// Stores the information that the machine needs from an answer: the session, or the list of tools.
// Returns false for the answer to a handshake that renews the session: the machine itself sent that
// handshake, so the client's session does not expect the answer.
bool ClientMachine::take_answer(rpc::Envelope const& answer, Operation& owner) {
    if (owner.is_initialize()) learn_session(answer, owner);
    if (owner.kind == Operation::Kind::handshake) return false;
    bool const lists_tools = owner.is_stateless() && owner.message.method == "tools/list";
    if (lists_tools && answer.result) tools_.learn(*answer.result);
    return true;
}

Error ClientMachine::error_of(rpc::Envelope const& error) const {
    return wire::to_error(std::get<rpc::ErrorResponse>(rpc::to_message(error)),
                          session_.version_of_errors());
}

// Handles a complete response that is not a stream.
void ClientMachine::settle(Operation& operation, TimePoint now) {
    using Kind = Operation::Kind;
    if (operation.kind == Kind::ending) {
        operations_.remove(operation);
    } else if (is_redirect(operation.answer.status)) {
        follow(operation, now);
    } else if (operation.kind == Kind::server_stream) {
        settle_server_stream(operation, now);
    } else if (operation.kind == Kind::endpoint_stream) {
        stream_ended(operation, refusal(operation), now);
    } else if (operation.resuming) {
        settle_resumption(operation, now);
    } else if (operation.answer.ok()) {
        settle_success(operation, now);
    } else {
        settle_refusal(operation, now);
    }
}

void ClientMachine::follow(Operation& operation, TimePoint now) {
    auto target = follow_redirect(operation.url, operation.method(), operation.answer.status,
                                  operation.answer.location, operation.attempts.redirects);
    if (target) {
        operation.url = *std::move(target);
        ++operation.attempts.redirects;
        start(operation, now);
        return;
    }
    Error const error(Errc::failed,
                      "the server redirects, which is not followed: " + target.error().to_string());
    if (operation.carries_message()) {
        fail(operation, error, now);
    } else {
        stream_ended(operation, error, now);
    }
}

void ClientMachine::settle_success(Operation& operation, TimePoint now) {
    if (!operation.is_request()) {
        finish(operation, now);
        return;
    }
    if (session_.uses_events() && !operation.is_stateless()) {
        // With HTTP+SSE, the answer arrives on the event stream, possibly before this response.
        operation.state = Operation::State::accepted;
        if (operation.message.ids.empty() && operation.kind == Operation::Kind::message) {
            finish(operation, now);
        } else if (operation.answered) {
            end_renewal(operation, operation.failure, now);
        }
        return;
    }
    if (operation.answer.content != ResponseHead::Content::json) {
        fail(operation,
             Error(Errc::protocol_violation,
                   operation.answer.content == ResponseHead::Content::none
                       ? "the server accepted the request without answering it"
                       : "the server's answer is neither JSON nor an event stream"),
             now);
        return;
    }
    take_json(operation, now);
}

void ClientMachine::take_json(Operation& operation, TimePoint now) {
    if (auto const why =
            take_message(inbox_.read(std::move(operation.answer.text)), operation, now)) {
        fail(operation,
             Error(Errc::protocol_violation, "the server's answer is no message of JSON-RPC (" +
                                                 *why + "): " + excerpt_of(inbox_.text())),
             now);
    } else if (operation.kind == Operation::Kind::handshake) {
        if (!operation.answered) {
            operation.failure = Error(Errc::protocol_violation, "the handshake was not answered");
        }
        end_renewal(operation, operation.failure, now);
    } else if (!operation.message.ids.empty()) {
        fail(operation, Error(Errc::protocol_violation, "the server answered another request"),
             now);
    } else {
        finish(operation, now);
    }
}

void ClientMachine::settle_refusal(Operation& operation, TimePoint now) {
    bool const is_post = operation.kind == Operation::Kind::message;
    if (operation.answer.status == number_of(Status::service_unavailable) &&
        operation.answer.retry_after &&
        operation.attempts.refusals < options_.max_refusal_retries) {
        ++operation.attempts.refusals;
        operation.attempts.needs_new_connection = true;
        start_later(operation, after(now, *operation.answer.retry_after));
        return;
    }
    if (operation.in_session && operation.answer.status == number_of(Status::not_found)) {
        lose_session(operation, now);
        return;
    }
    if (is_post && operation.is_initialize() && !session_.uses_events() &&
        may_be_events(operation)) {
        fall_back(operation, now);
        return;
    }
    auto const error = refusal(operation);
    bool const says_all =
        error.is(Errc::unauthorized) ||
        (operation.answer.status >= 500 && operation.message.method == "server/discover");
    if (operation.is_request() && operation.answer.content == ResponseHead::Content::json &&
        !says_all) {
        // If the body is a JSON-RPC error, that error is reported, because it is more precise than
        // the status.
        auto const& item = inbox_.read(std::move(operation.answer.text));
        if (item && item->kind == rpc::MessageKind::error) take_message(item, operation, now);
        if (operation.kind == Operation::Kind::handshake && operation.answered) {
            end_renewal(operation, operation.failure, now);
            return;
        }
    }
    fail(operation, error, now);
}

// Returns the error for a refused request, with the explanation from the response's body.
Error ClientMachine::refusal(Operation const& operation) {
    std::string message = "the server answered HTTP " + std::to_string(operation.answer.status);
    std::string_view explanation = operation.answer.text;
    std::string decoded;
    json::Document document;
    if (auto const body = document.parse(operation.answer.text)) {
        auto const error = body->find("error");
        auto const text = error ? error->find("message") : body->find("message");
        if (text) decoded = text->as_string().value_or("");
        explanation = decoded;
    }
    auto const excerpt = excerpt_of(explanation);
    if (!excerpt.empty()) message.append(": ").append(excerpt);
    std::string data;
    json::Writer writer(data);
    writer.begin_object().key("status").integer(operation.answer.status);
    if (!operation.answer.challenge.empty())
        writer.key("wwwAuthenticate").string(operation.answer.challenge);
    writer.end_object();
    return {code_of(operation.answer.status), std::move(message), std::move(data)};
}

void ClientMachine::stream_ended(Operation& operation, Error const& why, TimePoint now) {
    switch (operation.kind) {
        case Operation::Kind::server_stream:
            reopen(operation, why, now);
            return;
        case Operation::Kind::endpoint_stream:
            settle_endpoint_stream(operation, why, now);
            return;
        default:
            break;
    }
    bool const answered =
        operation.kind == Operation::Kind::message && operation.message.ids.empty();
    bool const resumable = operation.kind == Operation::Kind::message &&
                           !operation.is_stateless() && !session_.uses_events() &&
                           !operation.parser.last_event_id().empty();
    if (answered) {
        finish(operation, now);
    } else if (!resumable) {
        fail(operation, why, now);
    } else if (operation.generation != session_.generation()) {
        fail(operation, lost_with_session(), now);
    } else {
        operation.resuming = true;
        reopen(operation, why, now);
    }
}

void ClientMachine::reopen(Operation& stream, Error const& why, TimePoint now) {
    auto const wait = stream.reconnect.on_end(now, random_);
    if (wait) {
        start_later(stream, after(now, *wait));
    } else {
        fail(stream, why, now);
    }
}

void ClientMachine::settle_resumption(Operation& operation, TimePoint now) {
    if (operation.answer.status >= 500) {
        reopen(operation, refusal(operation), now);
    } else if (operation.in_session && operation.answer.status == number_of(Status::not_found)) {
        lose_session(operation, now);
    } else {
        fail(operation,
             Error(Errc::transport_down,
                   "the stream with the answer broke off and cannot be "
                   "resumed: " +
                       refusal(operation).message()),
             now);
    }
}

}  // namespace lanyard::http
