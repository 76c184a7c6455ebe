#include "client/client_session.hpp"

#include <algorithm>
#include <new>
#include <string>

#include <boost/asio/post.hpp>

#include "base/option_check.hpp"
#include "client/client_subscriptions.hpp"
#include "client/inbound.hpp"
#include "client/negotiation.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "peer/phase_rules.hpp"
#include "runtime/lane.hpp"

namespace lanyard::client {

namespace {

void check_request_ids(std::int64_t last) {
    constexpr std::int64_t least = 1'000;
    if (last >= least && last <= rpc::IdCounter::limit) return;
    throw Error(Errc::invalid_argument,
                "ClientOptions::max_request_id: must be between 1000 and 2^53, got " +
                    std::to_string(last));
}

void check_jitter(double share) {
    if (share >= 0 && share <= 1) return;
    throw Error(Errc::invalid_argument,
                "ReconnectOptions::jitter: must be between 0 and 1, got " + std::to_string(share));
}

ClientOptions const& checked(ClientOptions const& options) {
    check_at_least("ClientOptions::hard_unsent_bytes", options.hard_unsent_bytes(),
                   options.max_unsent_bytes(), "max_unsent_bytes");
    check_positive("ClientOptions::write_timeout", options.write_timeout());
    check_positive("ClientOptions::slow_reader_timeout", options.slow_reader_timeout());
    check_positive("ClientOptions::busy_retries", options.busy_retry_interval());
    check_not_negative("ClientOptions::ping_timeout", options.ping_timeout());
    check_positive("ClientOptions::tombstone_sweep_interval", options.tombstone_sweep_interval());
    check_request_ids(options.max_request_id());
    check_jitter(options.reconnect().jitter());
    return options;
}

}  // namespace

ClientSession::ClientSession(boost::asio::any_io_executor executor, ClientOptions const& options)
    : executor_(std::move(executor)),
      options_(std::make_shared<ClientOptions const>(checked(options))),
      handlers_(std::make_shared<runtime::BlockingCode>()),
      versions_(version_options(options)),
      reports_(executor_, options_),
      server_(options.max_cache_bytes()),
      connection_(*this, *options_),
      keeper_(*this, executor_, *options_, connection_, reports_),
      requests_(*options_, server_, connection_, keeper_, reports_),
      questions_(*options_),
      inbox_(*this),
      subscriptions_(std::make_unique<ClientSubscriptions>(*this)) {}

ClientSession::~ClientSession() = default;

boost::asio::any_io_executor ClientSession::user_executor() const {
    return runtime::user_executor(executor_, handlers_);
}

Task<> ClientSession::negotiate() {
    return client::negotiate(shared_from_this(), versions_);
}

std::size_t ClientSession::lasting_requests() const {
    return subscriptions_->open_streams();
}

void ClientSession::on_ended() {
    inbox_.on_client_ended();
}

void ClientSession::on_handlers_changed() {
    if (!keeper_.is_ready()) return;
    if (!requests_.stamp().log_level && wants_log_messages()) {
        requests_.set_log_level(LoggingLevel::info);
    }
    subscriptions_->refresh();
}

void ClientSession::update_reading() noexcept {
    auto const& connection = connection_.shared();
    if (connection == nullptr) return;
    bool const calling = connection->peer().pending_count() > lasting_requests();
    connection->pause_reading(inbox_.must_pause(connection->is_reading_paused(), calling));
}

void ClientSession::set_version(Version version) {
    server_.set_version(version);
    requests_.set_version(version, questions_.capabilities());
    connection_.peer().set_version(version);
    connection_.peer().set_answering(supports(Feature::handshake, version));
}

void ClientSession::become_ready(ServerInfo info) {
    info.decided = options_->time().wall();
    server_.set_info(std::move(info));
    if (!requests_.stamp().log_level && wants_log_messages()) {
        requests_.set_log_level(LoggingLevel::info);
    }
    bool const again = keeper_.connect_count() > 0;
    if (again) server_.forget_features();
    keeper_.on_established({version(), server_.info().decided});
    if (!keeper_.is_ready()) return;  // the observer was notified and has closed the client
    subscriptions_->update();
    if (again) subscriptions_->restore(requests_.stamp().log_level);
}

// Whether every request has to carry a log level, because the user has a handler for log messages.
// Without a level, the server sends no log messages.
bool ClientSession::wants_log_messages() const {
    auto const& method = methods::LoggingMessage::info;
    if (!supports(Feature::request_metadata, version())) return false;
    if (!has_capability(server_.info().capabilities, method.capability)) return false;
    return options_->on_log() || inbox_.has_added(method.name) ||
           std::ranges::any_of(options_->on_notification(),
                               [&](auto const& handler) { return handler.first == method.name; });
}

bool ClientSession::mirrors_arguments() const noexcept {
    return supports(Feature::request_metadata, version()) && connection_.speaks_http();
}

void ClientSession::watch_lists(ServerRecord::ListWatcher watcher) {
    server_.watch_lists(std::move(watcher));
    // When the first watcher is added, the client may have to subscribe to list changes.
    if (keeper_.is_ready() && server_.list_watchers() == 1) subscriptions_->update();
}

Task<> ClientSession::stop(Duration grace) {
    auto const self = shared_from_this();
    keeper_.refuse_calls();
    subscriptions_->end_all();
    co_await keeper_.stop(grace);
}

void ClientSession::on_request(rpc::Envelope const& request, rpc::Ticket ticket) {
    serve_request(*this, request, ticket);
}

void ClientSession::on_notification(rpc::Envelope const& notification) {
    auto const& method = notification.method;
    auto const allowed = rpc::may_take_notification(connection_.phase(), method);
    if (!allowed) {
        on_violation(allowed.error().message());
        return;
    }
    auto const report = [](ClientObserver& observer, std::string_view name) {
        observer.on_notification(name);
    };
    reports_.observe(report, method);
    if (!subscriptions_->admit(method, notification.params)) return;
    // Cached data is dropped before the user's handlers get the notification.
    server_.on_notification(method, notification.params);
    inbox_.take(method, notification.params);
}

void ClientSession::on_violation(std::string_view what) {
    reports_.report_violation(what);
}

void ClientSession::on_stray_cancellation(RequestId const& id) {
    subscriptions_->on_cancelled(id);
}

void ClientSession::on_unknown_answer(RequestId const& id) {
    auto const report = [](ClientObserver& observer, RequestId const& unknown) {
        observer.on_unknown_response(unknown);
    };
    reports_.observe(report, id);
    reports_.limits().add(&ClientLimitCounts::unknown);
}

void ClientSession::on_late_answer() {
    reports_.limits().add(&ClientLimitCounts::late);
}

// These two functions are called while a request is being sent, so the keeper is called later, in a
// posted function. If memory is exhausted, the function is not posted. The next request then calls
// on_ids_used_up() again.

void ClientSession::on_ids_used(rpc::IdNotice notice) {
    try {
        boost::asio::post(
            executor_, [self = shared_from_this(), notice] { self->keeper_.on_ids_used(notice); });
    } catch (std::bad_alloc const&) {
        return;
    }
}

void ClientSession::on_ids_used_up() {
    try {
        boost::asio::post(executor_,
                          [self = shared_from_this()] { self->keeper_.on_ids_used_up(); });
    } catch (std::bad_alloc const&) {
        return;
    }
}

// Called when the server has lost all state of this client.
void ClientSession::on_renewed() {
    reports_.diagnose("the server lost the session; a new one was opened");
    server_.forget_features();
    subscriptions_->restore(requests_.stamp().log_level);
}

void ClientSession::on_closed() {
    keeper_.on_connection_ended();
}

}  // namespace lanyard::client
