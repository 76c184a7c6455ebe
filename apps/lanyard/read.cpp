// `lanyard read`: reads a resource.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "save.hpp"
#include "show.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage = "lanyard read TARGET URI, or lanyard read URI -- COMMAND...";

struct ReadCommand {
    TargetOptions target;
    std::string output;
};

/// Returns the last part of a URI without its extension, for naming a file.
std::string_view stem_of(std::string_view uri) {
    auto const slash = uri.find_last_of('/');
    auto const last = slash == std::string_view::npos ? uri : uri.substr(slash + 1);
    return last.substr(0, last.find_last_of('.'));
}

Exit run(ReadCommand const& command, Invocation const& invocation, std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    if (words.size() != 1) usage_error("which resource? " + std::string(usage));
    return with_server(connector_for(target, invocation, command.target), command.target,
                       [&](Client const& client) {
                           return read_resource(client, invocation, command.output, words.front());
                       });
}

}  // namespace

Task<Exit> read_resource(Client const& client, Invocation const& invocation,
                         std::string const& output, std::string const& uri) {
    auto const result = co_await client.read_resource(uri);
    if (invocation.json) print_json(result_json(result, client.version()), invocation);
    if (!output.empty()) {
        for (auto const& file : save(saveables(result.contents), output, stem_of(uri))) {
            std::cerr << "saved " << without_control_characters(file.string()) << '\n';
        }
    } else if (!invocation.json) {
        for (auto const& contents : result.contents) show(std::cout, contents);
    }
    co_return Exit::ok;
}

void declare_read(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<ReadCommand>();
    app.add_option("-o,--output", command->output,
                   "Save the contents: a file, or a folder (ends with /)");
    declare_target_options(app, command->target, invocation, "[TARGET] URI");
    app.footer(std::string(usage) +
               ".\n"
               "Examples:\n"
               "  lanyard read demo://time -- lanyard serve --demo\n"
               "  lanyard read files file:///notes.txt -o notes.txt");
    app.callback([command, &invocation] {
        invocation.exit = run(*command, invocation, command->target.words);
    });
}

}  // namespace lanyard::app
