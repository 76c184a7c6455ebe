#include "lanyard/server/server.hpp"

#include <algorithm>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/protocol/methods.hpp"
#include "runtime/line_writer.hpp"
#include "runtime/loop.hpp"
#include "runtime/signal_watch.hpp"
#include "runtime/standard_descriptors.hpp"
#include "server/call/post_executor.hpp"
#include "server/clients/pending_list.hpp"
#include "server/clients/server_session.hpp"
#include "server/clients/stateless_peer.hpp"
#include "server/core/server_core.hpp"

namespace lanyard {

namespace {

using namespace std::chrono_literals;

// Running handlers may take this long to return when a server is destroyed.
constexpr Duration handler_timeout = 5s;
// Requests in progress may take this long to end after a signal.
constexpr Duration shutdown_timeout = 5s;

Implementation identity_of(std::string name, std::string version) {
    Implementation identity;
    identity.name = std::move(name);
    identity.version = std::move(version);
    return identity;
}

// Registers a session with the server while this object lives. This object is destroyed even if the
// event loop is destroyed before the connection has ended; otherwise the server and the session
// would keep each other alive.
class SessionRegistration {
public:
    SessionRegistration(server::ServerCore& core,
                        std::shared_ptr<server::ServerSession> const& session)
        : core_(core), session_(*session) {
        core_.add(session);
    }
    ~SessionRegistration() { core_.remove(session_); }
    SessionRegistration(SessionRegistration const&) = delete;
    SessionRegistration& operator=(SessionRegistration const&) = delete;

private:
    server::ServerCore& core_;
    server::ServerSession& session_;
};

// Removes a listener from the server when this object is destroyed.
class ListenerRegistration {
public:
    ListenerRegistration(server::ServerCore& core, Listener& listener) noexcept
        : core_(core), listener_(listener) {}
    ~ListenerRegistration() { core_.remove(listener_); }
    ListenerRegistration(ListenerRegistration const&) = delete;
    ListenerRegistration& operator=(ListenerRegistration const&) = delete;

private:
    server::ServerCore& core_;
    Listener& listener_;
};

// Handles SIGHUP: reloads the listener's files, or stops the server if the listener has no files,
// because the signal then means that the terminal was closed.
void on_hang_up(server::ServerCore& core, Listener& listener) {
    try {
        if (listener.reload()) {
            core.log(LoggingLevel::notice, "the files of the server were read again");
        } else {
            core.stop(shutdown_timeout);
        }
    } catch (std::exception const& error) {
        core.log(LoggingLevel::error, error.what());
    }
}

Task<> run_session(std::shared_ptr<server::ServerSession> session) {
    co_await session->run();
    co_await session->wind_up();
}

// Runs a session whose connection does not use the caller's executor.
Task<> run_elsewhere(std::shared_ptr<server::ServerSession> session) {
    co_await boost::asio::co_spawn(session->executor(), run_session(session),
                                   boost::asio::use_awaitable);
}

// The coroutine owns everything it uses, because the server may be destroyed in the meantime.
Task<> serve_connection(std::shared_ptr<server::ServerCore> core,
                        std::unique_ptr<Transport> transport) {
    auto const session = server::make_session(core, std::move(transport));
    SessionRegistration const registration(*core, session);
    if (auto* const loop = runtime::Loop::of(session->executor())) core->add(*loop);
    bool const here = (co_await boost::asio::this_coro::executor) == session->executor();
    if (here) {
        co_await session->run();
        co_await session->wind_up();
    } else {
        co_await run_elsewhere(session);
    }
}

}  // namespace

struct Server::Impl final : server::ServerCore {
    using ServerCore::ServerCore;
};

Server::Server(std::string name, std::string version, ServerOptions options)
    : Server(identity_of(std::move(name), std::move(version)), std::move(options)) {}

Server::Server(Implementation identity, ServerOptions options)
    : core_(std::make_shared<Impl>(std::move(identity), std::move(options))) {
    // Reserves the descriptors 0, 1 and 2 before a listener opens sockets, so that no socket gets
    // one of these numbers.
    runtime::reserve_standard_descriptors();
}

Server::~Server() {
    stop(0s);
    auto const until = std::chrono::steady_clock::now() + handler_timeout;
    core_->event_jobs().wait(until);
    try {
        core_->change([](auto& settings) {
            settings.on_notification.clear();
            settings.on_any_notification.clear();
            settings.on_phase.clear();
        });
    } catch (std::bad_alloc const&) {
        // The handlers are destroyed with the core.
    }
    core_->workers().stop(std::max<Duration>(0s, until - std::chrono::steady_clock::now()));
    core_->wait_for_loops(until);
}

ToolRules Server::tool_rules(ToolOptions const& options) const noexcept {
    auto const& own = core_->options();
    ToolRules rules;
    rules.ignore_unknown_arguments =
        options.ignore_unknown_arguments().value_or(own.ignore_unknown_arguments());
    rules.inline_references = options.inline_references().value_or(own.inline_references());
    return rules;
}

void Server::add_typed_tool(Tool tool, ToolFunction function, ToolOptions options) {
    core_->catalog().add_tool(std::move(tool), std::move(function), std::move(options),
                              server::Typing::typed);
    core_->report_capabilities();
}

void Server::add_dynamic_tool(Tool tool, ToolFunction function, ToolOptions options) {
    core_->catalog().add_tool(std::move(tool), std::move(function), std::move(options),
                              server::Typing::dynamic);
    core_->report_capabilities();
}

bool Server::remove_tool(std::string_view name) {
    bool const found = core_->catalog().remove_tool(name);
    core_->report_capabilities();
    return found;
}

bool Server::enable_tool(std::string_view name, bool enabled) {
    bool const found = core_->catalog().enable_tool(name, enabled);
    core_->report_capabilities();
    return found;
}

void Server::add_bound_resource(Resource resource, ResourceFunction function,
                                ResourceOptions options) {
    core_->catalog().add_resource(std::move(resource), std::move(function), std::move(options));
    core_->report_capabilities();
}

void Server::add_bound_template(ResourceTemplate resource_template, ResourceFunction function,
                                ResourceOptions options) {
    core_->catalog().add_resource_template(std::move(resource_template), std::move(function),
                                           std::move(options));
    core_->report_capabilities();
}

bool Server::remove_resource(std::string_view uri) {
    bool const found = core_->catalog().remove_resource(uri);
    core_->report_capabilities();
    return found;
}

bool Server::remove_resource_template(std::string_view uri_template) {
    bool const found = core_->catalog().remove_resource_template(uri_template);
    core_->report_capabilities();
    return found;
}

void Server::resource_updated(std::string_view uri) {
    core_->resource_updated(uri);
}

void Server::elicitation_complete(std::string_view elicitation_id) {
    core_->elicitation_complete(elicitation_id);
}

void Server::add_bound_prompt(Prompt prompt, PromptFunction function, PromptOptions options) {
    core_->catalog().add_prompt(std::move(prompt), std::move(function), std::move(options));
    core_->report_capabilities();
}

bool Server::remove_prompt(std::string_view name) {
    bool const found = core_->catalog().remove_prompt(name);
    core_->report_capabilities();
    return found;
}

void Server::add_prompt_completion(std::string_view prompt, std::string_view argument,
                                   CompletionFunction function) {
    core_->catalog().complete_prompt(prompt, argument, std::move(function));
    core_->report_capabilities();
}

void Server::add_template_completion(std::string_view uri_template, std::string_view variable,
                                     CompletionFunction function) {
    core_->catalog().complete_template(uri_template, variable, std::move(function));
    core_->report_capabilities();
}

void Server::add_provider(std::shared_ptr<Provider> provider) {
    core_->add(std::move(provider));
    core_->report_capabilities();
}

void Server::list_changed(FeatureKind kind) {
    core_->list_changed(server::list_of(kind));
}

void Server::use(Middleware middleware) {
    core_->change([&](auto& settings) { settings.middlewares.push_back(middleware); });
}

void Server::filter(Filter filter) {
    core_->change([&](auto& settings) { settings.filters.push_back(filter); });
}

void Server::add_transform(std::shared_ptr<Transform const> transform) {
    core_->catalog().add_transform(std::move(transform));
    core_->report_capabilities();
}

void Server::instructions(std::string text) {
    core_->change([&](auto& settings) { settings.instructions = text; });
}

void Server::extension(std::string id, JsonObject settings) {
    core_->change([&](auto& now) { now.extensions[id] = settings; });
    core_->report_capabilities();
}

void Server::experimental(std::string name, JsonObject settings) {
    core_->change([&](auto& now) { now.experimental[name] = settings; });
    core_->report_capabilities();
}

void Server::log(LoggingLevel level, Json data, std::string_view logger) {
    core_->send_log(level, data, logger);
}

void Server::on_notification(std::string method, NotificationHandler handler) {
    if (method == methods::Cancelled::info.name || method == methods::Progress::info.name) {
        throw Error(Errc::invalid_argument,
                    "no handler can receive " + method + ", because the library processes it");
    }
    core_->change([&](auto& settings) { settings.on_notification.emplace_back(method, handler); });
}

void Server::on_any_notification(NotificationHandler handler) {
    core_->change([&](auto& settings) { settings.on_any_notification.push_back(handler); });
}

void Server::on_roots_changed(NotificationHandler handler) {
    on_notification(std::string(methods::RootsListChanged::info.name), std::move(handler));
}

void Server::on_phase(std::function<void(SessionInfo const&)> handler) {
    core_->change([&](auto& settings) { settings.on_phase.push_back(handler); });
}

void Server::on_capabilities_changed(std::function<void(ServerCapabilities const&)> handler) {
    core_->on_capabilities_changed(std::move(handler));
}

void Server::executor(boost::asio::any_io_executor executor) {
    core_->change([&](auto& settings) { settings.handler_executor = executor; });
}

void Server::executor(std::function<void(std::function<void()>)> post) {
    executor(boost::asio::any_io_executor(server::PostExecutor(std::move(post))));
}

ServerCapabilities Server::capabilities() const {
    return core_->capabilities();
}

bool Server::capability(std::string_view name) const {
    auto const& names = EnumNames<Capability>::value;
    auto const found = std::find(names.begin(), names.end(), name);
    return found != names.end() &&
           has_capability(capabilities(), static_cast<Capability>(found - names.begin()));
}

std::vector<SessionInfo> Server::sessions() const {
    std::vector<SessionInfo> all;
    core_->each_group([&](server::PeerGroup const& group) { group.list_sessions(all); });
    return all;
}

Task<std::vector<UnansweredRequest>> Server::pending() const {
    return server::list_pending(core_);
}

LimitCounts Server::limit_counts() const noexcept {
    auto counts = core_->limits().read();
    counts.log_dropped = runtime::standard_error().dropped();
    return counts;
}

StatelessInfo Server::stateless_info() const {
    StatelessInfo all;
    core_->each_group([&](server::PeerGroup const& group) {
        if (!group.is_stateless()) return;
        all.requests += group.requests();
        all.in_flight += group.in_flight();
    });
    return all;
}

int Server::run(std::unique_ptr<Listener> listener) {
    runtime::reserve_standard_descriptors();
    auto const loop = std::make_shared<runtime::Loop>();
    core_->add(*loop);
    auto& context = loop->context();
    runtime::SignalWatch::Handlers on_signal;
    on_signal.stop = [this] { stop(shutdown_timeout); };
    on_signal.hang_up = [this, &listener] { on_hang_up(*core_, *listener); };
    runtime::SignalWatch const signals(context.get_executor(), std::move(on_signal));
    int code = 0;
    boost::asio::co_spawn(context, run_async(*listener), [&](std::exception_ptr failure) {
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (std::exception const& error) {
            runtime::print_error_line({"error: ", error.what()});
            code = 1;
        }
        context.stop();
    });
    loop->run();
    core_->report_suppressed();
    return code;
}

Task<> Server::run_async(Listener& listener) {
    auto const core = core_;
    if (!core->add(listener)) co_return;
    ListenerRegistration const registration(*core, listener);
    co_await listener.run(*this);
}

Task<> Server::serve(std::unique_ptr<Transport> transport) {
    return serve_connection(core_, std::move(transport));
}

std::shared_ptr<rpc::RequestEntry> Server::open_entry(boost::asio::any_io_executor executor) {
    return server::open_entry(core_, executor);
}

TimeSource& Server::time() const noexcept {
    return core_->time();
}

Random& Server::random() const noexcept {
    return core_->random();
}

std::vector<Version> Server::versions() const {
    return core_->options().versions();
}

// The log is rate-limited, because listeners log events of connections, which clients can cause as
// often as they like.
void Server::record(LoggingLevel level, std::string_view text) const noexcept {
    core_->log(level, server::any_client, text);
}

void Server::stop(Duration grace) noexcept {
    core_->stop(grace);
}

bool Server::stopping() const noexcept {
    return core_->stopping();
}

}  // namespace lanyard
