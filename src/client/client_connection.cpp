// The functions of Client for the connection itself, tasks, and arbitrary messages.
#include <deque>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/calls.hpp"
#include "client/lease.hpp"
#include "client/paging.hpp"
#include "json/known_text.hpp"
#include "lanyard/client/client.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "peer/phase_rules.hpp"
#include "protocol/capability_check.hpp"
#include "runtime/cancelled_by.hpp"
#include "wire/registry.hpp"

namespace lanyard {

using client::ClientSession;
using client::on_executor;

namespace {

// Accepts any result, as that of a ping has no content.
class NoContent final : public client::ResultReader {
public:
    Result<void> read(json::View, Version) override { return {}; }
};

// Whether the handshake is in progress. A ping is then the only request that may be sent. Over HTTP
// it would need the id of the session, which the answer to the handshake brings.
bool is_shaking_hands(ClientSession& session) {
    auto const& connection = session.connection();
    return connection.is_open() && connection.phase() == rpc::ClientPhase::initializing &&
           !connection.speaks_http();
}

// Sends `ping` or, if the protocol version has no `ping`, `server/discover`.
Task<> ping_server(std::shared_ptr<ClientSession> session, CallOptions options) {
    if (session->keeper().must_wait(options)) {
        auto waiting = session->keeper().await_ready(options);
        co_await std::move(waiting);
    }
    // A ping_timeout() of zero disables only the client's automatic pings. The ping sent here then
    // has the default timeout of requests.
    auto const limit = session->options().ping_timeout();
    std::optional<Duration> timeout;
    if (limit > Duration::zero()) timeout = limit;
    if (is_shaking_hands(*session)) {
        client::Outgoing outgoing(methods::Ping::info.name, "", options);
        outgoing.opens = true;
        outgoing.default_timeout = timeout;
        NoContent reader;
        auto pinging = client::await_result(session, std::move(outgoing), reader);
        co_await std::move(pinging);
    } else if (methods::Ping::info.in(session->version())) {
        auto calling = client::call<methods::Ping>(session, {}, options, timeout);
        co_await std::move(calling);
    } else {
        auto calling = client::call<methods::Discover>(session, {}, options, timeout);
        co_await std::move(calling);
    }
}

Task<DiscoverResult> discover_server(std::shared_ptr<ClientSession> session, CallOptions options) {
    if (session->keeper().must_wait(options)) {
        auto waiting = session->keeper().await_ready(options);
        co_await std::move(waiting);
    }
    if (methods::Discover::info.in(session->version())) {
        auto calling = client::call<methods::Discover>(session, {}, options);
        auto result = co_await std::move(calling);
        co_return result;
    }
    session->keeper().check_ready().value();
    // This protocol version has no `server/discover`. The result is built from the server's answer
    // to the handshake, without sending a request.
    auto const& server = session->server().info();
    DiscoverResult known;
    known.supported_versions.emplace_back(to_string(server.version));
    known.capabilities = server.capabilities;
    known.instructions = server.instructions;
    co_return known;
}

Task<> set_level(std::shared_ptr<ClientSession> session, LoggingLevel level, CallOptions options) {
    if (session->keeper().must_wait(options)) {
        auto waiting = session->keeper().await_ready(options);
        co_await std::move(waiting);
    }
    if (supports(Feature::request_metadata, session->version())) {
        // In this protocol version, every request carries the log level, so nothing is sent now.
        session->requests().check(methods::LoggingMessage::info).value();
        session->requests().set_log_level(level);
        co_return;
    }
    SetLevelParams params;
    params.level = level;
    auto calling = client::call<methods::SetLevel>(session, std::move(params), options);
    co_await std::move(calling);
    session->requests().set_log_level(level);
}

void send_roots_changed(ClientSession& session) {
    auto const& method = methods::RootsListChanged::info;
    if (!method.in(session.version())) return;
    rpc::may_send_notification(session.connection().phase(), method.name).value();
    session.connection().notify(method.name, "");
}

Task<> replace_roots(std::shared_ptr<ClientSession> session, std::vector<Root> roots) {
    if (!session->questions().has_roots()) {
        throw Error(Errc::capability_missing,
                    "the client was connected without roots, so that it has not declared them",
                    R"({"capability":"roots"})");
    }
    session->questions().set_roots(std::move(roots));
    // If the client is not ready, no notification is needed, because a server asks for the roots
    // after each connect.
    if (session->keeper().is_ready()) send_roots_changed(*session);
    co_return;
}

Task<> announce_roots(std::shared_ptr<ClientSession> session) {
    if (!session->questions().has_roots()) {
        throw Error(Errc::capability_missing, "the client has not declared roots",
                    R"({"capability":"roots"})");
    }
    send_roots_changed(*session);
    co_return;
}

Task<std::vector<PendingCall>> list_pending(std::shared_ptr<ClientSession> session) {
    std::vector<PendingCall> calls;
    auto const now = session->now();
    if (!session->connection().shared()) co_return calls;
    for (auto& request : session->connection().peer().pending()) {
        PendingCall call;
        call.id = request.id;
        call.method = std::move(request.method);
        call.age = now - request.started;
        call.left = request.deadline == never ? Duration::max() : request.deadline - now;
        calls.push_back(std::move(call));
    }
    co_return calls;
}

// Stores the result as JSON text, without decoding it.
class RawReader final : public client::ResultReader {
public:
    Result<void> read(json::View result, Version) override {
        text = result.raw();
        return {};
    }
    std::string text;
};

// Accepts any object as params; members that the protocol does not define are kept unchanged.
EmptyParams any_params(RawJson const& raw) {
    json::Document document;
    std::optional<json::View> view;
    if (!raw.empty()) {
        auto const parsed = document.parse(raw.text(), json::known_text);
        if (!parsed || !parsed->is_object()) {
            throw Error(Errc::invalid_argument, "params must be a JSON object");
        }
        view = *parsed;
    }
    auto params = wire::decode_params<EmptyParams>(view, newest_version);
    if (!params) throw Error(Errc::invalid_argument, params.error().to_string());
    return *std::move(params);
}

Task<RawJson> send_request(std::shared_ptr<ClientSession> session, std::string method,
                           EmptyParams params, CallOptions options) {
    if (session->keeper().must_wait(options)) {
        auto waiting = session->keeper().await_ready(options);
        co_await std::move(waiting);
    }
    auto const known = wire::find_request(method, session->version(), wire::Side::server);
    // A method that the protocol does not define has no known requirements to check.
    MethodInfo const unknown{method, Direction::client_to_server, Version::v2024_11_05,
                             newest_version, Capability::none};
    session->requests().check(known.info != nullptr ? *known.info : unknown).value();
    auto token = session->requests().new_progress_token(options);
    for (auto const& member : options.meta().members()) {
        params.meta.members()[member.key()] = member.value();
    }
    if (options.trace()) params.meta.set_trace_context(*options.trace());
    if (token) params.meta.set_progress_token(*token);
    client::Outgoing outgoing(method, wire::params_text(params, session->requests().stamp()),
                              options);
    outgoing.progress_token = std::move(token);
    RawReader reader;
    auto exchanging = client::await_result(session, std::move(outgoing), reader);
    co_await std::move(exchanging);
    co_return RawJson::trusted(std::move(reader.text));
}

Task<> send_notification(std::shared_ptr<ClientSession> session, std::string method,
                         EmptyParams params) {
    session->keeper().check_ready().value();
    auto const known = wire::find_notification(method, session->version(), wire::Side::server);
    if (known.outcome == wire::MethodLookup::Outcome::other_version) {
        throw Error(Errc::unsupported_in_era, method + " does not exist in version " +
                                                  std::string(to_string(session->version())));
    }
    rpc::may_send_notification(session->connection().phase(), method).value();
    std::string text;
    json::Writer writer(text);
    wire::NotificationStamp stamp;
    stamp.version = session->version();
    wire::encode_notification(writer, params, stamp).value();
    session->connection().notify(method,
                                 text == "{}" ? std::string_view() : std::string_view(text));
    co_return;
}

Task<TaskInfo> start_task(std::shared_ptr<ClientSession> session, CallToolParams params,
                          CallOptions options) {
    if (session->keeper().must_wait(options)) {
        auto waiting = session->keeper().await_ready(options);
        co_await std::move(waiting);
    }
    session->keeper().check_ready().value();
    protocol::check_capability(params, session->server().info().capabilities).value();
    auto calling = client::call<client::StartToolTask>(session, std::move(params), options);
    auto result = co_await std::move(calling);
    if (options.handlers()) {
        session->requests().open_calls().keep_for_task(result.task.task_id, options.handlers());
    }
    co_return std::move(result.task);
}

Task<CallToolResult> await_task(std::shared_ptr<ClientSession> session, std::string id,
                                CallOptions options) {
    TaskParams params;
    params.task_id = id;
    // The answer arrives when the task has ended, however long that takes.
    auto calling =
        client::call<methods::GetTaskPayload>(session, std::move(params), options, no_limit);
    auto const payload = co_await std::move(calling);
    session->requests().open_calls().drop_task(id);
    json::Document document;
    auto const view = document.parse(payload.result.text(), json::known_text);
    if (!view) throw Error(Errc::protocol_violation, view.error().to_string());
    auto result = wire::decode_result<CallToolResult>(*view, session->version());
    if (!result) throw client::wrong_result(methods::GetTaskPayload::info.name, result.error());
    co_return *std::move(result);
}

Task<> end_task(std::shared_ptr<ClientSession> session, std::string id, CallOptions options) {
    TaskParams params;
    params.task_id = id;
    auto calling = client::call<methods::CancelTask>(session, std::move(params), options);
    co_await std::move(calling);
    session->requests().open_calls().drop_task(id);
}

Task<std::vector<TaskInfo>> all_tasks(std::shared_ptr<ClientSession> session, CallOptions options) {
    auto pages =
        client::pages<methods::ListTasks, &ListTasksResult::tasks>(std::move(session), options);
    auto listing = pages.rest();
    auto tasks = co_await std::move(listing);
    co_return tasks;
}

// Calls that are made together. They share this object, because a call may outlive the waiting
// coroutine.
template <class R>
struct CallGroup {
    CallGroup(boost::asio::any_io_executor const& executor, std::size_t count)
        : outcomes(count), cancellations(count), waiting(count), changed(executor) {}

    void cancel() {
        for (auto& cancellation : cancellations) {
            cancellation.emit(boost::asio::cancellation_type::terminal);
        }
    }

    std::vector<Result<R>> outcomes;
    std::deque<boost::asio::cancellation_signal> cancellations;
    std::size_t waiting;
    runtime::Event changed;
};

// Runs the tasks, each of which sends a request, at the same time.
template <class R>
Task<std::vector<Result<R>>> run_together(std::shared_ptr<ClientSession> session,
                                          std::vector<Task<R>> tasks) {
    auto const calls = std::make_shared<CallGroup<R>>(session->executor(), tasks.size());
    bool const batch =
        supports(Feature::batching, session->version()) && session->keeper().is_ready();
    auto const connection = session->connection().shared();
    if (batch) connection->peer().begin_batch();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto calling = attempt(std::move(tasks[i]));
        auto finish = [calls, i](std::exception_ptr const& failure, Result<R> outcome) {
            if (failure) outcome = Unexpected(Error(Errc::failed, "the call could not be made"));
            calls->outcomes[i] = std::move(outcome);
            if (--calls->waiting == 0) calls->changed.notify();
        };
        boost::asio::co_spawn(
            session->executor(), std::move(calling),
            runtime::cancelled_by(calls->cancellations[i].slot(), std::move(finish)));
    }
    if (batch) {
        // The calls were posted to the executor, so none has started yet. end_batch is posted after
        // the calls, so it runs when all of them have started.
        auto end_batch = [connection] {
            connection->peer().end_batch();
            connection->flush();
        };
        boost::asio::post(session->executor(), std::move(end_batch));
    }
    while (calls->waiting > 0) {
        co_await calls->changed.wait();
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (state.cancelled() != boost::asio::cancellation_type::none) {
            calls->cancel();
            throw Error(Errc::cancelled, "the calls were cancelled");
        }
    }
    co_return std::move(calls->outcomes);
}

Task<std::vector<Result<CallToolResult>>> call_many(std::shared_ptr<ClientSession> session,
                                                    std::vector<CallToolParams> params,
                                                    CallOptions options) {
    std::vector<Task<CallToolResult>> tasks;
    for (auto& call : params) {
        tasks.push_back(client::call<methods::CallTool>(session, std::move(call), options));
    }
    auto running = run_together(session, std::move(tasks));
    auto outcomes = co_await std::move(running);
    co_return outcomes;
}

Task<RawJson> send_raw(std::shared_ptr<ClientSession> session, RawRequest request,
                       CallOptions options) {
    // Invalid params are the outcome of this request, not of all of them.
    auto sending = send_request(std::move(session), std::move(request.method),
                                any_params(request.params), std::move(options));
    auto result = co_await std::move(sending);
    co_return result;
}

Task<std::vector<Result<RawJson>>> request_many(std::shared_ptr<ClientSession> session,
                                                std::vector<RawRequest> requests,
                                                CallOptions options) {
    std::vector<Task<RawJson>> tasks;
    for (auto& request : requests) {
        tasks.push_back(send_raw(session, std::move(request), options));
    }
    auto running = run_together(session, std::move(tasks));
    auto outcomes = co_await std::move(running);
    co_return outcomes;
}

}  // namespace

Task<std::vector<Result<CallToolResult>>> Client::call_all(
    detail::ArgumentList<CallToolParams> calls, CallOptions const& options) const {
    return on_executor(session_of(lease_),
                       call_many(session_of(lease_), std::move(calls).take(), options));
}

Task<TaskInfo> Client::start_tool_task(std::string name, Arguments arguments,
                                       std::optional<std::chrono::milliseconds> ttl,
                                       CallOptions const& options) const {
    CallToolParams params;
    params.name = std::move(name);
    params.arguments = std::move(arguments).object();
    params.task.emplace().ttl = ttl;
    return on_executor(session_of(lease_),
                       start_task(session_of(lease_), std::move(params), options));
}

Task<GetTaskResult> Client::get_task(std::string task_id, CallOptions const& options) const {
    TaskParams params;
    params.task_id = std::move(task_id);
    return client::start<methods::GetTask>(session_of(lease_), std::move(params), options);
}

Task<CallToolResult> Client::task_result(std::string task_id, CallOptions const& options) const {
    return on_executor(session_of(lease_),
                       await_task(session_of(lease_), std::move(task_id), options));
}

Task<std::vector<TaskInfo>> Client::list_tasks(CallOptions const& options) const {
    return on_executor(session_of(lease_), all_tasks(session_of(lease_), options));
}

Task<> Client::cancel_task(std::string task_id, CallOptions const& options) const {
    return on_executor(session_of(lease_),
                       end_task(session_of(lease_), std::move(task_id), options));
}

Task<> Client::ping(CallOptions const& options) const {
    return on_executor(session_of(lease_), ping_server(session_of(lease_), options));
}

Task<DiscoverResult> Client::discover(CallOptions const& options) const {
    return on_executor(session_of(lease_), discover_server(session_of(lease_), options));
}

Task<> Client::set_log_level(LoggingLevel level, CallOptions const& options) const {
    return on_executor(session_of(lease_), set_level(session_of(lease_), level, options));
}

Task<> Client::set_roots(detail::ArgumentList<Root> roots) const {
    return on_executor(session_of(lease_),
                       replace_roots(session_of(lease_), std::move(roots).take()));
}

Task<> Client::notify_roots_changed() const {
    return on_executor(session_of(lease_), announce_roots(session_of(lease_)));
}

Task<std::vector<PendingCall>> Client::pending() const {
    return on_executor(session_of(lease_), list_pending(session_of(lease_)));
}

Task<RawJson> Client::request(std::string method, RawJson params,
                              CallOptions const& options) const {
    return on_executor(session_of(lease_), send_request(session_of(lease_), std::move(method),
                                                        any_params(params), options));
}

Task<std::vector<Result<RawJson>>> Client::request_all(detail::ArgumentList<RawRequest> requests,
                                                       CallOptions const& options) const {
    return on_executor(session_of(lease_),
                       request_many(session_of(lease_), std::move(requests).take(), options));
}

Task<> Client::notify(std::string method, RawJson params) const {
    return on_executor(session_of(lease_), send_notification(session_of(lease_), std::move(method),
                                                             any_params(params)));
}

}  // namespace lanyard
