// bench-server: a plain server in the public API, for benchmarks of whole servers.
#include <iostream>
#include <string>

#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>

#include "allocation_count.hpp"

namespace {

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, (text, "What to say back"))

struct Add {
    double a = 0;
    double b = 0;
};
LANYARD_STRUCT(Add, a, b)

struct Sum {
    double sum = 0;
};
LANYARD_STRUCT(Sum, sum)

}  // namespace

int main(int argc, char** argv) {
    std::string const how = argc > 1 ? argv[1] : "";
    bool const http = how == "--port" && argc == 3;
    bool const tcp = how == "--tcp" && argc == 3;
    if (!http && !tcp && (how != "--stdio" || argc != 2)) {
        std::cerr << "usage: bench-server --stdio | --port N | --tcp N\n";
        return 1;
    }
    lanyard::Server server{"bench-server", "1.0.0"};
    server.tool("echo", "Says the text back", [](Echo in) { return in.text; });
    server.tool("add", "Adds two numbers", [](Add in) {
        Sum sum;
        sum.sum = in.a + in.b;
        return sum;
    });
    server.tool(
        "allocations", "How often memory was allocated so far",
        [](Echo) { return std::to_string(lanyard::bench::allocation_count()); },
        lanyard::ToolOptions().inline_());
    if (tcp) {
        lanyard::StreamServerOptions options;
        options.max_connections(20'000);
        return server.run(lanyard::listen("tcp://127.0.0.1:" + std::string(argv[2]), options));
    }
    if (!http) return server.run(lanyard::stdio());
    auto const options = lanyard::HttpServerOptions().mcp(
        lanyard::McpHttpOptions().websocket().max_websockets(100'000));
    return server.run(
        lanyard::listen("http://127.0.0.1:" + std::string(argv[2]) + "/mcp", options));
}
