// `lanyard list`: lists the tools, resources, templates and prompts of a server.
#include "lanyard/rpc/message.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config.hpp"
#include "connection.hpp"
#include "nearest.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "show.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage =
    "lanyard list TARGET [KIND...], or lanyard list [KIND...] -- COMMAND...";
constexpr std::array kinds{"tools", "resources", "templates", "prompts"};

/// Prints the lists in turn: as tables with an empty line between them, or as the members of one
/// JSON object. If only one list was requested, the JSON has the form of its method's result.
class ListPrinter {
public:
    ListPrinter(Invocation const& invocation, bool is_only_list, Version version)
        : invocation_(&invocation), is_only_list_(is_only_list), version_(version) {}

    template <class R, class T>
    void print(R const& result, std::vector<T> const& items) {
        if (invocation_->json) {
            auto const text = result_json(result, version_);
            if (is_only_list_) {
                print_json(text, *invocation_);
                return;
            }
            // Takes only the list: other members of a result (such as `_meta`) describe that one
            // response and have no place in the combined object.
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
        if (invocation_->json) {
            if (!is_only_list_) print_json(escaped_json(json::serialize(Json(all_))), *invocation_);
            return;
        }
        if (!printed_) std::cout << "The server offers none.\n";
    }

private:
    Invocation const* invocation_;
    bool is_only_list_;
    Version version_;
    bool printed_ = false;
    JsonObject all_;
};

/// Whether the other lists can still be fetched after this failure.
bool concerns_one_list(Error const& error) {
    if (error.peer_code()) return true;
    return error.is(Errc::protocol_violation) || error.is(Errc::timeout) ||
           error.is(Errc::too_large);
}

/// Fetches and prints one list. A failure that concerns only this list is reported and determines
/// the exit code, but the other lists are still shown. If the list was not requested by name and
/// the server does not know the method, the list counts as empty.
template <class Result, class Items>
Task<> print_list(ListPrinter& printer, Task<Items> fetch, Items Result::* items, bool by_name,
                  bool json, Exit& exit) {
    Result result;
    try {
        result.*items = co_await std::move(fetch);
    } catch (Error const& error) {
        if (!concerns_one_list(error)) throw;
        bool const unknown = error.peer_code() == rpc::code::method_not_found;
        if (!unknown || by_name) {
            exit = report(failure_of(std::current_exception()), json);
            co_return;
        }
    }
    printer.print(result, result.*items);
}

/// Reports the entries that cannot be used, and removes them.
Exit remove_unusable(std::vector<ServerEntry>& entries, bool json) {
    auto exit = Exit::ok;
    for (auto const& entry : entries) {
        if (!entry.problem.empty()) exit = report(Failure(Exit::usage, entry.problem), json);
    }
    std::erase_if(entries, [](ServerEntry const& entry) { return !entry.problem.empty(); });
    return exit;
}

/// Prints the servers of a configuration file. Returns a failure if an entry cannot be used.
Exit list_configured(std::string const& file, Invocation const& invocation) {
    auto entries = list_servers(file);
    auto const exit = remove_unusable(entries, invocation.json);
    if (invocation.json) {
        JsonArray servers;
        for (auto const& entry : entries) {
            JsonObject server{{"name", entry.name}};
            if (entry.url.empty()) {
                server["command"] = JsonArray(entry.command.begin(), entry.command.end());
            } else {
                server["url"] = entry.url;
            }
            servers.push_back(std::move(server));
        }
        JsonObject const all{{"servers", std::move(servers)}};
        print_json(escaped_json(json::serialize(Json(all))), invocation);
        return exit;
    }
    Table table({"SERVER", "COMMAND OR URL"});
    for (auto const& entry : entries) {
        auto where = entry.url;
        for (auto const& word : entry.command) where += (where.empty() ? "" : " ") + word;
        table.add({first_line(entry.name), first_line(where)});
    }
    table.print(std::cout, terminal_width());
    return exit;
}

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    if (options.config && words.empty() && !invocation.program) {
        return list_configured(*options.config, invocation);
    }
    auto const target = take_target(words, invocation, usage);
    auto connector = connector_for(target, invocation, options);
    check_kinds(words);
    return with_server(std::move(connector), options, [&](Client const& client) {
        return list_features(client, invocation, words);
    });
}

}  // namespace

void check_kinds(std::vector<std::string> const& words) {
    std::vector<std::string> const known(kinds.begin(), kinds.end());
    for (auto const& word : words) {
        if (std::ranges::find(known, word) != known.end()) continue;
        usage_error("there is no list '" + word + "'" +
                    suggestion(word, known, "there are tools, resources, templates and prompts"));
    }
}

Task<Exit> list_features(Client const& client, Invocation const& invocation,
                         std::vector<std::string> const& wanted) {
    ListPrinter printer(invocation, wanted.size() == 1, client.version());
    auto const& capabilities = client.server_capabilities();
    bool const by_name = !wanted.empty();
    // A list that was requested by name is fetched even if the server has not declared the
    // capability.
    auto const wants = [&](char const* kind, bool declared) {
        return by_name ? std::ranges::find(wanted, kind) != wanted.end() : declared;
    };
    bool const json = invocation.json;
    auto exit = Exit::ok;
    if (wants("tools", capabilities.tools.has_value())) {
        co_await print_list(printer, client.list_tools(), &ListToolsResult::tools, by_name, json,
                            exit);
    }
    if (wants("resources", capabilities.resources.has_value())) {
        co_await print_list(printer, client.list_resources(), &ListResourcesResult::resources,
                            by_name, json, exit);
    }
    if (wants("templates", capabilities.resources.has_value())) {
        co_await print_list(printer, client.list_resource_templates(),
                            &ListResourceTemplatesResult::resource_templates, by_name, json, exit);
    }
    if (wants("prompts", capabilities.prompts.has_value())) {
        co_await print_list(printer, client.list_prompts(), &ListPromptsResult::prompts, by_name,
                            json, exit);
    }
    printer.finish();
    co_return exit;
}

void declare_list(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    declare_target_options(app, *options, invocation,
                           "[TARGET] [tools|resources|templates|prompts ...]");
    app.footer(std::string(usage) +
               ".\n"
               "Examples:\n"
               "  lanyard list -- lanyard serve --demo\n"
               "  lanyard list --config mcp.json   (the servers that the file names)\n"
               "  lanyard list weather tools --json");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app
