// `lanyard serve`: runs a server.
#include <lanyard/http/listen.hpp>
#include <lanyard/transport/stdio.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "config.hpp"
#include "demo/demo.hpp"

namespace lanyard::app {
namespace {

struct ServeCommand {
    bool demo = false;
    bool stdio = false;
    std::optional<std::string> http;
    std::optional<std::string> bearer_env;
    std::vector<std::string> origins;
    std::vector<std::string> hosts;
};

HttpServerOptions http_options(ServeCommand const& command) {
    HttpServerOptions options;
    for (auto const& origin : command.origins) options.allow_origin(origin);
    for (auto const& host : command.hosts) options.allow_host(host);
    if (command.bearer_env) {
        auto token = process_environment(*command.bearer_env);
        if (!token || token->empty()) {
            usage_error("the variable " + *command.bearer_env + " of --bearer-env is not set");
        }
        options.verifier(bearer_tokens({{*std::move(token), "holder of " + *command.bearer_env}}));
    }
    return options;
}

/// How to reach the server with what people have.
void explain(std::ostream& out, std::string const& url) {
    out << "The demonstration server listens at " << url << " (Ctrl-C stops it). To connect:\n\n"
        << "  Claude Code  claude mcp add --transport http lanyard-demo " << url << '\n'
        << "  VS Code      code --add-mcp '{\"name\":\"lanyard-demo\",\"type\":\"http\",\"url\":\""
        << url << "\"}'\n"
        << "  Inspector    npx @modelcontextprotocol/inspector --cli " << url
        << " --transport http --method tools/list\n"
        << "  lanyard      lanyard list " << url << '\n'
        << "  curl         curl -s " << url << " -H 'Content-Type: application/json'"
        << " -H 'Accept: application/json, text/event-stream'"
        << " -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list'"
        << R"( -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
        << R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        << R"("io.modelcontextprotocol/clientCapabilities":{}}}}')" << std::endl;
}

/// Says where it listens once it does and signals are heeded.
class AnnouncedListener : public Listener {
public:
    explicit AnnouncedListener(std::unique_ptr<UrlListener> listener)
        : listener_(std::move(listener)) {}

    Task<> run(Endpoint& endpoint) override {
        explain(std::cout, listener_->url());
        return listener_->run(endpoint);
    }
    void stop() noexcept override { listener_->stop(); }
    std::string describe() const override { return listener_->describe(); }

private:
    std::unique_ptr<UrlListener> listener_;
};

int serve(Server& server, ServeCommand const& command) {
    if (!command.http) return server.run(stdio());
    auto listener = listen("http://" + *command.http + "/mcp", http_options(command));
    return server.run(std::make_unique<AnnouncedListener>(std::move(listener)));
}

}  // namespace

void declare_serve(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<ServeCommand>();
    app.add_flag("--demo", command->demo, "The demonstration server, which shows every feature");
    auto* const stdio =
        app.add_flag("--stdio", command->stdio, "Serve over stdin and stdout; this is the default");
    auto* const http = app.add_option("--http", command->http,
                                      "Serve over HTTP at ADDRESS:PORT; port 0 is any free one");
    http->excludes(stdio);
    app.add_option("--bearer-env", command->bearer_env,
                   "Variable of the environment with the token that clients have to send")
        ->needs(http);
    app.add_option("--allow-origin", command->origins,
                   "Let web pages of this origin call: https://app.example; may be repeated")
        ->expected(1)
        ->take_all()
        ->needs(http);
    app.add_option("--allow-host", command->hosts,
                   "Let clients call by this name; needed for addresses that are not loopback")
        ->expected(1)
        ->take_all()
        ->needs(http);
    app.footer(
        "Examples:\n"
        "  lanyard serve --demo --http 127.0.0.1:8080\n"
        "As the configuration of an MCP client:\n"
        "  {\"mcpServers\": {\"demo\": {\"command\": \"lanyard\", \"args\": [\"serve\", "
        "\"--demo\"]}}}");
    app.callback([command, &invocation] {
        if (!command->demo) usage_error("which server? There is one: lanyard serve --demo");
        auto const server = demo::make_server();
        if (serve(*server, *command) != 0) invocation.exit = Exit::unreachable;
    });
}

}  // namespace lanyard::app
