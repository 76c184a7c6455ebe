// `lanyard validate`: checks whether a server follows the protocol, over any transport.
#include <lanyard/client/client.hpp>
#include <lanyard/json.hpp>
#include <lanyard/testing/validate_server.hpp>

#include <iostream>

#include "result_json.hpp"
#include "target.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

using Outcome = testing::ServerCheck::Outcome;
using Level = testing::ServerCheck::Level;

std::string_view to_word(Outcome outcome) {
    switch (outcome) {
        case Outcome::passed:
            return "passed";
        case Outcome::failed:
            return "failed";
        case Outcome::warning:
            return "warning";
        case Outcome::skipped:
            break;
    }
    return "skipped";
}

JsonObject to_json(testing::ServerReport const& report, std::string const& server) {
    JsonArray checks;
    for (auto const& check : report.checks()) {
        JsonObject entry{{"name", check.name},
                         {"version", to_string(check.version)},
                         {"level", check.level == Level::must ? "MUST" : "SHOULD"},
                         {"rule", check.rule},
                         {"verdict", to_word(check.outcome)}};
        if (!check.why.empty()) entry["why"] = check.why;
        checks.push_back(std::move(entry));
    }
    return {{"server", server}, {"passed", report.passed()}, {"checks", std::move(checks)}};
}

Task<int> validate(Connector& connector, testing::ServerValidation const& options,
                   Invocation& invocation) {
    auto const report = co_await testing::validate_server(connector, options);
    if (invocation.json) {
        auto const json = json::serialize(Json(to_json(report, connector.describe())));
        print_json(escaped_json(json), invocation);
    } else {
        std::cout << without_control_characters(connector.describe()) << "\n\n"
                  << without_control_characters(report.to_string());
    }
    if (!report.passed()) invocation.exit = Exit::protocol_error;
    co_return 0;
}

bool is_http(std::optional<std::string> const& target, Connector const& connector) {
    auto const url = connector.describe();
    return target && (url.starts_with("http://") || url.starts_with("https://"));
}

/// Opens and closes a connection first, so that an unreachable server is reported as such.
Task<int> reach(Connector& connector) {
    auto const transport = co_await connector.open();
    transport->close();
    co_await transport->closed();
    co_return 0;
}

/// Connects a client first if opening a connection of the transport sends nothing (HTTP). Other
/// failures than an unreachable server are left to the checks.
Task<int> reach_with_client(std::unique_ptr<Connector> connector, Duration timeout) {
    ClientOptions options;
    options.initialization_timeout(timeout).reconnect(ReconnectOptions::off());
    try {
        auto const client = co_await connect(std::move(connector), options);
        client.close();
        co_await client.closed();
    } catch (Error const& error) {
        if (error.is(Errc::transport_down) || error.is(Errc::unavailable) ||
            error.is(Errc::unauthorized)) {
            throw;
        }
    }
    co_return 0;
}

/// Runs the task to its end, and throws what the task throws.
void run_through(Task<int> task) {
    std::exception_ptr thrown;
    auto const guarded = [](Task<int> inner, std::exception_ptr& failure) -> Task<int> {
        try {
            co_return co_await std::move(inner);
        } catch (...) {
            failure = std::current_exception();
        }
        co_return 1;
    };
    run(guarded(std::move(task), thrown));
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

void declare_validate(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    auto limit = std::make_shared<std::optional<std::size_t>>();
    declare_target_options(app, *options, invocation, "TARGET");
    app.add_option("--max-message-bytes", *limit,
                   "The server's limit on a message, which is then checked");
    app.footer(
        "Opens connections of its own and checks rules of the protocol in each era that the "
        "server\n"
        "supports. A rule that the server MUST keep fails the validation, one that it SHOULD keep\n"
        "gives a warning.\n"
        "Examples:\n"
        "  lanyard validate tcp://127.0.0.1:4000\n"
        "  lanyard validate -- lanyard serve --demo\n"
        "Exits with 0 if no check has failed, with 6 otherwise.");
    app.callback([options, limit, &invocation] {
        auto const target = take_target(options->words, invocation, "lanyard validate SERVER");
        if (!options->words.empty()) {
            usage_error("'" + options->words.front() + "' is one word too many");
        }
        auto const connector = connector_for(target, invocation, *options);
        if (is_http(target, *connector)) {
            auto probe = connector_for(target, invocation, *options);
            run_through(reach_with_client(std::move(probe), timeout_of(*options)));
        } else {
            run_through(reach(*connector));
        }
        testing::ServerValidation validation;
        validation.timeout(timeout_of(*options));
        if (*limit) validation.max_message_bytes(**limit);
        if (options->era == "legacy") validation.era(Era::legacy);
        if (options->era == "modern") validation.era(Era::modern);
        run_through(validate(*connector, validation, invocation));
    });
}

}  // namespace lanyard::app
