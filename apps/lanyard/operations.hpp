// The operations of the commands on an open connection. Each function is defined in the file of its
// command; `lanyard shell` calls the same functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "command.hpp"
#include "lanyard/client/client.hpp"

namespace lanyard::app {

/// The options of a call besides the arguments of the tool.
struct CallSettings {
    std::string output;     ///< the file or folder for content that is not text; may be empty
    bool no_check = false;  ///< send the call even if the tool or the arguments are invalid
};

/// The argument of a prompt, or the variable of a resource template, that is to be completed.
struct CompletionQuestion {
    std::string reference;
    std::string name;
    std::string typed;
    std::map<std::string, std::string> known;

    /// Parses the words PROMPT|TEMPLATE NAME=TYPED [KNOWN=VALUE...]. Throws Failure (usage); the
    /// text contains `usage` if there are too few words.
    static CompletionQuestion parse(std::vector<std::string> const& words, std::string_view usage);
};

/// Throws Failure (usage) if a word is not the name of a list.
void check_kinds(std::vector<std::string> const& words);

/// Returns the tool of this name. Throws Failure (usage) if the server does not list it.
Task<Tool> find_tool(Client const& client, std::string const& name);

// Each function prints the result to stdout. They throw what failure_of() can convert. The
// arguments must live until the task ends.
Task<Exit> list_features(Client const& client, Invocation const& invocation,
                         std::vector<std::string> const& kinds);
Task<Exit> describe_tool(Client const& client, Invocation const& invocation,
                         std::string const& name);
Task<Exit> show_info(Client const& client, Invocation const& invocation);
Task<Exit> call_tool(Client const& client, Invocation const& invocation,
                     CallSettings const& settings, std::string const& name,
                     CommandLine const& arguments);
/// `output` is the file or folder for the contents; empty to print them.
Task<Exit> read_resource(Client const& client, Invocation const& invocation,
                         std::string const& output, std::string const& uri);
Task<Exit> get_prompt(Client const& client, Invocation const& invocation, std::string const& name,
                      CommandLine const& arguments);
Task<Exit> complete_argument(Client const& client, Invocation const& invocation,
                             CompletionQuestion const& question);
Task<Exit> ping_server(Client const& client, Invocation const& invocation);

}  // namespace lanyard::app
