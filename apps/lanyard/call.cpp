// `lanyard call`: calls a tool.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "nearest.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "save.hpp"
#include "show.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage =
    "lanyard call TARGET TOOL [ARGUMENT...], or lanyard call TOOL [ARGUMENT...] -- COMMAND...";

struct CallCommand {
    TargetOptions target;
    CallSettings settings;
};

/// Returns the tool of this name, or a tool without a schema if the server does not list it.
Task<Tool> find_tool_unchecked(Client const& client, std::string const& name) {
    auto const tools = co_await client.list_tools();
    auto const found = std::ranges::find(tools, name, &Tool::name);
    if (found != tools.end()) co_return *found;
    Tool unknown;
    unknown.name = name;
    unknown.input_schema = RawJson::trusted("{}");
    co_return unknown;
}

/// Returns the text of a failed tool's result.
std::string failure_text(CallToolResult const& result) {
    std::string text;
    for (auto const& block : result.content) {
        if (auto const* words = std::get_if<TextContent>(&block)) {
            text += (text.empty() ? "" : "\n") + words->text;
        }
    }
    return text.empty() ? "the tool failed" : text;
}

Exit run(CallCommand const& command, Invocation const& invocation, std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    if (words.empty()) usage_error("which tool? " + std::string(usage));
    auto const name = std::move(words.front());
    words.erase(words.begin());
    auto const arguments = CommandLine::parse(words, std::cin);
    return with_server(connector_for(target, invocation, command.target), command.target,
                       [&](Client const& client) {
                           return call_tool(client, invocation, command.settings, name, arguments);
                       });
}

}  // namespace

Task<Tool> find_tool(Client const& client, std::string const& name) {
    auto const tools = co_await client.list_tools();
    std::vector<std::string> names;
    for (auto const& tool : tools) {
        if (tool.name == name) co_return tool;
        names.push_back(tool.name);
    }
    auto const hint = suggestion(name, names, "'lanyard list' shows what there is");
    throw Failure(Exit::usage, "the server has no tool '" + name + "'" + hint);
}

Task<Exit> call_tool(Client const& client, Invocation const& invocation,
                     CallSettings const& settings, std::string const& name,
                     CommandLine const& arguments) {
    bool const check = !settings.no_check;
    auto finding = check ? find_tool(client, name) : find_tool_unchecked(client, name);
    auto const tool = co_await std::move(finding);
    auto const typed = arguments.for_tool(tool, check);
    auto const result = co_await client.call_tool(name, typed);
    if (invocation.json) print_json(result_json(result, client.version()), invocation);
    if (result.is_error) throw Failure(Exit::tool_error, failure_text(result));
    if (!invocation.json) show(std::cout, result);
    if (!settings.output.empty()) {
        for (auto const& file : save(saveables(result.content), settings.output, name)) {
            std::cerr << "saved " << without_control_characters(file.string()) << '\n';
        }
    }
    co_return Exit::ok;
}

void declare_call(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<CallCommand>();
    app.add_option("-o,--output", command->settings.output,
                   "Save images, sounds and files: a file, or a folder (ends with /)");
    app.add_flag("--no-check", command->settings.no_check,
                 "Send the call without checking the tool's name and the arguments");
    declare_target_options(app, command->target, invocation, "[TARGET] TOOL [ARGUMENT...]");
    app.footer(
        std::string(usage) +
        ".\n"
        "An ARGUMENT is name=value (the tool's schema says whether it is a number), name:=JSON,\n"
        "a JSON object, @FILE (a file with a JSON object) or - (the same on stdin). name=@FILE\n"
        "takes the value from a file; name=@@x is the text @x.\n"
        "Examples:\n"
        "  lanyard call add a=1 b=2 -- lanyard serve --demo\n"
        "  lanyard call weather forecast '{\"city\": \"Oslo\"}' --json\n"
        "  lanyard call picture -o picture.png -- lanyard serve --demo");
    app.callback([command, &invocation] {
        invocation.exit = run(*command, invocation, command->target.words);
    });
}

}  // namespace lanyard::app
