// `lanyard prompt`: gets a prompt, filled with arguments.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "nearest.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "show.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage =
    "lanyard prompt TARGET NAME [ARGUMENT...], or lanyard prompt NAME [ARGUMENT...] -- COMMAND...";

Task<Prompt> find_prompt(Client const& client, std::string const& name) {
    auto const prompts = co_await client.list_prompts();
    std::vector<std::string> names;
    for (auto const& prompt : prompts) {
        if (prompt.name == name) co_return prompt;
        names.push_back(prompt.name);
    }
    auto const hint = suggestion(name, names, "'lanyard list' shows what there is");
    throw Failure(Exit::usage, "the server has no prompt '" + name + "'" + hint);
}

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    if (words.empty()) usage_error("which prompt? " + std::string(usage));
    auto const name = std::move(words.front());
    words.erase(words.begin());
    auto const arguments = CommandLine::parse(words, std::cin);
    return with_server(
        connector_for(target, invocation, options), options,
        [&](Client const& client) { return get_prompt(client, invocation, name, arguments); });
}

}  // namespace

Task<Exit> get_prompt(Client const& client, Invocation const& invocation, std::string const& name,
                      CommandLine const& arguments) {
    auto const prompt = co_await find_prompt(client, name);
    auto const result = co_await client.get_prompt(name, arguments.for_prompt(prompt));
    if (invocation.json) {
        print_json(result_json(result, client.version()), invocation);
    } else {
        show(std::cout, result);
    }
    co_return Exit::ok;
}

void declare_prompt(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    declare_target_options(app, *options, invocation, "[TARGET] NAME [ARGUMENT...]");
    app.footer(std::string(usage) +
               ".\n"
               "An ARGUMENT is name=value, name=@FILE, a JSON object, @FILE or -.\n"
               "Example:\n"
               "  lanyard prompt review language=cpp code='int x;' -- lanyard serve --demo");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app
