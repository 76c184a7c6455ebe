// The program of docs/proxy.md: serves the tools of a program at an HTTP URL.
// [program]
#include <iostream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <lanyard/client.hpp>
#include <lanyard/proxy.hpp>
#include <lanyard/server.hpp>

namespace asio = boost::asio;

lanyard::Task<> serve(std::string program) {
    auto const client = co_await lanyard::connect(lanyard::child_process(program),
                                                  lanyard::ClientOptions().declare_questions(true));
    lanyard::Server server{"proxy", "1.0.0"};
    server.add_provider(lanyard::proxy_provider(client));

    auto const executor = co_await asio::this_coro::executor;
    asio::signal_set signals(executor, SIGINT, SIGTERM);
    signals.async_wait([&server](boost::system::error_code const& error, int) {
        if (!error) server.stop();
    });
    auto const listener = lanyard::listen("http://127.0.0.1:8080/mcp");
    co_await server.run_async(*listener);  // until SIGINT or SIGTERM
    co_await client.stop();
}

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: proxy PROGRAM\n";
        return 1;
    }
    return lanyard::run(serve(argv[1]));
}
// [/program]
