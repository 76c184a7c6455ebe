// Offers the tools of another program, which it starts and which uses an older protocol revision.
// The three lines of the proxy are in main().
#include <string_view>

#include <lanyard/client.hpp>
#include <lanyard/proxy.hpp>
#include <lanyard/server.hpp>

struct Order {
    std::string drink;
};
LANYARD_STRUCT(Order, (drink, "What to serve"))

struct Details {
    int cups = 1;
};
LANYARD_STRUCT(Details, (cups, "How many cups"))

// The other program: a server of 2025-11-25 that asks while it serves a call.
int run_kitchen() {
    lanyard::ServerOptions options;
    options.versions({lanyard::Version::v2025_11_25});
    lanyard::Server server{"kitchen", "1.0.0", options};
    int orders = 0;
    server.tool("order", "Order a drink",
                [&](Order in, lanyard::Context& context) -> lanyard::Task<std::string> {
                    auto const number = ++orders;
                    context.report_progress(1, 2, "asking");
                    auto const details = co_await context.elicit<Details>("details", "How many?");
                    if (!details) throw lanyard::ToolError("the order was withdrawn");
                    co_return "order " + std::to_string(number) + ": " +
                        std::to_string(details->cups) + " " + in.drink;
                });
    return server.run(lanyard::stdio());
}

int main(int argc, char** argv) {
    if (argc > 1 && argv[1] == std::string_view("kitchen")) return run_kitchen();

    lanyard::ClientOptions options;
    options.declare_questions(true);  // the proxy passes questions on
    auto const kitchen =
        lanyard::blocking::connect(lanyard::child_process(argv[0], "kitchen"), options);

    lanyard::Server server{"proxy", "1.0.0"};
    server.add_provider(lanyard::proxy_provider(kitchen.async()));
    return server.run(lanyard::stdio());
}
