// `lanyard serve`: runs a server.
#include <lanyard/transport/stdio.hpp>

#include <memory>

#include "command.hpp"
#include "demo/demo.hpp"

namespace lanyard::app {
namespace {

struct ServeCommand {
    bool demo = false;
    bool stdio = false;
};

}  // namespace

void declare_serve(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<ServeCommand>();
    app.add_flag("--demo", command->demo, "The demonstration server, which shows every feature");
    app.add_flag("--stdio", command->stdio,
                 "Serve over stdin and stdout, which is the only way in this build");
    app.footer(
        "Example, as the configuration of an MCP client:\n"
        "  {\"mcpServers\": {\"demo\": {\"command\": \"lanyard\", \"args\": [\"serve\", "
        "\"--demo\"]}}}");
    app.callback([command, &invocation] {
        if (!command->demo) usage_error("which server? There is one: lanyard serve --demo");
        auto const server = demo::make_server();
        if (server->run(stdio()) != 0) invocation.exit = Exit::unreachable;
    });
}

}  // namespace lanyard::app
