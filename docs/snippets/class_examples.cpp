// The examples in the class comments of the public headers. tools/check_snippets compares the text.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <lanyard/client.hpp>
#include <lanyard/reflect.hpp>
#include <lanyard/schema.hpp>
#include <lanyard/server.hpp>
#include <lanyard/transport/child_process.hpp>
#include <lanyard/transport/memory.hpp>
#include <lanyard/transport/stdio.hpp>
#include <lanyard/uri_template.hpp>

namespace {

// [server]
struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

int serve() {
    lanyard::Server server{"greeter", "1.0.0"};
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });
    return server.run(lanyard::stdio());
}
// [/server]

struct Erase {
    std::string file;
};
LANYARD_STRUCT(Erase, (file, "Which file"))

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, (really, "Really?"))

int erased = 0;

void erase_file(std::string const& name) {
    if (!name.empty()) ++erased;
}

// [context]
lanyard::Task<std::string> erase(Erase in, lanyard::Context& context) {
    auto const sure = co_await context.elicit<Confirm>("sure", "Erase " + in.file + "?");
    if (!sure || !sure->really) co_return "nothing was erased";
    context.log(lanyard::LoggingLevel::info, "erasing a file");
    auto const work = [&in] { erase_file(in.file); };
    co_await context.run_blocking(work);
    co_return "erased";
}
// [/context]

// [client]
lanyard::Task<> talk() {
    auto const client = co_await lanyard::connect(lanyard::child_process("./greeter"));
    Greet const ada{"Ada"};
    auto const text = co_await client.call<std::string>("greet", ada);
    std::cout << text << '\n';
    co_await client.stop();
}
// [/client]

std::string received;

// [transport]
lanyard::Task<> exchange() {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto [near, far] = lanyard::memory_pair(executor, executor);
    lanyard::rpc::Outbox outbox;
    outbox.begin().append(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    outbox.end();
    co_await near->write(outbox);
    auto const frames = co_await far->read();
    if (frames) received = frames->front().text;
}
// [/transport]

// [listener]
class OneConnection : public lanyard::Listener {
public:
    explicit OneConnection(std::unique_ptr<lanyard::Transport> transport)
        : transport_(std::move(transport)) {}

    lanyard::Task<> run(lanyard::Endpoint& endpoint) override {
        co_await endpoint.serve(std::move(transport_));
    }
    void stop() noexcept override {}  // a Server that stops ends its connections itself
    std::string describe() const override { return "one connection"; }

private:
    std::unique_ptr<lanyard::Transport> transport_;
};
// [/listener]

std::vector<lanyard::Resource> resources_of(std::string_view /*caller*/) {
    std::vector<lanyard::Resource> all(1);
    all[0].uri = "weather:now";
    all[0].name = "weather";
    return all;
}

lanyard::ReadResourceResult look_outside() {
    lanyard::TextResourceContents text;
    text.uri = "weather:now";
    text.text = "blue sky";
    lanyard::ReadResourceResult result;
    result.contents.emplace_back(std::move(text));
    return result;
}

// [provider]
class Weather : public lanyard::Provider {
public:
    lanyard::Task<std::vector<lanyard::Resource>> list_resources(
        lanyard::Context& context) override {
        co_return resources_of(context.identity());
    }
    lanyard::Task<std::optional<lanyard::ReadResourceResult>> read_resource(
        lanyard::ReadResourceParams const& params, lanyard::Context&) override {
        if (params.uri != "weather:now") co_return std::nullopt;
        co_return look_outside();
    }
};
// [/provider]

int served = 0;

// [middleware]
lanyard::Task<lanyard::RawJson> guard(lanyard::Context& context, lanyard::Next next) {
    if (context.target() == "erase" && context.identity().empty()) {
        throw lanyard::ToolError("sign in first", lanyard::ToolErrorKind::not_allowed);
    }
    auto result = co_await next();
    ++served;
    co_return result;
}
// [/middleware]

// [error]
lanyard::Task<std::string> greeting(lanyard::Client client) {
    try {
        auto const text = co_await client.call<std::string>("greet");
        co_return text;
    } catch (lanyard::ToolError const& error) {
        co_return error.what();  // the tool ran, and failed
    } catch (lanyard::Error const& error) {
        if (error.is(lanyard::Errc::timeout)) co_return "too slow";
        if (error.peer_code()) co_return "refused: " + error.message();
        throw;
    }
}
// [/error]

bool validates() {
    // [validator]
    auto const schema = lanyard::json::parse(R"({"required":["name"]})").value();
    auto const validator = lanyard::schema::Validator::compile(schema).value();
    auto const verdict = validator.validate(lanyard::Json{{"times", 2}});
    if (!verdict) std::cout << verdict.error().to_string() << '\n';
    // [/validator]
    return !verdict && validator.is_valid(lanyard::Json{{"name", "Ada"}});
}

bool matches() {
    // [uri-template]
    auto const rows = lanyard::UriTemplate::parse("db://{table}/{id}{?columns*}").value();
    auto const found = rows.match("db://users/7?columns=name&columns=mail");
    if (found) std::cout << *found->string("table") << '\n';  // users

    lanyard::UriVariables variables;
    variables.set("table", "users").set("id", "7");
    auto const uri = rows.expand(variables).value();  // db://users/7
    // [/uri-template]
    // The pitfalls that the comment names.
    auto const listed = rows.match("db://users/1,2");
    auto const decoded = rows.match("db://users/%2E%2E%2F");
    bool const pitfalls = listed && listed->string("id") == nullptr &&
                          listed->find("id") != nullptr && decoded &&
                          *decoded->string("id") == "../" && !rows.match("db://users/7/8");
    return found && *found->string("table") == "users" && uri == "db://users/7" && pitfalls;
}

lanyard::ClientOptions yes_to_everything() {
    lanyard::ClientOptions options;
    options.on_elicitation([](lanyard::ElicitFormParams const&) {
        lanyard::ElicitResult answer;
        answer.action = lanyard::ElicitAction::accept;
        answer.content = lanyard::JsonObject{{"really", true}};
        return answer;
    });
    return options;
}

lanyard::Task<bool> serves(lanyard::Server& server) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto [ours, theirs] = lanyard::memory_pair(executor, executor);
    OneConnection listener(std::move(theirs));
    boost::asio::co_spawn(executor, server.run_async(listener), boost::asio::detached);
    auto const options = yes_to_everything();
    auto const client = co_await lanyard::connect(std::move(ours), options);
    auto const weather = co_await client.read_resource("weather:now");
    auto const refused = co_await client.call_tool("erase");
    Erase const file{"notes.txt"};
    auto const done = co_await client.call<std::string>("remove", file);
    auto const unknown = co_await greeting(client);
    co_await client.stop();
    co_return weather.contents.size() == 1 && refused.is_error&& done == "erased" && erased == 1 &&
        served == 2 && unknown.starts_with("refused: ");
}

lanyard::Task<int> check(lanyard::Server& server) {
    co_await exchange();
    bool const as_promised = co_await serves(server);
    co_return as_promised && !received.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) return *argv[1] == 's' ? serve() : lanyard::run(talk());
    if (!validates() || !matches()) return 1;
    lanyard::Server server{"class-examples", "1.0.0"};
    server.tool("erase", "Erase a file", erase);
    server.tool("remove", "Erase a file", erase);
    server.use(guard);
    server.add_provider(std::make_shared<Weather>());
    return lanyard::run(check(server));
}
