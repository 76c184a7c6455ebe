// ClientMachine: handles the responses.
#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "base/deadline.hpp"
#include "http/client/client_exchange.hpp"
#include "http/client/client_machine.hpp"
#include "http/message/status.hpp"
#include "lanyard/json/writer.hpp"
#include "wire/errors.hpp"

namespace lanyard::http {

namespace {

// The maximum size of the excerpt from a body that is not JSON, for the error message.
constexpr std::size_t max_excerpt = 200;
// The most memory that is reserved at once for a body of announced length. The buffer of a larger
// body grows as it arrives.
constexpr std::size_t max_expected = std::size_t{2} * 1024 * 1024;
// How long a stream may stay open after the last answer to its request.
constexpr std::chrono::seconds linger_time(1);
constexpr int max_refusals = 3;
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
    auto* const exchange = find(id);
    if (exchange == nullptr) return;
    exchange->status = head.status;
    exchange->content = head.content;
    if (exchange->streams()) {
        exchange->established = true;
        exchange->reconnect.on_open(now);
        exchange->parser.restart();
    } else if (exchange->content == ResponseHead::Content::json) {
        exchange->text.reserve(std::min<std::size_t>(head.body.length, max_expected));
    }
    if (auto const location = head.fields.find(FieldName::location)) exchange->location = *location;
    exchange->challenge = head.fields.find(FieldName::www_authenticate).value_or("");
    exchange->retry_after = read_retry_after(head.fields);
    if (exchange->is_initialize()) {
        auto const session = head.fields.find(FieldName::mcp_session_id);
        exchange->session_id = session && is_session_id(*session) ? *session : "";
    }
}

void ClientMachine::on_body(CallId id, std::string_view bytes, TimePoint now) {
    auto* const exchange = find(id);
    if (exchange == nullptr) return;
    if (exchange->streams()) {
        exchange->parser.feed(bytes);
        take_events(*exchange, now);
    } else if (exchange->content == ResponseHead::Content::json) {
        exchange->text.append(bytes);
    } else if (exchange->text.size() < max_excerpt) {
        exchange->text.append(bytes.substr(0, max_excerpt));
    }
}

void ClientMachine::on_done(CallId id, TimePoint now) {
    auto* const exchange = find(id);
    if (exchange == nullptr) return;
    if (exchange->streams()) {
        stream_ended(*exchange,
                     Error(Errc::transport_down, "the server ended the stream before the answer"),
                     now);
    } else {
        settle(*exchange, now);
    }
}

void ClientMachine::on_lost(CallId id, CallLoss const& loss, TimePoint now) {
    using Stage = CallLoss::Stage;
    auto* const exchange = find(id);
    if (exchange == nullptr) return;
    bool const is_stream = !exchange->carries_message() || exchange->resuming;
    if (exchange->kind == Exchange::Kind::ending) {
        remove(*exchange);
    } else if (is_stream || exchange->streams()) {
        stream_ended(*exchange, loss.error, now);
    } else if (loss.reused && !exchange->restarted &&
               (loss.stage == Stage::unsent ||
                (loss.stage == Stage::unanswered && exchange->message.repeatable))) {
        // The server has closed a connection that was kept alive: send the message again on a new
        // one.
        exchange->restarted = true;
        exchange->fresh = true;
        start(*exchange, now);
    } else if (loss.stage == Stage::unsent && !loss.error.is(Errc::busy) &&
               !loss.error.is(Errc::unauthorized)) {
        auto const wait = exchange->unsent.next(random_);
        if (wait) {
            start_later(*exchange, rpc::after(now, *wait));
        } else {
            fail(*exchange, loss.error, now);
        }
    } else {
        fail(*exchange, loss.error, now);
    }
}

void ClientMachine::take_events(Exchange& exchange, TimePoint now) {
    auto const id_before = std::string(exchange.parser.last_event_id());
    while (auto const event = exchange.parser.next()) {
        exchange.reconnect.on_event();
        if (exchange.kind == Exchange::Kind::endpoint_stream && event->type == "endpoint") {
            take_endpoint(exchange, event->data, now);
        } else if (event->type == "message" && !event->data.empty()) {
            // If the text is not a valid message, the session gets it nevertheless and reports the
            // error.
            if (take_message(event->data, exchange, now)) inbox_.add(event->data);
        }
    }
    if (exchange.parser.last_event_id() != id_before) exchange.reconnect.on_event();
    if (auto const retry = exchange.parser.retry()) exchange.reconnect.on_retry(*retry);
    if (exchange.parser.failed()) {
        runner_.abort(exchange.id);
        if (exchange.carries_message()) {
            fail(exchange, Error(Errc::too_large, "an event of the server exceeds the limit"), now);
        } else {
            stream_ended(exchange, Error(Errc::too_large, "an event exceeds the limit"), now);
        }
        return;
    }
    if (exchange.kind == Exchange::Kind::endpoint_stream && exchange.failure) {
        // The server named an endpoint that must not be used.
        runner_.abort(exchange.id);
        auto const failure = *exchange.failure;
        stream_ended(exchange, failure, now);
        return;
    }
    if (exchange.kind == Exchange::Kind::handshake && exchange.answered) {
        runner_.abort(exchange.id);
        end_renewal(exchange, exchange.failure, now);
        return;
    }
    bool const complete = exchange.kind == Exchange::Kind::message && exchange.is_request() &&
                          exchange.message.ids.empty();
    if (complete && exchange.due == TimePoint::max()) {
        set_due(exchange, rpc::after(now, linger_time));
    }
}

// Returns a reason if the text is not a valid message.
std::optional<std::string> ClientMachine::take_message(std::string_view text, Exchange& from,
                                                       TimePoint now) {
    rpc::ReadOptions options;
    options.batches = true;
    auto const item = reader_.read(text, options);
    bool shown = true;
    if (!item) {
        auto const request = request_of(item.error());
        if (!request) return item.error().message;
        shown = take_unreadable(*request, item.error(), from, now);
    } else if (item->kind == rpc::MessageKind::batch) {
        for (auto const& message : reader_.batch()) {
            if (message) {
                take_item(*message, from, now);
            } else if (auto const request = request_of(message.error())) {
                take_unreadable(*request, message.error(), from, now);
            }
        }
    } else {
        shown = take_item(*item, from, now);
    }
    if (shown) inbox_.add(text);
    return std::nullopt;
}

// Returns the request to which an unreadable answer belongs, if its id can be read.
std::optional<std::int64_t> ClientMachine::request_of(rpc::Malformed const& answer) const {
    bool const may_be_answer =
        answer.intent == rpc::Intent::response || answer.intent == rpc::Intent::unknown;
    auto const id = answer.id && may_be_answer ? rpc::own_id(*answer.id) : std::nullopt;
    return id && by_request_.contains(*id) ? id : std::nullopt;
}

// Marks the request as answered. Returns true if the session must get the unreadable answer, so
// that its request fails.
bool ClientMachine::take_unreadable(std::int64_t request, rpc::Malformed const& answer,
                                    Exchange& from, TimePoint now) {
    auto& owner = *find(by_request_.at(request));
    by_request_.erase(request);
    std::erase(owner.message.ids, request);
    bool const shown = owner.kind != Exchange::Kind::handshake;
    if (!shown) {
        owner.answered = true;
        owner.failure = Error(Errc::protocol_violation,
                              "the answer to the handshake cannot be read: " + answer.message);
    }
    release_answered(owner, from, now);
    return shown;
}

// Returns true if the session is to get the message.
bool ClientMachine::take_item(rpc::Envelope const& message, Exchange& from, TimePoint now) {
    bool const is_error = message.kind == rpc::MessageKind::error;
    if (!is_error && message.kind != rpc::MessageKind::result) return true;
    auto const id = message.id ? rpc::to_id(*message.id) : std::nullopt;
    std::optional<std::int64_t> request;
    if (id) request = rpc::own_id(*id);
    // Many servers omit the id when they refuse a request. The error then belongs to the only
    // request of this exchange.
    bool const anonymous = is_error && !id && from.message.ids.size() == 1;
    if (anonymous) request = from.message.ids.front();
    auto const found = request ? by_request_.find(*request) : by_request_.end();
    if (found == by_request_.end()) return true;
    auto& owner = *find(found->second);
    by_request_.erase(found);
    std::erase(owner.message.ids, *request);
    bool const shown = take_answer(message, owner);
    if (shown && anonymous) inbox_.add_failure(*request, error_of(message));
    release_answered(owner, from, now);
    return shown && !anonymous;
}

// Ends the exchange `owner` if all its answers have arrived, on the stream of another exchange.
void ClientMachine::release_answered(Exchange& owner, Exchange const& from, TimePoint now) {
    bool const waits =
        owner.state == Exchange::State::accepted || owner.state == Exchange::State::waiting;
    if (&owner == &from || !owner.message.ids.empty() || !waits) return;
    if (owner.kind == Exchange::Kind::handshake) {
        end_renewal(owner, owner.failure, now);
    } else {
        remove(owner);
    }
}

// Returns false if the session must not get the answer: it did not send the handshake that renews
// it.
bool ClientMachine::take_answer(rpc::Envelope const& answer, Exchange& owner) {
    if (owner.is_initialize()) learn_session(answer, owner);
    if (owner.kind == Exchange::Kind::handshake) return false;
    bool const lists_tools = owner.stands_alone() && owner.message.method == "tools/list";
    if (lists_tools && answer.result) tools_.learn(*answer.result);
    return true;
}

Error ClientMachine::error_of(rpc::Envelope const& error) const {
    auto const version = version_ ? *version_ : parse_version(claimed_version_);
    return wire::to_error(std::get<rpc::ErrorResponse>(rpc::to_message(error)),
                          version.value_or(Version::v2025_11_25));
}

// Handles a complete response that is not a stream.
void ClientMachine::settle(Exchange& exchange, TimePoint now) {
    using Kind = Exchange::Kind;
    if (exchange.kind == Kind::ending) {
        remove(exchange);
    } else if (is_redirect(exchange.status)) {
        follow(exchange, now);
    } else if (exchange.kind == Kind::server_stream) {
        settle_server_stream(exchange, now);
    } else if (exchange.kind == Kind::endpoint_stream) {
        stream_ended(exchange, refusal(exchange), now);
    } else if (exchange.resuming) {
        settle_resumption(exchange, now);
    } else if (exchange.ok()) {
        settle_success(exchange, now);
    } else {
        settle_refusal(exchange, now);
    }
}

void ClientMachine::follow(Exchange& exchange, TimePoint now) {
    auto target = follow_redirect(exchange.url, exchange.method(), exchange.status,
                                  exchange.location, exchange.redirects);
    if (target) {
        exchange.url = *std::move(target);
        ++exchange.redirects;
        start(exchange, now);
        return;
    }
    Error const error(Errc::failed,
                      "the server redirects, which is not followed: " + target.error().to_string());
    if (exchange.carries_message()) {
        fail(exchange, error, now);
    } else {
        stream_ended(exchange, error, now);
    }
}

void ClientMachine::settle_success(Exchange& exchange, TimePoint now) {
    if (!exchange.is_request()) {
        finish(exchange, now);
        return;
    }
    if (mode_ == Mode::events && !exchange.stands_alone()) {
        // The answer arrives on the event stream, or has arrived already.
        exchange.state = Exchange::State::accepted;
        if (exchange.message.ids.empty() && exchange.kind == Exchange::Kind::message) {
            finish(exchange, now);
        } else if (exchange.answered) {
            end_renewal(exchange, exchange.failure, now);
        }
        return;
    }
    if (exchange.content != ResponseHead::Content::json) {
        fail(exchange,
             Error(Errc::protocol_violation,
                   exchange.content == ResponseHead::Content::none
                       ? "the server accepted the request without answering it"
                       : "the server's answer is neither JSON nor an event stream"),
             now);
        return;
    }
    take_json(exchange, now);
}

void ClientMachine::take_json(Exchange& exchange, TimePoint now) {
    auto const text = std::move(exchange.text);
    if (auto const why = take_message(text, exchange, now)) {
        fail(exchange,
             Error(Errc::protocol_violation, "the server's answer is no message of JSON-RPC (" +
                                                 *why + "): " + excerpt_of(text)),
             now);
    } else if (exchange.kind == Exchange::Kind::handshake) {
        if (!exchange.answered) {
            exchange.failure = Error(Errc::protocol_violation, "the handshake was not answered");
        }
        end_renewal(exchange, exchange.failure, now);
    } else if (!exchange.message.ids.empty()) {
        fail(exchange, Error(Errc::protocol_violation, "the server answered another request"), now);
    } else {
        finish(exchange, now);
    }
}

void ClientMachine::settle_refusal(Exchange& exchange, TimePoint now) {
    bool const is_post = exchange.kind == Exchange::Kind::message;
    if (exchange.status == number_of(Status::service_unavailable) && exchange.retry_after &&
        exchange.refusals < max_refusals) {
        ++exchange.refusals;
        exchange.fresh = true;
        start_later(exchange, rpc::after(now, *exchange.retry_after));
        return;
    }
    if (exchange.in_session && exchange.status == number_of(Status::not_found)) {
        lose_session(exchange, now);
        return;
    }
    if (is_post && exchange.is_initialize() && mode_ == Mode::streamable &&
        may_be_events(exchange)) {
        fall_back(exchange, now);
        return;
    }
    auto const error = refusal(exchange);
    bool const says_all = error.is(Errc::unauthorized) ||
                          (exchange.status >= 500 && exchange.message.method == "server/discover");
    if (exchange.is_request() && exchange.content == ResponseHead::Content::json && !says_all) {
        // If the body is a JSON-RPC error, reports that error, because it is more precise than the
        // status.
        auto const text = exchange.text;
        auto const item = reader_.read(text);
        if (item && item->kind == rpc::MessageKind::error) take_message(text, exchange, now);
        if (exchange.kind == Exchange::Kind::handshake && exchange.answered) {
            end_renewal(exchange, exchange.failure, now);
            return;
        }
    }
    fail(exchange, error, now);
}

// Returns the error for a refused request, with the explanation that the server sent.
Error ClientMachine::refusal(Exchange const& exchange) {
    std::string message = "the server answered HTTP " + std::to_string(exchange.status);
    std::string_view said = exchange.text;
    std::string spoken;
    json::Document document;
    if (auto const body = document.parse(exchange.text)) {
        auto const error = body->find("error");
        auto const text = error ? error->find("message") : body->find("message");
        if (text) spoken = text->as_string().value_or("");
        said = spoken;
    }
    auto const excerpt = excerpt_of(said);
    if (!excerpt.empty()) message.append(": ").append(excerpt);
    std::string data;
    json::Writer writer(data);
    writer.begin_object().key("status").integer(exchange.status);
    if (!exchange.challenge.empty()) writer.key("wwwAuthenticate").string(exchange.challenge);
    writer.end_object();
    return {code_of(exchange.status), std::move(message), std::move(data)};
}

void ClientMachine::stream_ended(Exchange& exchange, Error const& why, TimePoint now) {
    switch (exchange.kind) {
        case Exchange::Kind::server_stream:
            reopen(exchange, why, now);
            return;
        case Exchange::Kind::endpoint_stream:
            settle_endpoint_stream(exchange, why, now);
            return;
        default:
            break;
    }
    bool const answered = exchange.kind == Exchange::Kind::message && exchange.message.ids.empty();
    bool const resumable = exchange.kind == Exchange::Kind::message && !exchange.stands_alone() &&
                           mode_ == Mode::streamable && !exchange.parser.last_event_id().empty();
    if (answered) {
        finish(exchange, now);
    } else if (!resumable) {
        fail(exchange, why, now);
    } else if (exchange.generation != generation_) {
        fail(exchange, lost_with_session(), now);
    } else {
        exchange.resuming = true;
        reopen(exchange, why, now);
    }
}

void ClientMachine::reopen(Exchange& stream, Error const& why, TimePoint now) {
    auto const wait = stream.reconnect.on_end(now, random_);
    if (wait) {
        start_later(stream, rpc::after(now, *wait));
    } else {
        fail(stream, why, now);
    }
}

void ClientMachine::settle_resumption(Exchange& exchange, TimePoint now) {
    if (exchange.status >= 500) {
        reopen(exchange, refusal(exchange), now);
    } else if (exchange.in_session && exchange.status == number_of(Status::not_found)) {
        lose_session(exchange, now);
    } else {
        fail(exchange,
             Error(Errc::transport_down,
                   "the stream with the answer broke off and cannot be "
                   "resumed: " +
                       refusal(exchange).message()),
             now);
    }
}

}  // namespace lanyard::http
