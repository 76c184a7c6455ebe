// bench-server: a plain server in the public API, for benchmarks of whole servers.
#include <cstring>
#include <iostream>

#include <lanyard/server.hpp>

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
    if (argc != 2 || std::strcmp(argv[1], "--stdio") != 0) {
        std::cerr << "usage: bench-server --stdio\n";
        return 1;
    }
    lanyard::Server server{"bench-server", "1.0.0"};
    server.tool("echo", "Says the text back", [](Echo in) { return in.text; });
    server.tool("add", "Adds two numbers", [](Add in) {
        Sum sum;
        sum.sum = in.a + in.b;
        return sum;
    });
    return server.run(lanyard::stdio());
}
