#include "server/clients/server_session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "crypto/random_id.hpp"
#include "lanyard/protocol/methods.hpp"
#include "server/call/notification.hpp"
#include "server/call/text_limits.hpp"

namespace lanyard::server {

namespace {

using rpc::ServerPhase;
using namespace std::chrono_literals;

// Handlers may take this long to return after the connection has ended.
constexpr Duration unwinding_time = 5s;
// How long calls may take after the client has half-closed the connection.
constexpr Duration finishing_time = 5s;

rpc::PeerOptions peer_options(ServerCore const& core, Transport const& transport,
                              SuspendedSession const* suspended) {
    rpc::PeerOptions options;
    options.detailed_routes = transport.traits().speaks_http;
    if (suspended != nullptr) options.requests.first_id = suspended->next_id;
    options.requests.max_tombstones = core.options().max_tombstones();
    options.requests.tombstone_sweep_interval = core.options().tombstone_sweep_interval();
    options.inbound.max_in_flight = core.options().max_in_flight();
    options.inbound.hash_seed = core.random().bits();
    return options;
}

// Returns the transport's information about the connection, with a random session id if the
// transport gave none.
std::shared_ptr<PeerInfo const> peer_info_of(ServerCore const& core,
                                             runtime::PeerConnection const& connection) {
    auto const* const extras = connection.extras();
    auto info = extras != nullptr ? extras->peer_info(0) : nullptr;
    if (info && !info->session_id.empty()) return info;
    auto named = std::make_shared<PeerInfo>();
    if (info) {
        *named = *info;
    } else {
        auto transport = connection.transport().info();
        if (transport.sender) *named = *transport.sender;
        if (named->transport.empty()) named->transport = std::move(transport.kind);
        if (!named->session_id.empty()) return named;
    }
    named->session_id = crypto::random_id(core.random());
    return named;
}

// Whether a second `initialize` is accepted, so that another client can reuse the connection. An
// HTTP session never accepts it, because another client can open an HTTP session of its own. For
// other connections, the server's options decide.
bool may_repeat_initialize(ServerCore const& core, Transport const& transport) {
    return core.options().repeated_initialize() && !transport.traits().speaks_http;
}

}  // namespace

ServerSession::ServerSession(std::shared_ptr<ServerCore> core, runtime::ExtendedTransport transport,
                             SuspendedSession const* suspended)
    : ServingGroup(core, transport.transport->executor(), core->options().max_subscriptions(),
                   [this](auto method, auto params) { connection_.peer().notify(method, params); }),
      connection_(std::move(transport), *this, core_->time(),
                  peer_options(*core_, *transport.transport, suspended)),
      info_(peer_info_of(*core_, connection_)),
      negotiation_(*core_, connection_.now(),
                   may_repeat_initialize(*core_, connection_.transport())) {
    connection_.limit_unsent(runtime::PeerConnection::UnsentLimits::of(core_->options()));
    if (suspended != nullptr) {
        negotiation_.go_on(*suspended);
        connection_.peer().set_version(negotiation_.version());
        requests_.set(suspended->requests);
        violations_ = suspended->violations;
        handshakes_ = 1;
        begin_keepalive(connection_.now());
    }
    negotiation_.phases().observe([this](auto const&) { on_phase(); });
    publish();
}

std::shared_ptr<ServerSession> make_session(std::shared_ptr<ServerCore> core,
                                            std::unique_ptr<Transport> opened) {
    runtime::ExtendedTransport transport(std::move(opened));
    auto const kept = transport.extras != nullptr ? transport.extras->take_suspended() : nullptr;
    auto const* const suspended = static_cast<SuspendedSession const*>(kept.get());
    auto session = std::make_shared<ServerSession>(core, std::move(transport), suspended);
    if (suspended == nullptr) return session;
    // Announces the list changes that the client missed while its session was suspended.
    for (auto const kind :
         {rpc::NotifiedList::tools, rpc::NotifiedList::resources, rpc::NotifiedList::prompts}) {
        if (!suspended->awaits(kind, core->list_changes(kind))) continue;
        session->post([kind](PeerGroup& awake) { awake.list_changed(kind); });
    }
    return session;
}

std::unique_ptr<rpc::Suspended> ServerSession::suspend() {
    bool const idle = negotiation_.phase() == ServerPhase::ready && negotiation_.has_session() &&
                      calls_.is_idle() && subscriptions_.count() == 0 &&
                      subscriptions_.next_due() == never && (!events_ || events_->is_idle());
    if (!idle) return nullptr;
    auto suspended = std::make_unique<SuspendedSession>();
    negotiation_.describe(*suspended);
    suspended->next_id = connection_.peer().next_id();
    suspended->requests = requests();
    suspended->violations = static_cast<std::uint32_t>(violations_);
    suspended_ = true;
    return suspended;
}

// Returns the task of the connection instead of being a coroutine itself. This saves a coroutine
// frame for the lifetime of the connection.
Task<> ServerSession::run() {
    rearm();
    return connection_.run();
}

Task<> ServerSession::wind_up() {
    calls_.stop_waiting();
    auto const now = connection_.now();
    std::string const reason = connection_.failure() ? connection_.failure()->what() : "";
    if (negotiation_.phase() != ServerPhase::closed) {
        negotiation_.phases().enter(ServerPhase::closed, now, reason).value();
    }
    note_counts();
    co_await calls_.wait_for_tasks(after(now, unwinding_time));
    calls_.mailbox()->close();
}

void ServerSession::on_failure(Error const& failure) noexcept {
    if (failure.is(Errc::timeout)) core_->limits().add(&LimitCounts::silent);
    if (failure.is(Errc::busy)) core_->limits().add(&LimitCounts::unread);
    if (failure.is(Errc::protocol_violation)) core_->limits().add(&LimitCounts::noise);
}

// Called when the client has half-closed the connection. The client still gets the answers to its
// requests.
bool ServerSession::on_input_ended() {
    finishing_ = true;
    subscriptions_.end_streams();
    close_later(finishing_time);
    return true;
}

void ServerSession::shut_down(Duration grace) {
    // If the client has half-closed the connection, close_later() is already waiting for the
    // client's calls. The connection is now closed without waiting for them.
    if (finishing_) {
        connection_.close();
        return;
    }
    auto& phases = negotiation_.phases();
    if (phases.phase() == ServerPhase::ready) {
        phases.enter(ServerPhase::shutting_down, connection_.now()).value();
    }
    subscriptions_.end_streams();
    connection_.flush();
    close_later(grace);
}

void ServerSession::close_later(Duration grace) {
    auto const self = std::static_pointer_cast<ServerSession>(shared_from_this());
    boost::asio::co_spawn(
        calls_.executor(),
        [](std::shared_ptr<ServerSession> kept, Duration timeout) -> Task<> {
            co_await kept->close_when_idle(timeout);
        }(self, grace),
        boost::asio::detached);
}

Task<> ServerSession::close_when_idle(Duration grace) {
    auto const until = after(connection_.now(), grace);
    co_await calls_.wait_until_idle(until);
    // A client that has half-closed the connection may take as long as it needs to read its
    // remaining answers.
    co_await connection_.wait_until_sent(finishing_ ? never : until);
    connection_.close();
}

void ServerSession::on_due() {
    auto const now = connection_.now();
    calls_.on_time(now);
    if (negotiation_.deadline() <= now && negotiation_.phases().expire(now)) {
        core_->limits().add(&LimitCounts::unopened);
        core_->log(LoggingLevel::warning, *info_,
                   "a client did not complete the handshake in time");
        connection_.close();
        return;
    }
    note_counts();
    subscriptions_.on_time(now, view());
    keep_alive(now);
    connection_.flush();
    rearm();
}

void ServerSession::rearm() {
    connection_.wake_owner_at(std::min({calls_.next_deadline(), negotiation_.deadline(),
                                        subscriptions_.next_due(), keepalive_.due}));
}

void ServerSession::begin_keepalive(TimePoint now) {
    auto const interval = core_->options().ping_interval();
    bool const watch = !connection_.transport().traits().watches_peer;
    if (watch && interval > Duration(0)) keepalive_.due = after(now, interval);
}

void ServerSession::keep_alive(TimePoint now) {
    auto const interval = core_->options().ping_interval();
    if (keepalive_.due > now) return;
    keepalive_.due = never;
    if (negotiation_.phase() != ServerPhase::ready || !negotiation_.has_session()) return;
    auto const next = after(keepalive_.last_heard, interval);
    if (next > now) {
        keepalive_.due = next;
        return;
    }
    rpc::RequestSettings options;
    options.timeout = core_->options().ping_timeout();
    keepalive_.waiting = true;
    // The time of the next ping is set when this ping is answered.
    auto const sent =
        connection_.peer().request(methods::Ping::info.name, {}, keepalive_, now, options);
    if (!sent) keepalive_.due = after(now, interval);
}

void ServerSession::Keepalive::on_answer(rpc::Answer const& answer) noexcept {
    waiting = false;
    if (answer.outcome == rpc::Outcome::timed_out) {
        owner.core_->limits().add(&LimitCounts::unanswered);
        owner.core_->log(LoggingLevel::warning, *owner.info_, "a client does not answer any more");
        owner.connection_.close(rpc::Outcome::connection_lost);
        return;
    }
    // Any answer, even an error, shows that the client is alive.
    last_heard = owner.connection_.now();
    due = after(last_heard, owner.core_->options().ping_interval());
    owner.rearm();
}

ServerSubscriptions::SessionView ServerSession::view() const noexcept {
    return {negotiation_.has_session(), negotiation_.version(), negotiation_.declared()};
}

void ServerSession::list_changed(rpc::NotifiedList kind) {
    subscriptions_.list_changed(kind, view());
    connection_.flush();
    rearm();
}

void ServerSession::resource_updated(std::string_view uri) {
    subscriptions_.resource_updated(uri, view());
    connection_.flush();
    rearm();
}

void ServerSession::publish() {
    std::lock_guard const lock(published_mutex_);
    published_.transport = connection_.transport().info();
    published_.client = negotiation_.client();
    if (negotiation_.phase() != ServerPhase::initialization) {
        published_.version = negotiation_.version();
    }
    published_.handshakes = handshakes_;
    published_.phases = negotiation_.phases().history();
    published_.subscriptions = subscriptions_.count();
}

SessionInfo ServerSession::info() const {
    SessionInfo info;
    info.id = info_->session_id;
    info.in_flight = in_flight_;
    info.requests = requests();
    info.violations = violations_;
    std::lock_guard const lock(published_mutex_);
    info.transport = published_.transport;
    info.client = published_.client->info;
    if (published_.version) info.version = to_string(*published_.version);
    for (auto const& transition : published_.phases) {
        info.phases.push_back(
            {std::string(to_string(transition.to)), transition.at, transition.reason});
    }
    info.subscriptions = published_.subscriptions;
    info.handshakes = published_.handshakes;
    return info;
}

void ServerSession::send_log(LoggingMessageParams const& message) {
    auto const wanted = negotiation_.log_level();
    if (!negotiation_.has_session() || !wanted || message.level < *wanted) return;
    if (suspended_) return;
    if (connection_.is_behind() || !log_limit_.allows(message.level, connection_.now())) {
        core_->limits().add(&LimitCounts::dropped_log_messages);
        return;
    }
    notify(methods::LoggingMessage::info, message);
    connection_.flush();
}

void ServerSession::elicitation_complete(std::string const& id) {
    if (!calls_.take_url_elicitation(id)) return;
    ElicitationCompleteParams params;
    params.elicitation_id = id;
    notify(methods::ElicitationComplete::info, params);
    connection_.flush();
}

template <class Params>
void ServerSession::notify(MethodInfo const& method, Params const& params) {
    auto const text = notification_params(params, {.version = negotiation_.version()});
    if (text) connection_.peer().notify(method.name, *text);
}

void ServerSession::on_violation(std::string_view what) {
    violations_.fetch_add(1, std::memory_order_relaxed);
    note_counts();
    core_->log(LoggingLevel::warning, *info_, "the client broke a rule: " + std::string(what));
}

void ServerSession::on_messages(std::size_t) {
    calls_.batch(true);
}

void ServerSession::on_call_continues(Call& call) {
    auto& served = *served_[call.slot()];
    connection_.peer().settle_taken();
    connection_.peer().attach(served.responder.ticket(), served);
    in_flight_.store(connection_.peer().in_flight(), std::memory_order_relaxed);
}

void ServerSession::on_request(rpc::Envelope const& request, rpc::Ticket ticket) {
    auto const now = connection_.received();
    keepalive_.last_heard = now;
    ++requests_;
    if (!negotiation_.takes_at_once(request) && !admit(request, ticket, now)) return;
    if (FeatureRequests::may_serve_unchecked(request)) {
        auto& served = take_call(ticket);
        features_.serve_unchecked(*served.call, served.responder,
                                  arrival(request, request_info(), now));
        if (hold(served)) return;
    } else {
        serve_other(request, ticket, now);
    }
    in_flight_.store(connection_.peer().in_flight(), std::memory_order_relaxed);
}

bool ServerSession::admit(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now) {
    bool const ready = negotiation_.phase() == ServerPhase::ready;
    auto const admitted = negotiation_.admit(request, now);
    connection_.peer().set_version(negotiation_.version());
    if (!ready && negotiation_.has_session()) on_session_ready(now);
    if (!admitted) connection_.peer().fail(ticket, admitted.error().text());
    return admitted.has_value();
}

void ServerSession::serve_other(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now) {
    SessionResponder responder(connection_, ticket);
    if (auto const refused =
            check_offered(request, negotiation_.version(), negotiation_.declared())) {
        responder.fail(*refused);
    } else if (!serve_protocol(request, responder)) {
        serve_feature(request, ticket, now);
    }
}

Served<SessionResponder>& ServerSession::take_call(rpc::Ticket ticket) {
    auto& served = ServingGroup::take_call(served_);
    served.responder = SessionResponder(connection_, ticket);
    return served;
}

Arrival ServerSession::arrival(rpc::Envelope const& request,
                               std::shared_ptr<PeerInfo const> const& info,
                               TimePoint now) const noexcept {
    return {request, negotiation_.version(),   negotiation_.client(),
            info,    negotiation_.log_level(), now};
}

std::shared_ptr<PeerInfo const> const& ServerSession::request_info() {
    auto const origin = connection_.peer().taken_origin();
    if (origin == 0 || connection_.extras() == nullptr) return info_;
    request_info_ = connection_.extras()->peer_info(origin);
    return request_info_ ? request_info_ : info_;
}

void ServerSession::serve_feature(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now) {
    auto& served = take_call(ticket);
    features_.serve(*served.call, served.responder, arrival(request, request_info(), now));
    hold(served);
}

// Makes the call cancellable. This is not necessary in two cases: the call has already ended, or
// its handler is queued and will run before the next message is read. Returns true only in the
// latter case. If such a call takes longer after all, on_call_continues() makes it cancellable.
bool ServerSession::hold(Served<SessionResponder>& served) {
    if (!served.call->in_use()) return false;
    if (served.call->runs_in_turn()) {
        connection_.peer().hold_taken();
        return true;
    }
    connection_.peer().attach(served.responder.ticket(), served);
    return false;
}

// Serves the methods that do not belong to a feature, such as `ping`. Returns false for other
// methods.
bool ServerSession::serve_protocol(rpc::Envelope const& request, SessionResponder& responder) {
    auto const method = request.method;
    if (method == methods::Initialize::info.name) {
        initialize(request, responder);
    } else if (method == methods::Ping::info.name) {
        answer(responder, EmptyResult(), negotiation_.version());
    } else if (method == methods::Discover::info.name) {
        discover(responder, negotiation_.version());
    } else if (method == methods::SetLevel::info.name) {
        set_level(request, responder);
    } else if (method == methods::Subscribe::info.name) {
        subscribe(request, responder, true);
    } else if (method == methods::Unsubscribe::info.name) {
        subscribe(request, responder, false);
    } else if (method == methods::SubscriptionsListen::info.name) {
        listen(request, responder.ticket());
    } else {
        return false;
    }
    return true;
}

void ServerSession::subscribe(rpc::Envelope const& request, SessionResponder& responder, bool on) {
    auto const params = decode<ResourceParams>(request, responder, negotiation_.version());
    if (!params) return;
    auto const version = negotiation_.version();
    if (!on) {
        subscriptions_.unsubscribe(params->uri);
    } else if (auto const refused = check_uri_length(*core_, params->uri, "/uri", version)) {
        responder.fail(*refused);
        return;
    } else {
        subscribe_if_readable(request, responder.ticket(), params->uri);
        return;
    }
    publish();
    answer(responder, EmptyResult(), version);
}

// Subscribes if the client may read the resource.
void ServerSession::subscribe_if_readable(rpc::Envelope const& request, rpc::Ticket ticket,
                                          std::string const& uri) {
    auto& served = take_call(ticket);
    auto const& info = request_info();
    auto const later = [this, ticket, uri](std::vector<std::string> const& readable) {
        SessionResponder responder(connection_, ticket);
        if (responder.active()) {
            finish_subscribing(responder, uri, !readable.empty());
        } else {
            responder.abandon();
        }
        responder.flush();
    };
    std::vector<std::string> uris{uri};
    bool const now = features_.keep_readable(
        *served.call, served.responder, arrival(request, info, connection_.now()), uris, later);
    if (now) {
        finish_subscribing(served.responder, uri, !uris.empty());
    } else {
        hold(served);
    }
}

void ServerSession::finish_subscribing(SessionResponder& responder, std::string const& uri,
                                       bool readable) {
    auto const version = negotiation_.version();
    if (!readable) {
        responder.fail(wire::translate(wire::Condition::resource_not_found, version, {.uri = uri}));
        return;
    }
    if (auto const refusal = subscriptions_.subscribe(uri)) {
        responder.fail(wire::translate(wire::Condition::subscription_failed, version,
                                       {.message = *refusal, .uri = uri}));
        return;
    }
    publish();
    answer(responder, EmptyResult(), version);
}

void ServerSession::listen(rpc::Envelope const& request, rpc::Ticket ticket) {
    auto const& info = request_info();
    auto& served = take_call(ticket);
    ServingGroup::listen(arrival(request, info, connection_.now()), *served.call,
                         std::make_unique<SessionResponder>(connection_, ticket));
    // If filters have to decide first, the Call object is still in use and must be made
    // cancellable.
    if (served.call->in_use()) hold(served);
    publish();
}

void ServerSession::initialize(rpc::Envelope const& request, SessionResponder& responder) {
    auto const now = connection_.now();
    auto const result = negotiation_.initialize(request, now);
    connection_.peer().set_version(negotiation_.version());
    if (auto* const extras = connection_.extras()) {
        extras->on_handshake(result ? std::optional(negotiation_.version()) : std::nullopt);
    }
    if (!result) {
        responder.fail(result.error());
        return;
    }
    if (++handshakes_ > 1) replace_client(now);
    publish();
    answer(responder, *result, negotiation_.version());
}

// Calls in progress continue, since several clients may share the connection. Questions are
// cancelled, because only the former client could answer them.
void ServerSession::replace_client(TimePoint now) {
    connection_.peer().cancel_all("the client has sent initialize again", now);
    subscriptions_.unsubscribe_all();
}

void ServerSession::set_level(rpc::Envelope const& request, SessionResponder& responder) {
    auto const params = decode<SetLevelParams>(request, responder, negotiation_.version());
    if (!params) return;
    negotiation_.set_log_level(params->level);
    answer(responder, EmptyResult(), negotiation_.version());
}

void ServerSession::on_notification(rpc::Envelope const& notification) {
    auto const now = connection_.now();
    keepalive_.last_heard = now;
    if (notification.method == methods::Initialized::info.name) {
        bool const ready = negotiation_.phase() == ServerPhase::ready;
        negotiation_.on_initialized(now);
        if (!ready) on_session_ready(now);
    }
    take_notification(notification);
}

void ServerSession::on_session_ready(TimePoint now) {
    if (negotiation_.phase() != ServerPhase::ready) return;
    begin_keepalive(now);
    rearm();
}

}  // namespace lanyard::server
