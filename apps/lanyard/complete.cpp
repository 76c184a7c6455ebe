// `lanyard complete`: completes an argument of a prompt or a variable of a resource template.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage =
    "lanyard complete TARGET PROMPT|TEMPLATE NAME=TYPED [KNOWN=VALUE...], or the same without "
    "TARGET and with -- COMMAND... after it";

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    auto const question = CompletionQuestion::parse(words, usage);
    return with_server(
        connector_for(target, invocation, options), options,
        [&](Client const& client) { return complete_argument(client, invocation, question); });
}

}  // namespace

CompletionQuestion CompletionQuestion::parse(std::vector<std::string> const& words,
                                             std::string_view usage) {
    if (words.size() < 2) usage_error("complete what? " + std::string(usage));
    CompletionQuestion question;
    question.reference = words[0];
    auto const equals = words[1].find('=');
    if (equals == std::string::npos || equals == 0) {
        usage_error("'" + words[1] + "' is not NAME=TYPED, the argument to complete");
    }
    question.name = words[1].substr(0, equals);
    question.typed = words[1].substr(equals + 1);
    std::vector<std::string> const rest(words.begin() + 2, words.end());
    question.known = CommandLine::parse(rest, std::cin).texts();
    return question;
}

Task<Exit> complete_argument(Client const& client, Invocation const& invocation,
                             CompletionQuestion const& question) {
    // A reference with "://" is taken as a URI or template; prompt names usually do not contain it.
    bool const is_uri = question.reference.find("://") != std::string::npos;
    auto asking = is_uri ? client.complete_resource(question.reference, question.name,
                                                    question.typed, question.known)
                         : client.complete_prompt(question.reference, question.name, question.typed,
                                                  question.known);
    CompleteResult result;
    result.completion = co_await std::move(asking);
    if (invocation.json) {
        print_json(result_json(result, client.version()), invocation);
        co_return Exit::ok;
    }
    for (auto const& value : result.completion.values) std::cout << for_terminal(value) << '\n';
    if (result.completion.has_more.value_or(false)) {
        std::cerr << "there are more";
        if (result.completion.total) std::cerr << ": " << *result.completion.total << " in all";
        std::cerr << '\n';
    }
    co_return Exit::ok;
}

void declare_complete(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    declare_target_options(app, *options, invocation,
                           "[TARGET] PROMPT|TEMPLATE NAME=TYPED [KNOWN=VALUE...]");
    app.footer(std::string(usage) +
               ".\n"
               "Examples:\n"
               "  lanyard complete review language=p -- lanyard serve --demo\n"
               "  lanyard complete 'demo://table/{table}/{row}' table=o -- lanyard serve --demo");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app
