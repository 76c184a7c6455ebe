// Starts the web server and calls the tool that it serves next to its pages.
#include <iostream>

#include <lanyard/http/client.hpp>

#include "support/example.hpp"
#include "support/started_server.hpp"

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, name)

lanyard::Task<> talk(std::string url, lanyard::ClientOptions options) {
    auto client = co_await lanyard::connect(lanyard::http_connector(url), options);
    Greet ada{"Ada"};
    auto const text = co_await client.call<std::string>("greet", ada);
    std::cout << text << '\n';
    example::expect(text == "Hello, Ada!", text);
}

int main(int argc, char** argv) {
    example::StartedServer const server(example::server(argc, argv));
    return lanyard::run(talk(server.url("/mcp"), example::options(argc, argv)));
}
