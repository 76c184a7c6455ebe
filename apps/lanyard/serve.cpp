// `lanyard serve`: runs a server.
#include "lanyard/listen.hpp"
#include "lanyard/transport/stdio.hpp"
#include "lanyard/transport/together.hpp"

#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "config.hpp"
#include "demo/demo.hpp"
#include "framing_option.hpp"
#include "runtime/processors.hpp"

namespace lanyard::app {
namespace {

constexpr std::size_t max_threads = 1024;

struct ServeCommand {
    bool demo = false;
    bool stdio = false;
    std::vector<std::string> http;
    std::vector<std::string> tcp;
    std::vector<std::string> local;
    std::optional<std::string> bearer_env;
    std::optional<std::string> certificate;
    std::optional<std::string> key;
    std::optional<std::string> client_authorities;
    bool allow_public = false;
    bool websocket = false;
    std::vector<std::string> origins;
    std::vector<std::string> hosts;
    std::optional<std::string> framing;
    std::string threads = "auto";
};

std::shared_ptr<Verifier> verifier_of(ServeCommand const& command) {
    if (!command.bearer_env) return nullptr;
    auto token = process_environment(*command.bearer_env);
    if (!token || token->empty()) {
        usage_error("the variable " + *command.bearer_env + " of --bearer-env is not set");
    }
    return bearer_tokens({BearerToken(*token).subject("holder of " + *command.bearer_env)});
}

std::optional<TlsOptions> tls_of(ServeCommand const& command) {
    if (!command.certificate) return std::nullopt;
    TlsOptions tls(*command.certificate, *command.key);
    if (command.client_authorities) tls.client_authorities(*command.client_authorities);
    return tls;
}

std::size_t threads_of(ServeCommand const& command) {
    if (command.threads == "auto") return runtime::available_processors();
    std::size_t count = 0;
    auto const* const end = command.threads.data() + command.threads.size();
    auto const [stop, failure] = std::from_chars(command.threads.data(), end, count);
    if (failure != std::errc() || stop != end || count == 0 || count > max_threads) {
        usage_error("--threads: '" + command.threads + "' is neither a number from 1 to " +
                    std::to_string(max_threads) + " nor auto");
    }
    return count;
}

HttpServerOptions http_options(ServeCommand const& command) {
    HttpServerOptions options;
    options.threads(threads_of(command));
    for (auto const& origin : command.origins) options.allow_origin(origin);
    for (auto const& host : command.hosts) options.allow_host(host);
    if (auto verifier = verifier_of(command)) options.verifier(std::move(verifier));
    if (auto tls = tls_of(command)) options.tls(*std::move(tls));
    if (command.websocket) options.mcp(McpHttpOptions().websocket());
    return options;
}

StreamServerOptions stream_options(ServeCommand const& command) {
    StreamServerOptions options;
    options.threads(threads_of(command));
    options.allow_public(command.allow_public);
    if (auto verifier = verifier_of(command)) options.verifier(std::move(verifier));
    return options;
}

/// Prints how to reach the server with common clients.
void explain(std::ostream& out, std::string const& url) {
    if (is_stream_url(url)) {
        out << "The demonstration server listens at " << url
            << " (Ctrl-C stops it). To connect:\n\n"
            << "  lanyard      lanyard list " << url << std::endl;
        return;
    }
    out << "The demonstration server listens at " << url << " (Ctrl-C stops it). To connect:\n\n"
        << "  Claude Code  claude mcp add --transport http lanyard-demo " << url << '\n'
        << "  VS Code      code --add-mcp '{\"name\":\"lanyard-demo\",\"type\":\"http\",\"url\":\""
        << url << "\"}'\n"
        << "  Inspector    npx @modelcontextprotocol/inspector --cli " << url
        << " --transport http --method tools/list\n"
        << "  lanyard      lanyard list " << url << '\n'
        << "  curl         curl -s " << url << " -H 'Content-Type: application/json'"
        << " -H 'Accept: application/json, text/event-stream'"
        << " -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list'"
        << R"( -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
        << R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        << R"("io.modelcontextprotocol/clientCapabilities":{}}}}')" << std::endl;
}

/// A listener that prints its address when the server runs it. By then, the listener is open and
/// the server handles signals.
class AnnouncedListener : public Listener {
public:
    /// Throws Error if the listener could not be opened.
    explicit AnnouncedListener(std::unique_ptr<UrlListener> listener)
        : listener_(std::move(listener)), url_(listener_->url()) {}

    Task<> run(Endpoint& endpoint) override {
        explain(std::cout, url_);
        return listener_->run(endpoint);
    }
    void stop() noexcept override { listener_->stop(); }
    bool reload() override { return listener_->reload(); }
    std::string describe() const override { return listener_->describe(); }

private:
    std::unique_ptr<UrlListener> listener_;
    std::string url_;
};

/// Throws Failure (usage) for an address without a port, and for one that other machines can reach
/// if no host name is allowed.
void check_address(std::string const& address, ServeCommand const& command) {
    auto const end_of_ipv6 = address.rfind(']');
    auto const colon = address.rfind(':');
    auto const has_port =
        colon != address.npos && (end_of_ipv6 == address.npos || colon > end_of_ipv6);
    if (!has_port) {
        usage_error("--http: the port is missing in '" + address + "'; port 0 is any free one");
    }
    auto const host = address.substr(0, colon);
    bool const loopback = host.starts_with("127.") || host == "localhost" || host == "[::1]";
    if (loopback || !command.hosts.empty()) return;
    usage_error(
        "other machines can reach '" + address +
        "': name the host that clients may use with --allow-host NAME, or listen at 127.0.0.1");
}

int serve(Server& server, ServeCommand const& command) {
    std::vector<std::unique_ptr<Listener>> listeners;
    auto const add = [&](std::unique_ptr<UrlListener> listener) {
        listeners.push_back(std::make_unique<AnnouncedListener>(std::move(listener)));
    };
    bool const secure = command.certificate.has_value();
    for (auto const& address : command.http) {
        check_address(address, command);
        add(listen((secure ? "https://" : "http://") + address + "/mcp", http_options(command)));
    }
    for (auto const& address : command.tcp) {
        auto options = stream_options(command);
        if (secure) options.tls(*tls_of(command));
        add(listen((secure ? "tls://" : "tcp://") + address, std::move(options)));
    }
    for (auto const& path : command.local) add(listen("unix:" + path, stream_options(command)));
    if (listeners.empty()) return server.run(stdio(framed_stream(command.framing)));
    return server.run(together(std::move(listeners)));
}

}  // namespace

void declare_serve(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<ServeCommand>();
    app.add_flag("--demo", command->demo, "The demonstration server, which shows every feature");
    auto* const stdio =
        app.add_flag("--stdio", command->stdio, "Serve over stdin and stdout; this is the default");
    auto const address = [&app, stdio](char const* name, std::vector<std::string>& values,
                                       char const* description) {
        app.add_option(name, values, description)->expected(1)->take_all()->excludes(stdio);
    };
    address("--http", command->http, "Serve over HTTP at ADDRESS:PORT; port 0 is any free one");
    address("--tcp", command->tcp, "Serve over TCP at ADDRESS:PORT, one message a line");
    address("--unix", command->local, "Serve at a Unix socket of this path");
    add_framing_option(app, command->framing, "How messages are delimited on stdin and stdout")
        ->excludes("--http", "--tcp", "--unix");
    app.add_flag("--ws", command->websocket, "With --http: serve WebSockets, too, at /mcp/ws")
        ->needs("--http");
    app.add_option("--threads", command->threads,
                   "Threads that serve connections: a number, or auto for one per processor")
        ->capture_default_str()
        ->excludes(stdio);
    app.add_option("--bearer-env", command->bearer_env,
                   "Variable of the environment with the token that clients have to send")
        ->excludes(stdio);
    auto* const certificate = app.add_option("--tls-cert", command->certificate,
                                             "Certificate (PEM): --http and --tcp use TLS");
    auto* const key = app.add_option("--tls-key", command->key, "Its key (PEM)");
    certificate->needs(key);
    key->needs(certificate);
    app.add_option("--tls-clients", command->client_authorities,
                   "Authorities (PEM) of client certificates, which are then required")
        ->needs(certificate);
    app.add_flag("--allow-public", command->allow_public,
                 "Admit every client that can reach the machine over TCP");
    app.add_option("--allow-origin", command->origins,
                   "Let web pages of this origin call: https://app.example; may be repeated")
        ->expected(1)
        ->take_all()
        ->needs("--http");
    app.add_option("--allow-host", command->hosts,
                   "Let clients call by this name; needed for addresses that are not loopback")
        ->expected(1)
        ->take_all()
        ->needs("--http");
    app.footer(
        "Examples:\n"
        "  lanyard serve --demo --http 127.0.0.1:8080\n"
        "  lanyard serve --demo --tcp 127.0.0.1:4000 --unix /run/user/1000/demo.sock\n"
        "As the configuration of an MCP client:\n"
        "  {\"mcpServers\": {\"demo\": {\"command\": \"lanyard\", \"args\": [\"serve\", "
        "\"--demo\"]}}}");
    app.callback([command, &invocation] {
        if (!command->demo) usage_error("which server? There is one: lanyard serve --demo");
        invocation.prints_result = false;
        auto const server = demo::make_server();
        if (serve(*server, *command) != 0) invocation.exit = Exit::unreachable;
    });
}

}  // namespace lanyard::app
