// The scenarios.
#include <array>
#include <filesystem>
#include <fstream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/files/confined_folder.hpp"
#include "lanyard/files/file_watcher.hpp"
#include "lanyard/proxy.hpp"
#include "lanyard/testing/connect.hpp"
#include "lanyard/transport/child_process.hpp"
#include "lanyard/transport/stdio.hpp"
#include "support/certificates.hpp"
#include "torture/stage.hpp"

namespace lanyard::torture {

namespace {

namespace fs = std::filesystem;

constexpr auto modern = newest_version;
constexpr auto legacy = newest_legacy_version;

// Certificates and a folder, made before anything fails and used by all runs.
test::Certificates const& files() {
    static test::Certificates const made;
    return made;
}

// Runs the task to its end on an event loop of its own.
void run_here(Task<> task) {
    boost::asio::io_context context;
    bool ended = false;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr thrown) {
        ended = true;
        failure = std::move(thrown);
    });
    context.run_for(20s);
    if (failure) std::rethrow_exception(failure);
    if (!ended) throw Harm{"the task has not ended"};
}

// A client and a server on one event loop, in both eras.
void in_memory() {
    for (auto const era : {Era::modern, Era::legacy}) {
        Server server("torture", "1", server_options());
        add_features(server);
        run_here([](Server& at, Era with) -> Task<> {
            auto const options = client_options(with == Era::modern ? modern : legacy);
            auto client = co_await testing::connect(at, with, options);
            co_await talk(std::move(client));
        }(server, era));
    }
}

// This program as a server, on pipes.
void child() {
    ChildProcessOptions options({"/proc/self/exe", "--serve"});
    options.exit_timeout(2s);
    auto const client =
        blocking::connect(child_process(std::move(options)), client_options(legacy));
    talk(client);
    client.stop(2s);
}

void tcp() {
    Serving const serving(listen("tcp://127.0.0.1:0"));
    use(serving, [&] { return blocking::connect(serving.url(), client_options(modern)); });
}

// A listener with several threads.
void local() {
    Serving const serving(
        listen("unix:" + files().path("torture.sock"), StreamServerOptions().threads(2)));
    use(serving, [&] { return blocking::connect(serving.url(), client_options(legacy)); });
}

void tls() {
    static auto const identity = files().issue("server", "server", "DNS:localhost,IP:127.0.0.1");
    auto options = StreamServerOptions().tls(TlsOptions(identity.certificate, identity.key));
    options.opening_timeout(3s);
    Serving const serving(listen("tls://127.0.0.1:0", std::move(options)));
    use(serving, [&] {
        return blocking::connect(serving.url(), client_options(modern),
                                 StreamClientOptions().ca_file(files().authority()));
    });
}

HttpClientOptions http_options() {
    HttpClientOptions options;
    options.no_proxy().close_timeout(500ms).request_retries(2, 5ms);
    options.stream_retry_interval(5ms).max_stream_retries(0);
    return options;
}

void http() {
    Serving const serving(listen("http://127.0.0.1:0/mcp"));
    use(serving,
        [&] { return blocking::connect(serving.url(), client_options(modern), http_options()); });
}

// Sessions, with the stream of the server, questions, and an answer after a resumed stream.
void http_session() {
    auto options = HttpServerOptions().mcp(
        McpHttpOptions().sessions(Sessions::stateful).stream_retry_interval(1ms));
    Serving const serving(listen("http://127.0.0.1:0/mcp", options));
    use(serving, [&] {
        auto client = blocking::connect(serving.url(), client_options(legacy), http_options());
        expect(client.call<std::string>("later"), "later");
        return client;
    });
}

void websocket() {
    auto options = HttpServerOptions().mcp(McpHttpOptions().websocket());
    Serving const serving(listen("http://127.0.0.1:0/mcp", options));
    auto const url = "ws" + serving.url().substr(serving.url().find("://")) + "/ws";
    use(serving, [&] {
        auto open = http_options();
        open.websocket(WebSocketOptions().close_timeout(500ms));
        return blocking::connect(url, client_options(legacy), open);
    });
}

// Several connections, which are opened again after the server has come back.
void pool() {
    PoolOptions options;
    options.size(2).client(client_options(legacy)).stateless({"add", "work"});
    auto serving = std::make_unique<Serving>(listen("tcp://127.0.0.1:0"));
    auto const url = serving->url();
    auto const pool = blocking::open_pool([&] { return url_connector(url); }, options);
    talk(pool.first());
    Pair const pair{2, 3};
    for (int i = 0; i < 4; ++i) expect(pool.call<std::string>("add", pair), "5");
    serving.reset();
    serving = std::make_unique<Serving>(listen(url));
    auto const patient = CallOptions().wait_until_ready(true);
    for (int i = 0; i < 4; ++i) {
        try {
            pool.call_tool("work", {}, patient);
        } catch (Error const&) {
            // The client may notice only now that its connection has ended.
        }
    }
    pool.stop(1s);
}

// Resources that are files, and a client that is told about their changes.
void watched_files() {
    fs::path const folder = files().path("watched");
    {
        injector::Exempt const own;
        fs::create_directories(folder);
        std::ofstream(folder / "a.txt") << "old";
    }
    Server server("torture", "1", server_options());
    ConfinedFolder const confined(folder);
    server.resource("file:///a.txt", "a", [&] { return confined.read("a.txt"); });
    FileWatcher watcher(FileWatcherOptions().settle_interval(1ms));
    watcher.watch_file(folder / "a.txt", [&] { server.resource_updated("file:///a.txt"); });
    run_here([](Server& at, ConfinedFolder const& in) -> Task<> {
        std::atomic<bool> updated = false;
        auto options = client_options(legacy);
        options.on_resource_updated([&](std::string const&) { updated = true; });
        auto client = co_await testing::connect(at, legacy, options);
        co_await client.subscribe("file:///a.txt");
        in.write("a.txt", "new");
        in.write("b.txt", "other");
        in.list();
        in.remove("b.txt");
        for (int i = 0; i < 500 && !updated && !injector::fired(); ++i) co_await sleep_for(1ms);
        if (!updated && !injector::fired()) throw std::runtime_error("no change was reported");
        auto const read = co_await client.read_resource("file:///a.txt");
        auto const* const text = std::get_if<TextResourceContents>(&read.contents.at(0));
        expect(text != nullptr ? text->text : std::string(), "new");
        co_await client.stop();
    }(server, confined));
}

// A server that offers the features of another one.
void proxy() {
    Serving const back(listen("tcp://127.0.0.1:0"));
    auto const between =
        blocking::connect(back.url(), client_options(legacy).declare_questions(true));
    Serving front(listen("tcp://127.0.0.1:0"));
    front.server().add_provider(proxy_provider(between.async(), ProxyOptions().prefix("far_")));
    auto const client = blocking::connect(front.url(), client_options(legacy));
    client.list_tools();
    Pair const pair{2, 3};
    expect(client.call<std::string>("far_add", pair), "5");
    expect(client.call<std::string>("far_greet"), "Hello, Ada");
    expect(client.call<std::string>("add", pair), "5");
}

constexpr std::array<Scenario, 13> all = {{{"memory", in_memory},
                                           {"child", child},
                                           {"tcp", tcp},
                                           {"unix", local},
                                           {"tls", tls},
                                           {"http", http},
                                           {"http_session", http_session},
                                           {"websocket", websocket},
                                           {"pool", pool},
                                           {"files", watched_files},
                                           {"proxy", proxy},
                                           {"correlator", pending_calls},
                                           {"dispatch", two_clients}}};

}  // namespace

std::span<Scenario const> scenarios() noexcept {
    return all;
}

int serve_stdio() {
    Server server("torture", "1", server_options());
    add_features(server);
    return server.run(stdio());
}

}  // namespace lanyard::torture
