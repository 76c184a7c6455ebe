#include "http/mcp/session_streams.hpp"

#include <algorithm>
#include <utility>

#include "http/mcp/error_reply.hpp"

namespace lanyard::http {
namespace {

constexpr std::size_t max_spare_streams = 256;
// The maximum number and total size of the notifications that are kept for a client that has not
// opened a stream for them yet.
constexpr std::size_t max_undelivered = 100;
constexpr std::size_t max_undelivered_bytes = std::size_t{4} * 1024;

bool is_connected(std::unique_ptr<SessionStream> const& stream) noexcept {
    return stream->connected();
}

}  // namespace

bool SessionStreams::is_idle() const noexcept {
    auto const& streams = all_server_streams();
    return responses_.empty() && std::none_of(streams.begin(), streams.end(), is_connected);
}

// The set of streams.

SessionStream& SessionStreams::add(Streams& streams, std::uint64_t origin) {
    auto& spare = state_.shared->spare_streams;
    if (spare.empty()) spare.push_back(std::make_unique<SessionStream>());
    auto& stream = *streams.emplace_back(std::move(spare.back()));
    spare.pop_back();
    stream.init(*this, state_, origin);
    return stream;
}

void SessionStreams::remove(SessionStream& stream) noexcept {
    auto& streams = stream.origin() != 0 ? responses_ : server_streams().streams;
    auto const at = std::find_if(streams.begin(), streams.end(),
                                 [&](auto const& owned) { return owned.get() == &stream; });
    auto owned = std::move(*at);
    streams.erase(at);
    recycle(std::move(owned));
}

void SessionStreams::recycle(std::unique_ptr<SessionStream> stream) noexcept {
    auto& spare = state_.shared->spare_streams;
    if (spare.size() == max_spare_streams) return;
    stream->reset();
    try {
        spare.push_back(std::move(stream));
    } catch (std::bad_alloc const&) {
        // The stream is destroyed.
    }
}

SessionStream* SessionStreams::find_number(StreamNumber number) const noexcept {
    for (auto const* const streams : {&responses_, &all_server_streams()}) {
        for (auto const& stream : *streams) {
            if (stream->number() == number) return stream.get();
        }
    }
    return nullptr;
}

SessionStreams::ServerStreams& SessionStreams::server_streams() {
    if (!server_streams_) server_streams_ = std::make_unique<ServerStreams>();
    return *server_streams_;
}

SessionStreams::Streams const& SessionStreams::all_server_streams() const noexcept {
    static Streams const none;
    return server_streams_ ? server_streams_->streams : none;
}

void SessionStreams::on_disconnected(SessionStream& stream) noexcept {
    if (stream.origin() != 0) return;
    // Of the server streams, a client resumes only the one that it lost last. So streams that were
    // lost earlier are removed.
    auto const& all = all_server_streams();
    for (std::size_t i = all.size(); i-- > 0;) {
        auto& other = *all[i];
        if (&other == &stream || other.connected()) continue;
        state_.log->finish(other.number());
        remove(other);
    }
}

// Responses to requests.

void SessionStreams::add_response(std::uint64_t origin, SessionRequest& request, Reply& reply) {
    auto& response = add(responses_, origin);
    response.set_request(request);
    response.attach(reply);
}

void SessionStreams::discard_response(std::uint64_t origin) noexcept {
    auto* const response = find_response(origin);
    if (response == nullptr) return;
    response->detach();
    remove(*response);
}

SessionStream* SessionStreams::find_earlier_response(std::uint64_t origin) const noexcept {
    auto const at = std::lower_bound(
        responses_.begin(), responses_.end(), origin,
        [](auto const& stream, std::uint64_t wanted) { return stream->origin() < wanted; });
    return at != responses_.end() && (*at)->origin() == origin ? at->get() : nullptr;
}

// Server streams.

void SessionStreams::open_server_stream(Reply& reply) {
    auto& streams = server_streams().streams;
    auto const connected = std::count_if(streams.begin(), streams.end(), is_connected);
    if (static_cast<std::size_t>(connected) >= state_.shared->options.max_streams_per_session()) {
        auto error = wire::translate(wire::Condition::invalid_request, state_.error_version(),
                                     {.message = "the session has too many streams"});
        error.http_status = number_of(Status::conflict);
        reply_error(reply, error);
        return;
    }
    auto& stream = add(streams, 0);
    stream.attach(reply);
    stream.begin();
    for (auto const& message : std::exchange(server_streams().undelivered, {})) {
        stream.write(message, rpc::Route::Kind::notification);
    }
    reply.flush();
}

void SessionStreams::open_sse(Reply& reply, std::shared_ptr<PeerInfo const> info,
                              std::string_view target) {
    server_streams().info = std::move(info);
    auto& stream = add(server_streams().streams, 0);
    stream.attach(reply);
    stream.begin();
    write_event(reply, {.event = "endpoint", .retry = state_.shared->options.sse_retry_interval()},
                target);
    reply.flush();
}

// Returns the stream for messages that belong to no request: the latest one to which a client is
// connected, else the latest one that a client may resume.
SessionStream* SessionStreams::server_stream() const noexcept {
    auto const& streams = all_server_streams();
    auto const connected = std::find_if(streams.rbegin(), streams.rend(), is_connected);
    if (connected != streams.rend()) return connected->get();
    return streams.empty() ? nullptr : streams.back().get();
}

bool SessionStreams::send_to_server_stream(std::string_view message, rpc::Route::Kind kind) {
    if (auto* const stream = server_stream()) return stream->send(message, kind);
    std::size_t bytes = message.size();
    if (server_streams_) {
        for (auto const& kept : server_streams_->undelivered) bytes += kept.size();
    }
    if (state_.kind != SessionKind::stateful || kind != rpc::Route::Kind::notification ||
        undelivered() >= max_undelivered || bytes > max_undelivered_bytes) {
        return false;
    }
    server_streams().undelivered.emplace_back(message);
    return true;
}

// All streams.

// Sends the events that a client has missed through a new reply, and then attaches that reply to
// the stream.
class SessionStreams::Replay final : public ResumeSink {
public:
    Replay(SessionStreams& streams, Reply& reply, std::string_view target) noexcept
        : streams_(streams), reply_(reply), target_(target) {}

    bool has_begun() const noexcept { return begun_; }

    void on_event(std::string_view id, std::string_view message) override {
        begin();
        write_event(reply_, {.id = id, .event = "message"}, message);
        ++counters().events_replayed;
    }
    void on_resumed(StreamNumber number, bool finished) override {
        begin();
        ++counters().streams_resumed;
        auto* const stream = finished ? nullptr : streams_.find_number(number);
        if (stream == nullptr) {
            reply_.finish();
            return;
        }
        // If an earlier reply is still attached to the stream, the client has disconnected from
        // that reply, although the server has not detected this yet.
        if (auto* const former = stream->detach()) former->finish();
        stream->attach(reply_);
        reply_.flush();
    }
    void on_unknown() override { ++counters().resumes_unknown; }

private:
    void begin() {
        if (std::exchange(begun_, true)) return;
        reply_.begin_stream({.content = Content::event_stream});
        if (!target_.empty()) write_event(reply_, {.event = "endpoint"}, target_);
    }
    McpCounters& counters() noexcept { return streams_.state_.shared->counters; }

    SessionStreams& streams_;
    Reply& reply_;
    std::string_view target_;
    bool begun_ = false;
};

bool SessionStreams::resume(std::string_view last_event_id, Reply& reply, std::string_view target) {
    if (!state_.log) {
        ++state_.shared->counters.resumes_unknown;
        return false;
    }
    state_.log->expire(state_.shared->time.now());
    Replay replay(*this, reply, target);
    state_.log->resume(last_event_id, replay);
    return replay.has_begun();
}

void SessionStreams::expire_events(TimePoint now) noexcept {
    if (!state_.log) return;
    state_.log->expire(now);
    if (state_.log->empty()) state_.log.reset();
}

void SessionStreams::shrink() noexcept {
    if (responses_.empty()) Streams().swap(responses_);
    if (all_server_streams().empty() && undelivered() == 0) server_streams_.reset();
}

void SessionStreams::finish_server_streams() {
    while (!all_server_streams().empty()) {
        auto& stream = *all_server_streams().back();
        stream.finish_with_retry();
        remove(stream);
    }
}

void SessionStreams::close(Streams& streams) noexcept {
    for (auto& stream : streams) {
        stream->close();
        recycle(std::move(stream));
    }
    streams.clear();
}

void SessionStreams::cut() noexcept {
    for (auto const& stream : responses_) stream->cut();
    for (auto const& stream : all_server_streams()) stream->cut();
}

void SessionStreams::close() noexcept {
    close(responses_);
    if (server_streams_) close(server_streams_->streams);
    server_streams_.reset();
    state_.log.reset();
}

}  // namespace lanyard::http
