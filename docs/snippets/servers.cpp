// Snippets of docs/servers.md. A client in the same process tries what they register.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <lanyard/client.hpp>
#include <lanyard/files/confined_folder.hpp>
#include <lanyard/files/file_watcher.hpp>
#include <lanyard/server.hpp>
#include <lanyard/time_source.hpp>
#include <lanyard/transport/memory.hpp>

namespace {

// [struct]
struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, "How often", min{1}, max{5}, defaulted))
// [/struct]

// [first]
int first_program() {
    lanyard::Server server{"greeter", "1.0.0"};
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });
    return server.run(lanyard::stdio());
}
// [/first]

// [structured]
struct Weather {
    double celsius = 0;
    std::string sky;
};
LANYARD_STRUCT(Weather, (celsius, "Temperature"), (sky, "What it looks like"))

Weather look_outside(lanyard::Context& context) {
    std::string const sky = "blue";
    context.log(lanyard::LoggingLevel::info, "the sky is " + sky);
    return Weather{21.5, sky};
}
// [/structured]

struct Sure {
    bool really = false;
};
LANYARD_STRUCT(Sure, really)

struct Seat {
    std::string place;
};
LANYARD_STRUCT(Seat, place)

struct Day {
    std::string name;
};
LANYARD_STRUCT(Day, name)

struct Letter {
    std::string name;
};
LANYARD_STRUCT(Letter, name)

struct Year {
    int year = 0;
};
LANYARD_STRUCT(Year, year)

std::vector<std::byte> draw_chart(int year) {
    return std::vector<std::byte>(3, static_cast<std::byte>(year % 100));
}

int count_rows() {
    return 7;
}

std::string open_order() {
    return "order 7";
}

// [sample]
lanyard::Task<std::string> summarize(Letter in, lanyard::Context& context) {
    lanyard::CreateMessageParams params;
    params.messages.push_back(lanyard::user_message("Summarize in one sentence: " + in.name));
    params.max_tokens = 200;
    auto const answer = co_await context.sample("summary", params);
    auto text = lanyard::text_of(answer);
    if (text.empty()) throw lanyard::ToolError("the model returned no text");
    co_return text;
}
// [/sample]

// [question-progress]
lanyard::Task<std::string> find_title(Letter in, lanyard::Context& context) {
    lanyard::CreateMessageParams params;
    params.messages.push_back(lanyard::user_message("Find a title: " + in.name));
    params.max_tokens = 20;
    auto question = lanyard::ask_model("title", params);
    auto const show = [&context](lanyard::ProgressParams const& progress) {
        context.report_progress(progress.progress, progress.total, progress.message);
    };
    question.timeout(std::chrono::minutes(1)).on_progress(show);
    auto const answer = co_await context.ask(question);
    co_return answer.model;
}
// [/question-progress]

// [ask-all]
lanyard::Task<std::string> export_all(lanyard::Context& context) {
    auto const order =
        co_await context.once("order", open_order);  // runs once, even if asked again
    auto form = lanyard::ask_form<Sure>("sure", "Export " + order + "?");
    auto folders = lanyard::ask_roots();
    auto const [sure, roots] = co_await context.ask_all(std::move(form), std::move(folders));
    if (!sure || !sure->really || roots.empty()) co_return "nothing was exported";
    co_return order + " was exported to " + roots.front().uri;
}
// [/ask-all]

void tools(lanyard::Server& server) {
    using namespace std::chrono_literals;
    server.tool("summarize", "Summarize a letter", summarize);
    server.tool("title", "Find a title for a letter", find_title);
    server.tool("export", "Export everything", export_all);
    // [options]
    server.tool("weather", "What it is like outside", look_outside,
                lanyard::ToolOptions().title("Weather").read_only().timeout(5s));
    // Options that are long are easier to read before the handler.
    server.tool("shred", "Destroy a letter",
                lanyard::ToolOptions().title("Shredder").idempotent().open_world(false).timeout(5s),
                [](Letter in) { return "nothing is left of " + in.name; });
    // The default of the protocol is that a tool that changes something may destroy it.
    server.tool("archive", "Put a letter away", lanyard::ToolOptions().destructive(false),
                [](Letter in) { return in.name + " is in the archive"; });
    // [/options]

    // [result]
    server.tool("chart", "Draw the sales of a year", [](Year in) {
        if (in.year < 1990) return lanyard::CallToolResult::error("there are charts from 1990 on");
        return lanyard::CallToolResult::image(draw_chart(in.year), "image/png");
    });
    // [/result]

    // [coroutine]
    server.tool("count", "Count to ten",
                [](lanyard::Context& context) -> lanyard::Task<std::string> {
                    for (int i = 1; i <= 10; ++i) {
                        co_await lanyard::sleep_for(1ms);
                        context.report_progress(i, 10, "counting");
                    }
                    co_return "ten";
                });
    // [/coroutine]

    // [elicit]
    server.tool("travel", "Book a journey",
                [](lanyard::Context& context) -> lanyard::Task<std::string> {
                    Seat const any{"any seat"};
                    auto const seat = co_await context.elicit<Seat>("seat", "Where to sit?");
                    auto const day = co_await context.elicit<Day>("day", "When to leave?");
                    co_return day.value().name + ", " + seat.value_or(any).place;
                });
    // [/elicit]

    // [wait]
    server.tool("delete_all", "Delete everything", [](lanyard::Context& context) {
        auto const sure = context.wait(context.elicit<Sure>("sure", "Delete everything?"));
        return std::string(sure && sure->really ? "deleted" : "nothing was deleted");
    });
    server.tool("report", "Count what is there",
                [](lanyard::Context& context) -> lanyard::Task<int> {
                    auto const count = [] { return count_rows(); };
                    co_return co_await context.run_blocking(count);
                });
    // [/wait]

    // [dynamic]
    lanyard::Tool tool;
    tool.name = "shout";
    tool.description = "Say it louder";
    tool.input_schema = lanyard::Json{{"type", "object"},
                                      {"properties", {{"text", {{"type", "string"}}}}},
                                      {"required", lanyard::JsonArray{"text"}}};
    server.add_tool(tool, [](lanyard::JsonObject const& arguments) {
        return std::string(arguments.at("text").as_string()) + "!";
    });
    // [/dynamic]
}

// [row]
enum class Table { users, orders };
LANYARD_ENUM(Table, users, orders)

struct Row {
    Table table = Table::users;
    int id = 0;
};
LANYARD_STRUCT(Row, table, id)
// [/row]

void resources(lanyard::Server& server) {
    using namespace std::chrono_literals;
    // [resource]
    server.resource("text:motd", "motd", "Be nice to each other.",
                    lanyard::ResourceOptions().mime_type("text/plain"));
    server.resource("weather:now", "weather", lanyard::ResourceOptions().keep_reads(10s),
                    [] { return Weather{21.5, "blue"}; });
    // [/resource]

    // [dynamic-resource]
    lanyard::Resource report;
    report.uri = "report:2026";
    report.name = "report";
    report.mime_type = "text/plain";
    server.add_resource(report, [] { return "All is well."; });

    lanyard::ResourceTemplate chapters;
    chapters.uri_template = "book://{title}/{chapter}";
    chapters.name = "chapter";
    chapters.mime_type = "text/plain";
    server.add_resource_template(chapters, [](lanyard::UriVariables const& variables) {
        auto const* const chapter = variables.string("chapter");
        return "This is chapter " + (chapter ? *chapter : "?");
    });
    // [/dynamic-resource]

    // [template]
    server.resource_template("db://{table}/{id}", "row", [](Row row) -> std::optional<std::string> {
        if (row.id != 7) return std::nullopt;  // not found
        return "Ada";
    });
    server.complete_template("db://{table}/{id}", "id", [](std::string_view typed) {
        std::vector<std::string> found;
        if (std::string_view("7").starts_with(typed)) found.emplace_back("7");
        return found;
    });
    // [/template]
}

// [prompt-struct]
struct Translate {
    std::string text;
    std::optional<std::string> language;
};
LANYARD_STRUCT(Translate, (text, "What to translate"), (language, "Into which language"))
// [/prompt-struct]

void prompts(lanyard::Server& server) {
    // [prompt]
    server.prompt("translate", "Translate a text", [](Translate in) {
        return "Translate into " + in.language.value_or("English") + ": " + in.text;
    });
    server.complete_prompt("translate", "language", [](std::string_view typed) {
        std::vector<std::string> found;
        for (auto const* language : {"German", "Greek", "Latin"}) {
            if (std::string_view(language).starts_with(typed)) found.emplace_back(language);
        }
        return found;
    });
    // [/prompt]
}

// [provider]
// Tools that live in a table which others may change at any time.
class Answers : public lanyard::Provider {
public:
    void set(std::string name, std::string answer) {
        {
            std::lock_guard const lock(mutex_);
            answers_.insert_or_assign(std::move(name), std::move(answer));
        }
        changed(lanyard::FeatureKind::tool);  // peers are told
    }

    lanyard::Task<std::vector<lanyard::Tool>> list_tools(lanyard::Context&) override {
        std::lock_guard const lock(mutex_);
        std::vector<lanyard::Tool> tools;
        for (auto const& [name, answer] : answers_) {
            auto& tool = tools.emplace_back();
            tool.name = name;
            tool.input_schema = lanyard::Json{{"type", "object"}};
        }
        co_return tools;
    }
    lanyard::Task<std::optional<lanyard::CallToolResult>> call_tool(
        lanyard::CallToolParams const& params, lanyard::Context&) override {
        std::lock_guard const lock(mutex_);
        auto const found = answers_.find(params.name);
        if (found == answers_.end()) co_return std::nullopt;
        co_return lanyard::CallToolResult::text(found->second);
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::string> answers_;
};
// [/provider]

void shape(lanyard::Server& server) {
    // [transform]
    auto const answers = std::make_shared<Answers>();
    answers->set("meaning", "42");
    server.add_provider(answers);
    server.add_transform(lanyard::Transform::prefix("my_"));
    server.add_transform(lanyard::Transform::rename({{"my_meaning", "meaning_of_life"}}));
    // [/transform]

    // [filter]
    server.filter([](lanyard::FeatureKind, std::string_view name, lanyard::Context& context) {
        return !name.starts_with("my_admin") || context.identity() == "root";
    });
    // [/filter]

    // [middleware]
    static std::atomic<int> served = 0;
    server.use([](lanyard::Context&, lanyard::Next next) -> lanyard::Task<lanyard::RawJson> {
        auto result = co_await next();
        ++served;
        co_return result;
    });
    // [/middleware]
    // [request-log]
    server.use([](lanyard::Context& context,
                  lanyard::Next next) -> lanyard::Task<lanyard::RawJson> {
        auto const begin = std::chrono::steady_clock::now();
        auto result = co_await next();
        std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
        std::clog << context.method() << ' ' << context.target() << ' ' << took.count() << " s\n";
        co_return result;
    });
    // [/request-log]
}

// [declare]
lanyard::ServerOptions plugin_options() {
    return lanyard::ServerOptions()
        .declare_tools(true)          // the first tool is registered later
        .resources_subscribe(false);  // nothing calls resource_updated()
}
// [/declare]

void capabilities(lanyard::Server& server) {
    // [details]
    server.experimental("tracing", lanyard::CapabilityDetails()
                                       .version("1.2")
                                       .description("Spans of each tool call")
                                       .depends_on("logging"));
    server.on_capabilities_changed([](lanyard::ServerCapabilities const& now) {
        std::clog << (now.tools ? "there are tools\n" : "there are no tools\n");
    });
    // [/details]
}

void client_events(lanyard::Server& server) {
    // [notifications]
    server.on_roots_changed([](lanyard::ClientNotification const& notification) {
        std::clog << notification.client.name << " has other roots now\n";
    });
    server.on_notification("notifications/com.example/selected",
                           [](lanyard::ClientNotification const& notification) {
                               auto const letter = lanyard::decode<Letter>(notification.params);
                               if (letter) std::clog << "selected: " << letter->name << '\n';
                           });
    // [/notifications]

    // [phases]
    server.on_phase([](lanyard::SessionInfo const& session) {
        auto const& phase = session.phases.back();
        std::clog << session.id << " is " << phase.name << ' ' << phase.reason << '\n';
    });
    // [/phases]
}

// [pending]
lanyard::Task<> print_pending(lanyard::Server& server) {
    auto const pending = co_await server.pending();
    for (auto const& request : pending) {
        auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(request.age);
        std::clog << (request.from_client ? "serves " : "waits for ") << request.method << " for "
                  << seconds.count() << " s\n";
    }
}
// [/pending]

void files(lanyard::Server& server, std::filesystem::path const& root) {
    // [files]
    lanyard::ConfinedFolder const folder(root);
    lanyard::FileWatcher watcher;
    watcher.watch_file(folder.root() / "notes.txt",
                       [&] { server.resource_updated("file:///notes.txt"); });
    folder.write("notes.txt", "remember the milk");
    // [/files]
}

lanyard::Task<bool> try_out(lanyard::Server& server) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto [ours, theirs] = lanyard::memory_pair(executor, executor);
    boost::asio::co_spawn(executor, server.serve(std::move(theirs)), boost::asio::detached);
    lanyard::ClientOptions options("snippets", "1.0.0");
    options.on_elicitation([](lanyard::ElicitFormParams const& form) {
        lanyard::ElicitResult answer;
        if (form.message == "Where to sit?") {
            answer.action = lanyard::ElicitAction::decline;
        } else if (form.message == "Export order 7?") {
            answer.action = lanyard::ElicitAction::accept;
            answer.content = lanyard::JsonObject{{"really", true}};
        } else {
            answer.action = lanyard::ElicitAction::accept;
            answer.content = lanyard::JsonObject{{"name", "Monday"}};
        }
        return answer;
    });
    options.on_sampling([](lanyard::CreateMessageParams const&) {
        lanyard::CreateMessageResult answer;
        answer.content.emplace_back(lanyard::TextContent{"short"});
        answer.model = "none";
        return answer;
    });
    options.roots({lanyard::Root{"file:///home/ada", "home"}});
    auto const client = co_await lanyard::connect(std::move(ours), options);

    Greet const ada{"Ada"};
    auto const greeting = co_await client.call<std::string>("my_greet", ada);
    auto const weather = co_await client.call<Weather>("my_weather");
    auto const ten = co_await client.call<std::string>("my_count");
    lanyard::JsonObject loud;
    loud["text"] = "hey";
    auto const shouted = co_await client.call<std::string>("my_shout", loud);
    lanyard::JsonObject year;
    year["year"] = 2026;
    auto const chart = co_await client.call_tool("my_chart", year);
    auto const journey = co_await client.call<std::string>("my_travel");
    lanyard::JsonObject letter;
    letter["name"] = "ada";
    auto const shredded = co_await client.call<std::string>("my_shred", letter);
    auto const archived = co_await client.call<std::string>("my_archive", letter);
    auto const chapter = co_await client.read_resource("book://mcp/2");
    auto const summary = co_await client.call<std::string>("my_summarize", letter);
    auto const title = co_await client.call<std::string>("my_title", letter);
    auto const exported = co_await client.call<std::string>("my_export");
    auto const report = co_await client.read_resource("report:2026");
    auto const meaning = co_await client.call<std::string>("meaning_of_life");
    auto const motd = co_await client.read_resource("text:motd");
    auto const row = co_await client.read_resource("db://users/7");
    auto const tables = co_await client.complete_resource("db://{table}/{id}", "table", "o");
    std::map<std::string, std::string> arguments;
    arguments["text"] = "carpe diem";
    auto const prompt = co_await client.get_prompt("my_translate", arguments);
    auto const languages = co_await client.complete_prompt("my_translate", "language", "G");
    co_await print_pending(server);
    co_await client.stop();
    co_return greeting == "Hello, Ada!" && weather.sky == "blue" && ten == "ten" &&
        shouted == "hey!" && meaning == "42" && motd.contents.size() == 1 &&
        row.contents.size() == 1 && tables.values.size() == 1 && prompt.messages.size() == 1 &&
        languages.values.size() == 2 && journey == "Monday, any seat" &&
        shredded == "nothing is left of ada" && archived == "ada is in the archive" &&
        chapter.contents.size() == 1 && summary == "short" && !title.empty() &&
        exported == "order 7 was exported to file:///home/ada" && report.contents.size() == 1 &&
        std::holds_alternative<lanyard::ImageContent>(chart.content.at(0));
}

lanyard::Task<int> check(lanyard::Server& server) {
    bool const as_promised = co_await try_out(server);
    co_return as_promised ? 0 : 1;
}

}  // namespace

int main(int argc, char**) {
    if (argc > 1) return first_program();
    lanyard::Server server{"snippets", "1.0.0", plugin_options()};
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });
    tools(server);
    resources(server);
    prompts(server);
    shape(server);
    capabilities(server);
    client_events(server);
    files(server, std::filesystem::current_path());
    std::filesystem::remove("notes.txt");
    return lanyard::run(check(server));
}
