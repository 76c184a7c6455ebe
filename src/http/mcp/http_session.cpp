#include "http/mcp/http_session.hpp"

#include <algorithm>
#include <utility>

#include "http/mcp/error_reply.hpp"
#include "http/mcp/post_classifier.hpp"
#include "http/message/sse_writer.hpp"

namespace lanyard::http {
namespace {

constexpr std::size_t max_spare_streams = 256;
// The maximum number and total size of the notifications that are kept for a client that has not
// opened a stream for them yet.
constexpr std::size_t max_unheard = 100;
constexpr std::size_t max_unheard_bytes = std::size_t{4} * 1024;
// After a message larger than this was parsed, the parser's memory is freed at once.
constexpr std::size_t large_message = std::size_t{64} * 1024;

void append_chunk(Reply& reply, SseFields const& fields, std::string_view data) {
    append_event(reply.begin_chunk(), fields, data);
    reply.end_chunk();
}

}  // namespace

void SessionStream::on_gone() noexcept {
    session_->on_gone(*this);
}

void SessionStream::on_turn_end() {
    session_->on_delayed(*this);
}

HttpSession::HttpSession(std::shared_ptr<SessionShared> scope, Kind kind, std::string_view id,
                         std::shared_ptr<Principal const> principal, EventOwner owner)
    : scope_(std::move(scope)),
      id_(id),
      kind_(kind),
      principal_(std::move(principal)),
      owner_(owner),
      last_used_(scope_->time.now()) {}

HttpSession::~HttpSession() = default;

bool HttpSession::is_idle(TimePoint now, Duration patience) const noexcept {
    auto const& streams = all_server_streams();
    bool const read = std::any_of(streams.begin(), streams.end(),
                                  [](auto const& stream) { return stream->reply_; });
    return answers_.empty() && !read && now - last_used_ >= patience;
}

void HttpSession::expire_events(TimePoint now) noexcept {
    if (!log_) return;
    log_->expire(now);
    if (log_->empty()) log_.reset();
}

bool HttpSession::rest(TimePoint now) {
    bool const may = kind_ == Kind::stateful && !rests() && undelivered() == 0 &&
                     is_idle(now, scope_->options.suspend_after()) &&
                     (!log_ || !log_->has_events());
    auto* const sink = may && inbox_ != nullptr ? inbox_->waiting_sink() : nullptr;
    if (sink == nullptr || scope_->port == nullptr) return false;
    suspended_ = scope_->port->rest(*sink, *this);
    if (!rests()) return false;
    ++scope_->counters.sessions_suspended;
    // Closing the inbox ends the reading coroutine of the server, after it has processed the frames
    // that it already has.
    std::exchange(inbox_, nullptr)->close();
    Streams().swap(answers_);
    if (all_server_streams().empty()) server_streams_.reset();
    return true;
}

void HttpSession::wake() {
    if (rests() && inbox_ == nullptr) scope_->owner->on_wake(*this);
}

std::unique_ptr<rpc::Suspended> HttpSession::take_suspended() noexcept {
    if (rests()) --scope_->counters.sessions_suspended;
    return std::move(suspended_);
}

HttpSession::Streams const& HttpSession::all_server_streams() const noexcept {
    static Streams const none;
    return server_streams_ ? server_streams_->streams : none;
}

HttpSession::ServerStreams& HttpSession::server_streams() {
    if (!server_streams_) server_streams_ = std::make_unique<ServerStreams>();
    return *server_streams_;
}

// Streams.

SessionStream& HttpSession::add_stream(Streams& streams, std::uint64_t origin) {
    auto& spare = scope_->spare_streams;
    if (spare.empty()) spare.push_back(std::make_unique<SessionStream>());
    auto& stream = *streams.emplace_back(std::move(spare.back()));
    spare.pop_back();
    stream.session_ = this;
    stream.origin_ = origin;
    return stream;
}

void HttpSession::remove(SessionStream& stream) noexcept {
    auto& streams = stream.origin_ != 0 ? answers_ : server_streams().streams;
    auto const at = std::find_if(streams.begin(), streams.end(),
                                 [&](auto const& owned) { return owned.get() == &stream; });
    auto owned = std::move(*at);
    streams.erase(at);
    recycle(std::move(owned));
}

void HttpSession::recycle(std::unique_ptr<SessionStream> stream) noexcept {
    auto& spare = scope_->spare_streams;
    if (spare.size() == max_spare_streams) return;
    stream->info_.reset();
    stream->number_ = 0;
    stream->takes_stream_ = stream->handshake_ = stream->streaming_ = false;
    spare.push_back(std::move(stream));
}

SessionStream* HttpSession::find(std::uint64_t origin) const noexcept {
    auto const at = std::lower_bound(
        answers_.begin(), answers_.end(), origin,
        [](auto const& stream, std::uint64_t wanted) { return stream->origin_ < wanted; });
    return at != answers_.end() && (*at)->origin_ == origin ? at->get() : nullptr;
}

SessionStream* HttpSession::find_number(StreamNumber number) const noexcept {
    for (auto const* const streams : {&answers_, &all_server_streams()}) {
        for (auto const& stream : *streams) {
            if (stream->number_ == number) return stream.get();
        }
    }
    return nullptr;
}

// Returns the stream for messages that belong to no request: the latest one that a client is
// reading, else the latest one that a client may resume.
SessionStream* HttpSession::server_stream() const noexcept {
    auto const& streams = all_server_streams();
    auto const read = std::find_if(streams.rbegin(), streams.rend(),
                                   [](auto const& stream) { return stream->reply_ != nullptr; });
    if (read != streams.rend()) return read->get();
    return streams.empty() ? nullptr : streams.back().get();
}

void HttpSession::attach(SessionStream& stream, Reply& reply) noexcept {
    stream.reply_ = &reply;
    reply.watch(&stream);
    if (stream.streaming_) ++scope_->counters.streams;
}

Reply* HttpSession::detach(SessionStream& stream) noexcept {
    if (stream.reply_ != nullptr && stream.streaming_) --scope_->counters.streams;
    return std::exchange(stream.reply_, nullptr);
}

// The client has disconnected from the stream. This does not cancel a request, because the client
// may resume the stream.
void HttpSession::on_gone(SessionStream& stream) noexcept {
    detach(stream);
    touch();
    if (stream.origin_ != 0) return;
    // Of the streams that belong to no request, a client resumes only the one that it lost last. So
    // streams that were lost earlier are removed.
    auto const& all = all_server_streams();
    for (std::size_t i = all.size(); i-- > 0;) {
        auto& other = *all[i];
        if (&other == &stream || other.reply_ != nullptr) continue;
        log_->finish(other.number_);
        remove(other);
    }
}

void HttpSession::take_request(SessionRequest&& request, Reply& reply) {
    last_used_ = request.received;
    wake();
    auto& stream = add_stream(answers_, ++last_origin_);
    stream.info_ = std::move(request.info);
    stream.takes_stream_ = request.takes_stream;
    stream.handshake_ = request.handshake;
    leaves_traces_ = leaves_traces_ || request.leaves_traces;
    attach(stream, reply);
    delivered_ = stream.origin_;
    if (put(request.text, stream.origin_, request.received, request.envelope)) {
        if (inbox_ != nullptr && inbox_->reader_waits()) on_reader_waits();
        return;
    }
    detach(stream);
    remove(stream);
    reply_error(reply, wire::translate(wire::Condition::overloaded,
                                       version_.value_or(newest_with_sessions)));
}

bool HttpSession::take(std::string_view text, rpc::Envelope const* envelope, TimePoint received) {
    last_used_ = received;
    wake();
    return put(text, 0, received, envelope);
}

void HttpSession::open_stream(Reply& reply) {
    touch();
    wake();
    auto const& all = server_streams().streams;
    auto const read = std::count_if(all.begin(), all.end(),
                                    [](auto const& one) { return one->reply_ != nullptr; });
    if (static_cast<std::size_t>(read) >= scope_->options.max_streams_per_session()) {
        auto error = wire::translate(wire::Condition::invalid_request,
                                     version_.value_or(newest_with_sessions),
                                     {.message = "the session has too many streams"});
        error.http_status = number_of(Status::conflict);
        reply_error(reply, error);
        return;
    }
    auto& stream = add_stream(server_streams().streams, 0);
    attach(stream, reply);
    begin_events(stream);
    for (auto const& message : std::exchange(server_streams().undelivered, {})) {
        send_event(stream, message, RouteKind::notification);
    }
    reply.flush();
}

// Sends the events that a client has missed through a new reply, and then attaches that reply to
// the stream.
class HttpSession::Replay final : public ResumeSink {
public:
    Replay(HttpSession& session, Reply& reply, std::string_view target) noexcept
        : session_(session), reply_(reply), target_(target) {}

    bool known() const noexcept { return begun_; }

    void on_event(std::string_view id, std::string_view message) override {
        begin();
        append_chunk(reply_, {.id = id, .event = "message"}, message);
        ++session_.scope_->counters.events_replayed;
    }
    void on_resumed(StreamNumber number, bool finished) override {
        begin();
        ++session_.scope_->counters.streams_resumed;
        auto* const stream = finished ? nullptr : session_.find_number(number);
        if (stream == nullptr) {
            reply_.finish();
            return;
        }
        // If the stream is still attached to an earlier reply, the client has given that one up,
        // although the server has not detected this yet.
        if (auto* const former = session_.detach(*stream)) former->finish();
        session_.attach(*stream, reply_);
        reply_.flush();
    }
    void on_unknown() override { ++session_.scope_->counters.resumes_unknown; }

private:
    void begin() {
        if (std::exchange(begun_, true)) return;
        reply_.begin_stream({.content = Content::event_stream});
        if (!target_.empty()) append_chunk(reply_, {.event = "endpoint"}, target_);
    }

    HttpSession& session_;
    Reply& reply_;
    std::string_view target_;
    bool begun_ = false;
};

bool HttpSession::try_resume(std::string_view last_event_id, Reply& reply,
                             std::string_view target) {
    if (!log_) {
        ++scope_->counters.resumes_unknown;
        return false;
    }
    log_->expire(scope_->time.now());
    Replay replay(*this, reply, target);
    log_->resume(last_event_id, replay);
    if (replay.known()) {
        touch();
        wake();
    }
    return replay.known();
}

void HttpSession::resume(std::string_view last_event_id, Reply& reply) {
    if (!try_resume(last_event_id, reply, {})) open_stream(reply);
}

bool HttpSession::resume_sse(std::string_view last_event_id, Reply& reply,
                             std::string_view target) {
    return try_resume(last_event_id, reply, target);
}

void HttpSession::open_sse(Reply& reply, std::shared_ptr<PeerInfo const> info,
                           std::string_view target) {
    server_streams().info = std::move(info);
    auto& stream = add_stream(server_streams().streams, 0);
    attach(stream, reply);
    begin_events(stream);
    append_chunk(reply, {.event = "endpoint", .retry = scope_->options.sse_retry_interval()},
                 target);
    reply.flush();
}

void HttpSession::assume_handshake(Version version) {
    version_ = version;
    auto const self = shared_from_this();
    // No stream has this number, so the answer to the handshake is dropped.
    auto const origin = ++last_origin_;
    auto const now = scope_->time.now();
    put(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
            std::string(to_string(version)) +
            R"(","capabilities":{},"clientInfo":{"name":"unknown","version":"0"}}})",
        origin, now);
    put(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", 0, now);
}

void HttpSession::send(std::string_view message, rpc::Route route) {
    if (ended_) return;
    if (route.kind != RouteKind::none) {
        // Only this thread writes these counters.
        messages_out_.store(messages_out_.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
        bytes_out_.store(bytes_out_.load(std::memory_order_relaxed) + message.size(),
                         std::memory_order_relaxed);
    }
    if (route.origin == 0) {
        send_on_server_stream(message, route.kind);
        return;
    }
    auto* const stream = find(route.origin);
    if (stream == nullptr) {
        give_up(message, route.kind);
        return;
    }
    if (route.kind == RouteKind::none) {
        end_unanswered(*stream);
        return;
    }
    if (stream->handshake_ && route.last()) on_handshake_answer(message);
    if (!stream->streaming_) {
        bool const may = can_stream(*stream);
        if (route.last() && !(may && scope_->options.answers() == HttpAnswers::stream)) {
            answer_full(*stream, message);
            return;
        }
        if (!may) {
            give_up(message, route.kind);
            return;
        }
        begin_events(*stream);
    }
    send_event(*stream, message, route.kind);
    if (route.last()) {
        finish(*stream);
        on_answered();
    } else if (stream->reply_ != nullptr) {
        stream->reply_->flush();
    }
}

void HttpSession::on_reader_waits() {
    if (delivered_ == 0) return;
    // A handler is still to run in this turn and may answer the request.
    // SessionStream::on_turn_end() is called after it.
    auto* const loop = scope_->loop;
    if (loop != nullptr && loop->in_turn() && loop->has_ready()) return;
    auto* const stream = find(std::exchange(delivered_, 0));
    if (stream != nullptr) on_delayed(*stream);
}

// Called when the request was not answered at once. Begins its event stream, if it may have one.
void HttpSession::on_delayed(SessionStream& stream) {
    if (stream.streaming_ || stream.handshake_ || !can_stream(stream)) return;
    begin_events(stream);
    stream.reply_->flush();
}

TransportInfo HttpSession::info() const {
    TransportInfo info;
    info.kind = "http";
    info.messages_out = messages_out_.load(std::memory_order_relaxed);
    info.bytes_out = bytes_out_.load(std::memory_order_relaxed);
    return info;
}

std::shared_ptr<PeerInfo const> HttpSession::peer_info(std::uint64_t origin) const {
    auto const* const stream = find(origin);
    if (stream != nullptr) return stream->info_;
    if (server_streams_ && server_streams_->info) return server_streams_->info;
    auto made = std::make_shared<PeerInfo>();
    made->session_id = id();
    made->transport = "http";
    if (principal_) made->identity = principal_->identity();
    // The address is taken from the client's latest pending request.
    if (!answers_.empty() && answers_.back()->info_) {
        made->address = answers_.back()->info_->address;
    }
    return made;
}

void HttpSession::release_stream(std::uint64_t origin) {
    auto* const stream = find(origin);
    if (stream == nullptr || stream->reply_ == nullptr || !primes()) return;
    if (!stream->streaming_) {
        if (!can_stream(*stream)) return;
        begin_events(*stream);
    }
    auto* const reply = detach(*stream);
    append_retry(reply->begin_chunk(), scope_->options.stream_retry_interval());
    reply->end_chunk();
    reply->finish();
}

bool HttpSession::can_stream(SessionStream const& stream) const noexcept {
    return stream.reply_ != nullptr && stream.takes_stream_ &&
           scope_->options.answers() != HttpAnswers::json;
}

bool HttpSession::primes() const noexcept {
    return kind_ == Kind::stateful && version_ && *version_ >= first_with_priming;
}

EventLog& HttpSession::log() {
    if (!log_) log_ = scope_->events.open_log(id(), owner_);
    return *log_;
}

ReplyHead HttpSession::head(SessionStream const& stream, Content content) const noexcept {
    bool const opened = stream.handshake_ && kind_ == Kind::stateful && !refused_;
    return {.content = content, .session_id = opened ? id() : std::string_view()};
}

void HttpSession::begin_events(SessionStream& stream) {
    stream.streaming_ = true;
    ++scope_->counters.streams;
    ++scope_->counters.streams_opened;
    if (kind_ != Kind::stateless) stream.number_ = log().open();
    stream.reply_->begin_stream(head(stream, Content::event_stream));
    if (primes()) {
        append_chunk(*stream.reply_,
                     {.id = log().first_id(stream.number_).view(),
                      .retry = scope_->options.stream_retry_interval()},
                     {});
    }
}

void HttpSession::send_event(SessionStream& stream, std::string_view message, RouteKind kind) {
    auto* const reply = stream.reply_;
    if (reply != nullptr && reply->behind() && kind == RouteKind::notification) {
        ++scope_->counters.messages_dropped;
        return;
    }
    std::optional<EventId> id;
    if (stream.number_ != 0) {
        id = log().append(stream.number_, message, scope_->time.now());
        scope_->counters.events_evicted = scope_->events.pool().evicted();
    }
    if (reply == nullptr) return;
    ++scope_->counters.events_sent;
    append_chunk(*reply, {.id = id ? id->view() : std::string_view(), .event = "message"}, message);
}

// Ends the stream. Its events stay in the log for a while, because the client may not have received
// all of them.
void HttpSession::finish(SessionStream& stream) {
    if (stream.number_ != 0) log().finish(stream.number_);
    if (auto* const reply = detach(stream)) reply->finish();
    remove(stream);
}

void HttpSession::answer_full(SessionStream& stream, std::string_view message) {
    auto const whole = head(stream, Content::json);
    if (auto* const reply = detach(stream)) reply->whole(whole, message);
    remove(stream);
    on_answered();
}

// Ends the response to a request that the client has cancelled.
void HttpSession::end_unanswered(SessionStream& stream) {
    if (!stream.streaming_) {
        if (can_stream(stream)) {
            stream.reply_->begin_stream({.content = Content::event_stream});
            stream.reply_->finish();
        } else if (stream.reply_ != nullptr) {
            reply_accepted(*stream.reply_);
        }
        detach(stream);
    }
    finish(stream);
    on_answered();
}

void HttpSession::send_on_server_stream(std::string_view message, RouteKind kind) {
    if (auto* const stream = server_stream()) {
        send_event(*stream, message, kind);
        if (stream->reply_ != nullptr) stream->reply_->flush();
        return;
    }
    std::size_t bytes = message.size();
    if (server_streams_) {
        for (auto const& kept : server_streams_->undelivered) bytes += kept.size();
    }
    if (kind_ == Kind::stateful && kind == RouteKind::notification && undelivered() < max_unheard &&
        bytes <= max_unheard_bytes) {
        server_streams().undelivered.emplace_back(message);
    } else {
        give_up(message, kind);
    }
}

// Drops a message for which there is no stream. If the message is a request of the server, that
// request fails.
void HttpSession::give_up(std::string_view message, RouteKind kind) {
    if (kind != RouteKind::none) ++scope_->counters.messages_dropped;
    if (kind != RouteKind::request) return;
    rpc::ReadOptions own_message;
    own_message.json.max_bytes = SIZE_MAX;
    auto const item = scope_->outgoing.read(message, own_message);
    // The ids of the server's own requests are always numbers.
    auto const id = item && item->id ? item->id->as_int64() : std::nullopt;
    if (message.size() > large_message) scope_->outgoing.shrink();
    if (!id) return;
    inbox_->fail(*id, Error(Errc::unavailable, "the client has no stream open for the request"));
}

void HttpSession::on_handshake_answer(std::string_view message) {
    auto const item = scope_->outgoing.read(message);
    auto const name = item && item->result ? item->result->find("protocolVersion") : std::nullopt;
    // If the session has a version already, this was a second handshake. The server refuses it, and
    // it changes nothing here.
    if (version_) return;
    if (name) version_ = parse_version(name->as_string().value_or(""));
    refused_ = !version_;
}

void HttpSession::on_answered() {
    // If delivered_ is not 0, the request was answered at once, and take_request() has just set
    // last_used_.
    if (std::exchange(delivered_, 0) == 0) touch();
    bool const done = refused_ || (kind_ == Kind::stateless && leaves_traces_) || scope_->stopping;
    if (done && answers_.empty()) {
        end();
    } else if (kind_ == Kind::stateless && answers_.empty() && scope_->owner != nullptr) {
        scope_->owner->on_free(*this);
    }
}

void HttpSession::stop() {
    while (!all_server_streams().empty()) {
        auto& stream = *all_server_streams().back();
        if (stream.reply_ != nullptr && primes()) {
            append_retry(stream.reply_->begin_chunk(), scope_->options.stream_retry_interval());
            stream.reply_->end_chunk();
        }
        finish(stream);
    }
    if (answers_.empty()) end();
}

// Ends the response to a request because the session ends.
void HttpSession::cut_short(SessionStream& stream) {
    bool const streaming = stream.streaming_;
    auto* const reply = detach(stream);
    if (reply == nullptr) return;
    if (streaming) {
        reply->finish();
    } else {
        auto const condition =
            scope_->stopping ? wire::Condition::shutting_down : wire::Condition::session_not_found;
        auto error = wire::translate(condition, version_.value_or(newest_with_sessions));
        error.may_have_run = true;
        reply_error(*reply, error);
    }
}

void HttpSession::end() noexcept {
    if (std::exchange(ended_, true)) return;
    auto const self = weak_from_this().lock();
    auto const drop = [this](Streams& streams) {
        for (auto& stream : streams) {
            cut_short(*stream);
            recycle(std::move(stream));
        }
        streams.clear();
    };
    drop(answers_);
    if (server_streams_) drop(server_streams_->streams);
    server_streams_.reset();
    log_.reset();
    take_suspended();
    if (inbox_ != nullptr) inbox_->close();
    if (scope_->owner != nullptr) scope_->owner->on_ended(*this);
}

}  // namespace lanyard::http
