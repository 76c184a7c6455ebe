#include "unit/wire/official_schema.hpp"

#include <set>

#include "support/data.hpp"

namespace lanyard::test {
namespace {

// Members that we write although schema.json does not list them, and why:
//   StringSchema.pattern       the elicitation page shows it, the schema does not
//   capabilities.extensions    announced to 2025-11-25 peers, as extensions of that time expect
//   SubscriptionFilter.taskIds a member of the tasks extension
// Members that peers of earlier revisions also have or can use:
//   Tool.outputSchema, CallToolResult.structuredContent, ClientCapabilities.elicitation
struct Addition {
    std::string_view definition;
    std::string_view member;
};
constexpr Addition additions[] = {{"StringSchema", "pattern"},
                                  {"ClientCapabilities", "extensions"},
                                  {"ServerCapabilities", "extensions"},
                                  {"SubscriptionFilter", "taskIds"},
                                  {"Tool", "outputSchema"},
                                  {"CallToolResult", "structuredContent"},
                                  {"ClientCapabilities", "elicitation"}};

// Forbids unknown members in every object that lists its members: the official schemas are open,
// which would hide members that a revision lacks. Parts of an intersection stay open, as none of
// them lists all members.
void close(Json& schema, bool holds_properties) {
    if (auto* array = schema.if_array()) {
        for (auto& element : *array) close(element, false);
        return;
    }
    auto* object = schema.if_object();
    if (object == nullptr || (!holds_properties && object->contains("allOf"))) return;
    for (auto& member : *object) {
        close(member.value(), !holds_properties && member.key() == "properties");
    }
    if (!holds_properties && object->contains("properties") &&
        !object->contains("additionalProperties")) {
        (*object)["additionalProperties"] = false;
    }
}

// The names of the definitions that a schema refers to.
void collect_references(Json const& schema, std::set<std::string>& names) {
    if (auto const* array = schema.if_array()) {
        for (auto const& element : *array) collect_references(element, names);
    }
    if (auto const* object = schema.if_object()) {
        for (auto const& member : *object) {
            auto const* target = member.key() == "$ref" ? member.value().if_string() : nullptr;
            if (target != nullptr) {
                std::string_view const path = *target;
                names.emplace(path.substr(path.rfind('/') + 1));
            } else {
                collect_references(member.value(), names);
            }
        }
    }
}

// Allows `_meta` in params, which early schemas do not repeat for each request.
void allow_meta_in_params(Json& schema) {
    auto* object = schema.if_object();
    if (object == nullptr) return;
    for (auto& member : *object) allow_meta_in_params(member.value());
    auto* params = object->if_contains("params");
    if (params == nullptr || !params->is_object()) return;
    auto* properties = params->get_object().if_contains("properties");
    if (properties != nullptr) properties->get_object()["_meta"] = JsonObject{{"type", "object"}};
}

}  // namespace

OfficialSchema::OfficialSchema(Version version) : version_(version) {
    auto const folder = data_folder("mcp-schema");
    auto text = read_file(*folder / std::string(to_string(version)) / "schema.json");
    schema_ = *json::parse(text);
    key_ = schema_.get_object().contains("$defs") ? "$defs" : "definitions";
    closed_ = schema_;
    auto& definitions = closed_.get_object()[key_].get_object();
    for (auto const& addition : additions) {
        if (auto* definition = definitions.if_contains(addition.definition)) {
            definition->get_object()["properties"].get_object()[addition.member] = true;
        }
    }
    for (auto& definition : definitions) {
        allow_meta_in_params(definition.value());
        if (!is_open(definition.key())) close(definition.value(), false);
    }
}

// Whether the definition allows any members: objects of any content, and parts that 2025-11-25
// combines with others.
bool OfficialSchema::is_open(std::string_view name) const {
    return name.ends_with("MetaObject") ||
           (version_ == Version::v2025_11_25 &&
            (name == "Result" || name == "Task" || name == "NotificationParams"));
}

schema::Validator OfficialSchema::compile(Json const& schema, std::string_view name) const {
    auto const& definitions = schema.at(key_).get_object();
    std::set<std::string> needed{std::string(name)};
    for (std::size_t before = 0; before != needed.size();) {
        before = needed.size();
        auto const known = needed;
        for (auto const& each : known) collect_references(definitions.at(each), needed);
    }
    JsonObject used;
    for (auto const& each : needed) used[each] = definitions.at(each);
    Json const whole{{"$schema", schema.at("$schema")},
                     {key_, used},
                     {"allOf", {{{"$ref", "#/" + key_ + "/" + std::string(name)}}}}};
    return schema::Validator::compile(whole).value();
}

}  // namespace lanyard::test
