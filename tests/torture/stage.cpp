#include "torture/stage.hpp"

#include <exception>
#include <utility>

namespace lanyard::torture {

namespace {

CallOptions with_progress(std::atomic<int>& reports) {
    CallOptions options;
    options.on_progress([&reports](ProgressParams const&) { ++reports; });
    return options;
}

Pair const pair{2, 3};

// Whether the function ended without an exception.
template <class F>
bool works(F const& function) {
    try {
        function();
        return true;
    } catch (std::exception const&) {
        return false;
    }
}

}  // namespace

void add_features(Server& server) {
    server.tool("add", "Adds", [](Pair in) { return std::to_string(in.a + in.b); });
    server.tool("count", "Reports its progress", [](Context& context) -> Task<std::string> {
        for (int i = 1; i <= 3; ++i) {
            context.report_progress(i, 3, "counted");
            co_await context.yield();
        }
        co_return std::string("counted");
    });
    server.tool("greet", "Asks for a name", [](Context& context) -> Task<std::string> {
        auto const answer = co_await context.elicit<Name>("who", "Who are you?");
        co_return "Hello, " + (answer ? answer->name : std::string("nobody"));
    });
    server.tool("later", "Sends its answer on another stream", [](Context& context) {
        context.release_stream();
        return std::string("later");
    });
    ToolOptions blocking;
    blocking.blocking();
    server.tool("work", "Runs in a worker thread", [] { return std::string("worked"); }, blocking);
    server.resource("test://note", "note", "a note");
    server.resource_template("test://item/{id}", "item",
                             [](UriVariables const&) { return "item"; });
    server.prompt("hello", "A prompt", [](Name in) { return "Hello, " + in.name; });
    server.tool("touch", "Reports a change", [&server] {
        server.resource_updated("test://note");
        return std::string("touched");
    });
}

ServerOptions server_options() {
    ServerOptions options;
    options.on_log([](LoggingLevel, std::string_view) {});
    options.initialization_timeout(3s);
    return options;
}

ClientOptions client_options(Version version) {
    ClientOptions options("torture", "1");
    options.versions({version}).preferred_version(version);
    options.timeout(3s).initialization_timeout(3s).probe_timeout(3s);
    options.reconnect(ReconnectOptions().interval(5ms, 20ms).max_attempts(5));
    options.on_elicitation([](ElicitFormParams const&) {
        ElicitResult result;
        result.action = ElicitAction::accept;
        result.content = JsonObject{{"name", "Ada"}};
        return result;
    });
    options.on_log([](LoggingMessageParams const&) {});
    options.on_resource_updated([](std::string const&) {});
    return options;
}

void expect(std::string const& got, std::string_view expected) {
    if (got == expected) return;
    injector::Exempt const own;
    throw Harm{"the result is \"" + got + "\" instead of \"" + std::string(expected) + "\""};
}

void talk(blocking::Client const& client) {
    client.list_tools();
    expect(client.call<std::string>("add", pair), "5");
    std::atomic<int> reports = 0;
    expect(client.call<std::string>("count", with_progress(reports)), "counted");
    expect(client.call<std::string>("greet"), "Hello, Ada");
    expect(client.call<std::string>("work"), "worked");
    expect(text_of(client.read_resource("test://note")), "a note");
    expect(text_of(client.read_resource("test://item/7")), "item");
    client.list_prompts();
    client.get_prompt("hello", {{"name", "Ada"}});
    client.subscribe("test://note");
    expect(client.call<std::string>("touch"), "touched");
    client.unsubscribe("test://note");
}

Task<> talk(Client client) {
    co_await client.list_tools();
    expect(co_await client.call<std::string>("add", pair), "5");
    std::atomic<int> reports = 0;
    auto const options = with_progress(reports);
    expect(co_await client.call<std::string>("count", options), "counted");
    expect(co_await client.call<std::string>("greet"), "Hello, Ada");
    expect(co_await client.call<std::string>("work"), "worked");
    auto const note = co_await client.read_resource("test://note");
    expect(text_of(note), "a note");
    co_await client.list_prompts();
    co_await client.subscribe("test://note");
    expect(co_await client.call<std::string>("touch"), "touched");
    co_await client.unsubscribe("test://note");
    co_await client.stop();
}

Serving::Serving(std::unique_ptr<UrlListener> listener)
    : server_("torture", "1", server_options()), url_(listener->url()) {
    add_features(server_);
    thread_ = std::thread([this, listener = std::move(listener)]() mutable {
        try {
            server_.run(std::move(listener));
        } catch (std::exception const&) {
            // Allowed if memory runs out; use() checks when it is not.
        }
        ended_ = true;
    });
}

Serving::~Serving() {
    stop();
}

void Serving::stop() noexcept {
    server_.stop(0s);
    if (thread_.joinable()) thread_.join();
}

void use(Serving const& serving, Connect const& connect) {
    // Exceptions that are caught here belong to the failure, if there is one.
    auto const attempt = [&](blocking::Client const* client) {
        return works([&] {
            if (client != nullptr) {
                talk(*client);
            } else {
                talk(connect());
            }
        });
    };
    std::optional<blocking::Client> first;
    bool const opened = works([&] {
        first.emplace(connect());
        talk(*first);
    });
    // A failure before this point may have kept the server from starting.
    bool const was_up = opened && !injector::fired();
    bool const second_works = attempt(nullptr);
    bool const first_works = first && attempt(&*first);
    bool const fired = injector::fired();
    injector::disarm();
    if (!fired && !(opened && first_works && second_works)) {
        throw std::runtime_error("a call failed without a reason");
    }
    bool const single = injector::armed_kind() != Kind::malloc;
    if (was_up && single && fired) {
        if (serving.ended()) throw Harm{"the server has ended"};
        if (!first_works && !second_works) throw Harm{"both clients are harmed"};
    }
    first.reset();
    if (fired && !serving.ended() && (was_up || opened) && !attempt(nullptr)) {
        // The server may be about to end.
        for (int i = 0; i < 3000 && !serving.ended(); ++i) std::this_thread::sleep_for(1ms);
        if (!serving.ended()) throw Harm{"the server runs, but does not serve a new client"};
    }
}

}  // namespace lanyard::torture
