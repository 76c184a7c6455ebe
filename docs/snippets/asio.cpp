// Snippets of docs/asio.md.
#include <chrono>
#include <iostream>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <lanyard/client.hpp>
#include <lanyard/connect.hpp>
#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>

namespace {

namespace asio = boost::asio;

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

// [tool]
lanyard::Task<std::string> greet_later(Greet in) {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(10));
    co_await timer.async_wait(asio::use_awaitable);
    co_return "Hello, " + in.name + "!";
}
// [/tool]

// [client]
lanyard::Task<> call(std::string url, std::string& answer, lanyard::Server& server) {
    auto const client = co_await lanyard::connect(url);
    Greet ada;
    ada.name = "Ada";
    answer = co_await client.call<std::string>("greet", ada);
    server.stop();
}
// [/client]

// [context]
std::string serve_and_call() {
    lanyard::Server server("greeter", "1.0.0");
    server.tool("greet", "Say hello to someone", greet_later);

    asio::io_context context;
    auto const listener = lanyard::listen("tcp://127.0.0.1:0");
    auto const url = "tcp://127.0.0.1:" + std::to_string(listener->port());
    asio::co_spawn(context, server.run_async(*listener), asio::detached);
    std::string answer;
    asio::co_spawn(context, call(url, answer, server), asio::detached);
    context.run();  // together with the other work of the program
    return answer;
}
// [/context]

}  // namespace

int main() {
    auto const answer = serve_and_call();
    std::cout << answer << '\n';
    return answer == "Hello, Ada!" ? 0 : 1;
}
