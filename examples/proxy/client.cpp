// Orders drinks through the proxy and answers the questions of the server behind it.
#include <iostream>

#include "support/example.hpp"

struct Order {
    std::string drink;
};
LANYARD_STRUCT(Order, drink)

lanyard::ElicitResult answer(lanyard::ElicitFormParams const& form) {
    std::cout << form.message << '\n';
    lanyard::ElicitResult result;
    result.action = lanyard::ElicitAction::accept;
    result.content = lanyard::JsonObject{{"cups", 2}};
    return result;
}

lanyard::Task<> talk(std::string server, lanyard::ClientOptions options) {
    options.on_elicitation(answer);
    auto client = co_await lanyard::connect(lanyard::child_process(server), options);
    for (auto const& tool : co_await client.list_tools()) {
        std::cout << tool.name << ": " << tool.description << '\n';
    }

    Order const tea{"tea"};
    auto const first = co_await client.call<std::string>("order", tea);
    std::cout << first << '\n';
    example::expect(first == "order 1: 2 tea", "the kitchen got the answer");

    // The kitchen has got each order once, although a client of 2026-07-28 sends it twice.
    Order const coffee{"coffee"};
    auto const second = co_await client.call<std::string>("order", coffee);
    std::cout << second << '\n';
    example::expect(second == "order 2: 2 coffee", "no order was repeated");
}

int main(int argc, char** argv) {
    return lanyard::run(talk(example::server(argc, argv), example::options(argc, argv)));
}
