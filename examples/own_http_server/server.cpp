// The program's own web server (Boost.Beast) that also serves MCP: connections that request /mcp
// are passed to Lanyard, everything else is answered here.
#include <iostream>
#include <sstream>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <lanyard/http/listen.hpp>
#include <lanyard/server.hpp>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

// Reads the head of the first request and decides whether the mount serves the connection.
lanyard::Task<> serve(tcp::socket socket, lanyard::HttpMount& mount) {
    boost::beast::flat_buffer buffer;
    http::request_parser<http::empty_body> parser;
    co_await http::async_read_header(socket, buffer, parser, asio::use_awaitable);
    if (parser.get().target() == "/mcp") {
        // The mount parses the request again, together with the part of the body that was already
        // read.
        std::ostringstream head;
        head << parser.get().base();
        mount.take(socket.release(), head.str() + boost::beast::buffers_to_string(buffer.data()));
        co_return;
    }
    http::response<http::string_body> page(http::status::ok, 11);
    page.set(http::field::content_type, "text/plain");
    page.body() = "This is the page of the server itself.\n";
    page.keep_alive(false);
    page.prepare_payload();
    co_await http::async_write(socket, page, asio::use_awaitable);
}

lanyard::Task<> accept_all(tcp::acceptor& acceptor, lanyard::HttpMount& mount) {
    for (;;) {
        auto socket = co_await acceptor.async_accept(asio::use_awaitable);
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), mount), asio::detached);
    }
}

int main() {
    lanyard::Server server{"own http server", "1.0.0"};
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });

    asio::io_context context(1);
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    lanyard::HttpMount mount(server, context.get_executor(),
                             lanyard::HttpServerOptions().allow_host("127.0.0.1"));
    asio::co_spawn(context, accept_all(acceptor, mount), asio::detached);
    std::cout << acceptor.local_endpoint().port() << std::endl;
    context.run();
}
