// conformance-server: the server that the official conformance suite tests.
#include <lanyard/transport/stdio.hpp>

#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "server/fixtures.hpp"

int main(int argc, char** argv) {
    std::span<char*> const arguments(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
    if (arguments.size() == 1 && std::string_view(arguments[0]) == "--stdio") {
        return lanyard::conformance::make_server()->run(lanyard::stdio());
    }
    std::cerr << "usage: conformance-server --stdio\n";
    return EXIT_FAILURE;
}
