#include "client/session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>

#include "client/subscriptions.hpp"
#include "protocol/capability_check.hpp"
#include "rpc/phase_rules.hpp"
#include "wire/modern.hpp"

namespace lanyard::client {

Session::Session(boost::asio::any_io_executor executor, ClientOptions const& options)
    : executor_(std::move(executor)),
      options_(options),
      phase_(now(), options.initialization_timeout()),
      questions_(options_),
      inbox_(*this),
      cache_(options.cache_bytes()),
      subscriptions_(std::make_unique<Subscriptions>(*this)),
      changed_(executor_) {}

Session::~Session() = default;

void Session::attach(std::unique_ptr<Transport> transport) {
    rpc::PeerOptions peer;
    peer.requests.max_pending = options_.max_pending();
    peer.requests.timeout = options_.timeout();
    peer.requests.initialization_timeout = options_.initialization_timeout();
    peer.inbound.hash_seed = options_.random().bits();
    connection_ = std::make_unique<runtime::PeerConnection>(std::move(transport), *this,
                                                            options_.time(), peer);
    released_ = false;
    boost::asio::co_spawn(executor_, serve(shared_from_this()), boost::asio::detached);
}

void Session::speak(Version version) {
    server_.version = version;
    stamp_.version = version;
    stamp_.client_capabilities = wire::encode_capabilities(questions_.capabilities(), version);
    stamp_.client_info = wire::encode_implementation(options_.info(), version);
    connection_->peer().set_version(version);
    connection_->peer().set_answering(supports(Feature::handshake, version));
}

void Session::learn(ServerFacts facts) {
    server_ = std::move(facts);
    server_.decided = options_.time().wall();
    established_ = true;
    open_.store(true, std::memory_order_relaxed);
    subscriptions_->update();
}

Task<> Session::serve(std::shared_ptr<Session> self) {
    co_await self->connection_->run();
    self->on_released();
}

void Session::on_released() {
    released_ = true;
    changed_.notify();
    if (!established_) return;  // the opening itself reports the failure
    open_.store(false, std::memory_order_relaxed);
    phase_.enter(rpc::ClientPhase::closed, now()).value();
    if (!options_.on_closed()) return;
    std::optional<Error> reason;
    if (!closed_here_) reason = end_error(Errc::transport_down, "the connection has ended");
    try {
        options_.on_closed()(reason);
    } catch (...) {
        diagnose("the handler on_closed failed");
    }
}

Result<void> Session::check(MethodInfo const& method) const {
    if (stopping_ || closed_here_) {
        return Unexpected(
            Error(closed_here_ ? Errc::closed : Errc::shutdown, "the client was closed"));
    }
    if (!is_connected()) {
        return Unexpected(end_error(Errc::closed, "the connection has ended"));
    }
    if (!method.in(version())) {
        std::string message(method.name);
        message.append(" does not exist in version ").append(to_string(version()));
        return Unexpected(Error(Errc::unsupported_in_era, std::move(message)));
    }
    auto allowed = rpc::may_send_request(phase_.phase(), method.name);
    if (!allowed) return allowed;
    return protocol::check_capability(method, server_.capabilities, version());
}

void Session::notify(std::string_view method, std::string_view params) {
    if (!is_connected()) return;
    connection_->peer().notify(method, params);
    connection_->flush();
}

std::optional<ProgressToken> Session::new_progress_token(CallOptions const& options) {
    if (!options.on_progress() && !options_.on_progress()) return std::nullopt;
    if (auto own = options.meta().progress_token()) return own;
    return ProgressToken(++last_token_);
}

bool Session::is_connected() const noexcept {
    return connection_ != nullptr && connection_->is_open();
}

void Session::close() noexcept {
    open_.store(false, std::memory_order_relaxed);
    if (!is_connected()) return;
    closed_here_ = true;
    connection_->close(rpc::Outcome::shutdown);
}

Task<> Session::stop(Duration grace) {
    auto const self = shared_from_this();
    stopping_ = true;
    subscriptions_->end_all();
    auto const deadline = rpc::after(now(), grace);
    auto const wake = [this] { changed_.notify(); };
    auto const alarm = options_.time().make_alarm(executor_, wake);
    alarm->set(deadline);
    {
        // Also where whoever waits gives up.
        struct Closer {
            Session& session;
            ~Closer() { session.close(); }
        } const closer{*this};
        while (is_connected() && connection_->peer().pending_count() > 0 && now() < deadline) {
            co_await changed_.wait();
        }
    }
    co_await closed();
}

Task<> Session::closed() {
    auto const self = shared_from_this();
    while (!released_) co_await changed_.wait();
}

Error Session::end_error(Errc code, std::string_view what) const {
    std::string message(what);
    if (connection_ != nullptr) {
        if (auto const reason = connection_->transport().end_reason(); !reason.empty()) {
            message.append(": ").append(reason);
        } else if (auto const& failure = connection_->failure()) {
            message.append(": ").append(failure->message());
        }
    }
    return {code, std::move(message)};
}

void Session::diagnose(std::string_view text) const noexcept {
    if (!options_.on_diagnostic()) return;
    try {
        options_.on_diagnostic()(text);
    } catch (...) {
        // There is nobody left to tell.
    }
}

void Session::on_violation(std::string_view what) {
    diagnose("the server broke a rule: " + std::string(what));
}

void Session::on_stray_cancellation(RequestId const& id) {
    subscriptions_->on_cancelled(id);
}

bool Session::mirrors_arguments() const noexcept {
    return supports(Feature::request_metadata, version()) && connection_->transport().speaks_http();
}

// Nothing of what the server knew about this client is left, and what it offers may differ.
void Session::on_renewed() {
    diagnose("the server lost the session; a new one was opened");
    for (auto const& method :
         {methods::ListTools::info, methods::ListPrompts::info, methods::ListResources::info,
          methods::ListResourceTemplates::info, methods::ReadResource::info}) {
        cache_.invalidate(method.name);
    }
    output_schemas_.forget_all();
    subscriptions_->restore(told_log_level_);
}

void Session::on_notification(rpc::Envelope const& notification) {
    auto const allowed = rpc::may_take_notification(phase_.phase(), notification.method);
    if (!allowed) {
        on_violation(allowed.error().message());
        return;
    }
    if (!subscriptions_->admit(notification.method, notification.params)) return;
    apply(notification.method, notification.params);
    inbox_.take(notification.method, notification.params);
}

void Session::apply(std::string_view method, std::optional<json::View> params) {
    if (method == methods::ToolListChanged::info.name) {
        cache_.invalidate(methods::ListTools::info.name);
        output_schemas_.forget_all();
    } else if (method == methods::PromptListChanged::info.name) {
        cache_.invalidate(methods::ListPrompts::info.name);
    } else if (method == methods::ResourceListChanged::info.name) {
        cache_.invalidate(methods::ListResources::info.name);
        cache_.invalidate(methods::ListResourceTemplates::info.name);
    } else if (method == methods::ResourceUpdated::info.name && params) {
        auto const uri = params->find("uri");
        if (uri) cache_.invalidate(methods::ReadResource::info.name, uri->as_string().value_or(""));
    }
}

void Lease::close() const noexcept {
    try {
        boost::asio::dispatch(session->executor(), [held = session] { held->close(); });
    } catch (...) {
        // Without memory to post there is nothing to be done here.
    }
}

}  // namespace lanyard::client
