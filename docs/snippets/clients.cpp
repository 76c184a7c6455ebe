// Snippets of docs/clients.md. A server in the same process answers.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <lanyard/client.hpp>
#include <lanyard/server.hpp>
#include <lanyard/transport/child_process.hpp>
#include <lanyard/transport/memory.hpp>

namespace {

struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, "How often", defaulted))

struct Greeting {
    std::string text;
    int words = 0;
};
LANYARD_STRUCT(Greeting, (text), (words))

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, (really, "Really?"))

struct Review {
    std::string language;
};
LANYARD_STRUCT(Review, language)

void fill(lanyard::Server& server) {
    server.tool("greet", "Say hello to someone", [](Greet in) {
        if (in.name.empty()) throw lanyard::ToolError("give a name");
        return Greeting{"Hello, " + in.name + "!", 2};
    });
    server.tool("erase", "Erase everything",
                [](Greet in, lanyard::Context& context) -> lanyard::Task<std::string> {
                    auto const sure = co_await context.elicit<Confirm>("sure", "Erase all?");
                    if (!sure || !sure->really) throw lanyard::ToolError("the user declined");
                    context.report_progress(1, 1, "erased");
                    co_return "erased for " + in.name;
                });
    server.resource_template(
        "note://{day}/{number}", "note", [](lanyard::UriVariables const& variables) {
            return "note " + *variables.string("number") + " of " + *variables.string("day");
        });
    server.complete_template("note://{day}/{number}", "number",
                             [](std::string_view typed, lanyard::CompletionContext const& known) {
                                 return std::vector<std::string>{std::string(typed) + " of " +
                                                                 known.arguments.at("day")};
                             });
    server.prompt("review", "Review some code",
                  [](Review in) { return "Review this " + in.language + " code"; });
    server.complete_prompt("review", "language", [](std::string_view typed) {
        return std::vector<std::string>{std::string(typed) + "++"};
    });
    server.tool("status", "Whether all is well", [] { return "all is well"; });
    server.tool("survey", "What the project is about",
                [](lanyard::Context& context) -> lanyard::Task<std::string> {
                    auto const roots = co_await context.list_roots();
                    lanyard::SamplingMessage message;
                    message.content.emplace_back(lanyard::TextContent{"What is it about?"});
                    lanyard::CreateMessageParams params;
                    params.messages.push_back(std::move(message));
                    params.max_tokens = 20;
                    auto const answer = co_await context.sample("about", params);
                    auto const& text = std::get<lanyard::TextContent>(answer.content.at(0));
                    co_return roots.at(0).name + ": " + text.text;
                });
}

// The connection the program uses: to a server in the same process.
std::unique_ptr<lanyard::Transport> serve(lanyard::Server& server,
                                          boost::asio::any_io_executor const& executor) {
    auto [ours, theirs] = lanyard::memory_pair(executor, executor);
    boost::asio::co_spawn(executor, server.serve(std::move(theirs)), boost::asio::detached);
    return std::move(ours);
}

lanyard::ClientOptions my_options();

// [first]
lanyard::Task<> talk() {
    auto client = co_await lanyard::connect(lanyard::child_process("./greeter"));
    for (auto const& tool : co_await client.list_tools()) {
        std::cout << tool.name << ": " << tool.description << '\n';
    }
    Greet ada{"Ada"};
    std::cout << co_await client.call<std::string>("greet", ada) << '\n';
}

int first_program() {
    return lanyard::run(talk());
}
// [/first]

// [child]
std::unique_ptr<lanyard::Connector> greeter_process(std::string const& program) {
    lanyard::ChildProcessOptions child({program, "--polite", "name with spaces"});
    child.variable("GREETER_LANGUAGE", "de");
    child.working_directory("/tmp");
    child.on_stderr([](std::string_view text) { std::clog << text; });
    return lanyard::child_process(child);
}
// [/child]

// The program that greeter_process() starts in the test: this one.
int serve_as_child(std::string argument) {
    lanyard::Server server{"greeter", "1.0.0"};
    server.tool("setup", "What the process was started with", [argument] {
        char const* const language = std::getenv("GREETER_LANGUAGE");
        return argument + "|" + (language == nullptr ? "" : language) + "|" +
               std::filesystem::current_path().string();
    });
    return server.run(lanyard::stdio());
}

lanyard::Task<bool> starts_a_child() {
    auto connector = greeter_process("/proc/self/exe");
    auto const client = co_await lanyard::connect(std::move(connector));
    auto const setup = co_await client.call<std::string>("setup");
    co_await client.stop();
    co_return setup == "name with spaces|de|/tmp";
}

// [url]
lanyard::Task<> talk_by_url() {
    lanyard::HttpClientOptions http;
    http.bearer_token(std::getenv("GREETER_TOKEN"));
    http.header("X-Tenant", "blue");
    auto client = co_await lanyard::connect("https://greeter.example/mcp", my_options(), http);
    Greet ada{"Ada"};
    std::cout << co_await client.call<std::string>("greet", ada) << '\n';
    co_await client.stop();
}
// [/url]

// [websocket]
lanyard::Task<> talk_by_websocket() {
    lanyard::HttpClientOptions http;
    http.ca_file("/etc/mcp/authority.pem");
    http.websocket(lanyard::WebSocketOptions().deflate(true));
    auto client = co_await lanyard::connect("wss://greeter.example/mcp/ws", my_options(), http);
    Greet ada{"Ada"};
    std::cout << co_await client.call<std::string>("greet", ada) << '\n';
    co_await client.stop();
}
// [/websocket]

lanyard::Task<bool> calls(lanyard::Client client) {
    // [call]
    Greet const ada{"Ada"};
    auto const greeting = co_await client.call<Greeting>("greet", ada);
    std::cout << greeting.text << ' ' << greeting.words << '\n';

    auto const result = co_await client.call_tool("greet", {{"name", "Grace"}});
    if (!result.is_error) std::cout << lanyard::text_of(result) << '\n';

    auto const again = co_await client.call<Greeting>("greet", lanyard::arguments("name", "Grace"));
    std::cout << again.text << '\n';
    // [/call]

    // [failed]
    Greet const nobody;
    try {
        co_await client.call<Greeting>("greet", nobody);
    } catch (lanyard::ToolError const& error) {
        std::cout << "the tool says: " << error.what() << '\n';
    } catch (lanyard::Error const& error) {
        std::cout << "the call failed: " << error.what() << '\n';
    }
    // [/failed]

    // [visit]
    auto const paid = co_await lanyard::attempt(client.call_tool("pay"));
    if (!paid) {
        if (auto const required = lanyard::url_elicitation_required(paid.error())) {
            for (auto const& page : required->elicitations) {
                std::cout << page.message << ": " << page.url << '\n';
            }
        }
    }
    // [/visit]

    // [attempt]
    auto const outcome = co_await lanyard::attempt(client.call_tool("gone"));
    if (!outcome) std::cout << outcome.error().what() << '\n';
    // [/attempt]

    // [pages]
    auto tools = client.tools();
    while (auto const tool = co_await tools.next()) {
        std::cout << tool->display_name() << '\n';
    }
    // [/pages]
    co_return greeting.words == 2 && !result.is_error && !outcome;
}

lanyard::Task<bool> options(lanyard::Client client, std::stop_source source) {
    Greet const ada{"Ada"};
    // [options]
    lanyard::CallOptions slow;
    slow.timeout(std::chrono::minutes(2));
    slow.on_progress([](lanyard::ProgressParams const& progress) {
        std::cout << progress.progress << " of " << progress.total.value_or(0) << '\n';
    });
    slow.stop_token(source.get_token());
    auto const erased = co_await client.call<std::string>("erase", ada, slow);
    // [/options]

    // [many]
    std::vector<lanyard::CallToolParams> calls(2);
    calls[0].name = "greet";
    calls[0].arguments = lanyard::RawJson::trusted(R"({"name":"Ada"})");
    calls[1].name = "greet";
    calls[1].arguments = lanyard::RawJson::trusted(R"({"name":"Grace"})");
    for (auto const& outcome : co_await client.call_all(calls)) {
        std::cout << (outcome ? "worked" : outcome.error().what()) << '\n';
    }
    // [/many]
    // [no-arguments]
    lanyard::CallOptions quick;
    quick.timeout(std::chrono::seconds(2));
    auto const status = co_await client.call<std::string>("status", quick);
    auto const checked = co_await client.call_tool("status", {}, quick);
    // [/no-arguments]
    co_return erased == "erased for Ada" && status == "all is well" && !checked.is_error;
}

// [choose]
lanyard::Task<lanyard::Client> connect_to(std::string where) {
    bool const is_url = where.find("://") != where.npos;
    auto connector = is_url ? lanyard::url_connector(where) : lanyard::child_process(where);
    co_return co_await lanyard::connect(std::move(connector), my_options());
}
// [/choose]

lanyard::Task<> talk_to(std::string where) {
    auto const client = co_await connect_to(std::move(where));
    co_await client.ping();
}

lanyard::Task<bool> contents(lanyard::Client client) {
    // [contents]
    auto const note = co_await client.read_resource("note://today/1");
    std::cout << lanyard::text_of(note) << '\n';
    for (auto const& part : note.contents) {
        auto const* const blob = std::get_if<lanyard::BlobResourceContents>(&part);
        if (blob != nullptr) std::cout << blob->mime_type << " in base64: " << blob->blob << '\n';
    }

    auto const prompt = co_await client.get_prompt("review", {{"language", "C++"}});
    for (auto const& message : prompt.messages) {
        std::cout << to_string(message.role) << ": " << lanyard::text_of(message) << '\n';
    }

    // What can follow "C" as the argument "language" of the prompt "review"?
    auto const languages = co_await client.complete_prompt("review", "language", "C");
    for (auto const& value : languages.values) std::cout << value << '\n';

    // Which numbers begin with "1" if the day is "today"?
    std::map<std::string, std::string> const known{{"day", "today"}};
    auto const numbers =
        co_await client.complete_resource("note://{day}/{number}", "number", "1", known);
    for (auto const& value : numbers.values) std::cout << value << '\n';
    // [/contents]
    co_return lanyard::text_of(note) == "note 1 of today" && prompt.messages.size() == 1 &&
        lanyard::text_of(prompt.messages[0]) == "Review this C++ code" &&
        languages.values == std::vector<std::string>{"C++"} &&
        numbers.values == std::vector<std::string>{"1 of today"};
}

// [handlers]
lanyard::ClientOptions my_options() {
    lanyard::ClientOptions options("my-assistant", "1.0");
    options.on_elicitation([](lanyard::ElicitFormParams const& form) {
        std::cout << form.message << '\n';
        lanyard::ElicitResult answer;
        answer.action = lanyard::ElicitAction::accept;
        answer.content = lanyard::JsonObject{{"really", true}};
        return answer;
    });
    options.on_log([](lanyard::LoggingMessageParams const& message) {
        std::cerr << to_string(message.level) << '\n';
    });
    options.on_list_changed([](lanyard::ListKind) { std::cout << "list again\n"; });
    options.on_resource_updated([](std::string const& uri) { std::cout << uri << " changed\n"; });
    options.roots({lanyard::Root{"file:///home/ada/project", "project"}});
    return options;
}
// [/handlers]

lanyard::Task<bool> answer_in_call(lanyard::Server& server,
                                   boost::asio::any_io_executor const& executor,
                                   lanyard::Version version) {
    lanyard::ClientOptions declaring;
    declaring.versions({version});
    // [call-handlers]
    // When connecting: calls will have handlers for these questions.
    declaring.declare_elicitation(true).declare_sampling(true).declare_roots(true);
    auto client = co_await lanyard::connect(serve(server, executor), declaring);

    lanyard::CallOptions options;
    options.on_elicitation([](lanyard::ElicitFormParams const& form) {
        std::cout << "erase asks: " << form.message << '\n';
        lanyard::ElicitResult answer;
        answer.action = lanyard::ElicitAction::decline;
        return answer;
    });
    Greet const ada{"Ada"};
    auto const erased = co_await client.call_tool("erase", lanyard::to_raw_json(ada), options);
    // [/call-handlers]

    // [call-questions]
    lanyard::CallOptions questions;
    questions.on_sampling([](lanyard::CreateMessageParams const&) {
        lanyard::CreateMessageResult answer;
        answer.content.emplace_back(lanyard::TextContent{"a compiler"});
        answer.model = "none";
        return answer;
    });
    questions.on_roots([] {
        std::vector<lanyard::Root> roots;
        roots.push_back({"file:///home/ada/project", "project"});
        return roots;
    });
    auto const survey = co_await client.call<std::string>("survey", questions);
    // [/call-questions]

    // [question-progress]
    lanyard::CallOptions patient;
    patient.on_sampling(
        [](lanyard::CreateMessageParams const&, lanyard::ProgressReporter const& progress) {
            progress.report_progress(1, 2, "loading the model");
            lanyard::CreateMessageResult answer;
            answer.content.emplace_back(lanyard::TextContent{"a compiler"});
            answer.model = "none";
            return answer;
        });
    // [/question-progress]
    patient.on_roots([] { return std::vector<lanyard::Root>{{"file:///home/ada", "home"}}; });
    auto const again = co_await client.call<std::string>("survey", patient);
    co_return erased.is_error&& survey == "project: a compiler" && again == "home: a compiler";
}

// [subscribe]
lanyard::Task<> watch(lanyard::Client client) {
    co_await client.subscribe("file:///var/log/today");
    auto const now = co_await client.read_resource("file:///var/log/today");
    std::cout << now.contents.size() << " parts\n";
}
// [/subscribe]

// [reconnect]
lanyard::ClientOptions persistent() {
    lanyard::ClientOptions options;
    options.reconnect(lanyard::ReconnectOptions()
                          .interval(std::chrono::milliseconds(100), std::chrono::seconds(10))
                          .max_attempts(20));
    return options;
}
// [/reconnect]

lanyard::Task<bool> patient_call(lanyard::Client client) {
    Greet const ada{"Ada"};
    // [wait]
    lanyard::CallOptions patient;
    patient.wait_until_ready(true).timeout(std::chrono::seconds(10));
    auto const greeting = co_await client.call<Greeting>("greet", ada, patient);
    // [/wait]
    co_return greeting.words == 2;
}

// [observer]
class StateLog : public lanyard::ClientObserver {
public:
    void on_state(lanyard::ConnectionState, lanyard::ConnectionState to,
                  std::optional<lanyard::Error> const& reason) override {
        std::cerr << to_string(to) << (reason ? ": " + reason->message() : "") << '\n';
    }
    void on_request_failed(Request const& request, lanyard::Duration,
                           lanyard::Error const& error) override {
        std::cerr << request.method << ' ' << request.id << ": " << error.what() << '\n';
    }
};
// [/observer]

// Connects anew to the server in this process.
class HereConnector final : public lanyard::Connector {
public:
    explicit HereConnector(lanyard::Server& server) : server_(server) {}
    lanyard::Task<std::unique_ptr<lanyard::Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        co_return serve(server_, executor);
    }
    std::string describe() const override { return "here"; }

private:
    lanyard::Server& server_;
};

// [live]
lanyard::Task<> follow(lanyard::Client client) {
    auto const handle = client.on_notification(
        "notifications/tools/list_changed",
        [](std::string const& method, lanyard::RawJson const&) { std::cout << method << '\n'; });
    auto const channel = client.notification_channel("notifications/message");
    while (auto const message = co_await channel.next()) {
        std::cout << message->params.text() << '\n';
    }
}  // the handler and the channel are removed here
// [/live]

lanyard::Task<bool> reconnecting(lanyard::Server& server) {
    auto options = persistent();
    options.observer(std::make_shared<StateLog>());
    auto const client =
        co_await lanyard::start_client(std::make_unique<HereConnector>(server), options);
    bool const right = co_await patient_call(client);
    co_await client.stop();
    co_return right&& client.history().size() > 2 &&
        client.state() == lanyard::ConnectionState::closed;
}

lanyard::Task<bool> many(lanyard::Server& server) {
    auto const here = [&server]() -> std::unique_ptr<lanyard::Connector> {
        return std::make_unique<HereConnector>(server);
    };
    Greet const ada{"Ada"};
    // [registry]
    lanyard::Connections connections;
    co_await connections.open("greeter", here());
    auto const greeter = connections.get("greeter");
    auto const greeting = co_await greeter.call<Greeting>("greet", ada);
    co_await connections.stop();
    // [/registry]

    // [pool]
    lanyard::PoolOptions options;
    options.size(2, 20).policy(lanyard::PoolPolicy::least_loaded).stateless({"greet"});
    auto const pool = co_await lanyard::open_pool(here, options);
    auto const pooled = co_await pool.call<Greeting>("greet", ada);
    co_await pool.stop();
    // [/pool]
    co_return greeting.words == 2 && pooled.words == 2;
}

lanyard::Task<> end(lanyard::Client client) {
    // [end]
    lanyard::KnownServer const known = client.known_server();
    co_await client.stop(std::chrono::seconds(2));
    lanyard::ClientOptions next_time;
    next_time.known_server(known);
    // [/end]
}

// [blocking]
void without_coroutines() {
    auto const client = lanyard::blocking::connect(lanyard::child_process("./greeter"));
    for (auto const& tool : client.list_tools()) std::cout << tool.name << '\n';
    std::cout << client.call<Greeting>("greet", Greet{"Ada"}).text << '\n';
}
// [/blocking]

lanyard::Task<int> run_all() {
    lanyard::Server server("greeter", "1.0");
    fill(server);
    auto const executor = co_await boost::asio::this_coro::executor;
    bool right = true;
    for (auto const version : {lanyard::newest_version, lanyard::newest_legacy_version}) {
        auto options_here = my_options();
        options_here.versions({version});
        auto client = co_await lanyard::connect(serve(server, executor), options_here);
        right = right && client.version() == version;
        right = co_await calls(client) && right;
        right = co_await contents(client) && right;
        std::stop_source source;
        right = co_await options(client, source) && right;
        auto const watched = co_await lanyard::attempt(watch(client));
        right = right && !watched;  // there is no such resource
        boost::asio::co_spawn(executor, follow(client), boost::asio::detached);
        co_await end(client);
        right = co_await answer_in_call(server, executor, version) && right;
    }
    right = co_await reconnecting(server) && right;
    right = co_await many(server) && right;
    right = co_await starts_a_child() && right;
    co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2 && std::string_view(argv[1]) == "--polite") return serve_as_child(argv[2]);
    if (argc > 1) {
        without_coroutines();
        lanyard::run(talk_to(argv[1]));
        lanyard::run(talk_by_url());
        lanyard::run(talk_by_websocket());
        return first_program();
    }
    return lanyard::run(run_all());
}
