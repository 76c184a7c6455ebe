// Arguments: converts the words typed for a tool or a prompt to values that fit its schema.
#pragma once

#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/json/document.hpp"
#include "lanyard/protocol/prompts.hpp"
#include "lanyard/protocol/tool.hpp"

namespace lanyard::app {

class ToolSchema;

/// Takes the words `k=v`, `k:=json`, `{"k": ...}`, `@file` and `-` (a JSON object on stdin) in the
/// order in which they were typed; later words override earlier ones. In `k=@file` and `k:=@file`
/// the value is read from the file; `k=@@x` is the text "@x". Errors are thrown as Failure (usage),
/// which names the argument.
class CommandLine {
public:
    static CommandLine parse(std::vector<std::string> const& words, std::istream& in);

    /// Returns the arguments of a tool. `k=v` becomes a number, a boolean or a list if this is the
    /// type of `k` in the tool's schema. If `check` is true, missing required arguments get their
    /// defaults, and all arguments are validated against the schema.
    JsonObject for_tool(Tool const& tool, bool check) const;

    /// Returns the arguments of a prompt, which are strings. Refuses unknown and missing arguments.
    std::map<std::string, std::string> for_prompt(Prompt const& prompt) const;

    /// Returns every argument as a string.
    std::map<std::string, std::string> texts() const;

    bool empty() const noexcept { return items_.empty(); }

private:
    struct Item {
        std::string name;
        // Whether the argument was typed as k=v, so that the schema determines its type.
        bool typed_as_text;
        Json value;
    };

    void add_object(std::string_view text, std::string const& source);
    void add_pair(std::string const& word);
    static Json typed_value(Item const& item, ToolSchema const& schema, Json const* before,
                            bool check);

    std::vector<Item> items_;
};

}  // namespace lanyard::app
