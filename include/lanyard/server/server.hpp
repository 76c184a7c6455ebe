// Server: registers tools, resources and prompts and serves them to peers.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include <lanyard/protocol/base.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/logging.hpp>
#include <lanyard/server/completion.hpp>
#include <lanyard/server/context.hpp>
#include <lanyard/server/limit_counts.hpp>
#include <lanyard/server/middleware.hpp>
#include <lanyard/server/notification.hpp>
#include <lanyard/server/options.hpp>
#include <lanyard/server/prompt.hpp>
#include <lanyard/server/provider.hpp>
#include <lanyard/server/resource.hpp>
#include <lanyard/server/tool.hpp>
#include <lanyard/server/transform.hpp>
#include <lanyard/transport.hpp>

namespace lanyard {

/// A connection of the server, for diagnosis.
struct SessionInfo {
    /// A state of the connection, for example "ready". `reason` is set if it is not obvious why the
    /// connection is in this state.
    struct Phase {
        std::string name;
        TimePoint at;
        std::string reason;
    };

    std::string id;
    TransportInfo transport;
    Implementation client;  ///< name and version; empty if the client has not sent them
    std::string version;    ///< the protocol version; empty until it is negotiated
    std::vector<Phase> phases;
    std::size_t in_flight = 0;  ///< requests being served
    std::uint64_t requests = 0;
    std::uint64_t violations = 0;  ///< messages that broke a rule of the protocol
    std::size_t subscriptions = 0;
    std::uint64_t handshakes = 0;  ///< `initialize` requests of the client
};

/// A request that has not ended yet, see Server::pending().
struct UnansweredRequest {
    std::string session;      ///< SessionInfo::id; empty for a stateless request
    bool from_client = true;  ///< false: the server has sent the request to the client
    std::string method;
    std::string id;  ///< JSON text; empty if the server no longer needs the id
    Duration age{};  ///< how long ago the request was received or sent
};

/// Counts of stateless requests: HTTP requests that carry all their metadata and need no session
/// (since protocol revision 2026-07-28).
struct StatelessInfo {
    /// The number of requests that the currently open listeners have received so far.
    std::uint64_t requests = 0;
    /// The number of requests that have not ended yet, including open streams.
    std::size_t in_flight = 0;
};

/// An MCP server: tools, resources and prompts that any number of clients use at the same time,
/// each in its own protocol revision.
///
/// Example (docs/snippets/class_examples.cpp#server):
///
///     struct Greet {
///         std::string name;
///     };
///     LANYARD_STRUCT(Greet, (name, "Who to greet"))
///
///     int serve() {
///         lanyard::Server server{"greeter", "1.0.0"};
///         server.tool("greet", "Say hello to someone",
///                     [](Greet in) { return "Hello, " + in.name + "!"; });
///         return server.run(lanyard::stdio());
///     }
///
/// Ownership: the server owns its handlers, and shares the ownership of providers and transforms.
/// Objects that handlers refer to must outlive the server. run() owns the listener; run_async()
/// uses the listener and the server until it completes, so both must live that long. A call in
/// progress keeps its handler, even if the feature is removed or replaced meanwhile.
///
/// Threads: all functions may be called from any thread at any time, also by handlers while the
/// server is serving. Handlers may run concurrently on several threads, so protect the data that
/// they share. run() serves in threads of its own: a handler that blocks delays only its own call.
/// run_async() and serve() use the caller's executor, so handlers that block must be registered
/// with blocking().
///
/// Errors: the constructor throws Error (invalid_argument) if the name or the list of versions is
/// empty. Registration throws the same error if a feature is invalid, for example because of a bad
/// name or a schema that does not compile. An exception of a handler ends only its own call: a
/// ToolError is a result for the model, a Refusal an error for the host. For most other exceptions
/// the client gets a neutral text with a reference, and the log has the details under this
/// reference.
///
/// Pitfalls:
/// - Register at least one feature of each kind before clients connect, or declare the kind with
///   ServerOptions::declare_tools() and the like. In protocol revisions up to 2025-11-25 a client
///   gets the capabilities once, in the handshake, and cannot list the tools of a server that had
///   none at that time.
/// - Do not destroy a server in one of its handlers, because the destructor waits for running
///   handlers.
/// - A stopped server cannot serve again; make another one.
class Server : public Endpoint {
public:
    Server(std::string name, std::string version, ServerOptions options = {});
    explicit Server(Implementation identity, ServerOptions options = {});
    /// Closes every connection immediately, then waits up to five seconds for running handlers to
    /// return.
    ~Server() override;
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    /// Offers a function as a tool; see bind_tool() for its parameters and result. Replaces a tool
    /// of the same name.
    template <class F>
    void tool(std::string name, std::string description, F handler,
              ToolOptions const& options = {}) {
        auto const rules = tool_rules(options);
        add_typed_tool(describe_tool<F>(std::move(name), std::move(description), rules),
                       bind_tool(std::move(handler), rules), options);
    }
    template <class F>
    void tool(std::string name, std::string description, ToolOptions const& options, F handler) {
        tool(std::move(name), std::move(description), std::move(handler), options);
    }
    /// Offers a tool whose schemas are built at run time. The handler gets a JsonObject that has
    /// been checked against the input schema. The handler's result is checked against the output
    /// schema.
    template <class F>
    void add_tool(Tool tool, F handler, ToolOptions const& options = {}) {
        ToolRules rules;
        // The input schema decides whether unknown arguments are allowed.
        rules.ignore_unknown_arguments = true;
        add_dynamic_tool(std::move(tool), bind_tool(std::move(handler), rules), options);
    }
    /// Removes a tool. Returns false if there is no such tool.
    bool remove_tool(std::string_view name);
    /// Enables or disables a tool. Returns false if there is no such tool.
    bool enable_tool(std::string_view name, bool enabled = true);

    /// Offers a resource: constant text or bytes, or a function that yields the content; see
    /// bind_resource().
    template <class Content>
    void resource(std::string uri, std::string name, Content content,
                  ResourceOptions const& options = {}) {
        Resource resource;
        resource.uri = std::move(uri);
        resource.name = std::move(name);
        add_resource(std::move(resource), std::move(content), options);
    }
    template <class Content>
    void resource(std::string uri, std::string name, ResourceOptions const& options,
                  Content content) {
        resource(std::move(uri), std::move(name), std::move(content), options);
    }
    /// Offers a resource whose description is built at run time. Options that are set override the
    /// members of the description.
    template <class Content>
    void add_resource(Resource resource, Content content, ResourceOptions const& options = {}) {
        add_bound_resource(std::move(resource), bind_resource(std::move(content)), options);
    }
    /// Offers all resources whose URIs match the template; see bind_resource_template().
    template <class F>
    void resource_template(std::string uri_template, std::string name, F handler,
                           ResourceOptions const& options = {}) {
        ResourceTemplate resource_template;
        resource_template.uri_template = std::move(uri_template);
        resource_template.name = std::move(name);
        add_resource_template(std::move(resource_template), std::move(handler), options);
    }
    template <class F>
    void resource_template(std::string uri_template, std::string name,
                           ResourceOptions const& options, F handler) {
        resource_template(std::move(uri_template), std::move(name), std::move(handler), options);
    }
    /// Offers a template whose description is built at run time. Options that are set override the
    /// members of the description.
    template <class F>
    void add_resource_template(ResourceTemplate resource_template, F handler,
                               ResourceOptions const& options = {}) {
        add_bound_template(std::move(resource_template), bind_resource_template(std::move(handler)),
                           options);
    }
    /// Removes a resource. Returns false if there is no such resource.
    bool remove_resource(std::string_view uri);
    /// Removes a resource template. Returns false if there is no such template.
    bool remove_resource_template(std::string_view uri_template);
    /// Notifies the subscribers of a resource that the resource has changed.
    void resource_updated(std::string_view uri);

    /// Notifies a client that its user has finished on a web page; the id is the one that was
    /// passed to Context::elicit_url. Does nothing if no client has the id, or if the client's
    /// protocol revision has no such notification (only 2025-11-25 has it).
    void elicitation_complete(std::string_view elicitation_id);

    /// Offers a function as a prompt; see bind_prompt() for its parameters and result. The members
    /// of the function's input struct become the prompt's arguments; enumerations get completion
    /// automatically.
    template <class F>
    void prompt(std::string name, std::string description, F handler,
                PromptOptions const& options = {}) {
        add_bound_prompt(describe_prompt<F>(std::move(name), std::move(description)),
                         bind_prompt(std::move(handler)), options);
    }
    template <class F>
    void prompt(std::string name, std::string description, PromptOptions const& options,
                F handler) {
        prompt(std::move(name), std::move(description), std::move(handler), options);
    }
    /// Offers a prompt whose arguments are built at run time; the handler takes PromptArguments.
    template <class F>
    void add_prompt(Prompt prompt, F handler, PromptOptions const& options = {}) {
        add_bound_prompt(std::move(prompt), bind_prompt(std::move(handler)), options);
    }
    /// Removes a prompt. Returns false if there is no such prompt.
    bool remove_prompt(std::string_view name);

    /// Suggests values for an argument of a prompt; see bind_completion().
    template <class F>
    void complete_prompt(std::string_view prompt, std::string_view argument, F handler) {
        add_prompt_completion(prompt, argument, bind_completion(std::move(handler)));
    }
    /// Suggests values for a variable of a resource template.
    template <class F>
    void complete_template(std::string_view uri_template, std::string_view variable, F handler) {
        add_template_completion(uri_template, variable, bind_completion(std::move(handler)));
    }

    /// Offers the features of the provider in addition to the registered features. A registered
    /// feature with the same name or URI takes precedence.
    void add_provider(std::shared_ptr<Provider> provider);
    /// Notifies clients that the list of features of this kind has changed. Needed only for changes
    /// that the server cannot detect, for example if a filter now hides different features than
    /// before.
    void list_changed(FeatureKind kind);

    /// Adds a middleware, which wraps every request for a feature. The middleware that is added
    /// first is outermost.
    void use(Middleware middleware);
    /// Adds a filter, which hides features from some requests. A feature is visible only if all
    /// filters allow it.
    void filter(Filter filter);
    /// Adds a transform, which changes how features appear to peers. Transforms are applied in the
    /// order in which they are added.
    void add_transform(std::shared_ptr<Transform const> transform);

    /// Hints for clients and their models on how to use this server.
    void instructions(std::string text);
    /// Declares a protocol extension with its settings.
    void extension(std::string id, JsonObject settings = {});
    /// Declares an experimental capability.
    void experimental(std::string name, JsonObject settings = {});
    /// Sends a log message to every peer that accepts messages of this level.
    void log(LoggingLevel level, Json data, std::string_view logger = {});
    /// Same as above, with text as data: a literal, a std::string or a std::string_view.
    template <std::convertible_to<std::string_view> Text>
    void log(LoggingLevel level, Text const& text, std::string_view logger = {}) {
        log(level, Json(std::string_view(text)), logger);
    }

    // Handlers of the following events are added to those that are registered already. They run
    // like plain functions with blocking(): in a worker thread, or on the executor of executor().
    // The events of one connection are handled one at a time, in the order in which they happened;
    // events of different connections are handled concurrently. An exception of a handler is
    // logged. The destructor of the server waits up to five seconds for handlers in worker threads.
    // After the destructor, no handler is started.

    /// Adds a handler for the notifications of this method that clients send. Throws Error
    /// (invalid_argument) for `notifications/cancelled` and `notifications/progress`, which the
    /// library processes itself. At most ServerOptions::max_queued_notifications notifications of
    /// a connection wait for their handlers.
    void on_notification(std::string method, NotificationHandler handler);
    /// Adds a handler for all notifications of clients, except `notifications/cancelled` and
    /// `notifications/progress`. It is called after the handlers that on_notification() has added
    /// for the method.
    void on_any_notification(NotificationHandler handler);
    /// Adds a handler that is called when a client reports that its roots have changed.
    void on_roots_changed(NotificationHandler handler);
    /// Adds a handler that is called when a connection enters another phase, for example "ready"
    /// or "closed". SessionInfo::phases.back() is the new phase.
    void on_phase(std::function<void(SessionInfo const& session)> handler);
    /// Adds a handler that is called when the capabilities of the server have changed, for example
    /// because the first tool was registered. Unlike the handlers above, this handler runs inside
    /// the function that changes the server, and that function throws the exceptions of the
    /// handler. Changes are reported one after the other; a report may cover several changes.
    void on_capabilities_changed(
        std::function<void(ServerCapabilities const& capabilities)> handler);

    /// From now on, runs handlers, middleware, filters and providers on this executor instead of in
    /// the server's own threads. This includes handlers with blocking() and the functions of
    /// Context::run_blocking(). The executor must outlive the server. It must not run two functions
    /// at the same time, unless all handlers are plain functions.
    void executor(boost::asio::any_io_executor executor);
    /// Same as above with a function instead of an executor. `post` must arrange that each function
    /// that it gets is called once, for example on the thread of a user interface. `post` is called
    /// from any thread, and must not call the function directly.
    void executor(std::function<void(std::function<void()>)> post);

    /// The capabilities of the server at this moment.
    ServerCapabilities capabilities() const;
    /// Whether the server has this capability: "tools", "resources.subscribe", ...
    bool capability(std::string_view name) const;

    /// The open connections.
    std::vector<SessionInfo> sessions() const;
    /// The requests that are pending now: requests of clients whose handlers are running, and
    /// requests of the server (elicitation, sampling, roots and pings). Completes when the executor
    /// of each connection has reported its requests. Do not await this function on an executor that
    /// is blocked.
    Task<std::vector<UnansweredRequest>> pending() const;
    /// Counts of the stateless requests, which do not appear in sessions().
    StatelessInfo stateless_info() const;
    /// The number of times that each limit was reached.
    LimitCounts limit_counts() const noexcept;

    /// Serves until the listener ends or stop() is called. Returns the program's exit code.
    ///
    /// Meanwhile SIGINT and SIGTERM stop the server gracefully. A second such signal ends the
    /// process at once, even if a handler blocks; the exit status is 128 + the signal's number.
    /// SIGHUP reloads the files of the listener (Listener::reload), or stops the server gracefully
    /// if the listener has no files. SIGPIPE is ignored. The previous signal handling is restored
    /// at the end.
    int run(std::unique_ptr<Listener> listener);
    /// Serves until the listener has ended. Throws what the listener throws.
    Task<> run_async(Listener& listener);
    /// Serves one connection; completes when it has ended. Does not throw. The server may be
    /// destroyed meanwhile, which closes the connection.
    Task<> serve(std::unique_ptr<Transport> transport) override;
    TimeSource& time() const noexcept override;
    Random& random() const noexcept override;
    std::vector<Version> versions() const override;
    void record(LoggingLevel level, std::string_view text) const noexcept override;
    /// Accepts no more connections, waits at most `grace` for pending requests, then closes all
    /// connections. The server cannot be used for serving afterwards.
    void stop(Duration grace = std::chrono::seconds(5)) noexcept;
    /// Whether stop() has been called. The connections may still be finishing their requests.
    bool stopping() const noexcept;

private:
    struct Impl;

    std::shared_ptr<rpc::detail::RequestEntry> open_entry(
        boost::asio::any_io_executor executor) override;
    ToolRules tool_rules(ToolOptions const& options) const noexcept;
    void add_typed_tool(Tool tool, ToolFunction function, ToolOptions options);
    void add_dynamic_tool(Tool tool, ToolFunction function, ToolOptions options);
    void add_bound_resource(Resource resource, ResourceFunction function, ResourceOptions options);
    void add_bound_template(ResourceTemplate resource_template, ResourceFunction function,
                            ResourceOptions options);
    void add_bound_prompt(Prompt prompt, PromptFunction function, PromptOptions options);
    void add_prompt_completion(std::string_view prompt, std::string_view argument,
                               CompletionFunction function);
    void add_template_completion(std::string_view uri_template, std::string_view variable,
                                 CompletionFunction function);

    std::shared_ptr<Impl> core_;
};

}  // namespace lanyard
