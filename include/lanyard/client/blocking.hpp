// blocking::Client: the client for programs without coroutines.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/client/client.hpp>

namespace lanyard::blocking {

namespace detail {

/// An event loop that runs on its own threads.
class BlockingLoop {
public:
    BlockingLoop();
    ~BlockingLoop();
    BlockingLoop(BlockingLoop const&) = delete;
    BlockingLoop& operator=(BlockingLoop const&) = delete;

    /// Runs the task on the loop and blocks until it has ended. Throws what the task throws, and
    /// Error (invalid_phase) when called on a thread of the loop, because the thread would wait for
    /// itself.
    void run(Task<> task);

    template <class T>
    T get(Task<T> task) {
        std::optional<T> result;
        run(store(std::move(task), result));
        return *std::move(result);
    }

private:
    template <class T>
    static Task<> store(Task<T> task, std::optional<T>& result) {
        auto value = co_await std::move(task);
        result.emplace(std::move(value));
    }

    struct Context;
    std::unique_ptr<Context> context_;
};

}  // namespace detail

/// Iterates over the items of a list and fetches pages as they are needed.
template <class T>
class Pages {
public:
    Pages(std::shared_ptr<detail::BlockingLoop> loop, lanyard::Pages<T> pages)
        : loop_(std::move(loop)), pages_(std::move(pages)) {}

    /// Returns the next item, or nullopt after the last one.
    std::optional<T> next() { return loop_->get(pages_.next()); }
    /// Returns all remaining items.
    std::vector<T> rest() { return loop_->get(pages_.rest()); }

private:
    std::shared_ptr<detail::BlockingLoop> loop_;
    lanyard::Pages<T> pages_;
};

/// lanyard::Client without co_await: every function blocks until the answer has arrived and throws
/// what the coroutine would throw. Thread-safe. The handlers of ClientOptions run on the client's
/// own threads; on these threads, close() is the only function of this class that may be called. A
/// handler may block: this delays only the message that it handles, and the closing of the client.
class Client {
public:
    Client(std::shared_ptr<detail::BlockingLoop> loop, lanyard::Client client);
    /// Returns a non-owning handle of the client: destroying the handle does not close the client.
    static Client borrowed(std::shared_ptr<detail::BlockingLoop> loop, lanyard::Client client);

    Version version() const { return async().version(); }
    Implementation server_info() const { return async().server_info(); }
    ServerCapabilities server_capabilities() const { return async().server_capabilities(); }
    std::string instructions() const { return async().instructions(); }
    KnownServer known_server() const { return async().known_server(); }

    std::vector<Tool> list_tools(CallOptions const& options = {}) const {
        return wait(async().list_tools(options));
    }
    ListToolsResult list_tools_page(std::optional<Cursor> cursor = {},
                                    CallOptions const& options = {}) const {
        return wait(async().list_tools_page(std::move(cursor), options));
    }
    Pages<Tool> tools(CallOptions const& options = {}) const {
        return {loop(), async().tools(options)};
    }
    CallToolResult call_tool(std::string name, Arguments arguments = {},
                             CallOptions const& options = {}) const {
        return wait(async().call_tool(std::move(name), std::move(arguments), options));
    }
    template <std::same_as<CallOptions> Options>
    CallToolResult call_tool(std::string name, Options const& options) const {
        return wait(async().call_tool(std::move(name), options));
    }
    template <class R, class Input>
        requires(!std::same_as<Input, CallOptions>)
    R call(std::string name, Input const& arguments, CallOptions const& options = {}) const {
        return wait(async().call<R>(std::move(name), arguments, options));
    }
    template <class R>
    R call(std::string name, Arguments arguments = {}, CallOptions const& options = {}) const {
        return wait(async().call<R>(std::move(name), std::move(arguments), options));
    }
    template <class R, std::same_as<CallOptions> Options>
    R call(std::string name, Options const& options) const {
        return wait(async().call<R>(std::move(name), options));
    }
    std::vector<Result<CallToolResult>> call_all(std::vector<CallToolParams> calls,
                                                 CallOptions const& options = {}) const {
        return wait(async().call_all(std::move(calls), options));
    }

    std::vector<Resource> list_resources(CallOptions const& options = {}) const {
        return wait(async().list_resources(options));
    }
    ListResourcesResult list_resources_page(std::optional<Cursor> cursor = {},
                                            CallOptions const& options = {}) const {
        return wait(async().list_resources_page(std::move(cursor), options));
    }
    Pages<Resource> resources(CallOptions const& options = {}) const {
        return {loop(), async().resources(options)};
    }
    std::vector<ResourceTemplate> list_resource_templates(CallOptions const& options = {}) const {
        return wait(async().list_resource_templates(options));
    }
    ListResourceTemplatesResult list_resource_templates_page(
        std::optional<Cursor> cursor = {}, CallOptions const& options = {}) const {
        return wait(async().list_resource_templates_page(std::move(cursor), options));
    }
    Pages<ResourceTemplate> resource_templates(CallOptions const& options = {}) const {
        return {loop(), async().resource_templates(options)};
    }
    ReadResourceResult read_resource(std::string uri, CallOptions const& options = {}) const {
        return wait(async().read_resource(std::move(uri), options));
    }
    void subscribe(std::string uri, CallOptions const& options = {}) const {
        wait(async().subscribe(std::move(uri), options));
    }
    void unsubscribe(std::string uri, CallOptions const& options = {}) const {
        wait(async().unsubscribe(std::move(uri), options));
    }

    std::vector<Prompt> list_prompts(CallOptions const& options = {}) const {
        return wait(async().list_prompts(options));
    }
    ListPromptsResult list_prompts_page(std::optional<Cursor> cursor = {},
                                        CallOptions const& options = {}) const {
        return wait(async().list_prompts_page(std::move(cursor), options));
    }
    Pages<Prompt> prompts(CallOptions const& options = {}) const {
        return {loop(), async().prompts(options)};
    }
    GetPromptResult get_prompt(std::string name, Arguments const& arguments = {},
                               CallOptions const& options = {}) const {
        return wait(async().get_prompt(std::move(name), arguments, options));
    }
    Completion complete_prompt(std::string prompt, std::string argument, std::string value,
                               std::map<std::string, std::string> known = {},
                               CallOptions const& options = {}) const {
        return wait(async().complete_prompt(std::move(prompt), std::move(argument),
                                            std::move(value), std::move(known), options));
    }
    Completion complete_resource(std::string uri_template, std::string argument, std::string value,
                                 std::map<std::string, std::string> known = {},
                                 CallOptions const& options = {}) const {
        return wait(async().complete_resource(std::move(uri_template), std::move(argument),
                                              std::move(value), std::move(known), options));
    }

    TaskInfo start_tool_task(std::string name, Arguments arguments = {},
                             std::optional<std::chrono::milliseconds> ttl = {},
                             CallOptions const& options = {}) const {
        return wait(async().start_tool_task(std::move(name), std::move(arguments), ttl, options));
    }
    GetTaskResult get_task(std::string task_id, CallOptions const& options = {}) const {
        return wait(async().get_task(std::move(task_id), options));
    }
    CallToolResult task_result(std::string task_id, CallOptions const& options = {}) const {
        return wait(async().task_result(std::move(task_id), options));
    }
    std::vector<TaskInfo> list_tasks(CallOptions const& options = {}) const {
        return wait(async().list_tasks(options));
    }
    void cancel_task(std::string task_id, CallOptions const& options = {}) const {
        wait(async().cancel_task(std::move(task_id), options));
    }

    void ping(CallOptions const& options = {}) const { wait(async().ping(options)); }
    DiscoverResult discover(CallOptions const& options = {}) const {
        return wait(async().discover(options));
    }
    void set_log_level(LoggingLevel level, CallOptions const& options = {}) const {
        wait(async().set_log_level(level, options));
    }
    void set_roots(std::vector<Root> roots) const { wait(async().set_roots(std::move(roots))); }
    void notify_roots_changed() const { wait(async().notify_roots_changed()); }
    RawJson request(std::string method, RawJson params = {},
                    CallOptions const& options = {}) const {
        return wait(async().request(std::move(method), std::move(params), options));
    }
    std::vector<Result<RawJson>> request_all(std::vector<RawRequest> requests,
                                             CallOptions const& options = {}) const {
        return wait(async().request_all(std::move(requests), options));
    }
    [[nodiscard]] NotificationHandle on_notification(std::string method,
                                                     ClientOptions::NotificationHandler handler,
                                                     std::size_t max_concurrent = 1) const {
        return async().on_notification(std::move(method), std::move(handler), max_concurrent);
    }
    void notify(std::string method, RawJson params = {}) const {
        wait(async().notify(std::move(method), std::move(params)));
    }

    std::vector<PendingCall> pending() const { return wait(async().pending()); }
    ConnectionState state() const noexcept { return async().state(); }
    bool is_open() const noexcept { return async().is_open(); }
    std::vector<StateChange> history() const { return async().history(); }
    std::uint64_t connect_count() const noexcept { return async().connect_count(); }
    ClientLimitCounts limit_counts() const noexcept { return async().limit_counts(); }
    void await_ready(Duration timeout = std::chrono::seconds(30)) const {
        wait(async().await_ready(timeout));
    }
    void close() const noexcept { async().close(); }
    void stop(Duration grace = std::chrono::seconds(5)) const { wait(async().stop(grace)); }
    void closed() const { wait(async().closed()); }

    /// Returns the asynchronous client. Use wait() to run the tasks that it returns.
    lanyard::Client const& async() const noexcept;
    /// Runs a task on the client's threads, blocks until it has ended and returns its result.
    template <class T>
    T wait(Task<T> task) const {
        return loop()->get(std::move(task));
    }
    void wait(Task<> task) const { loop()->run(std::move(task)); }

private:
    struct State;
    explicit Client(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
    std::shared_ptr<detail::BlockingLoop> const& loop() const noexcept;

    std::shared_ptr<State> state_;
};

/// Same as lanyard::connect(), on the client's own threads.
Client connect(std::unique_ptr<Connector> connector, ClientOptions const& options = {});
/// Same as lanyard::start_client(), on the client's own threads.
Client start_client(std::unique_ptr<Connector> connector, ClientOptions const& options = {});
/// Connects over an open transport. The transport's executor must be running on another thread.
Client connect(std::unique_ptr<Transport> transport, ClientOptions const& options = {});

}  // namespace lanyard::blocking
