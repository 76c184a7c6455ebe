// Starts the server, asks what it can do, and calls its tool.
#include <iostream>

#include "support/example.hpp"

struct Greet {
    std::string name;
    unsigned marks = 1;
};
LANYARD_STRUCT(Greet, name, marks)

lanyard::Task<> talk(std::string server, lanyard::ClientOptions options) {
    auto client = co_await lanyard::connect(lanyard::child_process(server), options);
    for (auto const& tool : co_await client.list_tools()) {
        std::cout << tool.name << ": " << tool.description << '\n';
    }

    Greet ada{"Ada", 2};
    auto const text = co_await client.call<std::string>("greet", ada);
    std::cout << text << '\n';
    example::expect(text == "Hello, Ada!!", text);

    // The schema allows at most five; the text of the error is meant for a model.
    Greet loud{"Ada", 9};
    auto const refused = co_await client.call_tool("greet", lanyard::to_raw_json(loud));
    example::expect(refused.is_error, "nine marks are refused");
}

int main(int argc, char** argv) {
    return lanyard::run(talk(example::server(argc, argv), example::options(argc, argv)));
}
