// bench-server: a plain server in the public API, for benchmarks of whole servers.
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <malloc.h>

#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>

#include "allocation_count.hpp"
#include "samples.hpp"

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

struct Find {
    std::string path;
    int limit = 100;
    bool recursive = false;
};
LANYARD_STRUCT(Find, (path, "Where to look"), (limit, "", lanyard::min(1), lanyard::max(100)),
               (recursive, "", lanyard::defaulted))

struct Options {
    std::string how;
    std::string port;
    std::string tools = "plain";
    bool stateless = false;
    std::optional<int> rest_after;  // seconds
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
        } else if (option == "--rest-after" && options.how == "--port" && next != arguments.end()) {
            options.rest_after = std::stoi(*next++);
        } else if (option == "--tools" && next != arguments.end()) {
            options.tools = *next++;
        } else {
            return std::nullopt;
        }
    }
    bool const known =
        options.tools == "plain" || options.tools == "list" || options.tools == "text";
    return known ? std::optional(options) : std::nullopt;
}

void add_plain_tools(lanyard::Server& server) {
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
    server.tool(
        "heap", "Bytes of memory in use", [](Echo) { return std::to_string(mallinfo2().uordblks); },
        lanyard::ToolOptions().inline_());
}

// A list of about 30 KB.
void add_many_tools(lanyard::Server& server) {
    for (int i = 0; i < 80; ++i) {
        auto const number = std::to_string(i);
        server.tool(
            "tool_" + number,
            "Does one of the many things that a tool can do, and says so in a sentence of "
            "ordinary length.",
            [](Find in) { return in.path; }, lanyard::ToolOptions().title("Tool number " + number));
    }
}

void add_text_tool(lanyard::Server& server) {
    static auto const text = lanyard::bench::prose(1'000'000);
    server.tool("text", "Gives a megabyte of text", [] { return std::string_view(text); });
}

}  // namespace

int main(int argc, char** argv) {
    auto const options = read_options({argv + 1, argv + argc});
    if (!options) {
        std::fputs(
            "usage: bench-server --stdio | --port N [--stateless] [--rest-after SECONDS] | --tcp N "
            "[--tools plain|list|text]\n",
            stderr);
        return 1;
    }
    lanyard::Server server{"bench-server", "1.0.0"};
    if (options->tools == "list") {
        add_many_tools(server);
    } else if (options->tools == "text") {
        add_text_tool(server);
    } else {
        add_plain_tools(server);
    }
    if (options->how == "--stdio") return server.run(lanyard::stdio());
    auto const address = "127.0.0.1:" + options->port;
    if (options->how == "--tcp") {
        return server.run(lanyard::listen("tcp://" + address,
                                          lanyard::StreamServerOptions().max_connections(20'000)));
    }
    auto mcp = lanyard::McpHttpOptions().websocket().max_websockets(100'000).max_sessions(100'000);
    if (options->rest_after) mcp.rest_after(std::chrono::seconds(*options->rest_after));
    if (options->stateless) mcp.sessions(lanyard::Sessions::stateless);
    return server.run(lanyard::listen("http://" + address + "/mcp",
                                      lanyard::HttpServerOptions().mcp(std::move(mcp))));
}
