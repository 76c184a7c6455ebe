// bench-server: a plain server written with the public API, for benchmarks of whole servers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lanyard/listen.hpp"
#include "lanyard/server.hpp"
#include "server_tools.hpp"

namespace {

struct Options {
    std::string how;
    std::string port;
    std::string tools = "plain";
    bool stateless = false;
    std::optional<int> suspend_after;  // seconds
};

std::optional<Options> read_options(std::vector<std::string> const& arguments) {
    Options options;
    auto next = arguments.begin();
    if (next == arguments.end()) return std::nullopt;
    options.how = *next++;
    if (options.how != "--stdio") {
        if ((options.how != "--port" && options.how != "--tcp") || next == arguments.end()) {
            return std::nullopt;
        }
        options.port = *next++;
    }
    while (next != arguments.end()) {
        auto const option = *next++;
        if (option == "--stateless" && options.how == "--port") {
            options.stateless = true;
        } else if (option == "--suspend-after" && options.how == "--port" &&
                   next != arguments.end()) {
            options.suspend_after = std::stoi(*next++);
        } else if (option == "--tools" && next != arguments.end()) {
            options.tools = *next++;
        } else {
            return std::nullopt;
        }
    }
    return options;
}

// Returns false if there is no such set of tools.
bool add_tools(lanyard::Server& server, std::string const& tools) {
    using namespace lanyard::bench;
    if (tools == "plain") {
        add_plain_tools(server);
    } else if (tools == "list") {
        add_many_tools(server);
    } else if (tools == "long_list") {
        add_many_tools(server, 1'000);
    } else if (tools == "text") {
        add_text_tool(server);
    } else if (tools == "blob") {
        add_blob(server);
    } else if (tools == "growth") {
        add_growth_tools(server);
    } else {
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    auto const options = read_options({argv + 1, argv + argc});
    // Growth is measured beyond the default limit of the server.
    lanyard::Server server{"bench-server", "1.0.0", lanyard::ServerOptions().max_in_flight(2'000)};
    if (!options || !add_tools(server, options->tools)) {
        std::fputs(
            "usage: bench-server --stdio | --port N [--stateless] [--suspend-after SECONDS] | "
            "--tcp N "
            "[--tools plain|list|long_list|text|blob|growth]\n",
            stderr);
        return 1;
    }
    if (options->how == "--stdio") return server.run(lanyard::stdio());
    auto const address = "127.0.0.1:" + options->port;
    if (options->how == "--tcp") {
        return server.run(lanyard::listen("tcp://" + address,
                                          lanyard::StreamServerOptions().max_connections(20'000)));
    }
    auto mcp = lanyard::McpHttpOptions().websocket().max_websockets(100'000).max_sessions(100'000);
    if (options->suspend_after) mcp.suspend_after(std::chrono::seconds(*options->suspend_after));
    if (options->stateless) mcp.sessions(lanyard::Sessions::stateless);
    lanyard::HttpServerOptions http;
    http.max_body_bytes(std::uint64_t{32} * 1024 * 1024).mcp(std::move(mcp));
    return server.run(lanyard::listen("http://" + address + "/mcp", std::move(http)));
}
