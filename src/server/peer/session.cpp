#include "server/peer/session.hpp"

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

// How long handlers have to return after the connection has ended.
constexpr Duration unwinding_time = 5s;
// How long calls may take after the client has half-closed the connection.
constexpr Duration finishing_time = 5s;

rpc::PeerOptions peer_options(ServerCore const& core, RestedSession const* rested) {
    rpc::PeerOptions options;
    if (rested != nullptr) options.requests.first_id = rested->next_id;
    options.inbound.max_in_flight = core.options().max_in_flight();
    options.inbound.hash_seed = core.random().bits();
    return options;
}

// Returns the transport's facts about the connection; adds a session id if they have none.
std::shared_ptr<PeerFacts const> named_facts(ServerCore const& core, Transport const& transport) {
    auto facts = transport.facts(0);
    if (!facts->session_id.empty()) return facts;
    auto named = std::make_shared<PeerFacts>(*facts);
    named->session_id = crypto::random_id(core.random());
    return named;
}

// False for an HTTP session, which belongs to the client that opened it; another client opens its
// own.
bool may_repeat_initialize(ServerCore const& core, Transport const& transport) {
    return core.options().repeated_initialize() && !transport.speaks_http();
}

}  // namespace

Session::Session(std::shared_ptr<ServerCore> core, std::unique_ptr<Transport> transport,
                 RestedSession const* rested)
    : PeerGroup(core, transport->executor(), core->options().max_subscriptions(),
                [this](auto method, auto params) { connection_.peer().notify(method, params); }),
      connection_(std::move(transport), *this, core_->time(), peer_options(*core_, rested)),
      facts_(named_facts(*core_, connection_.transport())),
      negotiation_(*core_, connection_.now(),
                   may_repeat_initialize(*core_, connection_.transport())) {
    runtime::PeerConnection::UnsentLimits unsent;
    unsent.most = core_->options().max_unsent_bytes();
    unsent.pause = std::min(unsent.pause, unsent.most);
    unsent.at_once = unsent.most * 8;
    connection_.limit_unsent(unsent);
    if (rested != nullptr) {
        negotiation_.go_on(*rested);
        connection_.peer().set_version(negotiation_.version());
        requests_ = rested->requests;
        violations_ = rested->violations;
        handshakes_ = 1;
        begin_keepalive(connection_.now());
    }
    negotiation_.phases().observe([this](auto const&) { publish(); });
    publish();
}

std::shared_ptr<Session> make_session(std::shared_ptr<ServerCore> core,
                                      std::unique_ptr<Transport> transport) {
    auto const kept = transport->take_rested();
    auto const* const rested = static_cast<RestedSession const*>(kept.get());
    auto session = std::make_shared<Session>(core, std::move(transport), rested);
    if (rested == nullptr) return session;
    // Announces the list changes that the client missed while its session was suspended.
    for (auto const kind :
         {rpc::ListKind::tools, rpc::ListKind::resources, rpc::ListKind::prompts}) {
        if (!rested->awaits(kind, core->list_changes(kind))) continue;
        session->post([kind](PeerGroup& awake) { awake.list_changed(kind); });
    }
    return session;
}

std::unique_ptr<rpc::Rested> Session::rest() {
    bool const idle = negotiation_.phase() == ServerPhase::ready && negotiation_.has_session() &&
                      calls_.at_rest() && subscriptions_.count() == 0 &&
                      subscriptions_.next_due() == rpc::never;
    if (!idle) return nullptr;
    auto rested = std::make_unique<RestedSession>();
    negotiation_.describe(*rested);
    rested->next_id = connection_.peer().next_id();
    rested->requests = requests();
    rested->violations = static_cast<std::uint32_t>(violations_);
    at_rest_ = true;
    return rested;
}

// This is not a coroutine, which saves a frame for the lifetime of the connection.
Task<> Session::run() {
    rearm();
    return connection_.run();
}

Task<> Session::wind_up() {
    calls_.stop_waiting();
    auto const now = connection_.now();
    std::string const reason = connection_.failure() ? connection_.failure()->what() : "";
    if (negotiation_.phase() != ServerPhase::closed) {
        negotiation_.phases().enter(ServerPhase::closed, now, reason).value();
    }
    co_await calls_.wait_for_tasks(rpc::after(now, unwinding_time));
    calls_.mailbox()->close();
}

void Session::on_failure(Error const& failure) noexcept {
    if (failure.is(Errc::timeout)) core_->limits().add(&LimitCounts::silent);
    if (failure.is(Errc::busy)) core_->limits().add(&LimitCounts::unread);
    if (failure.is(Errc::protocol_violation)) core_->limits().add(&LimitCounts::noise);
}

// Called when the client has half-closed the connection. It still gets its answers.
bool Session::on_input_ended() {
    finishing_ = true;
    subscriptions_.end_streams();
    close_later(finishing_time);
    return true;
}

void Session::shut_down(Duration grace) {
    // Closes at once if the client has half-closed the connection, because close_later() is already
    // running.
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

void Session::close_later(Duration grace) {
    auto const self = std::static_pointer_cast<Session>(shared_from_this());
    boost::asio::co_spawn(
        calls_.executor(),
        [](std::shared_ptr<Session> kept, Duration patience) -> Task<> {
            co_await kept->close_when_idle(patience);
        }(self, grace),
        boost::asio::detached);
}

Task<> Session::close_when_idle(Duration grace) {
    auto const until = rpc::after(connection_.now(), grace);
    co_await calls_.wait_until_idle(until);
    // A client that has half-closed the connection may take as long as it needs to read its
    // remaining answers.
    co_await connection_.wait_until_sent(finishing_ ? rpc::never : until);
    connection_.close();
}

void Session::on_due() {
    auto const now = connection_.now();
    calls_.on_time(now);
    if (negotiation_.deadline() <= now && negotiation_.phases().expire(now)) {
        core_->limits().add(&LimitCounts::unopened);
        core_->log(LoggingLevel::warning, *facts_,
                   "a client did not complete the handshake in time");
        connection_.close();
        return;
    }
    subscriptions_.on_time(now, view());
    keep_alive(now);
    connection_.flush();
    rearm();
}

void Session::rearm() {
    connection_.wake_owner_at(std::min({calls_.next_deadline(), negotiation_.deadline(),
                                        subscriptions_.next_due(), keepalive_.due}));
}

void Session::begin_keepalive(TimePoint now) {
    auto const interval = core_->options().keepalive_interval();
    bool const watch = !connection_.transport().watches_peer();
    if (watch && interval > Duration(0)) keepalive_.due = rpc::after(now, interval);
}

void Session::keep_alive(TimePoint now) {
    auto const interval = core_->options().keepalive_interval();
    if (keepalive_.due > now) return;
    keepalive_.due = rpc::never;
    if (negotiation_.phase() != ServerPhase::ready || !negotiation_.has_session()) return;
    auto const next = rpc::after(keepalive_.last_heard, interval);
    if (next > now) {
        keepalive_.due = next;
        return;
    }
    rpc::CallOptions options;
    options.timeout = core_->options().keepalive_patience();
    keepalive_.waiting = true;
    // The time of the next ping is set when this ping is answered.
    auto const sent =
        connection_.peer().request(methods::Ping::info.name, {}, keepalive_, now, options);
    if (!sent) keepalive_.due = rpc::after(now, interval);
}

void Session::Keepalive::on_answer(rpc::Answer const& answer) noexcept {
    waiting = false;
    if (answer.outcome == rpc::Outcome::timed_out) {
        owner.core_->limits().add(&LimitCounts::unanswered);
        owner.core_->log(LoggingLevel::warning, *owner.facts_, "a client does not answer any more");
        owner.connection_.close(rpc::Outcome::connection_lost);
        return;
    }
    // Any answer, even an error, shows that the client is alive.
    last_heard = owner.connection_.now();
    due = rpc::after(last_heard, owner.core_->options().keepalive_interval());
    owner.rearm();
}

Subscriptions::SessionView Session::view() const noexcept {
    return {negotiation_.has_session(), negotiation_.version(), negotiation_.declared()};
}

void Session::list_changed(rpc::ListKind kind) {
    subscriptions_.list_changed(kind, view());
    connection_.flush();
    rearm();
}

void Session::resource_updated(std::string_view uri) {
    subscriptions_.resource_updated(uri, view());
    connection_.flush();
    rearm();
}

void Session::publish() {
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

SessionInfo Session::info() const {
    SessionInfo info;
    info.id = facts_->session_id;
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

void Session::send_log(LoggingMessageParams const& message) {
    auto const wanted = negotiation_.log_level();
    if (!negotiation_.has_session() || !wanted || message.level < *wanted) return;
    if (connection_.is_behind() || at_rest_) return;
    if (!calls_.may_log(message.level)) return;
    notify(methods::LoggingMessage::info, message);
    connection_.flush();
}

void Session::elicitation_complete(std::string const& id) {
    if (!calls_.take_visit(id)) return;
    ElicitationCompleteParams params;
    params.elicitation_id = id;
    notify(methods::ElicitationComplete::info, params);
    connection_.flush();
}

template <class Params>
void Session::notify(MethodInfo const& method, Params const& params) {
    auto const text = notification_params(params, {.version = negotiation_.version()});
    if (text) connection_.peer().notify(method.name, *text);
}

void Session::on_violation(std::string_view what) {
    violations_.fetch_add(1, std::memory_order_relaxed);
    core_->log(LoggingLevel::warning, *facts_, "the client broke a rule: " + std::string(what));
}

void Session::on_messages(std::size_t) {
    calls_.batch(true);
}

void Session::on_call_goes_on(Call& call) {
    auto& served = *served_[call.slot()];
    connection_.peer().settle_taken();
    connection_.peer().attach(served.exchange.ticket(), served);
    in_flight_.store(connection_.peer().in_flight(), std::memory_order_relaxed);
}

void Session::on_request(rpc::Envelope const& request, rpc::Ticket ticket) {
    auto const now = connection_.received();
    keepalive_.last_heard = now;
    // No atomic addition is needed: only this thread writes the counter, and others read it.
    requests_.store(requests_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (!negotiation_.takes_at_once(request) && !admit(request, ticket, now)) return;
    // A fast path for the most frequent request. It does not need check_offered(), because a tool
    // that is found is offered.
    if (request.method == methods::CallTool::info.name) {
        auto& served = take_call(ticket);
        features_.call_tool(*served.call, served.exchange, arrival(request, request_facts(), now));
        if (hold(served)) return;
    } else {
        serve_other(request, ticket, now);
    }
    in_flight_.store(connection_.peer().in_flight(), std::memory_order_relaxed);
}

bool Session::admit(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now) {
    bool const ready = negotiation_.phase() == ServerPhase::ready;
    auto const admitted = negotiation_.admit(request, now);
    connection_.peer().set_version(negotiation_.version());
    if (!ready && negotiation_.has_session()) on_session_ready(now);
    if (!admitted) connection_.peer().fail(ticket, admitted.error().text());
    return admitted.has_value();
}

void Session::serve_other(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now) {
    DuplexExchange exchange(connection_, ticket);
    if (auto const refused =
            check_offered(request, negotiation_.version(), negotiation_.declared())) {
        exchange.fail(*refused);
    } else if (!serve_protocol(request, exchange)) {
        serve_feature(request, ticket, now);
    }
}

Served<DuplexExchange>& Session::take_call(rpc::Ticket ticket) {
    auto& served = PeerGroup::take_call(served_);
    served.exchange = DuplexExchange(connection_, ticket);
    return served;
}

Arrival Session::arrival(rpc::Envelope const& request,
                         std::shared_ptr<PeerFacts const> const& facts,
                         TimePoint now) const noexcept {
    return {request, negotiation_.version(),   negotiation_.client(),
            facts,   negotiation_.log_level(), now};
}

std::shared_ptr<PeerFacts const> const& Session::request_facts() {
    auto const origin = connection_.peer().taken_origin();
    if (origin == 0) return facts_;
    request_facts_ = connection_.transport().facts(origin);
    return request_facts_;
}

void Session::serve_feature(rpc::Envelope const& request, rpc::Ticket ticket, TimePoint now) {
    auto& served = take_call(ticket);
    features_.serve(*served.call, served.exchange, arrival(request, request_facts(), now));
    hold(served);
}

// Makes the call cancellable, if it needs to be. Returns true if the call ends before the next
// message is read, unless on_call_goes_on() is called.
bool Session::hold(Served<DuplexExchange>& served) {
    // A call that has already ended needs no cancellation.
    if (!served.call->in_use()) return false;
    if (served.call->runs_in_turn()) {
        connection_.peer().hold_taken();
        return true;
    }
    connection_.peer().attach(served.exchange.ticket(), served);
    return false;
}

// Serves requests of the protocol itself. Returns false if the method belongs to a feature.
bool Session::serve_protocol(rpc::Envelope const& request, DuplexExchange& exchange) {
    auto const method = request.method;
    if (method == methods::Initialize::info.name) {
        initialize(request, exchange);
    } else if (method == methods::Ping::info.name) {
        answer(exchange, EmptyResult(), negotiation_.version());
    } else if (method == methods::Discover::info.name) {
        discover(exchange, negotiation_.version());
    } else if (method == methods::SetLevel::info.name) {
        set_level(request, exchange);
    } else if (method == methods::Subscribe::info.name) {
        subscribe(request, exchange, true);
    } else if (method == methods::Unsubscribe::info.name) {
        subscribe(request, exchange, false);
    } else if (method == methods::SubscriptionsListen::info.name) {
        listen(request, exchange.ticket());
    } else {
        return false;
    }
    return true;
}

void Session::subscribe(rpc::Envelope const& request, DuplexExchange& exchange, bool on) {
    auto const params = decode<ResourceParams>(request, exchange, negotiation_.version());
    if (!params) return;
    auto const version = negotiation_.version();
    if (!on) {
        subscriptions_.unsubscribe(params->uri);
    } else if (auto const refused = check_uri_length(*core_, params->uri, "/uri", version)) {
        exchange.fail(*refused);
        return;
    } else {
        subscribe_if_readable(request, exchange.ticket(), params->uri);
        return;
    }
    publish();
    answer(exchange, EmptyResult(), version);
}

// Subscribes if the client may read the resource.
void Session::subscribe_if_readable(rpc::Envelope const& request, rpc::Ticket ticket,
                                    std::string const& uri) {
    auto& served = take_call(ticket);
    auto const& facts = request_facts();
    auto const later = [this, ticket, uri](std::vector<std::string> const& readable) {
        DuplexExchange exchange(connection_, ticket);
        if (exchange.active()) {
            finish_subscribing(exchange, uri, !readable.empty());
        } else {
            exchange.abandon();
        }
        exchange.flush();
    };
    std::vector<std::string> uris{uri};
    bool const now = features_.keep_readable(
        *served.call, served.exchange, arrival(request, facts, connection_.now()), uris, later);
    if (now) {
        finish_subscribing(served.exchange, uri, !uris.empty());
    } else {
        hold(served);
    }
}

void Session::finish_subscribing(DuplexExchange& exchange, std::string const& uri, bool readable) {
    auto const version = negotiation_.version();
    wire::Details details;
    details.uri = uri;
    if (!readable) {
        exchange.fail(wire::translate(wire::Condition::resource_not_found, version, details));
        return;
    }
    if (auto const refusal = subscriptions_.subscribe(uri)) {
        details.message = *refusal;
        exchange.fail(wire::translate(wire::Condition::subscription_failed, version, details));
        return;
    }
    publish();
    answer(exchange, EmptyResult(), version);
}

void Session::listen(rpc::Envelope const& request, rpc::Ticket ticket) {
    auto const& facts = request_facts();
    auto& served = take_call(ticket);
    PeerGroup::listen(arrival(request, facts, connection_.now()), *served.call,
                      std::make_unique<DuplexExchange>(connection_, ticket));
    // The call is still in use if filters have to decide first.
    if (served.call->in_use()) hold(served);
    publish();
}

void Session::initialize(rpc::Envelope const& request, DuplexExchange& exchange) {
    auto const now = connection_.now();
    auto const result = negotiation_.initialize(request, now);
    connection_.peer().set_version(negotiation_.version());
    if (!result) {
        exchange.fail(result.error());
        return;
    }
    if (++handshakes_ > 1) replace_client(now);
    publish();
    answer(exchange, *result, negotiation_.version());
}

// Calls in progress continue, since several clients may share the connection. Questions are
// cancelled, because only the former client could answer them.
void Session::replace_client(TimePoint now) {
    connection_.peer().cancel_all("the client has sent initialize again", now);
    subscriptions_.unsubscribe_all();
}

void Session::set_level(rpc::Envelope const& request, DuplexExchange& exchange) {
    auto const params = decode<SetLevelParams>(request, exchange, negotiation_.version());
    if (!params) return;
    negotiation_.set_log_level(params->level);
    answer(exchange, EmptyResult(), negotiation_.version());
}

void Session::on_notification(rpc::Envelope const& notification) {
    auto const now = connection_.now();
    keepalive_.last_heard = now;
    if (notification.method == methods::Initialized::info.name) {
        bool const ready = negotiation_.phase() == ServerPhase::ready;
        negotiation_.on_initialized(now);
        if (!ready) on_session_ready(now);
    }
}

void Session::on_session_ready(TimePoint now) {
    if (negotiation_.phase() != ServerPhase::ready) return;
    begin_keepalive(now);
    rearm();
}

}  // namespace lanyard::server
