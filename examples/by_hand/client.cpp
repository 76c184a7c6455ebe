// An ordinary client; the server's own event loop makes no difference to it.
#include <iostream>

#include "support/example.hpp"

struct Numbers {
    double a = 0;
    double b = 0;
};
LANYARD_STRUCT(Numbers, a, b)

lanyard::Task<> talk(std::string server, lanyard::ClientOptions options) {
    auto client = co_await lanyard::connect(lanyard::child_process(server), options);
    Numbers const numbers{3, 4};
    auto const sum = co_await client.call<double>("add", numbers);
    auto const product = co_await client.call<double>("multiply", numbers);
    std::cout << sum << ' ' << product << '\n';
    example::expect(sum == 7 && product == 12, "arithmetic");

    // Make many calls concurrently.
    std::vector<lanyard::CallToolParams> calls(100);
    for (auto& call : calls) {
        call.name = "multiply";
        call.arguments = lanyard::to_raw_json(numbers);
    }
    for (auto const& outcome : co_await client.call_all(calls)) {
        example::expect(outcome.has_value() && !outcome->is_error, "a hundred products");
    }
}

int main(int argc, char** argv) {
    return lanyard::run(talk(example::server(argc, argv), example::options(argc, argv)));
}
