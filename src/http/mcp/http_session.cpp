#include "http/mcp/http_session.hpp"

#include <string>
#include <utility>

#include "http/mcp/error_reply.hpp"

namespace lanyard::http {
HttpSession::HttpSession(std::shared_ptr<SessionShared> shared, Kind kind, std::string_view id,
                         std::shared_ptr<Principal const> principal, EventOwner owner)
    : state_(std::move(shared), id, kind, owner),
      streams_(state_),
      principal_(std::move(principal)) {}

HttpSession::~HttpSession() = default;

// Lifecycle.

void HttpSession::assume_handshake(Version version) {
    state_.version = version;
    auto& shared = *state_.shared;
    if (shared.entry != nullptr) suspended_ = shared.entry->assume_handshake(version);
    if (suspended()) ++shared.counters.sessions_suspended;
}

void HttpSession::on_handshake(std::optional<Version> version) noexcept {
    // If the session has a version already, this was a second handshake. The server refuses a
    // second handshake, so this session does not change.
    if (state_.version) return;
    state_.version = version;
    state_.refused = !version;
}

bool HttpSession::suspend(TimePoint now) {
    auto& shared = *state_.shared;
    bool const may = kind() == Kind::stateful && !suspended() && !streams_.keeps_messages() &&
                     is_idle(now, shared.options.suspend_after());
    auto* const sink = may && inbox_ != nullptr ? inbox_->waiting_sink() : nullptr;
    if (sink == nullptr || shared.entry == nullptr) return false;
    suspended_ = shared.entry->suspend(*sink, *this);
    if (!suspended()) return false;
    ++shared.counters.sessions_suspended;
    // Closing the inbox ends the reading coroutine of the server, after it has processed the frames
    // that it already has.
    std::exchange(inbox_, nullptr)->close();
    streams_.shrink();
    return true;
}

void HttpSession::resume_if_suspended() {
    if (suspended() && inbox_ == nullptr) state_.shared->owner->on_resume(*this);
}

std::unique_ptr<rpc::Suspended> HttpSession::take_suspended() noexcept {
    if (suspended()) --state_.shared->counters.sessions_suspended;
    return std::move(suspended_);
}

void HttpSession::stop() {
    streams_.finish_server_streams();
    if (!streams_.has_responses()) end();
}

void HttpSession::end() noexcept {
    if (std::exchange(ended_, true)) return;
    auto const self = weak_from_this().lock();
    streams_.close();
    take_suspended();
    if (inbox_ != nullptr) inbox_->close();
    auto* const owner = state_.shared->owner;
    if (owner != nullptr) owner->on_ended(*this);
}

void HttpSession::break_off() noexcept {
    streams_.cut();
    end();
}

// Messages and streams of the client.

void HttpSession::deliver_request(SessionRequest&& request, Reply& reply) {
    state_.last_used = request.received;
    resume_if_suspended();
    auto const origin = ++last_origin_;
    streams_.add_response(origin, request, reply);
    changed_ = changed_ || request.changes_session;
    delivered_ = origin;
    if (put(request.text, origin, request.received, request.envelope)) {
        if (inbox_ != nullptr && inbox_->reader_waits()) on_reader_waits();
        return;
    }
    streams_.discard_response(origin);
    reply_error(reply, wire::translate(wire::Condition::overloaded, state_.error_version()));
}

bool HttpSession::deliver_message(std::string_view text, rpc::Envelope const* envelope,
                                  TimePoint received) {
    state_.last_used = received;
    resume_if_suspended();
    return put(text, 0, received, envelope);
}

void HttpSession::open_stream(Reply& reply) {
    state_.touch();
    resume_if_suspended();
    streams_.open_server_stream(reply);
}

void HttpSession::open_sse(Reply& reply, std::shared_ptr<PeerInfo const> info,
                           std::string_view target) {
    streams_.open_sse(reply, std::move(info), target);
}

bool HttpSession::resume_stream(std::string_view last_event_id, Reply& reply,
                                std::string_view target) {
    if (!streams_.resume(last_event_id, reply, target)) return false;
    state_.touch();
    resume_if_suspended();
    return true;
}

// The session's transport.

void HttpSession::send(std::string_view message, rpc::Route const& route) {
    if (ended_) return;
    if (route.kind != RouteKind::none) count(message);
    if (route.origin == 0) {
        if (!streams_.send_to_server_stream(message, route.kind)) drop(route);
        return;
    }
    auto* const response = streams_.find_response(route.origin);
    if (response == nullptr) {
        drop(route);
    } else if (route.kind == RouteKind::none) {
        streams_.end_unanswered(*response);
        on_answered();
    } else if (route.kind == RouteKind::answer) {
        streams_.answer(*response, message);
        on_answered();
    } else if (!response->send(message, route.kind)) {
        drop(route);
    }
}

void HttpSession::count(std::string_view message) noexcept {
    ++messages_out_;
    bytes_out_ += message.size();
}

// Drops a message for which there is no stream. If the message is a request of the server and the
// route contains its id, reports to the server that the request has failed.
void HttpSession::drop(rpc::Route const& route) {
    if (route.kind != RouteKind::none) ++state_.shared->counters.messages_dropped;
    if (route.kind != RouteKind::request || !route.id) return;
    inbox_->fail(*route.id,
                 Error(Errc::unavailable, "the client has no stream open for the request"));
}

void HttpSession::on_answered() {
    // If delivered_ is not 0, the request was answered at once. In this case deliver_request() has
    // just set the time of the last use, so touch() is not needed.
    if (std::exchange(delivered_, 0) == 0) state_.touch();
    if (streams_.has_responses()) return;
    auto const& shared = *state_.shared;
    bool const stateless = kind() == Kind::stateless;
    if (state_.refused || (stateless && changed_) || shared.stopping()) {
        end();
    } else if (stateless && shared.owner != nullptr) {
        shared.owner->on_free(*this);
    }
}

void HttpSession::on_reader_waits() {
    if (delivered_ == 0) return;
    // If a handler has not run yet in this loop turn, that handler may answer the request. So the
    // event stream is not begun now, but in SessionStream::on_turn_end(), which is called after the
    // handler.
    auto* const loop = state_.shared->loop;
    if (loop != nullptr && loop->in_turn() && loop->has_ready()) return;
    auto* const response = streams_.find_response(std::exchange(delivered_, 0));
    if (response != nullptr) response->begin_early();
}

std::shared_ptr<PeerInfo const> HttpSession::peer_info(std::uint64_t origin) const {
    if (auto info = streams_.peer_info(origin)) return info;
    auto made = std::make_shared<PeerInfo>();
    made->session_id = id();
    made->transport = "http";
    if (principal_) made->identity = principal_->identity();
    if (auto const* const sender = streams_.latest_sender()) made->address = sender->address;
    return made;
}

void HttpSession::release_stream(std::uint64_t origin) {
    auto* const response = streams_.find_response(origin);
    if (response != nullptr) response->release();
}

TransportInfo HttpSession::info() const {
    TransportInfo info;
    info.kind = "http";
    info.messages_out = messages_out_.value();
    info.bytes_out = bytes_out_.value();
    return info;
}

}  // namespace lanyard::http
