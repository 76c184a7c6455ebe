// Snippets of docs/proxy.md: a proxy, the server behind it and a client, in one process.
#include <iostream>
#include <string>

#include <lanyard/proxy.hpp>
#include <lanyard/server.hpp>
#include <lanyard/testing/connect.hpp>

namespace {

struct Name {
    std::string name;
};
LANYARD_STRUCT(Name, (name, "Your name"))

void fill(lanyard::Server& upstream) {
    upstream.tool("greet", "Asks who you are",
                  [](lanyard::Context& context) -> lanyard::Task<std::string> {
                      auto const who = co_await context.elicit<Name>("who", "Who are you?");
                      co_return "Hello, " + (who ? who->name : std::string("stranger"));
                  });
}

lanyard::ClientOptions user() {
    lanyard::ClientOptions options;
    options.on_elicitation([](lanyard::ElicitFormParams const&) {
        lanyard::ElicitResult answer;
        answer.action = lanyard::ElicitAction::accept;
        answer.content = lanyard::JsonObject{{"name", "Ada"}};
        return answer;
    });
    return options;
}

lanyard::Task<bool> greeted(lanyard::Server& server, lanyard::Era era, std::string tool) {
    auto const client = co_await lanyard::testing::connect(server, era, user());
    auto const greeting = co_await client.call<std::string>(tool);
    std::cout << greeting << '\n';
    co_return greeting == "Hello, Ada";
}

lanyard::Task<bool> plain(lanyard::Server& upstream, lanyard::Era from, lanyard::Era to) {
    auto const connect = [&](lanyard::ClientOptions const& options) {
        return lanyard::testing::connect(upstream, to, options);
    };
    // [proxy]
    auto const client = co_await connect(lanyard::ClientOptions().declare_questions(true));
    lanyard::Server server{"proxy", "1.0.0"};
    server.add_provider(lanyard::proxy_provider(client));
    // [/proxy]
    bool const right = co_await greeted(server, from, "greet");
    co_return right;
}

lanyard::Task<bool> prefixed(lanyard::Server& upstream) {
    lanyard::Server server{"proxy", "1.0.0"};
    auto const connect = [&](lanyard::ClientOptions const& options) {
        return lanyard::testing::connect(upstream, lanyard::newest_version, options);
    };
    // [log]
    auto options = lanyard::ClientOptions().declare_questions(true);
    options.on_log([&server](lanyard::LoggingMessageParams const& message) {
        server.log(message.level, message.data, message.logger);
    });
    // [/log]
    auto const files = co_await connect(options);
    auto const mail = co_await connect(options);
    // [prefix]
    server.add_provider(lanyard::proxy_provider(files, lanyard::ProxyOptions().prefix("files_")));
    server.add_provider(lanyard::proxy_provider(mail, lanyard::ProxyOptions().prefix("mail_")));
    // [/prefix]
    bool const right = co_await greeted(server, lanyard::Era::modern, "mail_greet");
    co_return right;
}

lanyard::Task<int> run_all() {
    lanyard::Server upstream{"upstream", "1.0.0"};
    fill(upstream);
    bool right = true;
    for (auto const from : {lanyard::Era::legacy, lanyard::Era::modern}) {
        for (auto const to : {lanyard::Era::legacy, lanyard::Era::modern}) {
            right = co_await plain(upstream, from, to) && right;
        }
    }
    right = co_await prefixed(upstream) && right;
    co_return right ? 0 : 1;
}

}  // namespace

int main() {
    return lanyard::run(run_all());
}
