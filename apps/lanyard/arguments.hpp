// Arguments: what was typed for a tool or a prompt, turned into what its schema wants.
#pragma once

#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/json/document.hpp>
#include <lanyard/protocol/prompts.hpp>
#include <lanyard/protocol/tool.hpp>

namespace lanyard::app {

class ToolSchema;

/// The words `k=v`, `k:=json`, `{"k": ...}`, `@file` and `-` (a JSON object on stdin), in the order
/// they were typed; later ones win. Everything that is wrong is thrown as Failure (usage) that
/// names the argument.
class Arguments {
public:
    static Arguments parse(std::vector<std::string> const& words, std::istream& in);

    /// The arguments of a tool. `k=v` becomes a number, a boolean or a list if the tool's schema
    /// says so. With `check`, required arguments that have a default are filled in, and the whole
    /// is validated against the schema.
    JsonObject for_tool(Tool const& tool, bool check) const;

    /// The arguments of a prompt, which are strings; unknown and missing ones are refused.
    std::map<std::string, std::string> for_prompt(Prompt const& prompt) const;

    /// Every argument as a string.
    std::map<std::string, std::string> texts() const;

    bool empty() const noexcept { return items_.empty(); }

private:
    struct Item {
        std::string name;
        bool typed_as_text;  // k=v: the schema says what it is
        Json value;
    };

    void add_object(std::string_view text, std::string const& source);
    static Json typed_value(Item const& item, ToolSchema const& schema, Json const* before,
                            bool check);

    std::vector<Item> items_;
};

}  // namespace lanyard::app
