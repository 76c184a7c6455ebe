// `lanyard describe`: describes one tool in full.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "terminal.hpp"
#include "tool_description.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage =
    "lanyard describe TARGET TOOL, or lanyard describe TOOL -- COMMAND...";

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    if (words.size() != 1) usage_error("which tool? " + std::string(usage));
    return with_server(
        connector_for(target, invocation, options), options,
        [&](Client const& client) { return describe_tool(client, invocation, words.front()); });
}

}  // namespace

Task<Exit> describe_tool(Client const& client, Invocation const& invocation,
                         std::string const& name) {
    auto const tool = co_await find_tool(client, name);
    if (invocation.json) {
        // The tool as it is in the result of tools/list.
        ListToolsResult result;
        result.tools.push_back(tool);
        auto const whole = RawJson::trusted(result_json(result, client.version())).to_json();
        auto const& only = whole.at("tools").at(0);
        print_json(escaped_json(json::serialize(only)), invocation);
    } else {
        describe(std::cout, tool, terminal_width());
    }
    co_return Exit::ok;
}

void declare_describe(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    declare_target_options(app, *options, invocation, "[TARGET] TOOL");
    app.footer(std::string(usage) +
               ".\n"
               "Prints the description, all arguments with their types, limits, defaults and\n"
               "choices, the members of the result, and the hints. --json prints the tool as the\n"
               "server sent it, with its schemas.\n"
               "Example:\n"
               "  lanyard describe count_down -- lanyard serve --demo");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app
