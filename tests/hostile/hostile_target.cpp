// The server that hostile clients attack: on stdio, or with the argument "ports" on TCP and on HTTP
// with SSE and WebSockets; it prints the two ports.
#include <atomic>
#include <iostream>
#include <string>

#include <malloc.h>

#include "lanyard/http/listen.hpp"
#include "lanyard/server.hpp"
#include "lanyard/transport/stdio.hpp"
#include "lanyard/transport/stream.hpp"
#include "lanyard/transport/together.hpp"

namespace {

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, text)

struct Size {
    std::size_t bytes = 0;
};
LANYARD_STRUCT(Size, bytes)

// Closed until a client calls "open".
std::atomic<bool> gate = false;

void add_features(lanyard::Server& server) {
    server.tool("echo", "Returns its text", [](Text in) { return std::move(in.text); });
    server.tool("make", "Returns a text of this size",
                [](Size in) { return std::string(in.bytes, 'x'); });
    lanyard::ToolOptions blocking;
    blocking.blocking();
    server.tool(
        "wait", "Returns when the gate is open",
        [](Text in) {
            gate.wait(false);
            return std::to_string(in.text.size());
        },
        blocking);
    server.tool("open", "Opens the gate", [] {
        gate = true;
        gate.notify_all();
        return std::string("open");
    });
    // The tests do not measure memory that the allocator keeps for later use.
    server.tool("trim", "Gives free memory back to the system", [] {
        malloc_trim(0);
        return std::string("done");
    });
    server.resource_template("files://local{/path*}", "file", [](lanyard::UriVariables const& in) {
        auto const* path = in.find("path");
        auto const* list = std::get_if<lanyard::UriList>(path);
        return std::to_string(list != nullptr ? list->size() : 0);
    });
}

}  // namespace

int main(int argc, char**) {
    // malloc_trim() does not return the end of a thread's arena. With a fixed threshold, free()
    // does; without one, glibc raises it to twice the size of the largest block.
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
    lanyard::Server server("target", "1");
    add_features(server);
    if (argc == 1) return server.run(lanyard::stdio());
    auto stream = lanyard::listen("tcp://127.0.0.1:0", lanyard::StreamServerOptions());
    lanyard::HttpServerOptions options;
    options.mcp(lanyard::McpHttpOptions().sse().websocket());
    auto http = lanyard::listen("http://127.0.0.1:0/mcp", options);
    std::cout << "{\"tcp\":" << stream->port() << ",\"http\":" << http->port() << "}" << std::endl;
    std::vector<std::unique_ptr<lanyard::Listener>> listeners;
    listeners.push_back(std::move(stream));
    listeners.push_back(std::move(http));
    return server.run(lanyard::together(std::move(listeners)));
}
