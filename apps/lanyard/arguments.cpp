#include "arguments.hpp"

#include "lanyard/json/writer.hpp"
#include "lanyard/schema.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "characters.hpp"
#include "failure.hpp"
#include "nearest.hpp"
#include "tool_schema.hpp"

namespace lanyard::app {
namespace {

std::string read_all(std::istream& in) {
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string read_file(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) usage_error("the arguments file '" + path + "' cannot be read");
    return read_all(file);
}

/// Reads the value of `name=@file`.
std::string file_value(std::string const& name, std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        usage_error("argument '" + name + "': the file '" + path + "' cannot be read; for the " +
                    "text '@" + path + "' write " + name + "=@@" + path);
    }
    auto text = read_all(file);
    if (!is_utf8(text)) usage_error("argument '" + name + "': '" + path + "' is not UTF-8 text");
    return text;
}

/// Describes the values of these types: "an integer", "true or false".
std::string describe(std::set<std::string> const& types) {
    static std::map<std::string, std::string, std::less<>> const names{
        {"integer", "an integer"}, {"number", "a number"},      {"boolean", "true or false"},
        {"array", "a JSON array"}, {"object", "a JSON object"}, {"null", "null"},
    };
    std::string text;
    for (auto const& type : types) {
        if (!text.empty()) text += " or ";
        auto const name = names.find(type);
        text += name == names.end() ? type : name->second;
    }
    return text;
}

bool fits(Json const& value, std::set<std::string> const& types) {
    auto const is_integer = value.is_int64() || value.is_uint64();
    return (is_integer && (types.contains("integer") || types.contains("number"))) ||
           (value.is_double() && types.contains("number")) ||
           (value.is_bool() && types.contains("boolean")) ||
           (value.is_array() && types.contains("array")) ||
           (value.is_object() && types.contains("object")) ||
           (value.is_null() && types.contains("null"));
}

/// Converts the text to a value of one of these types; nullopt if it does not fit.
std::optional<Json> convert(std::string_view text, std::set<std::string> const& types) {
    if (types.empty() || types.contains("string")) return Json(text);
    auto const value = json::parse(text);
    if (value && fits(*value, types)) return *value;
    return std::nullopt;
}

/// The JSON Pointer "/a/b" in readable form: "a/b".
std::string name_of(std::string_view pointer) {
    return std::string(pointer.starts_with('/') ? pointer.substr(1) : pointer);
}

void validate(Tool const& tool, Json const& schema, JsonObject const& arguments) {
    auto const validator = schema::Validator::compile(schema);
    if (!validator) return;  // The schema cannot be used, so only the server checks the arguments.
    auto const valid = validator->validate(Json(arguments));
    if (valid) return;
    std::string text;
    std::set<std::string> seen;  // several parts of a schema may refuse a value for the same reason
    for (auto const& error : valid.error().errors()) {
        auto line = error.instance.empty() ? "the arguments of tool '" + tool.name + "': "
                                           : "argument '" + name_of(error.instance) + "': ";
        line += error.message;
        if (!seen.insert(line).second) continue;
        text += (text.empty() ? "" : "; ") + line;
    }
    usage_error(text);
}

std::string joined(std::vector<std::string> const& names) {
    std::string text;
    for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

[[noreturn]] void refuse_unknown(std::string const& whose, std::string const& name,
                                 std::vector<std::string> const& known) {
    auto const alternative = known.empty() ? "it takes none" : "it takes " + joined(known);
    usage_error(whose + " has no argument '" + name + "'" + suggestion(name, known, alternative));
}

}  // namespace

void CommandLine::add_object(std::string_view text, std::string const& source) {
    auto value = json::parse(text);
    if (!value) usage_error(source + " are not JSON: " + value.error().to_string());
    if (!value->is_object()) usage_error(source + " must be a JSON object");
    for (auto const& entry : value->get_object()) {
        items_.push_back({std::string(entry.key()), false, entry.value()});
    }
}

/// Adds `name=text`, `name:=JSON`, or one of them with `@file` as the value.
void CommandLine::add_pair(std::string const& word) {
    auto const equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || word.starts_with(":=")) {
        usage_error("'" + word + "' is not an argument: write name=value, name=@file, " +
                    "name:=JSON, a JSON object, @file or -");
    }
    bool const is_json = word[equals - 1] == ':';
    auto name = word.substr(0, is_json ? equals - 1 : equals);
    auto text = word.substr(equals + 1);
    bool const from_file = text.starts_with('@') && !text.starts_with("@@");
    if (from_file) {
        text = file_value(name, text.substr(1));
    } else if (!is_json && text.starts_with("@@")) {
        text.erase(0, 1);
    }
    if (!is_json) {
        items_.push_back({std::move(name), true, Json(text)});
        return;
    }
    auto value = json::parse(text);
    if (!value) {
        auto const advice = from_file ? "" : "; for plain text write " + name + "=" + text;
        usage_error("argument '" + name + "' is not JSON: " + value.error().to_string() + advice);
    }
    items_.push_back({std::move(name), false, *std::move(value)});
}

CommandLine CommandLine::parse(std::vector<std::string> const& words, std::istream& in) {
    CommandLine arguments;
    for (auto const& word : words) {
        if (word == "-") {
            arguments.add_object(read_all(in), "the arguments on stdin");
        } else if (word.starts_with('@')) {
            arguments.add_object(read_file(word.substr(1)),
                                 "the arguments in '" + word.substr(1) + "'");
        } else if (word.starts_with('{')) {
            arguments.add_object(word, "the arguments");
        } else {
            arguments.add_pair(word);
        }
    }
    return arguments;
}

Json CommandLine::typed_value(Item const& item, ToolSchema const& schema, Json const* before,
                              bool check) {
    auto const text = std::string_view(item.value.get_string());
    auto const types = schema.types(item.name);
    if (auto value = convert(text, types)) return *std::move(value);
    if (!check) return item.value;
    if (!types.contains("array")) {
        usage_error("argument '" + item.name + "' must be " + describe(types) + ", got '" +
                    std::string(text) + "'");
    }
    // A repeated name (name=a name=b) adds elements to an array.
    auto const element_types = schema.element_types(item.name);
    auto element = convert(text, element_types);
    if (!element) {
        usage_error("argument '" + item.name + "' must be a list of " + describe(element_types) +
                    ", got '" + std::string(text) + "'");
    }
    Json list = before != nullptr && before->is_array() ? *before : Json(JsonArray());
    list.get_array().push_back(*std::move(element));
    return list;
}

JsonObject CommandLine::for_tool(Tool const& tool, bool check) const {
    ToolSchema const schema(tool.input_schema);
    JsonObject arguments;
    for (auto const& item : items_) {
        if (!item.typed_as_text) {
            arguments[item.name] = item.value;
            continue;
        }
        if (check && !schema.has(item.name) && !schema.is_open()) {
            refuse_unknown("tool '" + tool.name + "'", item.name, schema.names());
        }
        auto value = typed_value(item, schema, arguments.if_contains(item.name), check);
        arguments[item.name] = std::move(value);
    }
    if (!check) return arguments;
    // Adds the defaults of missing required arguments, because some schemas require arguments that
    // have a default.
    for (auto const& name : schema.names()) {
        if (!schema.requires_argument(name) || arguments.contains(name)) continue;
        if (auto const* value = schema.default_of(name)) arguments[name] = *value;
    }
    validate(tool, schema.json(), arguments);
    return arguments;
}

std::map<std::string, std::string> CommandLine::texts() const {
    std::map<std::string, std::string> texts;
    for (auto const& item : items_) {
        texts[item.name] = item.value.is_string() ? std::string(item.value.get_string())
                                                  : json::serialize(item.value);
    }
    return texts;
}

std::map<std::string, std::string> CommandLine::for_prompt(Prompt const& prompt) const {
    auto const given = texts();
    std::vector<std::string> known;
    for (auto const& argument : prompt.arguments) known.push_back(argument.name);
    for (auto const& [name, text] : given) {
        if (std::ranges::find(known, name) == known.end()) {
            refuse_unknown("prompt '" + prompt.name + "'", name, known);
        }
    }
    for (auto const& argument : prompt.arguments) {
        if (argument.required && !given.contains(argument.name)) {
            usage_error("prompt '" + prompt.name + "' needs the argument '" + argument.name + "'" +
                        (argument.description.empty() ? "" : " (" + argument.description + ")"));
        }
    }
    return given;
}

}  // namespace lanyard::app
