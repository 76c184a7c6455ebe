// `lanyard info`: shows what a server says about itself.
#include "lanyard/protocol/initialize.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "characters.hpp"
#include "connection.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage = "lanyard info TARGET, or lanyard info -- COMMAND...";

void append(std::string& text, std::string_view word) {
    text.append(text.empty() ? "" : ", ").append(word);
}

std::string capability_names(ServerCapabilities const& capabilities) {
    std::string text;
    // The first enumerator is `none`, which every server has.
    for (std::size_t i = 1; i < EnumNames<Capability>::value.size(); ++i) {
        if (has_capability(capabilities, static_cast<Capability>(i))) {
            append(text, EnumNames<Capability>::value[i]);
        }
    }
    for (auto const* more :
         {&capabilities.extensions, &capabilities.experimental, &capabilities.extra}) {
        for (auto const& each : *more) append(text, each.key());
    }
    return text.empty() ? "none" : text;
}

void print(std::string_view text, std::size_t indentation) {
    std::cout << wrapped(without_control_characters(text), indentation, terminal_width());
}

void show(InitializeResult const& server, std::vector<std::string> const& versions) {
    auto const& info = server.server_info;
    print(info.name + (info.version.empty() ? "" : " " + info.version) +
              (info.title.empty() ? "" : ": " + info.title),
          0);
    print(info.description, 2);
    print(info.website_url, 2);
    std::string supported;
    for (auto const& version : versions) append(supported, version);
    std::cout << '\n';
    print("Protocol revision: " + server.protocol_version, 0);
    if (versions.size() > 1) print("Supported revisions: " + supported, 0);
    print("Capabilities: " + capability_names(server.capabilities), 0);
    if (server.instructions.empty()) return;
    std::cout << "\nInstructions:\n";
    print(server.instructions, 2);
}

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    auto connector = connector_for(target, invocation, options);
    if (!words.empty()) usage_error("'" + words.front() + "' is one word too many");
    return with_server(std::move(connector), options,
                       [&](Client const& client) { return show_info(client, invocation); });
}

}  // namespace

Task<Exit> show_info(Client const& client, Invocation const& invocation) {
    auto const discovered = co_await client.discover();
    InitializeResult server;
    server.protocol_version = to_string(client.version());
    server.capabilities = client.server_capabilities();
    server.server_info = client.server_info();
    server.instructions = client.instructions();
    auto const& versions = discovered.supported_versions;
    if (invocation.json) {
        server.extra["supportedVersions"] = JsonArray(versions.begin(), versions.end());
        print_json(result_json(server, client.version()), invocation);
    } else {
        show(server, versions);
    }
    co_return Exit::ok;
}

void declare_info(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    declare_target_options(app, *options, invocation, "[TARGET]");
    app.footer(std::string(usage) +
               ".\n"
               "Prints the name, version, protocol revisions, capabilities and instructions.\n"
               "Example:\n"
               "  lanyard info -- lanyard serve --demo");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app
