// `lanyard ping`: checks that a server answers.
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"
#include "operations.hpp"
#include "result_json.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage = "lanyard ping TARGET, or lanyard ping -- COMMAND...";

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    auto connector = connector_for(target, invocation, options);
    if (!words.empty()) usage_error("'" + words.front() + "' is one word too many");
    return with_server(std::move(connector), options,
                       [&](Client const& client) { return ping_server(client, invocation); });
}

}  // namespace

Task<Exit> ping_server(Client const& client, Invocation const& invocation) {
    auto const start = std::chrono::steady_clock::now();
    co_await client.ping();
    std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - start;
    auto const rounded = std::round(took.count() * 100) / 100;
    if (invocation.json) {
        JsonObject const result{{"milliseconds", rounded}};
        print_json(json::serialize(Json(result)), invocation);
    } else {
        std::cout << "answered in " << rounded << " ms\n";
    }
    co_return Exit::ok;
}

void declare_ping(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    declare_target_options(app, *options, invocation, "[TARGET]");
    app.footer(std::string(usage) +
               ".\n"
               "Sends ping or, in protocol revision 2026-07-28, server/discover, and prints how\n"
               "long the answer took. The time does not include the start of a program.\n"
               "Example:\n"
               "  lanyard ping http://127.0.0.1:8080/mcp");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app
