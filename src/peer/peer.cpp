#include "peer/peer.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/features.hpp"
#include "wire/errors.hpp"

namespace lanyard::rpc {

namespace detail {

/// The answers to the requests of one batch, which are sent together once all are complete.
struct BatchReply {
    std::uint64_t origin = 0;
    std::string messages;  // separated by commas
    std::size_t waiting = 0;
    bool reading = true;  // true until all messages of the batch have been processed
};

}  // namespace detail

using detail::BatchReply;
using detail::Inbound;

namespace {

constexpr std::string_view cancelled_method = "notifications/cancelled";
constexpr std::string_view progress_method = "notifications/progress";
constexpr std::string_view probe_method = "server/discover";

Error error_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::timed_out:
            return {Errc::timeout, "no answer in time"};
        case Outcome::cancelled:
            return {Errc::cancelled, "the request was cancelled"};
        case Outcome::shutdown:
            return {Errc::shutdown, "this side is stopping"};
        default:
            return {Errc::transport_down, "the connection was lost before the answer came"};
    }
}

std::optional<ProgressToken> progress_token_in(std::optional<json::View> const& meta) {
    auto const token = meta ? meta->find("progressToken") : std::nullopt;
    return token ? to_id(*token) : std::nullopt;
}

// `request` must be the only pending request. Returns its id if it is a discovery probe, otherwise
// nullopt. A server that cannot parse the probe refuses it with an error without an id, so such an
// error counts as the answer to the probe.
std::optional<RequestId> id_of_probe(PendingRequest const& request) {
    if (request.method != probe_method) return std::nullopt;
    return RequestId(request.id);
}

void append_cancelled(std::string& out, std::int64_t id, std::string_view reason) {
    begin_notification(out, cancelled_method);
    json::Writer params(out);
    params.begin_object().key("requestId").integer(id);
    if (!reason.empty()) params.key("reason").string(reason);
    params.end_object();
    end_message(out);
}

}  // namespace

Peer::Peer(PeerEvents& events, Outbox& outbox, PeerOptions const& options)
    : events_(events),
      outbox_(outbox),
      read_options_{.json = options.json},
      answers_unreadable_(options.answers_unreadable),
      detailed_routes_(options.detailed_routes),
      own_reader_(options.reader == nullptr ? std::make_unique<EnvelopeReader>() : nullptr),
      reader_(own_reader_ ? *own_reader_ : *options.reader),
      request_options_(options.requests),
      inbound_(options.inbound) {}

Peer::~Peer() = default;

Correlator<detail::Waiting>& Peer::correlator() {
    if (!correlator_) {
        correlator_ = std::make_unique<Correlator<detail::Waiting>>(request_options_);
    }
    return *correlator_;
}

void Peer::on_message(std::string_view text, TimePoint now, std::uint64_t origin) {
    auto const item = reader_.read(text, read_options_);
    if (!item || item->kind != MessageKind::batch) {
        take(item, {nullptr, origin}, now);
        return;
    }
    auto* const batch = open_batch(origin);
    for (auto const& message : reader_.batch()) take(message, {batch, origin}, now);
    batch->reading = false;
    settle(batch);
}

void Peer::take(EnvelopeReader::Item const& item, ReplyTo to, TimePoint now) {
    if (item) {
        take(*item, to, now);
    } else {
        refuse(item.error(), to, now);
    }
}

void Peer::take(Envelope const& message, ReplyTo to, TimePoint now) {
    switch (message.kind) {
        case MessageKind::request:
            take_request(message, to);
            break;
        case MessageKind::notification:
            if (message.method == cancelled_method) {
                take_cancelled(message);
            } else if (message.method == progress_method) {
                take_progress(message, now);
            } else {
                events_.on_notification(message);
            }
            break;
        default:
            take_answer(message, now);
    }
}

void Peer::take_request(Envelope const& request, ReplyTo to) {
    Ticket ticket;
    if (inbound_.may_begin_unnamed()) {
        ticket = inbound_.begin_unnamed(request.method, {nullptr, to.batch, to.origin});
    } else {
        settle_taken();
        auto const begun = begin_inbound(request, to);
        if (!begun) {
            refuse_request(request, to, begun.error());
            return;
        }
        ticket = *begun;
    }
    if (to.batch != nullptr) ++to.batch->waiting;
    taken_.ticket = ticket;
    taken_.id = *request.id;
    taken_.meta = request.meta;
    taken_.origin = to.origin;
    events_.on_request(request, ticket);
    if (!std::exchange(holds_taken_, false)) settle_taken();
}

Result<Ticket> Peer::begin_inbound(Envelope const& request, ReplyTo to) {
    return inbound_.begin(*to_id(*request.id), request.method, progress_token_in(request.meta),
                          {nullptr, to.batch, to.origin});
}

void Peer::name_taken() {
    inbound_.name(taken_.ticket, *to_id(*taken_.id), progress_token_in(taken_.meta));
}

void Peer::refuse_request(Envelope const& request, ReplyTo to, Error const& refusal) {
    events_.on_violation(refusal.what());
    if (!answering_) return;
    auto const condition = refusal.is(Errc::protocol_violation)
                               ? wire::Condition::duplicate_request_id
                               : wire::Condition::too_many_pending;
    auto const error = wire::translate(condition, version_, {.message = refusal.message()});
    append_error(begin_message(to), IdRef(*request.id), error.text());
    end_answer(to);
}

void Peer::take_answer(Envelope const& answer, TimePoint now) {
    bool const is_result = answer.kind == MessageKind::result;
    auto id = answer.id ? to_id(*answer.id) : std::nullopt;
    if (!id && pending_count() == 1) id = id_of_probe(pending().front());
    if (!id) {
        events_.on_violation("an error response without an id: " +
                             std::string(utf8_prefix(answer.whole.raw(), 200)));
        return;
    }
    auto const own = own_id(*id);
    if (own && !id->is_integer()) events_.on_violation("an answer names its request by a string");
    auto const match = correlator().answer(own ? RequestId(*own) : *id,
                                           is_result ? Outcome::answered : Outcome::failed, now);
    if (match.result == AnswerMatch::unknown) {
        events_.on_unknown_answer(*id);
        events_.on_violation("an answer to a request that was never sent");
    }
    if (match.result == AnswerMatch::late) events_.on_late_answer();
    if (match.result != AnswerMatch::matched) return;
    Answer handed;
    handed.outcome = match.ended.outcome;
    if (is_result) {
        handed.result = answer.result;
    } else {
        auto const message = to_message(answer);
        handed.error = wire::to_error(std::get<ErrorResponse>(message), version_);
    }
    match.ended.continuation.sink->on_answer(handed);
}

void Peer::take_cancelled(Envelope const& notification) {
    settle_taken();
    std::optional<RequestId> id;
    std::string reason;
    if (notification.params) {
        if (auto const value = notification.params->find("requestId")) id = to_id(*value);
        if (auto const text = notification.params->find("reason")) {
            reason = text->as_string().value_or("");
        }
    }
    auto* const inbound = inbound_.cancel(id);
    if (inbound == nullptr) {
        if (id) events_.on_stray_cancellation(*id);
        return;
    }
    // After on_cancel(), the handler ends the request with abandon() or with an answer; that answer
    // is not sent.
    if (inbound->work != nullptr) inbound->work->on_cancel(reason);
}

void Peer::take_progress(Envelope const& notification, TimePoint now) {
    if (!notification.params) return;
    auto const token_value = notification.params->find("progressToken");
    auto const value = notification.params->find("progress");
    auto const token = token_value ? to_id(*token_value) : std::nullopt;
    auto const progress = value ? value->as_double() : std::nullopt;
    if (!token || !progress) {
        events_.on_violation("malformed progress notification");
        return;
    }
    auto const taken = correlator().progress(*token, *progress, now);
    if (taken.result != ProgressMatch::accepted) return;
    ProgressUpdate update;
    update.progress = *progress;
    if (auto const total = notification.params->find("total")) update.total = total->as_double();
    if (auto const message = notification.params->find("message")) {
        update.message = message->as_string();
    }
    taken.continuation->sink->on_progress(update);
}

void Peer::refuse(Malformed const& malformed, ReplyTo to, TimePoint now) {
    ++refused_;
    if (malformed.reason == Malformed::Reason::not_json) ++not_json_;
    events_.on_violation(malformed.message);
    if (fail_unreadable(malformed, now) || !may_answer(malformed)) return;
    auto const error = wire::translate(malformed, version_);
    auto& out = begin_message(to);
    if (malformed.id) {
        append_error(out, IdRef(*malformed.id), error.text());
    } else {
        append_error(out, wire::missing_id(version_), error.text());
    }
    end_answer(to);
}

// If the unreadable message is an answer to a pending request, fails that request and returns true.
// A message of unknown kind counts as an answer if it has the id of a pending request.
bool Peer::fail_unreadable(Malformed const& answer, TimePoint now) {
    bool const may_be_answer =
        answer.intent == Intent::response || answer.intent == Intent::unknown;
    auto const id = answer.id && may_be_answer ? own_id(*answer.id) : std::nullopt;
    if (!id || !correlator_) return false;
    auto const code = answer.reason == Malformed::Reason::too_large ? Errc::too_large
                      : answer.reason == Malformed::Reason::no_room ? Errc::busy
                                                                    : Errc::protocol_violation;
    return fail_request(*id, Error(code, "the answer cannot be read: " + answer.message), now);
}

bool Peer::may_answer(Malformed const& malformed) const noexcept {
    if (!answering_ || !malformed.owes_answer()) return false;
    return answers_unreadable_ || (malformed.intent == Intent::request && malformed.id);
}

void Peer::on_dropped(Frame const& dropped, TimePoint now) {
    auto const reason = dropped.kind == Frame::Kind::too_long ? Malformed::Reason::too_large
                                                              : Malformed::Reason::no_room;
    Malformed malformed{reason, std::string(dropped.text)};
    if (dropped.remains != nullptr) {
        malformed.intent = dropped.remains->intent;
        malformed.id = dropped.remains->id;
    }
    refuse(malformed, {nullptr, dropped.origin}, now);
}

void Peer::on_time(TimePoint now) {
    while (correlator_) {
        auto const ended = correlator_->expire(now);
        if (!ended) break;
        end_request(*ended, "timeout");
    }
    held_progress_.send_due([&](Ticket ticket) {
        auto* const progress = inbound_.progress(ticket);
        if (progress == nullptr) return never;
        if (auto const update = progress->take_due(now)) {
            send_progress(progress->token(), *update, origin(ticket));
        }
        return progress->next_due();
    });
}

TimePoint Peer::next_deadline() const noexcept {
    auto const held = held_progress_.next_due([this](Ticket ticket) {
        auto const* const progress = inbound_.progress(ticket);
        return progress == nullptr ? never : progress->next_due();
    });
    return std::min(correlator_ ? correlator_->next_deadline() : never, held);
}

void Peer::on_closed(Outcome outcome, TimePoint now) {
    for (auto* const inbound : inbound_.cancel_all()) {
        if (inbound->work != nullptr) inbound->work->on_cancel("the connection is closed");
    }
    end_requests(outcome, now);
    held_progress_.clear();
}

void Peer::on_input_ended(TimePoint now) {
    input_ended_ = true;
    end_requests(Outcome::connection_lost, now);
}

void Peer::end_requests(Outcome outcome, TimePoint now) {
    if (!correlator_) return;
    for (auto const& ended : correlator_->end_all(outcome, now)) {
        ended.continuation.sink->on_answer({outcome, {}, error_of(outcome)});
    }
}

void Peer::end_request(Correlator<detail::Waiting>::Ended const& ended, std::string_view reason) {
    auto const& waiting = ended.continuation;
    if (ended.notify_peer) {
        append_cancelled(outbox_.begin(), ended.id, reason);
        Route route{waiting.origin};
        if (detailed_routes_) {
            route.method = cancelled_method;
            route.id = ended.id;
        }
        outbox_.end(route);
    }
    waiting.sink->on_answer({ended.outcome, {}, error_of(ended.outcome)});
}

Result<std::int64_t> Peer::request(std::string_view method, std::string_view params,
                                   AnswerSink& sink, TimePoint now, RequestSettings const& call,
                                   std::uint64_t origin) {
    if (input_ended_) return Unexpected(error_of(Outcome::connection_lost));
    auto const begun = correlator().begin(method, {&sink, origin}, now, call);
    if (!begun) {
        if (begun.error().is(Errc::unavailable)) events_.on_ids_used_up();
        return Unexpected(begun.error());
    }
    auto const batched = request_batch_.size();
    try {
        if (begun->notice != IdNotice::none) events_.on_ids_used(begun->notice);
        write_request(begun->id, method, params, call, origin);
    } catch (...) {
        // The caller gets the exception, so nothing may refer to the sink any more.
        correlator().withdraw(*begun);
        if (batching_) {
            request_batch_.resize(batched);
        } else {
            outbox_.discard();
        }
        throw;
    }
    return begun->id;
}

void Peer::write_request(std::int64_t id, std::string_view method, std::string_view params,
                         RequestSettings const& call, std::uint64_t origin) {
    if (batching_) {
        if (!request_batch_.empty()) request_batch_.push_back(',');
        append_request(request_batch_, IdRef(RequestId(id)), method, params);
    } else {
        append_request(outbox_.begin(), IdRef(RequestId(id)), method, params);
        Route route{origin, Route::Kind::request};
        if (detailed_routes_ && call.name) {
            route.method = method;
            route.id = id;
            route.name = *call.name;
            if (supports(Feature::request_metadata, version_)) route.version = version_;
        }
        outbox_.end(route);
    }
}

void Peer::end_batch() {
    batching_ = false;
    if (request_batch_.empty()) return;
    outbox_.begin().append("[").append(request_batch_).append("]");
    outbox_.end(0, Route::Kind::request);
    request_batch_.clear();
}

bool Peer::cancel(std::int64_t id, std::string_view reason, TimePoint now) {
    auto const ended = correlator().end(id, Outcome::cancelled, now);
    if (!ended) return false;
    end_request(*ended, reason);
    return true;
}

void Peer::cancel_all(std::string_view reason, TimePoint now) {
    if (!correlator_) return;
    for (auto const& ended : correlator_->end_all(Outcome::cancelled, now)) {
        end_request(ended, reason);
    }
}

bool Peer::fail_request(std::int64_t id, Error const& error, TimePoint now) {
    auto const ended = correlator().end(id, Outcome::failed, now);
    if (!ended) return false;
    ended->continuation.sink->on_answer({Outcome::failed, {}, error});
    return true;
}

void Peer::notify(std::string_view method, std::string_view params, std::uint64_t origin) {
    append_notification(outbox_.begin(), method, params);
    outbox_.end(origin, Route::Kind::notification);
}

bool Peer::attach(Ticket ticket, InboundWork& work) {
    if (!inbound_.active(ticket)) return false;
    inbound_.work(ticket)->work = &work;
    return true;
}

IdRef Peer::id_of(Ticket ticket, InboundTable::Finish const& finish) const noexcept {
    return ticket == taken_.ticket ? IdRef(*taken_.id) : IdRef(finish.id);
}

std::string* Peer::begin_result(Ticket ticket) {
    auto const* const inbound = inbound_.work(ticket);
    if (inbound == nullptr) return nullptr;
    // This is the most common case: the request is answered inside on_request(), while it is still
    // unnamed (see InboundRequests).
    auto const origin = inbound->origin;
    if (inbound->batch == nullptr && inbound_.finish_unnamed(ticket)) {
        open_result_ = {nullptr, origin};
        rpc::begin_result(outbox_.begin(), IdRef(*taken_.id));
        return &outbox_.begin();
    }
    auto const finish = end_inbound(ticket, open_result_);
    if (!finish.answer) return nullptr;
    auto& out = begin_message(open_result_);
    rpc::begin_result(out, id_of(ticket, finish));
    return &out;
}

void Peer::end_result() {
    auto* const batch = open_result_.batch;
    rpc::end_message(batch != nullptr ? batch->messages : outbox_.begin());
    end_answer(open_result_);
}

void Peer::fail(Ticket ticket, ErrorText const& error) {
    ReplyTo to;
    auto const finish = end_inbound(ticket, to);
    if (!finish.answer) return;
    append_error(begin_message(to), id_of(ticket, finish), error);
    end_answer(to);
}

void Peer::abandon(Ticket ticket) {
    auto const* const inbound = inbound_.work(ticket);
    if (inbound == nullptr) return;
    ReplyTo const to{inbound->batch, inbound->origin};
    inbound_.finish(ticket);
    end_unanswered(to);
}

void Peer::end_unanswered(ReplyTo to) {
    if (to.batch == nullptr) {
        outbox_.end_origin(to.origin);
    } else {
        --to.batch->waiting;
        settle(to.batch);
    }
}

InboundTable::Finish Peer::end_inbound(Ticket ticket, ReplyTo& to) {
    auto const* const inbound = inbound_.work(ticket);
    if (inbound == nullptr) return {};
    to = {inbound->batch, inbound->origin};
    auto const* const progress = inbound_.progress(ticket);
    auto const token = progress != nullptr ? std::optional(progress->token()) : std::nullopt;
    auto finish = inbound_.finish(ticket);
    if (finish.last_progress) send_progress(*token, *finish.last_progress, to.origin);
    if (!finish.answer) {
        end_unanswered(to);
    } else if (to.batch != nullptr) {
        --to.batch->waiting;
    }
    return finish;
}

void Peer::progress(Ticket ticket, ProgressUpdate update, TimePoint now) {
    settle_taken();
    auto* const sender = inbound_.progress(ticket);
    if (sender == nullptr) return;
    switch (sender->report(std::move(update), now)) {
        case ReportDecision::send:
            // NOLINTNEXTLINE(bugprone-use-after-move): report() moves only held updates.
            send_progress(sender->token(), update, origin(ticket));
            break;
        case ReportDecision::held:
            held_progress_.add(ticket);
            break;
        default:
            break;
    }
}

void Peer::send_progress(ProgressToken const& token, ProgressUpdate const& update,
                         std::uint64_t origin) {
    auto& out = outbox_.begin();
    begin_notification(out, progress_method);
    append_progress_params(out, token, update, version_);
    rpc::end_message(out);
    outbox_.end(origin, Route::Kind::notification);
}

BatchReply* Peer::open_batch(std::uint64_t origin) {
    auto& batch = batches_.emplace_back(std::make_unique<BatchReply>());
    batch->origin = origin;
    return batch.get();
}

std::string& Peer::begin_message(ReplyTo to) {
    if (to.batch == nullptr) return outbox_.begin();
    if (!to.batch->messages.empty()) to.batch->messages.push_back(',');
    return to.batch->messages;
}

void Peer::end_answer(ReplyTo to) {
    if (to.batch == nullptr) {
        outbox_.end(to.origin, Route::Kind::answer);
    } else {
        settle(to.batch);
    }
}

// Sends the answers of a batch once all are complete. A batch that contained only notifications has
// no answers. The outbox then only records that no message will follow for the POST that contained
// the batch (its `origin`, see Peer).
void Peer::settle(BatchReply* batch) {
    if (batch->reading || batch->waiting != 0) return;
    if (batch->messages.empty()) {
        outbox_.end_origin(batch->origin);
    } else {
        outbox_.begin().append("[").append(batch->messages).append("]");
        outbox_.end(batch->origin, Route::Kind::answer);
    }
    std::erase_if(batches_, [batch](auto const& owned) { return owned.get() == batch; });
}

}  // namespace lanyard::rpc
