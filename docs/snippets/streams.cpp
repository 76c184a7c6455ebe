// Snippets of docs/streams.md. What they set up is tried as far as that needs no other machine.
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <lanyard/client.hpp>
#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>

namespace {

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

void add_tools(lanyard::Server& server) {
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });
}

// [first]
int serve(lanyard::Server& server) {
    return server.run(lanyard::listen("tcp://127.0.0.1:4000"));  // or "unix:/run/greeter.sock"
}
// [/first]

// [several]
int serve_in_several_ways(lanyard::Server& server) {
    std::vector<std::unique_ptr<lanyard::Listener>> listeners;
    listeners.push_back(lanyard::listen("http://127.0.0.1:8080/mcp"));
    listeners.push_back(lanyard::listen("unix:/run/greeter.sock"));
    return server.run(lanyard::together(std::move(listeners)));
}
// [/several]

// [options]
lanyard::StreamServerOptions for_many_clients() {
    return lanyard::StreamServerOptions()
        .threads(4)
        .max_connections(10'000)
        .idle_expiry(std::chrono::minutes(30))
        .verifier(lanyard::bearer_tokens({lanyard::BearerToken("s3cret").subject("ada")}));
}
// [/options]

// [tls]
lanyard::StreamServerOptions with_certificates() {
    return lanyard::StreamServerOptions()
        .tls(lanyard::TlsOptions("/etc/mcp/server.pem", "/etc/mcp/server.key")
                 .client_authorities("/etc/mcp/clients.pem"))
        .verifier(lanyard::client_certificates());
}
// [/tls]

// [connect]
std::string call(std::string const& url) {
    lanyard::StreamClientOptions stream;
    stream.bearer_token("s3cret");
    stream.connect_timeout(std::chrono::seconds(2));
    auto const client = lanyard::blocking::connect(url, lanyard::ClientOptions(), stream);
    Greet const ada{"Ada"};
    return client.call<std::string>("greet", ada);
}
// [/connect]

}  // namespace

int main(int argc, char**) {
    lanyard::Server server{"greeter", "1.0.0"};
    add_tools(server);
    if (argc == 2) return serve(server);
    if (argc == 3) return serve_in_several_ways(server);
    if (with_certificates().tls()->key_file() != "/etc/mcp/server.key") return 1;
    auto listener = lanyard::listen("tcp://127.0.0.1:0", for_many_clients());
    auto const url = listener->url();
    std::thread thread(
        [&server, listener = std::move(listener)]() mutable { server.run(std::move(listener)); });
    auto const said = call(url);
    server.stop();
    thread.join();
    return said == "Hello, Ada!" ? 0 : 1;
}
