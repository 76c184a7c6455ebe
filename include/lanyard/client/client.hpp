// Client: every method of the protocol, typed, over any transport and in any revision.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/client/arguments.hpp>
#include <lanyard/client/call_options.hpp>
#include <lanyard/client/notifications.hpp>
#include <lanyard/client/options.hpp>
#include <lanyard/client/output.hpp>
#include <lanyard/client/pages.hpp>
#include <lanyard/codec.hpp>
#include <lanyard/protocol/completion.hpp>
#include <lanyard/protocol/discover.hpp>
#include <lanyard/protocol/prompts.hpp>
#include <lanyard/protocol/resources.hpp>
#include <lanyard/protocol/tasks.hpp>
#include <lanyard/protocol/tools.hpp>
#include <lanyard/task.hpp>
#include <lanyard/transport.hpp>

namespace lanyard {

namespace detail {
struct Lease;
struct SessionOf;
}  // namespace detail

/// A call that is waiting for its answer, for diagnosis.
struct PendingCall {
    std::int64_t id = 0;
    std::string method{};
    Duration age{};   ///< time since the call was sent
    Duration left{};  ///< time until the call times out

    bool operator==(PendingCall const&) const = default;
};

/// A request for Client::request_all(). The params are a JSON object.
struct RawRequest {
    std::string method{};
    RawJson params{};
};

/// The number of times that each limit of a client was reached, since the client was created.
struct ClientLimitCounts {
    /// Requests that were not answered in time, including those of the handshake.
    std::uint64_t timeouts = 0;
    /// Calls that failed because the limit ClientOptions::max_pending was reached.
    std::uint64_t refused = 0;
    /// Calls that failed because too many bytes were queued: the server did not read earlier
    /// messages.
    std::uint64_t busy = 0;
    /// Connections closed because the server left too many of the client's answers unread.
    std::uint64_t unread = 0;
    /// Calls that failed because they exceeded ClientOptions::max_input_rounds.
    std::uint64_t rounds = 0;
    /// Notifications, progress reports and observer events that were dropped from a full queue.
    std::uint64_t dropped = 0;
    /// Messages of the server that broke a rule or could not be read.
    std::uint64_t violations = 0;
    /// Answers to requests that had already ended, for example because they had timed out.
    std::uint64_t late = 0;
    /// Answers to requests that were never sent, or that are no longer remembered. They also count
    /// as violations.
    std::uint64_t unknown = 0;
    /// Ended requests that were forgotten because of ClientOptions::max_tombstones; their late
    /// answers count as unknown.
    std::uint64_t evicted = 0;
    /// Connections that were replaced because ClientOptions::max_request_id was reached.
    std::uint64_t renewed = 0;
    /// 1 if the client has given up because ReconnectOptions allow no further attempt to connect;
    /// otherwise 0.
    std::uint64_t given_up = 0;
};

/// A handle of a connection to a server: copies share the connection.
///
/// Example (docs/snippets/class_examples.cpp#client):
///
///     lanyard::Task<> talk() {
///         auto const client = co_await lanyard::connect(lanyard::child_process("./greeter"));
///         Greet const ada{"Ada"};
///         auto const text = co_await client.call<std::string>("greet", ada);
///         std::cout << text << '\n';
///         co_await client.stop();
///     }
///
/// Every function that returns a Task sends one request and completes with the answer. A
/// list function sends one request for each page. Cancelling the awaiting coroutine cancels the
/// call: the server is notified and the call throws Error (cancelled).
///
/// A client that was made with a Connector opens a new connection when the old one is lost, as
/// ClientOptions::reconnect specifies. Pending calls then throw transport_down. Calls made before
/// the client is ready again throw unavailable, or wait if CallOptions::wait_until_ready is set.
/// Subscriptions and the log level are restored; the cache is cleared.
///
/// Ownership: the destructor of the last copy closes the connection, and pending calls throw Error
/// (shutdown): a call does not keep its client alive. Use stop() to let pending calls finish.
/// Arguments and options are copied before a function returns its Task.
///
/// Threads: tasks may be awaited on any executor. The work is done, and the handlers in
/// ClientOptions are called, on the executor on which the client was connected. The event loop of
/// that executor must run as long as the client is used.
///
/// Errors: calls throw Error. It contains either the error that the server sent (see
/// Error::peer_code()), or one of these codes: timeout, cancelled, closed, shutdown,
/// transport_down, unavailable or failed. Some errors are thrown before anything is sent:
/// unsupported_in_era if the negotiated version has no such method, capability_missing if the
/// server has not declared the capability, and invalid_argument if an argument is invalid. An
/// answer that breaks the rules causes protocol_violation. attempt() turns exceptions into a
/// Result.
///
/// Pitfalls:
/// - After transport_down and timeout it is unknown whether the server has executed the call.
///   docs/delivery.md lists the requests that are repeated automatically.
/// - A tool that fails is not an Error: call() throws ToolError, call_tool() sets is_error.
/// - In a co_await expression, g++ before 14 needs structs and JsonObject as named variables
///   (docs/clients.md).
class Client {
public:
    /// Makes a client that is not connected. It is useful only as the target of an assignment.
    Client() noexcept = default;

    // Information about the server, from the last connection that became ready. Safe from any
    // thread.

    Version version() const;
    Implementation server_info() const;
    /// Throws Error (not_initialized) if the client has never been ready: the server's capabilities
    /// are not known yet.
    ServerCapabilities server_capabilities() const;
    /// The server's instructions to the model on how to use the server. May be empty.
    std::string instructions() const;
    /// The negotiated version. Pass it to ClientOptions::known_server when you connect again.
    KnownServer known_server() const;

    // Tools.

    Task<std::vector<Tool>> list_tools(CallOptions const& options = {}) const;
    Task<ListToolsResult> list_tools_page(std::optional<Cursor> cursor = {},
                                          CallOptions const& options = {}) const;
    Pages<Tool> tools(CallOptions const& options = {}) const;

    /// Calls a tool. The arguments must be a JSON object. If the tool fails, the result has
    /// is_error set.
    Task<CallToolResult> call_tool(std::string name, Arguments arguments = {},
                                   CallOptions const& options = {}) const;
    /// Calls a tool without arguments.
    template <std::same_as<CallOptions> Options>
    Task<CallToolResult> call_tool(std::string name, Options const& options) const {
        return call_tool(std::move(name), Arguments(), options);
    }

    /// Calls a tool and decodes its output as R. For std::string, this is the text of the result;
    /// for CallToolResult, the whole result; for void, nothing. Any other type is decoded from the
    /// structured content or, if there is none, from text that is JSON. Throws ToolError with the
    /// tool's text if the tool failed.
    template <class R, class Input>
        requires(!std::same_as<Input, CallOptions>)
    Task<R> call(std::string name, Input const& arguments, CallOptions const& options = {}) const {
        return detail::read_output<R>(call_tool(std::move(name), to_raw_json(arguments), options));
    }
    template <class R>
    Task<R> call(std::string name, Arguments arguments = {},
                 CallOptions const& options = {}) const {
        return detail::read_output<R>(call_tool(std::move(name), std::move(arguments), options));
    }
    template <class R, std::same_as<CallOptions> Options>
    Task<R> call(std::string name, Options const& options) const {
        return detail::read_output<R>(call_tool(std::move(name), Arguments(), options));
    }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
    // g++ before 14 destroys a temporary struct or JsonObject twice in a co_await expression. These
    // overloads make such a call a compile error. Give the value a name first.
    template <class R, codec::UnsafeTemporary Input>
    Task<R> call(std::string name, Input const&& arguments,
                 CallOptions const& options = {}) const = delete;
    template <std::same_as<JsonObject> Object>
    auto call_tool(std::string name, Object&& arguments, CallOptions const& options = {}) const {
        return detail::refuse_braced_object<Object>(name, arguments, options);
    }
#endif

    /// Calls several tools concurrently: sends all requests before it waits for any answer.
    /// Completes with one outcome for each call, in the same order.
    Task<std::vector<Result<CallToolResult>>> call_all(detail::ArgumentList<CallToolParams> calls,
                                                       CallOptions const& options = {}) const;

    // Resources.

    Task<std::vector<Resource>> list_resources(CallOptions const& options = {}) const;
    Task<ListResourcesResult> list_resources_page(std::optional<Cursor> cursor = {},
                                                  CallOptions const& options = {}) const;
    Pages<Resource> resources(CallOptions const& options = {}) const;

    Task<std::vector<ResourceTemplate>> list_resource_templates(
        CallOptions const& options = {}) const;
    Task<ListResourceTemplatesResult> list_resource_templates_page(
        std::optional<Cursor> cursor = {}, CallOptions const& options = {}) const;
    Pages<ResourceTemplate> resource_templates(CallOptions const& options = {}) const;

    Task<ReadResourceResult> read_resource(std::string uri, CallOptions const& options = {}) const;

    /// Subscribes to changes of a resource, which are passed to ClientOptions::on_resource_updated.
    /// Throws Error (failed) if the server does not grant the subscription.
    Task<> subscribe(std::string uri, CallOptions const& options = {}) const;
    Task<> unsubscribe(std::string uri, CallOptions const& options = {}) const;

    // Prompts and completion.

    Task<std::vector<Prompt>> list_prompts(CallOptions const& options = {}) const;
    Task<ListPromptsResult> list_prompts_page(std::optional<Cursor> cursor = {},
                                              CallOptions const& options = {}) const;
    Pages<Prompt> prompts(CallOptions const& options = {}) const;

    /// Gets a prompt. Argument values that are not strings are sent as their JSON text.
    Task<GetPromptResult> get_prompt(std::string name, Arguments const& arguments = {},
                                     CallOptions const& options = {}) const;

    /// Returns the server's suggestions for an argument of a prompt. `value` is the text typed so
    /// far; `known` holds the values of the arguments that are already decided.
    Task<Completion> complete_prompt(std::string prompt, std::string argument, std::string value,
                                     std::map<std::string, std::string> known = {},
                                     CallOptions const& options = {}) const;
    /// Returns the server's suggestions for a variable of a resource template. `value` is the text
    /// typed so far; `known` holds the values of the variables that are already decided.
    Task<Completion> complete_resource(std::string uri_template, std::string argument,
                                       std::string value,
                                       std::map<std::string, std::string> known = {},
                                       CallOptions const& options = {}) const;

    // Tasks (only in protocol revision 2025-11-25): tool calls that outlive their request.

    Task<TaskInfo> start_tool_task(std::string name, Arguments arguments = {},
                                   std::optional<std::chrono::milliseconds> ttl = {},
                                   CallOptions const& options = {}) const;
    Task<GetTaskResult> get_task(std::string task_id, CallOptions const& options = {}) const;
    /// Waits until the task has ended; completes with the tool's result.
    Task<CallToolResult> task_result(std::string task_id, CallOptions const& options = {}) const;
    Task<std::vector<TaskInfo>> list_tasks(CallOptions const& options = {}) const;
    Task<> cancel_task(std::string task_id, CallOptions const& options = {}) const;

    // The connection.

    /// Checks that the server answers: sends `ping`, or `server/discover` in protocol revision
    /// 2026-07-28, which has no `ping`. Completes when the answer has arrived. Default timeout:
    /// ClientOptions::ping_timeout. Unlike other functions, ping() may be called during the
    /// handshake (but not over HTTP).
    Task<> ping(CallOptions const& options = {}) const;
    /// Requests the server's versions and capabilities again. The result does not change what this
    /// connection uses. In protocol revisions before 2026-07-28, nothing is sent: the result
    /// contains the information from the handshake, and the negotiated version as the only version.
    Task<DiscoverResult> discover(CallOptions const& options = {}) const;
    /// Sets the lowest severity of the log messages that the server sends. The handler
    /// ClientOptions::on_log receives these messages. Default: `info` in protocol revision
    /// 2026-07-28; in earlier revisions the server decides.
    Task<> set_log_level(LoggingLevel level, CallOptions const& options = {}) const;
    /// Replaces the roots. Then notifies the server, if the negotiated version has a notification
    /// for changed roots.
    Task<> set_roots(detail::ArgumentList<Root> roots) const;
    /// Notifies the server that the roots have changed. Call this function when
    /// ClientOptions::on_roots would return different roots.
    Task<> notify_roots_changed() const;

    /// Sends any request; the params and the result are JSON objects. For a method of the protocol,
    /// the checks are the same as in the typed function for the method.
    Task<RawJson> request(std::string method, RawJson params = {},
                          CallOptions const& options = {}) const;
    /// Sends any requests concurrently: sends all of them before it waits for any answer. If the
    /// negotiated version has batches (only 2025-03-26 has), sends the requests as one batch.
    /// Completes with one outcome for each request, in the same order.
    Task<std::vector<Result<RawJson>>> request_all(detail::ArgumentList<RawRequest> requests,
                                                   CallOptions const& options = {}) const;
    /// Sends any notification. Completes when the notification has been queued for sending.
    Task<> notify(std::string method, RawJson params = {}) const;

    /// Adds a handler for notifications of this method, or of all methods if `method` is empty. The
    /// destructor of the returned object removes the handler. The handler is called after the
    /// handlers in ClientOptions. Notifications other than progress and cancellation are handled in
    /// the order of their arrival, one at a time. If `max_concurrent` is more than 1, up to that
    /// many calls of the handler may run at the same time, so that a slow handler does not delay
    /// later notifications. Safe from any thread.
    [[nodiscard]] NotificationHandle on_notification(std::string method,
                                                     ClientOptions::NotificationHandler handler,
                                                     std::size_t max_concurrent = 1) const;
    /// Makes a channel that receives the notifications of this method, or of all methods if
    /// `method` is empty. `capacity`, at least 1, is the maximum number of notifications that wait
    /// in the channel. Safe from any thread.
    [[nodiscard]] NotificationChannel notification_channel(std::string method,
                                                           std::size_t capacity = 100) const;

    /// Returns every call that is waiting for its answer, oldest first.
    Task<std::vector<PendingCall>> pending() const;

    /// The state of the connection; `closing` from the beginning of stop(). Safe from any thread.
    ConnectionState state() const noexcept;
    /// The latest changes of the state, oldest first; at most 32. Safe from any thread.
    std::vector<StateChange> history() const;
    /// Whether calls can be made. Safe from any thread.
    bool is_open() const noexcept { return state() == ConnectionState::ready; }
    /// The number of times the client has become ready. Safe from any thread.
    std::uint64_t connect_count() const noexcept;
    /// The number of times that each limit was reached. Safe from any thread.
    ClientLimitCounts limit_counts() const noexcept;
    /// Completes when calls can be made. Throws Error: timeout if this takes too long; closed,
    /// shutdown or failed if the client can no longer become ready. Supports Asio cancellation of
    /// type `total`.
    Task<> await_ready(Duration timeout = std::chrono::seconds(30)) const;
    /// Closes the connection: every pending call throws Error (shutdown). Safe from any thread and
    /// in any state. Idempotent.
    void close() const noexcept;
    /// Enters the state `closing`, refuses new calls, ends subscriptions, waits at
    /// most `grace` for pending calls, then closes the connection. Completes when all resources are
    /// released.
    Task<> stop(Duration grace = std::chrono::seconds(5)) const;
    /// Completes when all resources of the connection are released; for a child process, when it
    /// has been reaped.
    Task<> closed() const;

private:
    friend struct detail::Lease;
    friend struct detail::SessionOf;
    explicit Client(std::shared_ptr<detail::Lease> lease) noexcept : lease_(std::move(lease)) {}

    std::shared_ptr<detail::Lease> lease_;
};

/// Opens a connection and negotiates the protocol version. Completes when calls can be made. Throws
/// what the connector throws, or Error: version_mismatch, timeout, transport_down or the server's
/// error. After a failure nothing is left open.
Task<Client> connect(std::unique_ptr<Connector> connector, ClientOptions const& options = {});
/// Starts to connect in the background and completes at once, with a client in the state
/// `starting`. This client keeps trying to connect, as ClientOptions::reconnect specifies. Throws
/// Error (invalid_argument) for invalid options.
Task<Client> start_client(std::unique_ptr<Connector> connector, ClientOptions const& options = {});
/// Like the connect() that takes a connector, but uses a connection that is already open.
Task<Client> connect(std::unique_ptr<Transport> transport, ClientOptions const& options = {});

}  // namespace lanyard
