// `lanyard list`: lists what a server offers.
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"
#include "nearest.hpp"
#include "result_json.hpp"
#include "show.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage =
    "lanyard list TARGET [KIND...], or lanyard list [KIND...] -- COMMAND...";
constexpr std::array kinds{"tools", "resources", "templates", "prompts"};

/// Prints the lists one after the other: tables with a line between them, or the members of one
/// JSON object. A single list in JSON is the result of its method.
class Printer {
public:
    Printer(bool json, bool alone, Version version)
        : json_(json), alone_(alone), version_(version) {}

    template <class R, class T>
    void print(R const& result, std::vector<T> const& items) {
        if (json_) {
            auto const text = result_json(result, version_);
            if (alone_) {
                std::cout << text << '\n';
                return;
            }
            // Only the list itself: what else a result holds belongs to its own answer.
            auto const whole = RawJson::trusted(text).to_json();
            for (auto const& member : whole.get_object()) {
                if (member.value().is_array()) all_[member.key()] = member.value();
            }
        } else if (!items.empty()) {
            if (printed_) std::cout << '\n';
            show(std::cout, items);
            printed_ = true;
        }
    }

    void finish() const {
        if (json_ && !alone_) std::cout << json::serialize(Json(all_)) << '\n';
        if (!json_ && !printed_) std::cout << "The server offers none.\n";
    }

private:
    bool json_;
    bool alone_;
    Version version_;
    bool printed_ = false;
    JsonObject all_;
};

Task<Exit> list(Client const& client, Invocation const& invocation,
                std::vector<std::string> const& wanted) {
    Printer printer(invocation.json, wanted.size() == 1, client.version());
    auto const& capabilities = client.server_capabilities();
    // What was asked for by name is asked of the server, even where it has not declared it.
    auto const wants = [&](char const* kind, bool declared) {
        return wanted.empty() ? declared : std::ranges::find(wanted, kind) != wanted.end();
    };
    if (wants("tools", capabilities.tools.has_value())) {
        ListToolsResult result;
        result.tools = co_await client.list_tools();
        printer.print(result, result.tools);
    }
    if (wants("resources", capabilities.resources.has_value())) {
        ListResourcesResult result;
        result.resources = co_await client.list_resources();
        printer.print(result, result.resources);
    }
    if (wants("templates", capabilities.resources.has_value())) {
        ListResourceTemplatesResult result;
        result.resource_templates = co_await client.list_resource_templates();
        printer.print(result, result.resource_templates);
    }
    if (wants("prompts", capabilities.prompts.has_value())) {
        ListPromptsResult result;
        result.prompts = co_await client.list_prompts();
        printer.print(result, result.prompts);
    }
    printer.finish();
    co_return Exit::ok;
}

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    std::vector<std::string> const known(kinds.begin(), kinds.end());
    for (auto const& word : words) {
        if (std::ranges::find(known, word) != known.end()) continue;
        usage_error("there is no list '" + word + "'" +
                    suggestion(word, known, "there are tools, resources, templates and prompts"));
    }
    return with_server(connector_for(target, invocation, options), options,
                       [&](Client const& client) { return list(client, invocation, words); });
}

}  // namespace

void declare_list(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    declare_target_options(app, *options, invocation,
                           "[TARGET] [tools|resources|templates|prompts ...]");
    app.footer(std::string(usage) +
               ".\n"
               "Examples:\n"
               "  lanyard list -- lanyard serve --demo\n"
               "  lanyard list weather tools --json");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app
