#include "client/client_session.hpp"

#include <algorithm>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/option_check.hpp"
#include "client/client_subscriptions.hpp"
#include "client/liveness_check.hpp"
#include "peer/phase_rules.hpp"
#include "protocol/capability_check.hpp"
#include "runtime/lane.hpp"
#include "wire/modern.hpp"

namespace lanyard::client {

namespace {

// The maximum number of events that wait for the observer. Each call causes two events.
constexpr std::size_t max_events = 10'000;

ClientOptions const& checked(ClientOptions const& options) {
    check_at_least("ClientOptions::hard_unsent_bytes", options.hard_unsent_bytes(),
                   options.max_unsent_bytes(), "max_unsent_bytes");
    check_positive("ClientOptions::write_timeout", options.write_timeout());
    check_positive("ClientOptions::slow_reader_timeout", options.slow_reader_timeout());
    check_positive("ClientOptions::busy_retries", options.busy_retry_interval());
    check_not_negative("ClientOptions::ping_timeout", options.ping_timeout());
    check_positive("ClientOptions::tombstone_sweep_interval", options.tombstone_sweep_interval());
    return options;
}

}  // namespace

ClientSession::ClientSession(boost::asio::any_io_executor executor, ClientOptions const& options)
    : executor_(std::move(executor)),
      options_(std::make_shared<ClientOptions const>(checked(options))),
      handlers_block_(std::make_shared<std::atomic<bool>>(false)),
      events_(make_user_calls({.calls = max_events})),
      versions_(version_options(options)),
      machine_(options.reconnect(), options.random()),
      unsent_limits_(runtime::PeerConnection::UnsentLimits::of(options)),
      phase_(now(), options.initialization_timeout()),
      info_(std::make_shared<ServerInfo>()),
      known_server_(options.known_server()),
      questions_(*options_),
      inbox_(*this),
      cache_(options.max_cache_bytes()),
      subscriptions_(std::make_unique<ClientSubscriptions>(*this)),
      liveness_(std::make_unique<LivenessCheck>(*this)),
      changed_(executor_) {}

ClientSession::~ClientSession() = default;

std::shared_ptr<ServerInfo const> ClientSession::server_info() const {
    std::scoped_lock const lock(info_mutex_);
    return info_;
}

void ClientSession::attach(std::unique_ptr<Transport> transport) {
    rpc::PeerOptions peer;
    peer.requests.max_pending = options_->max_pending();
    peer.requests.timeout = options_->timeout();
    peer.requests.initialization_timeout = options_->initialization_timeout();
    peer.requests.longest_backoff = machine_.longest_wait();
    peer.requests.max_tombstones = options_->max_tombstones();
    peer.requests.tombstone_sweep_interval = options_->tombstone_sweep_interval();
    peer.inbound.hash_seed = options_->random().bits();
    peer.answers_unreadable = false;
    peer.detailed_routes = transport->traits().speaks_http;
    auto connection = std::make_shared<runtime::PeerConnection>(std::move(transport), *this,
                                                                options_->time(), peer);
    connection->limit_unsent_answers(unsent_limits_);
    if (connection_) connection->peer().resume(connection_->peer());
    connection_ = std::move(connection);
    drop_reason_.clear();
    released_ = false;
    if (phase_.phase() == rpc::ClientPhase::error) {
        phase_.enter(rpc::ClientPhase::pre_initialization, now()).value();
    }
    boost::asio::co_spawn(executor_, serve(shared_from_this()), boost::asio::detached);
}

void ClientSession::speak(Version version) {
    server_.version = version;
    stamp_.version = version;
    stamp_.client_capabilities = wire::encode_capabilities(questions_.capabilities(), version);
    stamp_.client_info = wire::encode_implementation(options_->info(), version);
    connection_->peer().set_version(version);
    connection_->peer().set_answering(supports(Feature::handshake, version));
}

void ClientSession::learn(ServerInfo info) {
    info.decided = options_->time().wall();
    server_ = std::move(info);
    if (!stamp_.log_level && wants_log_messages()) stamp_.log_level = LoggingLevel::info;
    known_server_ = KnownServer{server_.version, server_.decided};
    {
        auto published = std::make_shared<ServerInfo const>(server_);
        std::scoped_lock const lock(info_mutex_);
        info_ = std::move(published);
    }
    bool const again = machine_.connect_count() > 0;
    if (again) forget_server();
    step([](ConnectionMachine& machine, TimePoint now) { return machine.established(now); });
    if (!is_ready()) return;  // the observer has closed the client
    subscriptions_->update();
    if (again) subscriptions_->restore(stamp_.log_level);
}

// Whether every request has to carry a log level, because the user has a handler for log messages.
// Without a level, the server sends no log messages.
bool ClientSession::wants_log_messages() const {
    auto const& method = methods::LoggingMessage::info;
    if (!supports(Feature::request_metadata, version())) return false;
    if (!has_capability(server_.capabilities, method.capability)) return false;
    return options_->on_log() ||
           std::ranges::any_of(options_->on_notification(),
                               [&](auto const& handler) { return handler.first == method.name; });
}

Task<> ClientSession::serve(std::shared_ptr<ClientSession> self) {
    auto const connection = self->connection_;
    co_await connection->run();
    self->on_released();
}

void ClientSession::on_closed() {
    auto const& failure = connection_->failure();
    if (failure && failure->is(Errc::busy)) limits_.add(&ClientLimitCounts::unread);
    // If the connection is still being opened, the coroutine that opens it handles the failure.
    if (machine_.state() != ConnectionState::ready) return;
    on_lost(end_error(Errc::transport_down, "the connection has ended"));
}

void ClientSession::on_lost(Error const& reason) {
    loss_ = reason;
    if (phase_.phase() != rpc::ClientPhase::error) {
        phase_.enter(rpc::ClientPhase::error, now(), reason.message()).value();
    }
    step([](ConnectionMachine& machine, TimePoint now) { return machine.lost(now); });
}

void ClientSession::on_released() {
    released_ = true;
    // The reason is determined again, because only now is it known how a child process ended.
    bool const lost =
        machine_.state() == ConnectionState::backoff || machine_.state() == ConnectionState::failed;
    if (lost) loss_ = end_error(Errc::transport_down, "the connection has ended");
    changed_.notify();
    settle();
}

void ClientSession::step(Event event) {
    auto const from = machine_.state();
    if (!event(machine_, now())) return;
    auto const to = machine_.state();
    connect_count_.store(machine_.connect_count(), std::memory_order_relaxed);
    state_.store(to, std::memory_order_relaxed);
    changed_.notify();
    if (to == ConnectionState::failed && reconnects()) limits_.add(&ClientLimitCounts::given_up);
    bool const lost = to == ConnectionState::backoff || to == ConnectionState::failed;
    std::optional<Error> const reason = lost ? loss_ : std::nullopt;
    auto const tell = [](ClientObserver& observer, ConnectionState before, ConnectionState after,
                         std::optional<Error> const& why) {
        observer.on_state(before, after, why);
    };
    observe(tell, from, to, reason);
}

void ClientSession::settle() {
    if (!released_ || keeping_) return;
    step([](ConnectionMachine& machine, TimePoint) { return machine.released(); });
    if (!machine_.has_ended() || !handed_out_ || reported_) return;
    reported_ = true;
    phase_.enter(rpc::ClientPhase::closed, now()).value();
    if (!options_->on_closed()) return;
    bool const failed = machine_.state() == ConnectionState::failed;
    auto call = [options = options_, reason = failed ? loss_ : std::nullopt] {
        options->on_closed()(reason);
    };
    constexpr std::string_view failure = "the handler on_closed failed";
    try {
        if (events_) {
            push_event(std::move(call), failure, 0);
        } else {
            call();
        }
    } catch (...) {
        diagnose(failure);
    }
}

Result<void> ClientSession::check_ready() const {
    auto const because = [this](Errc code, std::string message) {
        if (loss_) message.append(": ").append(loss_->message());
        return Unexpected(Error(code, std::move(message)));
    };
    switch (machine_.state()) {
        case ConnectionState::ready:
            break;
        case ConnectionState::starting:
        case ConnectionState::initializing:
            return because(Errc::unavailable, "the client is connecting");
        case ConnectionState::backoff:
            return because(Errc::unavailable, "the client waits before it connects again");
        case ConnectionState::closing:
            return Unexpected(Error(Errc::shutdown, "the client is being closed"));
        case ConnectionState::closed:
            return Unexpected(Error(Errc::closed, "the client was closed"));
        case ConnectionState::failed:
            if (machine_.has_given_up()) {
                return because(Errc::failed, "the client has given up reconnecting");
            }
            return Unexpected(Error(Errc::closed, loss_->message()));
    }
    // The connection has ended, but the state has not changed yet.
    if (!is_connected())
        return Unexpected(end_error(Errc::unavailable, "the connection has ended"));
    return {};
}

Result<void> ClientSession::check(MethodInfo const& method) const {
    if (stopping_ && !machine_.has_ended()) {
        return Unexpected(Error(Errc::shutdown, "the client is being closed"));
    }
    if (auto ready = check_ready(); !ready) return ready;
    if (!method.in(version())) {
        std::string message(method.name);
        message.append(" does not exist in version ").append(to_string(version()));
        return Unexpected(Error(Errc::unsupported_in_era, std::move(message)));
    }
    auto allowed = rpc::may_send_request(phase_.phase(), method.name);
    if (!allowed) return allowed;
    return protocol::check_capability(method, server_.capabilities, version());
}

void ClientSession::notify(std::string_view method, std::string_view params) {
    if (!is_connected()) return;
    connection_->peer().notify(method, params);
    connection_->flush();
}

std::optional<ProgressToken> ClientSession::new_progress_token(CallOptions const& options) {
    if (!options.on_progress() && !options_->on_progress()) return std::nullopt;
    if (auto own = options.meta().progress_token()) return own;
    return ProgressToken(++last_token_);
}

bool ClientSession::is_connected() const noexcept {
    return connection_ != nullptr && connection_->is_open();
}

Task<> ClientSession::await_ready(Duration timeout, std::stop_token stop) {
    auto const self = shared_from_this();
    auto const deadline = after(now(), timeout);
    auto const wake_from_anywhere = [self]() noexcept {
        try {
            boost::asio::post(self->executor_, [self] { self->changed_.notify(); });
        } catch (...) {
            // If there is no memory for posting, the call ends when its timeout expires.
        }
    };
    std::stop_callback const on_stop(stop, wake_from_anywhere);
    bool waited = false;
    while (machine_.state() != ConnectionState::ready) {
        bool const closed_meanwhile =
            waited && machine_.state() != ConnectionState::failed && !machine_.may_become_ready();
        if (stopping_ || closed_meanwhile) {
            throw Error(Errc::shutdown, "the client is being closed");
        }
        if (!machine_.may_become_ready()) check_ready().value();
        if (stop.stop_requested()) throw Error(Errc::cancelled, "the call was cancelled");
        if (now() >= deadline) {
            std::string message = "the client is not ready in time";
            if (loss_) message.append(": ").append(loss_->message());
            throw Error(Errc::timeout, std::move(message));
        }
        co_await changed_.wait_until(options_->time(), deadline);
        waited = true;
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (state.cancelled() != boost::asio::cancellation_type::none) {
            throw Error(Errc::cancelled, "waiting was cancelled");
        }
    }
}

void ClientSession::close() noexcept {
    step([](ConnectionMachine& machine, TimePoint) { return machine.close(); });
    if (machine_.state() != ConnectionState::closing) return;
    if (is_connected()) connection_->close(rpc::Outcome::shutdown);
    give_up_.emit(boost::asio::cancellation_type::terminal);
    settle();
}

void ClientSession::drop_connection(std::string_view why) noexcept {
    if (!is_connected()) return;
    drop_reason_ = why;
    connection_->close(rpc::Outcome::connection_lost);
}

Task<> ClientSession::stop(Duration grace) {
    auto const self = shared_from_this();
    stopping_ = true;
    changed_.notify();
    subscriptions_->end_all();
    auto const deadline = after(now(), grace);
    {
        // The destructor closes the session even if the waiting coroutine is destroyed.
        struct Closer {
            ClientSession& session;
            ~Closer() { session.close(); }
        } const closer{*this};
        while (is_ready() && connection_->peer().pending_count() > 0 && now() < deadline) {
            co_await changed_.wait_until(options_->time(), deadline);
        }
    }
    co_await closed();
}

Task<> ClientSession::released() {
    auto const self = shared_from_this();
    while (!released_) co_await changed_.wait();
}

Task<> ClientSession::closed() {
    auto const self = shared_from_this();
    while (!machine_.has_ended() || !released_ || keeping_) co_await changed_.wait();
}

void ClientSession::on_call_ended(rpc::Outcome outcome) {
    if (outcome == rpc::Outcome::timed_out) limits_.add(&ClientLimitCounts::timeouts);
    // A server that does not answer may have disappeared without closing the connection.
    bool const may_be_gone = outcome == rpc::Outcome::timed_out && is_ready() && reconnects() &&
                             !connection_->transport().traits().speaks_http;
    if (may_be_gone && options_->ping_timeout() > Duration::zero()) liveness_->begin();
    on_call_ended();
}

bool ClientSession::is_refused() const noexcept {
    return connection_ != nullptr && connection_->failure() &&
           connection_->failure()->is(Errc::unauthorized);
}

Error ClientSession::end_error(Errc code, std::string_view what) const {
    if (code == Errc::transport_down && is_refused()) code = Errc::unauthorized;
    std::string message(what);
    if (!drop_reason_.empty()) {
        message.append(": ").append(drop_reason_);
    } else if (connection_ != nullptr) {
        auto const& failure = connection_->failure();
        if (failure && failure->is(Errc::busy)) {
            // This side closed the connection, because the server did not read. How the server
            // ended afterwards is not the reason, so it is not reported.
            message.append(": ").append(failure->message());
        } else if (auto const reason = connection_->transport().end_reason(); !reason.empty()) {
            message.append(": ").append(reason);
        } else if (failure) {
            message.append(": ").append(failure->message());
        }
    }
    return {code, std::move(message)};
}

boost::asio::any_io_executor ClientSession::user_executor() const {
    return runtime::user_executor(executor_, handlers_block_);
}

std::shared_ptr<UserCalls> ClientSession::make_user_calls(UserCalls::Limits limits) const {
    if (runtime::Loop::of(executor_) == nullptr) return nullptr;
    return std::make_shared<UserCalls>(executor_, std::make_shared<std::atomic<bool>>(false),
                                       limits);
}

void ClientSession::report(ClientOptions const& options, std::string_view text) noexcept {
    if (!options.on_diagnostic()) return;
    try {
        options.on_diagnostic()(text);
    } catch (...) {
        // An exception of on_diagnostic is ignored, because it cannot be reported anywhere.
    }
}

void ClientSession::diagnose(std::string_view text) const noexcept {
    if (!events_) {
        report(*options_, text);
        return;
    }
    if (!options_->on_diagnostic()) return;
    try {
        auto call = [options = options_, copy = std::string(text)] { report(*options, copy); };
        limits_.add(&ClientLimitCounts::dropped, events_->push(std::move(call), text.size()));
    } catch (...) {
        // Without memory the text cannot be reported.
    }
}

void ClientSession::on_violation(std::string_view what) {
    limits_.add(&ClientLimitCounts::violations);
    auto const tell = [](ClientObserver& observer, std::string_view rule) {
        observer.on_violation(rule);
    };
    observe(tell, what);
    diagnose("the server broke a rule: " + std::string(what));
}

void ClientSession::on_stray_cancellation(RequestId const& id) {
    subscriptions_->on_cancelled(id);
}

bool ClientSession::mirrors_arguments() const noexcept {
    return supports(Feature::request_metadata, version()) &&
           connection_->transport().traits().speaks_http;
}

void ClientSession::on_unknown_answer(RequestId const& id) {
    auto const tell = [](ClientObserver& observer, RequestId const& unknown) {
        observer.on_unknown_response(unknown);
    };
    observe(tell, id);
}

// Drops everything cached about the server, which may offer other features from now on.
void ClientSession::forget_server() {
    for (auto const& method :
         {methods::ListTools::info, methods::ListPrompts::info, methods::ListResources::info,
          methods::ListResourceTemplates::info, methods::ReadResource::info}) {
        cache_.invalidate(method.name);
    }
    output_schemas_.forget_all();
    for (auto const kind : {ListKind::tools, ListKind::prompts, ListKind::resources}) {
        report_list(kind);
    }
}

void ClientSession::watch_lists(ListWatcher watcher) {
    list_watchers_.push_back(std::move(watcher));
    // The first watcher may need a subscription to the changes.
    if (is_ready() && list_watchers_.size() == 1) subscriptions_->update();
}

void ClientSession::report_list(ListKind kind) {
    std::erase_if(list_watchers_, [&](ListWatcher const& watcher) { return !watcher(kind); });
}

// Called when the server has lost all state of this client.
void ClientSession::on_renewed() {
    diagnose("the server lost the session; a new one was opened");
    forget_server();
    subscriptions_->restore(stamp_.log_level);
}

void ClientSession::on_notification(rpc::Envelope const& notification) {
    auto const allowed = rpc::may_take_notification(phase_.phase(), notification.method);
    if (!allowed) {
        on_violation(allowed.error().message());
        return;
    }
    auto const tell = [](ClientObserver& observer, std::string_view method) {
        observer.on_notification(method);
    };
    observe(tell, notification.method);
    if (!subscriptions_->admit(notification.method, notification.params)) return;
    apply(notification.method, notification.params);
    inbox_.take(notification.method, notification.params);
}

void ClientSession::apply(std::string_view method, std::optional<json::View> params) {
    if (method == methods::ToolListChanged::info.name) {
        cache_.invalidate(methods::ListTools::info.name);
        output_schemas_.forget_all();
        report_list(ListKind::tools);
    } else if (method == methods::PromptListChanged::info.name) {
        cache_.invalidate(methods::ListPrompts::info.name);
        report_list(ListKind::prompts);
    } else if (method == methods::ResourceListChanged::info.name) {
        cache_.invalidate(methods::ListResources::info.name);
        cache_.invalidate(methods::ListResourceTemplates::info.name);
        report_list(ListKind::resources);
    } else if (method == methods::ResourceUpdated::info.name && params) {
        auto const uri = params->find("uri");
        if (uri) cache_.invalidate(methods::ReadResource::info.name, uri->as_string().value_or(""));
    }
}

}  // namespace lanyard::client

namespace lanyard::detail {

std::shared_ptr<client::ClientSession> const& session_of(std::shared_ptr<Lease> const& lease) {
    if (!lease) throw Error(Errc::closed, "the client was never connected");
    return lease->session;
}

void Lease::close() const noexcept {
    try {
        boost::asio::dispatch(session->executor(), [held = session] { held->close(); });
    } catch (...) {
        // If there is no memory for posting, nothing can be done here.
    }
}

}  // namespace lanyard::detail
