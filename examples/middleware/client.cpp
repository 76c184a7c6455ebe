// Connects twice: as an ordinary client, and as the administrator.
#include <iostream>

#include "support/example.hpp"

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, text)

lanyard::Task<> visit(std::string server, lanyard::ClientOptions options) {
    auto client = co_await lanyard::connect(lanyard::child_process(server), options);
    auto const tools = co_await client.list_tools();
    example::expect(tools.size() == 1 && tools[0].name == "echo", "the rest is hidden");

    Echo hello{"hello"};
    auto const text = co_await client.call<std::string>("echo", hello);
    example::expect(text == "hello", text);

    Echo rude{"something forbidden"};
    std::string refusal;
    try {
        co_await client.call<std::string>("echo", rude);
    } catch (lanyard::Error const& error) {
        refusal = error.message();
    }
    std::cout << "refused: " << refusal << '\n';
    example::expect(refusal == "mind your words", "the middleware refused");

    bool unknown = false;
    try {
        co_await client.call<int>("served");
    } catch (lanyard::Error const& error) {
        unknown = error.peer_code() == -32602;
    }
    example::expect(unknown, "what is hidden cannot be called");
}

lanyard::Task<> administer(std::string server, lanyard::ClientOptions options) {
    lanyard::Implementation admin{.name = "admin", .version = "1.0.0"};
    options.info(admin);
    auto client = co_await lanyard::connect(lanyard::child_process(server), options);
    auto const tools = co_await client.list_tools();
    example::expect(tools.size() == 2, "the administrator sees everything");
    auto const served = co_await client.call<int>("served");
    std::cout << served << " request served\n";
    example::expect(served == 1, "the list was counted");
}

lanyard::Task<> talk(std::string server, lanyard::ClientOptions options) {
    co_await visit(server, options);
    co_await administer(server, options);
}

int main(int argc, char** argv) {
    return lanyard::run(talk(example::server(argc, argv), example::options(argc, argv)));
}
