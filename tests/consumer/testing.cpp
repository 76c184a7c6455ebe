// A program that tests a server with lanyard::testing.
#include <lanyard/lanyard.hpp>
#include <lanyard/testing/connect.hpp>

#include <iostream>

lanyard::Task<> test_server() {
    lanyard::Server server("consumer", "1.0.0");
    server.resource("consumer://answer", "answer", std::string("42"));
    auto const client = co_await lanyard::testing::connect(server, lanyard::Era::modern);
    auto const resources = co_await client.list_resources();
    std::cout << "tested a server with " << resources.size() << " resource\n";
}

int main() {
    return lanyard::run(test_server());
}
