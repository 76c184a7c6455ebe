// The server of docs/get-started.md.
// [server]
#include <lanyard/lanyard.hpp>

struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, "How often", min{1}, max{5}, defaulted))

int main() {
    lanyard::Server server{"greeter", "1.0.0"};
    server.tool("greet", "Say hello to someone", [](Greet in) {
        std::string text = "Hello";
        for (int i = 0; i < in.times; ++i) text += ", " + in.name;
        return text + "!";
    });
    return server.run(lanyard::stdio());
}
// [/server]
