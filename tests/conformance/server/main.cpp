// conformance-server: the server that the official conformance suite tests, at
// http://127.0.0.1:PORT/mcp. With --stream it answers every request with an event stream, and with
// --threads it serves on several threads.
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "lanyard/http/listen.hpp"
#include "lanyard/transport/stdio.hpp"
#include "server/fixtures.hpp"

namespace {

std::unique_ptr<lanyard::Listener> listener_for(std::span<char*> arguments) {
    if (arguments.size() == 1 && std::string_view(arguments[0]) == "--stdio") {
        return lanyard::stdio();
    }
    if (arguments.size() < 2 || std::string_view(arguments[0]) != "--port") return nullptr;
    lanyard::HttpServerOptions options;
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        std::string_view const option = arguments[i];
        if (option == "--stream") {
            options.mcp(lanyard::McpHttpOptions().answers(lanyard::HttpAnswers::stream));
        } else if (option == "--threads" && i + 1 < arguments.size()) {
            options.threads(std::stoul(arguments[++i]));
        } else {
            return nullptr;
        }
    }
    return lanyard::listen("http://127.0.0.1:" + std::string(arguments[1]) + "/mcp", options);
}

}  // namespace

int main(int argc, char** argv) {
    std::span<char*> const arguments(argv, static_cast<std::size_t>(argc));
    try {
        auto listener = listener_for(arguments.subspan(arguments.empty() ? 0 : 1));
        if (listener != nullptr) {
            return lanyard::conformance::make_server()->run(std::move(listener));
        }
        std::cerr << "usage: conformance-server --port PORT [--stream] [--threads N] | --stdio\n";
    } catch (std::exception const& error) {
        std::cerr << error.what() << '\n';
    }
    return EXIT_FAILURE;
}
