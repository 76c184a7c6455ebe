// Client: every method of the protocol, typed, over any transport and in any revision.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/client/arguments.hpp>
#include <lanyard/client/call_options.hpp>
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

namespace client {
class Session;
struct Lease;
}  // namespace client

/// A call that waits for its answer, for diagnosis.
struct PendingCall {
    std::int64_t id = 0;
    std::string method{};
    Duration age{};   ///< since it was sent
    Duration left{};  ///< until it times out

    bool operator==(PendingCall const&) const = default;
};

/// How often a client has met a limit of its own, since it was made.
struct ClientLimitCounts {
    std::uint64_t timeouts = 0;  ///< requests without an answer in time, those of the opening too
    std::uint64_t refused = 0;   ///< calls beyond ClientOptions::max_pending
    std::uint64_t busy = 0;      ///< calls for which the server left no room
    std::uint64_t unread = 0;    ///< connections to servers that left too much unread
    std::uint64_t rounds = 0;    ///< calls beyond ClientOptions::max_input_rounds
    std::uint64_t dropped = 0;   ///< notifications, progress and events of an observer that
                                 ///< found no room in the queue of their handler
    std::uint64_t violations =
        0;                       ///< messages of the server that broke a rule, unreadable ones too
    std::uint64_t given_up = 0;  ///< 1 where ReconnectOptions allow no further attempt to connect
};

/// A connection to a server. Copies share it; when the last is gone the connection is closed.
///
/// A client that was given a Connector opens a new connection when it has lost one, as
/// ClientOptions::reconnect says. Calls under way then throw Error (transport_down); calls made
/// before the client is ready again throw Error (unavailable), or wait where CallOptions says so.
/// Subscriptions and the log level are restored; what was cached is forgotten.
///
/// Every function that returns a Task sends one request (list functions: one for each page) and
/// completes with the answer. It throws Error: the server's error (peer_code()), timeout,
/// cancelled, closed, shutdown, transport_down, unavailable or failed; before anything is sent
/// unsupported_in_era where the negotiated version has no such method, capability_missing where the
/// server has not declared what it needs, and invalid_argument; and protocol_violation for an
/// answer that breaks the rules. attempt() turns that into a Result.
///
/// Cancelling the coroutine that waits cancels the call: the server is told, the call throws Error
/// (cancelled). Tasks may be awaited on any executor; the work is done on the connection's.
class Client {
public:
    /// Connected to nothing: only to be assigned to.
    Client() noexcept = default;
    explicit Client(std::shared_ptr<client::Lease> lease) noexcept : lease_(std::move(lease)) {}

    // What is known about the server: from the last connection that became ready. Safe from any
    // thread.

    Version version() const;
    Implementation server_info() const;
    ServerCapabilities server_capabilities() const;
    /// How the server wants to be used, for the model; may be empty.
    std::string instructions() const;
    /// To be given to ClientOptions::verdict of the next connection.
    Verdict verdict() const;

    // Tools.

    Task<std::vector<Tool>> list_tools(CallOptions const& options = {}) const;
    Task<ListToolsResult> list_tools_page(std::optional<Cursor> cursor = {},
                                          CallOptions const& options = {}) const;
    Pages<Tool> tools(CallOptions const& options = {}) const;

    /// Calls a tool; the arguments are an object. A tool that failed is a result with is_error.
    Task<CallToolResult> call_tool(std::string name, Arguments arguments = {},
                                   CallOptions const& options = {}) const;

    /// Calls a tool and reads what it returns: std::string gets the text, any other type is decoded
    /// from the structured content (or from text that is JSON), void ignores it, CallToolResult is
    /// the whole. Throws ToolError with the tool's text where the tool failed.
    template <class R, class Input>
    Task<R> call(std::string name, Input const& arguments, CallOptions const& options = {}) const {
        return client::read_output<R>(call_tool(std::move(name), to_raw_json(arguments), options));
    }
    template <class R>
    Task<R> call(std::string name, Arguments arguments = {},
                 CallOptions const& options = {}) const {
        return client::read_output<R>(call_tool(std::move(name), std::move(arguments), options));
    }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
    // Such a temporary in a co_await expression is destroyed twice by this compiler: name it first.
    template <class R, codec::UnsafeTemporary Input>
    Task<R> call(std::string name, Input const&& arguments,
                 CallOptions const& options = {}) const = delete;
    template <std::same_as<JsonObject> Object>
    auto call_tool(std::string name, Object&& arguments, CallOptions const& options = {}) const {
        return client::refuse_braced_object<Object>(name, arguments, options);
    }
#endif

    /// Calls many tools at once: sends all before it waits for any. Completes with an outcome for
    /// each, in their order.
    Task<std::vector<Result<CallToolResult>>> call_all(client::List<CallToolParams> calls,
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

    /// Asks to be told of changes of a resource, through ClientOptions::on_resource_updated. Throws
    /// Error (failed) where the server does not grant it.
    Task<> subscribe(std::string uri, CallOptions const& options = {}) const;
    Task<> unsubscribe(std::string uri, CallOptions const& options = {}) const;

    // Prompts and completion.

    Task<std::vector<Prompt>> list_prompts(CallOptions const& options = {}) const;
    Task<ListPromptsResult> list_prompts_page(std::optional<Cursor> cursor = {},
                                              CallOptions const& options = {}) const;
    Pages<Prompt> prompts(CallOptions const& options = {}) const;

    /// Values that are no strings are sent as their JSON text.
    Task<GetPromptResult> get_prompt(std::string name, Arguments const& arguments = {},
                                     CallOptions const& options = {}) const;

    /// Completes an argument of a prompt; `known` are the arguments already decided.
    Task<Completion> complete_prompt(std::string prompt, std::string argument, std::string value,
                                     std::map<std::string, std::string> known = {},
                                     CallOptions const& options = {}) const;
    /// The same for a variable of a resource template.
    Task<Completion> complete_resource(std::string uri_template, std::string argument,
                                       std::string value,
                                       std::map<std::string, std::string> known = {},
                                       CallOptions const& options = {}) const;

    // Tasks (2025-11-25): tool calls that outlive their request.

    Task<TaskInfo> start_tool_task(std::string name, Arguments arguments = {},
                                   std::optional<std::chrono::milliseconds> ttl = {},
                                   CallOptions const& options = {}) const;
    Task<GetTaskResult> get_task(std::string task_id, CallOptions const& options = {}) const;
    /// Waits until the task has ended; completes with the tool's result.
    Task<CallToolResult> task_result(std::string task_id, CallOptions const& options = {}) const;
    Task<std::vector<TaskInfo>> list_tasks(CallOptions const& options = {}) const;
    Task<> cancel_task(std::string task_id, CallOptions const& options = {}) const;

    // The connection.

    /// Completes when the server has answered; waits 5 seconds unless the options say otherwise. It
    /// sends `ping`, or in 2026-07-28, which has no ping, `server/discover`.
    Task<> ping(CallOptions const& options = {}) const;
    /// Asks anew what the server offers. What this connection relies on stays as it was. Before
    /// 2026-07-28 nothing is sent: the result is what the handshake said, with the version that was
    /// agreed on as the only one.
    Task<DiscoverResult> discover(CallOptions const& options = {}) const;
    /// The least severe messages the server shall send to ClientOptions::on_log. Until it is set,
    /// `info` in 2026-07-28, and before that what the server chooses.
    Task<> set_log_level(LoggingLevel level, CallOptions const& options = {}) const;
    /// Replaces the roots and tells the server, as far as this version has a way to.
    Task<> set_roots(client::List<Root> roots) const;
    /// Tells the server that what ClientOptions::on_roots would return has changed.
    Task<> notify_roots_changed() const;

    /// Sends any request; params and result are objects. Methods of the protocol are subject to the
    /// same checks as their typed functions.
    Task<RawJson> request(std::string method, RawJson params = {},
                          CallOptions const& options = {}) const;
    /// Sends any notification. Completes when it is on its way.
    Task<> notify(std::string method, RawJson params = {}) const;

    /// Every call that waits for its answer, oldest first.
    Task<std::vector<PendingCall>> pending() const;

    /// Where the client stands. Safe from any thread.
    ConnectionState state() const noexcept;
    /// Whether calls can be made. Safe from any thread.
    bool is_open() const noexcept { return state() == ConnectionState::ready; }
    /// How often the client has become ready. Safe from any thread.
    std::uint64_t connections() const noexcept;
    /// Safe from any thread.
    ClientLimitCounts limit_counts() const noexcept;
    /// Completes when calls can be made. Throws Error: timeout, or closed, shutdown or failed where
    /// that will not be the case any more. Cancellation: total.
    Task<> await_ready(Duration timeout = std::chrono::seconds(30)) const;
    /// Ends the connection: every pending call throws Error (shutdown). Safe from any thread and in
    /// any state; may be called again.
    void close() const noexcept;
    /// Takes no more calls, ends subscriptions, lets pending calls finish for at most this long,
    /// then closes. Completes when everything is released.
    Task<> stop(Duration grace = std::chrono::seconds(5)) const;
    /// Completes when everything the connection held is released: a child process is reaped, say.
    Task<> closed() const;

private:
    std::shared_ptr<client::Session> session() const;

    std::shared_ptr<client::Lease> lease_;
};

/// Opens a connection and finds out which version the server speaks. Completes when calls can be
/// made. Throws Error: what the connector throws, version_mismatch, timeout, transport_down or the
/// server's error; nothing is left behind then.
Task<Client> connect(std::unique_ptr<Connector> connector, ClientOptions const& options = {});
/// Begins to connect and completes at once: the client is `starting`, and goes on trying as
/// ClientOptions::reconnect says. Throws Error (invalid_argument) for options that make no sense.
Task<Client> start_client(std::unique_ptr<Connector> connector, ClientOptions const& options = {});
/// The same as the first on a connection that is open already.
Task<Client> connect(std::unique_ptr<Transport> transport, ClientOptions const& options = {});

}  // namespace lanyard
