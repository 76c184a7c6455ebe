// A program that uses Asio by itself, in another file, and Lanyard: a server and clients on the
// program's own io_context, in memory, over TCP and over HTTP. Prints the parts that work.
#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <sstream>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <lanyard/client.hpp>
#include <lanyard/connect.hpp>
#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>
#include <lanyard/transport/memory.hpp>

#include "own_asio.hpp"

namespace asio = boost::asio;

struct Add {
    int a = 0;
    int b = 0;
};
LANYARD_STRUCT(Add, (a, "One number"), (b, "Another one"))

struct Sum {
    int sum = 0;
};
LANYARD_STRUCT(Sum, (sum, "Both"))

// Awaits a timer of the program's own Asio.
lanyard::Task<Sum> add_later(Add in) {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(1));
    co_await timer.async_wait(asio::use_awaitable);
    Sum result;
    result.sum = in.a + in.b;
    co_return result;
}

lanyard::Task<> call(lanyard::Client client, std::string name) {
    Add numbers;
    numbers.a = 40;
    for (int i = 0; i < 20; ++i) {
        numbers.b = i;
        auto const now = co_await client.call<Sum>("add", numbers);
        auto const later = co_await client.call<Sum>("add_later", numbers);
        if (now.sum != 40 + i || later.sum != now.sum) throw std::runtime_error("a wrong sum");
    }
    std::cout << name << '\n';
    co_await client.stop();
}

lanyard::Task<> call_all(lanyard::Server& server, std::vector<std::string> urls) {
    auto const executor = co_await asio::this_coro::executor;
    auto ends = lanyard::memory_pair(executor, executor);
    asio::co_spawn(executor, server.serve(std::move(ends.second)), asio::detached);
    auto inside = co_await lanyard::connect(std::move(ends.first));
    co_await call(inside, "memory");
    for (auto const& url : urls) {
        auto client = co_await lanyard::connect(url);
        co_await call(client, url.substr(0, url.find(':')));
    }
    server.stop();
}

int main() try {
    lanyard::Server server("own asio", "1.0.0");
    server.tool("add", "Adds", [](Add in) {
        Sum result;
        result.sum = in.a + in.b;
        return result;
    });
    server.tool("add_later", "Adds, after a while", add_later);

    asio::io_context context;
    own::start(context);
    auto tcp = lanyard::listen("tcp://127.0.0.1:0");
    auto http = lanyard::listen("http://127.0.0.1:0/mcp");
    std::vector<std::string> const urls = {
        "tcp://127.0.0.1:" + std::to_string(tcp->port()),
        "http://127.0.0.1:" + std::to_string(http->port()) + "/mcp"};
    std::exception_ptr failure;
    auto const keep = [&failure](std::exception_ptr const& error) {
        if (error) failure = error;
    };
    asio::co_spawn(context, server.run_async(*tcp), keep);
    asio::co_spawn(context, server.run_async(*http), keep);
    asio::co_spawn(context, call_all(server, urls), keep);
    context.run();
    if (failure) std::rethrow_exception(failure);

    // Sorted, so that the output does not depend on which part ended first.
    std::istringstream outcome(own::outcome());
    std::vector<std::string> words(std::istream_iterator<std::string>(outcome), {});
    std::sort(words.begin(), words.end());
    for (auto const& word : words) std::cout << word << '\n';
    return 0;
} catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
