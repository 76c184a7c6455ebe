#include "http/mcp/session_stream.hpp"

#include <optional>
#include <utility>

#include "http/mcp/error_reply.hpp"
#include "http/mcp/session_state.hpp"
#include "http/mcp/session_streams.hpp"

namespace lanyard::http {

void write_event(Reply& reply, SseFields const& fields, std::string_view data) {
    append_event(reply.begin_chunk(), fields, data);
    reply.end_chunk();
}

void SessionStream::attach(Reply& reply) noexcept {
    reply_ = &reply;
    reply.watch(this);
    if (streaming_) ++state_->shared->counters.streams;
}

Reply* SessionStream::detach() noexcept {
    if (reply_ != nullptr && streaming_) --state_->shared->counters.streams;
    return std::exchange(reply_, nullptr);
}

// The client has disconnected from the stream. This does not cancel a request, because the client
// may resume the stream.
void SessionStream::on_gone() noexcept {
    detach();
    state_->touch();
    owner_->on_disconnected(*this);
}

bool SessionStream::can_stream() const noexcept {
    return reply_ != nullptr && takes_stream_ &&
           state_->shared->options.answers() != HttpAnswers::json;
}

ReplyHead SessionStream::head(Content content) const noexcept {
    bool const opened = handshake_ && state_->kind == SessionKind::stateful && !state_->refused;
    return {.content = content, .session_id = opened ? state_->id.view() : std::string_view()};
}

void SessionStream::begin() {
    auto& shared = *state_->shared;
    if (state_->kind != SessionKind::stateless) number_ = state_->open_log().open();
    streaming_ = true;
    ++shared.counters.streams;
    ++shared.counters.streams_opened;
    reply_->begin_stream(head(Content::event_stream));
    if (state_->primes()) {
        write_event(*reply_,
                    {.id = state_->open_log().first_id(number_).view(),
                     .retry = shared.options.stream_retry_interval()},
                    {});
    }
}

void SessionStream::begin_early() {
    if (streaming_ || handshake_ || !can_stream()) return;
    begin();
    reply_->flush();
}

bool SessionStream::send(std::string_view message, rpc::Route::Kind kind) {
    if (!streaming_) {
        if (!can_stream()) return false;
        begin();
    }
    write(message, kind);
    if (reply_ != nullptr) reply_->flush();
    return true;
}

void SessionStream::write(std::string_view message, rpc::Route::Kind kind) {
    auto& shared = *state_->shared;
    if (reply_ != nullptr && reply_->behind() && kind == rpc::Route::Kind::notification) {
        ++shared.counters.messages_dropped;
        return;
    }
    std::optional<EventId> id;
    if (number_ != 0) {
        id = state_->open_log().append(number_, message, shared.time.now());
        shared.counters.events_evicted = shared.events.pool().evicted();
    }
    if (reply_ == nullptr) return;
    ++shared.counters.events_sent;
    write_event(*reply_, {.id = id ? id->view() : std::string_view(), .event = "message"}, message);
}

void SessionStream::answer(std::string_view message) {
    if (!streaming_) {
        if (!can_stream() || state_->shared->options.answers() != HttpAnswers::stream) {
            if (reply_ != nullptr) reply_->whole(head(Content::json), message);
            detach();
            return;
        }
        begin();
    }
    write(message, rpc::Route::Kind::answer);
    finish();
}

void SessionStream::end_unanswered() {
    if (!streaming_) {
        if (can_stream()) {
            reply_->begin_stream({.content = Content::event_stream});
            reply_->finish();
        } else if (reply_ != nullptr) {
            reply_accepted(*reply_);
        }
        detach();
    }
    finish();
}

void SessionStream::finish() {
    if (number_ != 0) state_->open_log().finish(number_);
    if (reply_ != nullptr) reply_->finish();
    detach();
}

void SessionStream::finish_with_retry() {
    if (reply_ != nullptr && state_->primes()) write_retry();
    finish();
}

void SessionStream::close() noexcept {
    if (reply_ == nullptr) return;
    try {
        if (streaming_) {
            reply_->finish();
        } else {
            auto const condition = state_->shared->stopping() ? wire::Condition::shutting_down
                                                              : wire::Condition::session_not_found;
            auto error = wire::translate(condition, state_->error_version());
            error.may_have_run = true;
            reply_error(*reply_, error);
        }
        detach();
    } catch (std::exception const&) {
        cut();
    }
}

void SessionStream::cut() noexcept {
    if (auto* const reply = detach()) reply->cut();
}

void SessionStream::release() {
    if (reply_ == nullptr || !state_->primes()) return;
    if (!streaming_) {
        if (!can_stream()) return;
        begin();
    }
    write_retry();
    reply_->finish();
    detach();
}

void SessionStream::write_retry() {
    append_retry(reply_->begin_chunk(), state_->shared->options.stream_retry_interval());
    reply_->end_chunk();
}

}  // namespace lanyard::http
