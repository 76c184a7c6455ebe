#include "tool_schema.hpp"

#include "lanyard/json/writer.hpp"

#include <algorithm>
#include <initializer_list>
#include <unordered_set>
#include <utility>

namespace lanyard::app {
namespace {

// The maximum number of subschemas and references that are visited for one tool, in all queries.
constexpr std::size_t total_budget = 100'000;
// The maximum number of subschemas that one query finds.
constexpr std::size_t max_alternatives = 1'000;
// The maximum number of references in a chain.
constexpr int max_hops = 16;
// The maximum number of nested arrays that a short type name shows.
constexpr int max_nested_arrays = 4;
// The maximum number of choices that a short type name shows.
constexpr std::size_t max_choices = 8;
// The maximum total size of these choices.
constexpr std::size_t max_name_bytes = 80;

Json const* member(Json const* object, std::string_view key) {
    if (object == nullptr || !object->is_object()) return nullptr;
    return object->get_object().if_contains(key);
}

void add_type_of(Json const& value, ToolSchema::Types& types) {
    if (value.is_string()) types.emplace("string");
    if (value.is_number()) types.emplace("number");
    if (value.is_bool()) types.emplace("boolean");
    if (value.is_null()) types.emplace("null");
}

// Adds the types that the schema itself lists, without the types of referenced schemas.
void add_own_types(Json const& schema, ToolSchema::Types& types) {
    if (auto const* type = member(&schema, "type")) {
        if (type->is_string()) types.emplace(type->get_string());
        if (type->is_array()) {
            for (auto const& each : type->get_array()) {
                if (each.is_string()) types.emplace(each.get_string());
            }
        }
        return;
    }
    if (auto const* value = member(&schema, "const")) add_type_of(*value, types);
    if (auto const* values = member(&schema, "enum"); values != nullptr && values->is_array()) {
        for (auto const& value : values->get_array()) add_type_of(value, types);
    }
}

std::string plain_text(Json const& value) {
    return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

std::string text_of(Json const* value) {
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
}

// The title of a schema or, if it has none, its description.
std::string title_of(Json const& schema) {
    auto title = text_of(member(&schema, "title"));
    return title.empty() ? text_of(member(&schema, "description")) : title;
}

// Adds at most `most` values of an enumeration, or a constant; returns false if the schema is
// neither.
bool add_choices(Json const& schema, std::vector<std::string>& choices, std::size_t most) {
    auto const add = [&](Json const& value) {
        if (!value.is_null()) choices.push_back(plain_text(value));
    };
    auto const* values = member(&schema, "enum");
    auto const* constant = member(&schema, "const");
    if (values != nullptr && values->is_array()) {
        auto const& all = values->get_array();
        std::for_each_n(all.begin(), std::min(all.size(), most), add);
    } else if (constant != nullptr) {
        add(*constant);
    } else {
        return false;
    }
    return true;
}

// Whether the schema has `oneOf` or `anyOf`. The schemas in them are visited, too, and describe the
// type more precisely.
bool has_alternatives(Json const& schema) {
    return member(&schema, "oneOf") != nullptr || member(&schema, "anyOf") != nullptr;
}

// Joins the names, without duplicates. An ellipsis replaces the names that would make the text too
// long for a list of arguments.
std::string joined(std::vector<std::string> const& names) {
    std::string text;
    std::set<std::string_view> seen;
    for (auto const& name : names) {
        if (!seen.insert(name).second) continue;
        if (seen.size() > max_choices || text.size() + name.size() > max_name_bytes) {
            return text + (text.empty() ? "…" : "|…");
        }
        text += (text.empty() ? "" : "|") + name;
    }
    return text;
}

}  // namespace

ToolSchema::ToolSchema(RawJson const& input_schema)
    : root_(input_schema.to_json()), budget_(total_budget) {
    read_arguments();
}

void ToolSchema::read_arguments() {
    for (auto const* schema : alternatives({&root_})) {
        auto const* additional = member(schema, "additionalProperties");
        open_ = open_ || (additional != nullptr && *additional != Json(false));
        auto const* properties = member(schema, "properties");
        if (properties == nullptr || !properties->is_object()) continue;
        for (auto const& property : properties->get_object()) {
            auto const [place, is_new] = arguments_.try_emplace(std::string(property.key()));
            if (is_new) names_.push_back(place->first);
            place->second.push_back(&property.value());
        }
    }
    // An argument that only some alternatives require is optional, so `oneOf` and `anyOf` are not
    // searched.
    for (auto const* schema : combined({&root_}, {"allOf"})) {
        auto const* required = member(schema, "required");
        if (required == nullptr || !required->is_array()) continue;
        for (auto const& name : required->get_array()) {
            if (name.is_string()) required_.emplace(name.get_string());
        }
    }
}

/// Follows `$ref`s inside the schema; null if a reference does not resolve or the chain is too
/// long.
Json const* ToolSchema::resolve(Json const* schema) const {
    for (int hops = 0; schema != nullptr && hops < max_hops; ++hops) {
        auto const* reference = member(schema, "$ref");
        if (reference == nullptr || !reference->is_string()) return schema;
        auto const target = std::string_view(reference->get_string());
        auto const cost = 1 + target.size() / 32;
        if (!target.starts_with('#') || cost > budget_) return nullptr;
        budget_ -= cost;
        boost::system::error_code failed;
        schema = root_.find_pointer(target.substr(1), failed);
    }
    return nullptr;
}

auto ToolSchema::alternatives(Schemas schemas) const -> Schemas {
    return combined(std::move(schemas), {"oneOf", "anyOf", "allOf"});
}

/// Returns the given schemas and all schemas that they combine with `keywords`. References are
/// resolved. No schema is returned twice.
auto ToolSchema::combined(Schemas schemas, std::initializer_list<char const*> keywords) const
    -> Schemas {
    Schemas found;
    std::unordered_set<Json const*> seen;
    // Reversed, because schemas are taken from the back and the result must keep their order.
    Schemas waiting(schemas.rbegin(), schemas.rend());
    while (!waiting.empty() && found.size() < max_alternatives && budget_ > 0) {
        --budget_;
        auto const* const schema = resolve(waiting.back());
        waiting.pop_back();
        if (schema == nullptr || !schema->is_object() || !seen.insert(schema).second) continue;
        found.push_back(schema);
        for (auto const* key : keywords) {
            auto const* list = member(schema, key);
            if (list == nullptr || !list->is_array()) continue;
            auto const& array = list->get_array();
            for (auto each = array.size(); each > 0; --each) waiting.push_back(&array[each - 1]);
        }
    }
    return found;
}

auto ToolSchema::value(std::string_view name) const -> Value {
    auto const found = arguments_.find(name);
    return found == arguments_.end() ? Value() : found->second;
}

/// Returns the schemas in `oneOf` and `anyOf`, without those that allow only null.
auto ToolSchema::options_of(Schemas const& schemas) const -> Schemas {
    Schemas options;
    for (auto const* schema : schemas) {
        for (auto const* key : {"oneOf", "anyOf"}) {
            auto const* list = member(schema, key);
            if (list == nullptr || !list->is_array()) continue;
            for (auto const& each : list->get_array()) {
                auto const* type = member(resolve(&each), "type");
                if (type == nullptr || *type != Json("null")) options.push_back(&each);
            }
        }
    }
    return options;
}

/// Returns the schemas that always apply: the given ones, those in `allOf`, and the only option of
/// `oneOf` or `anyOf` if there is one.
auto ToolSchema::necessary(Schemas const& schemas, int depth) const -> Schemas {
    auto found = combined(schemas, {"allOf"});
    auto const options = options_of(found);
    if (options.size() == 1 && depth < max_hops) {
        for (auto const* schema : necessary(options, depth + 1)) found.push_back(schema);
    }
    return found;
}

bool ToolSchema::has_objects(Json const* schema) const {
    for (auto const* each : alternatives({schema})) {
        if (member(each, "properties") != nullptr) return true;
        auto const* items = member(each, "items");
        if (items != nullptr && member(resolve(items), "properties") != nullptr) return true;
    }
    return false;
}

auto ToolSchema::variants(Value const& value) const -> std::vector<Value> {
    auto const options = options_of(necessary(value, 0));
    bool const shown = options.size() > 1 && std::ranges::any_of(options, [this](auto const* each) {
                           return has_objects(each);
                       });
    std::vector<Value> found;
    if (!shown) return found;
    for (auto const* each : options) found.push_back({each});
    return found;
}

auto ToolSchema::subschemas(Value const& value) const -> Value {
    return variants(value).empty() ? alternatives(value) : necessary(value, 0);
}

auto ToolSchema::members(Value const& value) const -> std::vector<Member> {
    std::set<std::string_view> required;
    for (auto const* schema : necessary(value, 0)) {
        auto const* names = member(schema, "required");
        if (names == nullptr || !names->is_array()) continue;
        for (auto const& name : names->get_array()) {
            if (name.is_string()) required.insert(name.get_string());
        }
    }
    std::vector<Member> found;
    std::map<std::string_view, std::size_t> places;
    for (auto const* schema : subschemas(value)) {
        auto const* properties = member(schema, "properties");
        if (properties == nullptr || !properties->is_object()) continue;
        for (auto const& property : properties->get_object()) {
            std::string_view const name = property.key();
            auto const [place, is_new] = places.try_emplace(name, found.size());
            if (is_new) found.push_back({std::string(name), required.contains(name), {}});
            found[place->second].value.push_back(&property.value());
        }
    }
    return found;
}

auto ToolSchema::other_members(Value const& value) const -> Value {
    Value found;
    for (auto const* schema : subschemas(value)) {
        auto const* others = member(schema, "additionalProperties");
        if (others != nullptr && others->is_object() && !others->get_object().empty()) {
            found.push_back(others);
        }
    }
    return found;
}

auto ToolSchema::types_of(Schemas const& schemas) const -> Types {
    Types types;
    for (auto const* schema : schemas) add_own_types(*schema, types);
    return types;
}

auto ToolSchema::items_of(Schemas const& schemas) const -> Schemas {
    Schemas items;
    for (auto const* schema : schemas) {
        if (auto const* each = member(schema, "items")) items.push_back(each);
    }
    return alternatives(std::move(items));
}

auto ToolSchema::types(std::string_view name) const -> Types {
    return types_of(schemas_of(name));
}

auto ToolSchema::element_types(std::string_view name) const -> Types {
    return types_of(items_of(schemas_of(name)));
}

Json const* ToolSchema::default_of(Value const& value) const {
    for (auto const* schema : subschemas(value)) {
        if (auto const* found = member(schema, "default")) return found;
    }
    return nullptr;
}

std::string ToolSchema::type_name(std::string_view name) const {
    return type_name(schemas_of(name), Names::choices, 0);
}

auto ToolSchema::choices(Value const& value_of_choices) const -> std::vector<Choice> {
    constexpr std::size_t most = 1'000;
    std::vector<Choice> found;
    auto schemas = subschemas(value_of_choices);
    auto const items = items_of(schemas);
    schemas.insert(schemas.end(), items.begin(), items.end());
    std::map<std::string, std::size_t> places;
    for (auto const* schema : schemas) {
        std::vector<std::string> values;
        add_choices(*schema, values, most);
        for (auto const& value : values) {
            if (found.size() == most && !places.contains(value)) continue;
            auto const [place, is_new] = places.try_emplace(value, found.size());
            if (is_new) found.push_back({value, {}});
            // The title of a schema is the title of a value only if the schema allows no other
            // value. An enumeration may list its values in `enum`, and their titles in `oneOf`.
            auto& title = found[place->second].title;
            if (values.size() == 1 && title.empty()) title = title_of(*schema);
        }
    }
    return found;
}

std::string ToolSchema::description(Value const& value) const {
    // A description next to a reference describes the argument; the description in the target
    // describes the type.
    for (auto const* own : value) {
        if (auto text = text_of(member(own, "description")); !text.empty()) return text;
    }
    auto const schemas = subschemas(value);
    for (auto const* key : {"description", "title"}) {
        for (auto const* schema : schemas) {
            // The description of a constant describes this choice, not the argument.
            if (member(schema, "const") != nullptr) continue;
            if (auto text = text_of(member(schema, key)); !text.empty()) return text;
        }
    }
    return {};
}

std::vector<std::string> ToolSchema::limits(Value const& value) const {
    struct Limit {
        char const* keyword;
        char const* before;
        char const* unit;
    };
    static constexpr Limit all[] = {
        {"minimum", "at least ", ""},
        {"exclusiveMinimum", "more than ", ""},
        {"maximum", "at most ", ""},
        {"exclusiveMaximum", "less than ", ""},
        {"multipleOf", "a multiple of ", ""},
        {"minLength", "at least ", " character"},
        {"maxLength", "at most ", " character"},
        {"minItems", "at least ", " element"},
        {"maxItems", "at most ", " element"},
        {"format", "format ", ""},
        {"pattern", "pattern ", ""},
    };
    std::vector<std::string> found;
    auto const schemas = subschemas(value);
    for (auto const& limit : all) {
        for (auto const* schema : schemas) {
            auto const* bound = member(schema, limit.keyword);
            if (bound == nullptr || !(bound->is_number() || bound->is_string())) continue;
            auto const text = plain_text(*bound);
            bool const several = *limit.unit != '\0' && text != "1";
            found.push_back(limit.before + text + limit.unit + (several ? "s" : ""));
            break;
        }
    }
    return found;
}

std::string ToolSchema::type_name(Schemas const& schemas, Names names, int depth) const {
    std::vector<std::string> parts;
    Types types;
    for (auto const* schema : schemas) {
        bool const is_choice =
            names == Names::choices && add_choices(*schema, parts, max_choices + 1);
        if (!is_choice && !has_alternatives(*schema)) {
            add_own_types(*schema, types);
        }
    }
    bool const has_null = types.erase("null") > 0;
    for (auto const& type : types) {
        if (type != "array") {
            parts.push_back(type);
            continue;
        }
        auto element = depth < max_nested_arrays ? type_name(items_of(schemas), names, depth + 1)
                                                 : std::string("any");
        if (element.find('|') != std::string::npos) element = "(" + element + ")";
        parts.push_back(element + "[]");
    }
    // In a list of arguments, null usually means that the argument may be absent.
    if (has_null && (names == Names::types || depth > 0)) parts.emplace_back("null");
    return parts.empty() ? "any" : joined(parts);
}

}  // namespace lanyard::app
