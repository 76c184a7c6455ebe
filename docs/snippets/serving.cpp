// Snippets of docs/serving.md. What they set up is tried as far as that needs no client.
#include <iostream>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>

namespace {

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

// [first]
int first_program() {
    lanyard::Server server{"greeter", "1.0.0"};
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });
    return server.run(lanyard::listen("http://127.0.0.1:8080/mcp"));
}
// [/first]

void options() {
    using namespace std::chrono_literals;
    // [public]
    auto const callers = lanyard::bearer_tokens({lanyard::BearerToken("s3cret").subject("ada"),
                                                 lanyard::BearerToken("t0psecret").subject("bob")});
    auto listener =
        lanyard::listen("http://0.0.0.0:0/mcp", lanyard::HttpServerOptions()
                                                    .allow_host("mcp.example.com")
                                                    .allow_origin("https://app.example.com")
                                                    .verifier(callers)
                                                    .max_body_bytes(1'000'000)
                                                    .idle_expiry(60s));
    std::cout << "listening at " << listener->url() << '\n';
    // [/public]
}

// [tls]
lanyard::HttpServerOptions with_certificates() {
    return lanyard::HttpServerOptions()
        .tls(lanyard::TlsOptions("/etc/mcp/server.pem", "/etc/mcp/server.key")
                 .client_authorities("/etc/mcp/clients.pem"))
        .verifier(lanyard::client_certificates());
}
// [/tls]

// [sessions]
lanyard::HttpServerOptions for_many_clients() {
    return lanyard::HttpServerOptions().mcp(lanyard::McpHttpOptions()
                                                .sessions(lanyard::Sessions::hybrid)
                                                .max_sessions(50'000)
                                                .session_expiry(std::chrono::minutes(30))
                                                .sse());
}
// [/sessions]

// [websocket]
lanyard::HttpServerOptions with_websockets() {
    return lanyard::HttpServerOptions().mcp(
        lanyard::McpHttpOptions()
            .websocket(lanyard::WebSocketOptions().max_message_bytes(1'000'000))
            .max_websockets(5'000));
}
// [/websocket]

// [mount]
lanyard::Task<> accept_all(lanyard::Server& server, boost::asio::ip::tcp::acceptor& acceptor) {
    lanyard::HttpMount mount(server, acceptor.get_executor(),
                             lanyard::HttpServerOptions().allow_host("localhost"));
    for (;;) {
        auto socket = co_await acceptor.async_accept(boost::asio::use_awaitable);
        mount.take(socket.release());
    }
}
// [/mount]

}  // namespace

int main(int argc, char**) {
    if (argc > 1) return first_program();
    options();
    if (with_certificates().tls()->key_file() != "/etc/mcp/server.key") return 1;
    if (for_many_clients().mcp().max_sessions() != 50'000) return 1;
    if (with_websockets().mcp().websocket_path() != "/mcp/ws") return 1;
    boost::asio::io_context context(1);
    lanyard::Server server{"greeter", "1.0.0"};
    boost::asio::ip::tcp::acceptor acceptor(context, {boost::asio::ip::tcp::v4(), 0});
    boost::asio::co_spawn(context, accept_all(server, acceptor), boost::asio::detached);
    context.poll();
}
