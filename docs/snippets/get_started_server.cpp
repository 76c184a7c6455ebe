// The server of docs/get-started.md.
// [server]
#include <lanyard/lanyard.hpp>

struct Greet {
    std::string name;
    unsigned marks = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (marks, "How many marks", min{1}, max{5}, defaulted))

int main() {
    lanyard::Server server{"greeter", "1.0.0"};
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + std::string(in.marks, '!'); });
    return server.run(lanyard::stdio());
}
// [/server]
