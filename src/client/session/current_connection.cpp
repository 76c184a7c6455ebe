#include "client/session/current_connection.hpp"

namespace lanyard::client {

CurrentConnection::CurrentConnection(rpc::PeerEvents& events, ClientOptions const& options)
    : events_(events),
      options_(options),
      unsent_limits_(runtime::PeerConnection::UnsentLimits::of(options)),
      phases_(options.time().now(), options.initialization_timeout()) {}

void CurrentConnection::replace(std::unique_ptr<Transport> transport, Duration longest_backoff) {
    rpc::PeerOptions peer;
    peer.requests.max_pending = options_.max_pending();
    peer.requests.timeout = options_.timeout();
    peer.requests.initialization_timeout = options_.initialization_timeout();
    peer.requests.longest_backoff = longest_backoff;
    peer.requests.max_tombstones = options_.max_tombstones();
    peer.requests.tombstone_sweep_interval = options_.tombstone_sweep_interval();
    peer.requests.last_id = options_.max_request_id();
    peer.inbound.hash_seed = options_.random().bits();
    peer.answers_unreadable = false;
    peer.detailed_routes = transport->traits().speaks_http;
    auto connection = std::make_shared<runtime::PeerConnection>(std::move(transport), events_,
                                                                options_.time(), peer);
    connection->limit_unsent_answers(unsent_limits_);
    if (connection_) connection->peer().resume(connection_->peer());
    connection_ = std::move(connection);
    drop_reason_.clear();
    if (phase() == rpc::ClientPhase::error) enter(rpc::ClientPhase::pre_initialization);
}

void CurrentConnection::enter(rpc::ClientPhase phase, std::string_view reason) {
    phases_.enter(phase, options_.time().now(), reason).value();
}

Result<std::int64_t> CurrentConnection::request(std::string_view method, std::string_view params,
                                                rpc::AnswerSink& sink,
                                                rpc::RequestSettings const& settings) const {
    return peer().request(method, params, sink, connection_->now(), settings);
}

void CurrentConnection::cancel(std::int64_t id, std::string_view why) const {
    peer().cancel(id, why, connection_->now());
    flush();
}

void CurrentConnection::notify(std::string_view method, std::string_view params) const {
    if (!is_open()) return;
    peer().notify(method, params);
    flush();
}

void CurrentConnection::close() noexcept {
    if (is_open()) connection_->close(rpc::Outcome::shutdown);
}

void CurrentConnection::drop(std::string_view why) noexcept {
    if (!is_open()) return;
    drop_reason_ = why;
    connection_->close(rpc::Outcome::connection_lost);
}

bool CurrentConnection::is_refused() const noexcept {
    return connection_ != nullptr && connection_->failure() &&
           connection_->failure()->is(Errc::unauthorized);
}

Error CurrentConnection::end_error(Errc code, std::string_view what) const {
    if (code == Errc::transport_down && is_refused()) code = Errc::unauthorized;
    std::string message(what);
    if (!drop_reason_.empty()) {
        message.append(": ").append(drop_reason_);
    } else if (connection_ != nullptr) {
        auto const& failure = connection_->failure();
        if (failure && failure->is(Errc::busy)) {
            // This side closed the connection, because the server did not read. How the server
            // ended afterwards does not explain the failure, so that is not reported.
            message.append(": ").append(failure->message());
        } else if (auto const reason = connection_->transport().end_reason(); !reason.empty()) {
            message.append(": ").append(reason);
        } else if (failure) {
            message.append(": ").append(failure->message());
        }
    }
    return {code, std::move(message)};
}

}  // namespace lanyard::client
