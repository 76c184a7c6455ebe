#include "protocol/validation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "json/pointer.hpp"
#include "lanyard/json/document.hpp"

namespace lanyard::protocol {
namespace {

constexpr std::size_t max_tool_name = 128;

Unexpected<DecodeError> invalid(std::string pointer, std::string message) {
    return Unexpected(DecodeError{std::move(pointer), std::move(message)});
}

// Returns one character of a name or URI in the form in which error messages show it.
std::string show(char c) {
    if (c > ' ' && c < '\x7f') return std::string("\"") + c + "\"";
    constexpr char digits[] = "0123456789ABCDEF";
    auto const byte = static_cast<unsigned char>(c);
    return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

std::string_view scheme_of(std::string_view uri) noexcept {
    return uri.substr(0, std::min(uri.find(':'), uri.size()));
}

bool has_scheme(std::string_view uri, std::string_view scheme) noexcept {
    return scheme_of(uri).size() < uri.size() &&
           ascii::equals_ignoring_case(scheme_of(uri), scheme);
}

// Returns everything between "scheme://" and the path, query or fragment; empty if the URI has no
// "//".
std::string_view authority_of(std::string_view uri) noexcept {
    auto rest = uri.substr(scheme_of(uri).size() + 1);
    if (!rest.starts_with("//")) return {};
    rest.remove_prefix(2);
    return rest.substr(0, rest.find_first_of("/?#"));
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            out.push_back(static_cast<char>(ascii::hex_value(text[i + 1]) * 16 +
                                            ascii::hex_value(text[i + 2])));
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

// Returns the first name that occurs twice, or null.
std::string const* first_duplicate(std::vector<std::string const*> names) {
    std::ranges::sort(names, [](auto const* a, auto const* b) { return *a < *b; });
    auto const found =
        std::ranges::adjacent_find(names, [](auto const* a, auto const* b) { return *a == *b; });
    return found == names.end() ? nullptr : *found;
}

Validity check_schema_root(std::string_view member, RawJson const& schema, bool needs_type) {
    json::Document document;
    auto const parsed = document.parse(schema.text());
    if (!parsed) return invalid(std::string(member), "must be JSON: " + parsed.error().message);
    if (!parsed->is_object()) return invalid(std::string(member), "must be a JSON Schema object");
    if (!needs_type) return {};
    auto const type = parsed->find("type");
    if (!type || !type->equals("object")) {
        return invalid(std::string(member) + "/type", "must be \"object\"");
    }
    return {};
}

template <class Bound>
Validity check_range(std::optional<Bound> const& least, std::optional<Bound> const& most,
                     std::string_view least_name, std::string_view most_name) {
    if (least && most && *least > *most) {
        return invalid("/" + std::string(least_name), "must not exceed " + std::string(most_name));
    }
    return {};
}

Validity check_length(std::optional<std::int64_t> const& length, std::string_view name) {
    if (length && *length < 0) return invalid("/" + std::string(name), "must not be negative");
    return {};
}

Validity check_options(std::vector<EnumOption> const& options) {
    if (options.empty()) return invalid("", "must offer at least one choice");
    std::vector<std::string const*> values;
    values.reserve(options.size());
    for (auto const& option : options) values.push_back(&option.value);
    if (auto const* twice = first_duplicate(std::move(values))) {
        return invalid("", "offers the choice \"" + *twice + "\" twice");
    }
    return {};
}

Unexpected<DecodeError> not_a_choice(std::string const& value) {
    return invalid("/default", "\"" + value + "\" is not one of the choices");
}

Validity check_field(StringSchema const& schema) {
    if (auto valid = check_length(schema.min_length, "minLength"); !valid) return valid;
    if (auto valid = check_length(schema.max_length, "maxLength"); !valid) return valid;
    return check_range(schema.min_length, schema.max_length, "minLength", "maxLength");
}

Validity check_field(NumberSchema const& schema) {
    if (auto const& value = schema.default_value) {
        if (schema.integer && *value != std::floor(*value)) {
            return invalid("/default", "must be an integer");
        }
        if ((schema.minimum && *value < *schema.minimum) ||
            (schema.maximum && *value > *schema.maximum)) {
            return invalid("/default", "must lie between minimum and maximum");
        }
    }
    return check_range(schema.minimum, schema.maximum, "minimum", "maximum");
}

Validity check_field(BooleanSchema const&) {
    return {};
}

Validity check_field(SingleSelectEnumSchema const& schema) {
    if (auto valid = check_options(schema.options); !valid || !schema.default_value) return valid;
    auto const& value = *schema.default_value;
    if (std::ranges::find(schema.options, value, &EnumOption::value) == schema.options.end()) {
        return not_a_choice(value);
    }
    return {};
}

Validity check_field(MultiSelectEnumSchema const& schema) {
    if (auto valid = check_options(schema.options); !valid) return valid;
    if (auto valid = check_length(schema.min_items, "minItems"); !valid) return valid;
    if (auto valid = check_length(schema.max_items, "maxItems"); !valid) return valid;
    if (auto const& values = schema.default_value) {
        // A set, so that checking many defaults against many choices does not take quadratic time.
        std::set<std::string_view> choices;
        for (auto const& option : schema.options) choices.insert(option.value);
        for (auto const& value : *values) {
            if (!choices.contains(value)) return not_a_choice(value);
        }
        if ((schema.min_items && std::ssize(*values) < *schema.min_items) ||
            (schema.max_items && std::ssize(*values) > *schema.max_items)) {
            return invalid("/default", "must have between minItems and maxItems values");
        }
    }
    return check_range(schema.min_items, schema.max_items, "minItems", "maxItems");
}

using Ids = std::vector<std::string_view>;

struct ToolTraffic {
    Ids uses;
    Ids results;
    bool other = false;
};

ToolTraffic tool_traffic(SamplingMessage const& message) {
    ToolTraffic traffic;
    for (auto const& block : message.content) {
        if (auto const* use = std::get_if<ToolUseContent>(&block)) {
            traffic.uses.push_back(use->id);
        } else if (auto const* result = std::get_if<ToolResultContent>(&block)) {
            traffic.results.push_back(result->tool_use_id);
        } else {
            traffic.other = true;
        }
    }
    std::ranges::sort(traffic.uses);
    std::ranges::sort(traffic.results);
    return traffic;
}

}  // namespace

Validity check_tool_name(std::string_view name) {
    if (name.empty()) return invalid("", "a tool name must not be empty");
    if (name.size() > max_tool_name) {
        return invalid(
            "", "a tool name must have at most 128 characters, got " + std::to_string(name.size()));
    }
    auto const bad = std::ranges::find_if(name, [](char c) {
        return !ascii::is_alphanumeric(c) && c != '_' && c != '-' && c != '.';
    });
    if (bad != name.end()) {
        return invalid(
            "",
            "a tool name may hold only letters, digits, \"_\", \"-\" and \".\", got " + show(*bad));
    }
    return {};
}

Validity check_tool(Tool const& tool) {
    if (auto valid = check_tool_name(tool.name); !valid) {
        return invalid("/name", std::move(valid).error().message);
    }
    if (auto valid = check_schema_root("/inputSchema", tool.input_schema, true); !valid) {
        return valid;
    }
    if (tool.output_schema.empty()) return {};
    return check_schema_root("/outputSchema", tool.output_schema, false);
}

Validity check_uri(std::string_view uri) {
    constexpr std::string_view allowed_marks = "-._~:/?#[]@!$&'()*+,;=";
    auto const scheme = scheme_of(uri);
    if (scheme.size() == uri.size()) return invalid("", "must be a URI with a scheme");
    if (scheme.empty() || !ascii::is_letter(scheme.front()) ||
        !std::ranges::all_of(scheme, [](char c) {
            return ascii::is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
        })) {
        return invalid("", "has an invalid URI scheme");
    }
    for (std::size_t i = scheme.size() + 1; i < uri.size(); ++i) {
        char const c = uri[i];
        if (c == '%') {
            if (i + 2 >= uri.size() || ascii::hex_value(uri[i + 1]) < 0 ||
                ascii::hex_value(uri[i + 2]) < 0) {
                return invalid("", "has an incomplete percent-encoding");
            }
            i += 2;
        } else if (!ascii::is_alphanumeric(c) && allowed_marks.find(c) == std::string_view::npos) {
            return invalid("", "is not a URI: " + show(c) + " must be percent-encoded");
        }
    }
    return {};
}

Validity check_root(Root const& root) {
    if (auto valid = check_uri(root.uri); !valid) {
        return invalid("/uri", std::move(valid).error().message);
    }
    if (!has_scheme(root.uri, "file") || !root.uri.substr(4).starts_with("://")) {
        return invalid("/uri", "must be a file:// URI");
    }
    auto const path = percent_decoded(std::string_view(root.uri).substr(7));
    if (path.find('\0') != std::string::npos) return invalid("/uri", "must not hold a NUL");
    for (std::size_t begin = 0; begin <= path.size();) {
        auto const end = std::min(path.find_first_of("/\\", begin), path.size());
        if (std::string_view(path).substr(begin, end - begin) == "..") {
            return invalid("/uri", "must not climb with \"..\"");
        }
        begin = end + 1;
    }
    return {};
}

Validity check_icon_source(std::string_view src) {
    if (auto valid = check_uri(src); !valid) return valid;
    if (has_scheme(src, "data")) return {};
    if (has_scheme(src, "https") && !authority_of(src).empty()) return {};
    return invalid("", "an icon must be an https: or data: URI, got the scheme \"" +
                           std::string(scheme_of(src)) + "\"");
}

Validity check_elicitation_url(std::string_view url) {
    if (auto valid = check_uri(url); !valid) return valid;
    if ((has_scheme(url, "https") || has_scheme(url, "http")) && !authority_of(url).empty()) {
        return {};
    }
    return invalid("", "must be an http: or https: URL with a host");
}

Validity check_form_schema(FormSchema const& schema) {
    std::vector<std::string const*> names;
    names.reserve(schema.fields.size());
    for (auto const& field : schema.fields) names.push_back(&field.name);
    if (auto const* twice = first_duplicate(std::move(names))) {
        return invalid("/properties", "names the field \"" + *twice + "\" twice");
    }
    for (auto const& field : schema.fields) {
        auto valid = std::visit([](auto const& kind) { return check_field(kind); }, field.schema);
        if (!valid) {
            std::string pointer = "/properties";
            json::append_pointer_step(pointer, field.name);
            auto problem = std::move(valid).error();
            return invalid(pointer + problem.pointer, std::move(problem.message));
        }
    }
    return {};
}

Validity check_sampling_messages(std::span<SamplingMessage const> messages) {
    std::set<std::string_view> known;
    Ids open;  // ids of the tool uses in the previous message
    for (std::size_t i = 0; i < messages.size(); ++i) {
        auto const at = "/" + std::to_string(i) + "/content";
        auto const traffic = tool_traffic(messages[i]);
        if (!traffic.results.empty() && (traffic.other || !traffic.uses.empty())) {
            return invalid(at, "a message with tool results must hold nothing else");
        }
        if (!open.empty() && (messages[i].role != Role::user || traffic.results != open)) {
            return invalid(at,
                           "must be a user message with one result for each tool use of the "
                           "message before");
        }
        for (auto const id : traffic.results) {
            if (!known.contains(id)) {
                return invalid(at, "the tool result \"" + std::string(id) +
                                       "\" belongs to no earlier tool use");
            }
        }
        known.insert(traffic.uses.begin(), traffic.uses.end());
        open = traffic.uses;
    }
    if (!open.empty()) {
        return invalid("", "the last message uses tools, and no results follow");
    }
    return {};
}

Validity check_completion(Completion const& completion) {
    if (completion.values.size() <= max_completion_values) return {};
    return invalid("/values",
                   "must hold at most 100 values, got " + std::to_string(completion.values.size()));
}

}  // namespace lanyard::protocol
