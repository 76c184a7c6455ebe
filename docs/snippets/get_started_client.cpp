// The client of docs/get-started.md.
// [client]
#include <lanyard/lanyard.hpp>

#include <iostream>

struct Greet {
    std::string name;
    unsigned marks = 1;
};
LANYARD_STRUCT(Greet, name, marks)

lanyard::Task<> talk(std::string server) {
    auto client = co_await lanyard::connect(lanyard::child_process(server));
    for (auto const& tool : co_await client.list_tools()) {
        std::cout << tool.name << ": " << tool.description << '\n';
    }
    Greet ada{"Ada", 2};
    std::cout << co_await client.call<std::string>("greet", ada) << '\n';
}

int main(int argc, char** argv) {
    return lanyard::run(talk(argc > 1 ? argv[1] : "./greeter"));
}
// [/client]
