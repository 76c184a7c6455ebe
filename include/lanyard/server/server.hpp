// Server: what is offered to all peers, and how they are served.
#pragma once

#include <chrono>
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
#include <lanyard/server/context.hpp>
#include <lanyard/server/middleware.hpp>
#include <lanyard/server/options.hpp>
#include <lanyard/server/tool.hpp>
#include <lanyard/server/transform.hpp>
#include <lanyard/transport.hpp>

namespace lanyard {

namespace server {
class ServerCore;
}

/// A server: tools, resources and prompts, offered to any number of peers at a time, whatever
/// revision of the protocol each of them speaks.
///
/// Every function may be called from any thread, also while the server serves. What is wrong with a
/// feature (a bad name, a schema that does not compile, ...) is thrown where it is registered, as
/// Error (invalid_argument). Handlers may run in several threads at a time.
class Server : public Endpoint {
public:
    Server(std::string name, std::string version, ServerOptions options = {});
    explicit Server(Implementation identity, ServerOptions options = {});
    /// Ends every connection at once; a handler that is running has five seconds to return.
    ~Server() override;
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    /// Offers a function as a tool; see bind_tool for what it takes and returns. Replaces a tool of
    /// the same name.
    template <class F>
    void tool(std::string name, std::string description, F handler,
              ToolOptions const& options = {}) {
        add_typed_tool(describe_tool<F>(std::move(name), std::move(description)),
                       bind_tool(std::move(handler)), options);
    }
    /// Offers a tool whose schemas are made at run time. The handler gets a JsonObject that has
    /// been checked against the input schema; what it returns is checked against the output schema.
    template <class F>
    void add_tool(Tool tool, F handler, ToolOptions const& options = {}) {
        add_dynamic_tool(std::move(tool), bind_tool(std::move(handler)), options);
    }
    /// False where there is no such tool.
    bool remove_tool(std::string_view name);
    bool enable_tool(std::string_view name, bool enabled = true);

    /// Puts code around every request for a feature; what is added first is outermost.
    void use(Middleware middleware);
    /// Hides features from some requests; several filters all have to agree.
    void filter(Filter filter);
    /// Changes what peers see; transforms apply in the order in which they are added.
    void add_transform(std::shared_ptr<Transform const> transform);

    /// What clients are told about how to use this server.
    void instructions(std::string text);
    /// Declares a protocol extension with its settings.
    void extension(std::string id, JsonObject settings = {});
    /// Declares an experimental capability.
    void experimental(std::string name, JsonObject settings = {});
    /// Sends a log message to every peer that wants messages of this level.
    void log(LoggingLevel level, Json data, std::string_view logger = {});

    /// Runs handlers there from now on, instead of in the server's own threads. It must outlive the
    /// server.
    void executor(boost::asio::any_io_executor executor);
    /// Runs handlers by way of a function that takes what is to be run, such as the queue of a user
    /// interface's thread.
    void executor(std::function<void(std::function<void()>)> post);

    /// What the server offers at this moment.
    ServerCapabilities capabilities() const;
    /// Whether it offers this: "tools", "resources.subscribe", ...
    bool capability(std::string_view name) const;

    /// Serves until the listener ends or stop() is called; SIGINT and SIGTERM stop it gracefully.
    /// Returns the program's exit code.
    int run(std::unique_ptr<Listener> listener);
    /// Completes when the listener has ended. Throws what the listener throws.
    Task<> run_async(Listener& listener);
    /// Serves one connection; completes when it has ended. Does not throw. The server may be
    /// destroyed meanwhile, which ends the connection.
    Task<> serve(std::unique_ptr<Transport> transport) override;
    /// Accepts no more, lets requests under way end within the grace, then closes. Final: the
    /// server serves nobody afterwards.
    void stop(Duration grace = std::chrono::seconds(5)) noexcept;

private:
    void add_typed_tool(Tool tool, ToolFunction function, ToolOptions options);
    void add_dynamic_tool(Tool tool, ToolFunction function, ToolOptions options);

    std::shared_ptr<server::ServerCore> core_;
};

}  // namespace lanyard
