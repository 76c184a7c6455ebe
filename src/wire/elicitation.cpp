// Codecs of elicitation: forms, their fields and answers, and the two modes.
#include <algorithm>
#include <string_view>
#include <vector>

#include "wire/tables/elicitation.hpp"
#include "wire/tagged.hpp"

namespace lanyard {
namespace {

using Options = std::vector<EnumOption>;

bool is_titled(Options const& options) noexcept {
    return std::ranges::any_of(options,
                               [](EnumOption const& option) { return !option.title.empty(); });
}

void encode_values(json::Writer& writer, Options const& options) {
    writer.begin_array();
    for (auto const& option : options) writer.string(option.value);
    writer.end_array();
}

void encode_titled(json::Writer& writer, Options const& options) {
    writer.begin_array();
    for (auto const& option : options) {
        writer.begin_object().key("const").string(option.value);
        writer.key("title").string(option.title.empty() ? option.value : option.title);
        writer.end_object();
    }
    writer.end_array();
}

SingleSelectEnumSchema const& single_select(void const* schema) noexcept {
    return *static_cast<SingleSelectEnumSchema const*>(schema);
}

// Decodes `enum`, and the titles of the choices from `enumNames`, an older keyword.
bool decode_values(json::View view, Options& options, DecodeContext& context) {
    std::vector<std::string> values;
    {
        DecodeContext::Step const step(context, "enum");
        if (!Codec<std::vector<std::string>>::decode(*view.find("enum"), values, context)) {
            return false;
        }
    }
    std::vector<std::string> names;
    if (auto const member = view.find("enumNames")) {
        DecodeContext::Step const step(context, "enumNames");
        if (!Codec<std::vector<std::string>>::decode(*member, names, context)) return false;
        if (names.size() > values.size()) return context.fail("has more names than values");
    }
    names.resize(values.size());
    options.clear();
    options.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        options.push_back({std::move(values[i]), std::move(names[i])});
    }
    return true;
}

bool decode_titled(json::View view, std::string_view keyword, Options& options,
                   DecodeContext& context) {
    DecodeContext::Step const step(context, keyword);
    return Codec<Options>::decode(*view.find(keyword), options, context);
}

bool decode_string_field(json::View view, PrimitiveSchemaDefinition& out, DecodeContext& context) {
    bool const plain = view.find("enum").has_value();
    bool const titled = view.find("oneOf").has_value();
    if (!plain && !titled) {
        return Codec<StringSchema>::decode(view, out.emplace<StringSchema>(), context);
    }
    auto& field = out.emplace<SingleSelectEnumSchema>();
    if (!Codec<SingleSelectEnumSchema>::decode(view, field, context)) return false;
    bool const newer = wire::has_feature(context.version(), Feature::titled_enums);
    if (plain) {
        field.enum_names = newer && view.find("enumNames").has_value();
        return decode_values(view, field.options, context);
    }
    return decode_titled(view, "oneOf", field.options, context);
}

bool decode_array_field(json::View view, PrimitiveSchemaDefinition& out, DecodeContext& context) {
    auto& field = out.emplace<MultiSelectEnumSchema>();
    if (!Codec<MultiSelectEnumSchema>::decode(view, field, context)) return false;
    auto const items = view.find("items");
    if (!items) return context.fail("missing required property \"items\"");
    DecodeContext::Step const step(context, "items");
    if (!items->is_object()) return context.fail_expected("an object", *items);
    if (items->find("enum")) return decode_values(*items, field.options, context);
    if (items->find("anyOf")) return decode_titled(*items, "anyOf", field.options, context);
    return context.fail("must list the choices with \"enum\" or \"anyOf\"");
}

bool decode_fields(json::View properties, FormSchema& out, DecodeContext& context) {
    DecodeContext::Step const step(context, "properties");
    if (!properties.is_object()) return context.fail_expected("an object", properties);
    for (auto const& [key, value] : properties.members()) {
        auto& field = out.fields.emplace_back();
        key.append_string_to(field.name);
        DecodeContext::Step const inner(context, field.name);
        if (!Codec<PrimitiveSchemaDefinition>::decode(value, field.schema, context)) return false;
    }
    return true;
}

bool decode_required(json::View required, FormSchema& out, DecodeContext& context) {
    DecodeContext::Step const step(context, "required");
    std::vector<std::string> names;
    if (!Codec<std::vector<std::string>>::decode(required, names, context)) return false;
    std::vector<FormField*> fields;
    fields.reserve(out.fields.size());
    for (auto& field : out.fields) fields.push_back(&field);
    auto const name_of = [](FormField const* field) -> std::string const& { return field->name; };
    std::ranges::sort(fields, {}, name_of);
    for (auto const& name : names) {
        auto const found = std::ranges::lower_bound(fields, name, {}, name_of);
        if (found == fields.end() || (*found)->name != name) {
            return context.fail("names \"", name, "\", which is not a property");
        }
        (*found)->required = true;
    }
    return true;
}

}  // namespace

void Codec<PrimitiveSchemaDefinition>::encode(json::Writer& writer,
                                              PrimitiveSchemaDefinition const& value,
                                              EncodeContext const& context) {
    wire::encode_alternative(writer, value, context);
}

bool Codec<PrimitiveSchemaDefinition>::decode(json::View view, PrimitiveSchemaDefinition& out,
                                              DecodeContext& context) {
    using Definition = PrimitiveSchemaDefinition;
    static constexpr auto string_field = [](json::View schema, void* definition,
                                            DecodeContext& inner) {
        return decode_string_field(schema, *static_cast<Definition*>(definition), inner);
    };
    static constexpr auto array_field = [](json::View schema, void* definition,
                                           DecodeContext& inner) {
        return decode_array_field(schema, *static_cast<Definition*>(definition), inner);
    };
    static constexpr std::array kinds{
        wire::Tagged{"string", string_field},   wire::tagged<Definition, 1>("number"),
        wire::tagged<Definition, 1>("integer"), wire::tagged<Definition, 2>("boolean"),
        wire::Tagged{"array", array_field},
    };
    return wire::decode_tagged(view, &out, "type", kinds, context);
}

void Codec<FormSchema>::encode(json::Writer& writer, FormSchema const& value,
                               EncodeContext const& context) {
    writer.begin_object();
    if (!value.dialect.empty() && wire::has_feature(context.version, Feature::schema_dialects)) {
        writer.key("$schema").string(value.dialect);
    }
    writer.key("type").string("object");
    writer.key("properties").begin_object();
    for (auto const& field : value.fields) {
        writer.key(field.name);
        Codec<PrimitiveSchemaDefinition>::encode(writer, field.schema, context);
    }
    writer.end_object();
    if (std::ranges::any_of(value.fields, &FormField::required)) {
        writer.key("required").begin_array();
        for (auto const& field : value.fields) {
            if (field.required) writer.string(field.name);
        }
        writer.end_array();
    }
    writer.end_object();
}

bool Codec<FormSchema>::decode(json::View view, FormSchema& out, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    out = {};
    auto const type = view.find("type");
    if (!type || !type->equals("object")) {
        return context.fail("must be a JSON Schema with \"type\": \"object\"");
    }
    auto const dialect = view.find("$schema");
    if (dialect && !dialect->is_null() &&
        wire::has_feature(context.version(), Feature::schema_dialects)) {
        DecodeContext::Step const step(context, "$schema");
        if (!Codec<std::string>::decode(*dialect, out.dialect, context)) return false;
    }
    auto const properties = view.find("properties");
    if (!properties) return context.fail("missing required property \"properties\"");
    if (!decode_fields(*properties, out, context)) return false;
    auto const required = view.find("required");
    return !required || required->is_null() || decode_required(*required, out, context);
}

void Codec<ElicitParams>::encode(json::Writer& writer, ElicitParams const& value,
                                 EncodeContext const& context) {
    wire::encode_alternative(writer, value, context);
}

bool Codec<ElicitParams>::decode(json::View view, ElicitParams& out, DecodeContext& context) {
    static constexpr std::array modes{
        wire::tagged<ElicitParams, 0>("form"),
        wire::tagged<ElicitParams, 1>("url"),
    };
    auto const mode = view.find("mode");
    if (mode && !mode->is_null()) return wire::decode_tagged(view, &out, "mode", modes, context);
    return Codec<ElicitFormParams>::decode(view, out.emplace<ElicitFormParams>(), context);
}

namespace wire::detail {

bool decode_number_type(json::View view, void* out, DecodeContext&) {
    *static_cast<bool*>(out) = view.equals("integer");
    return true;
}

void encode_number_type(json::Writer& writer, void const* value, EncodeContext const&) {
    writer.string(*static_cast<bool const*>(value) ? "integer" : "number");
}

bool decode_form_content(json::View view, void* out, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    auto const is_string = [](json::View element) { return element.is_string(); };
    for (auto const& [key, value] : view.members()) {
        bool const scalar =
            value.is_string() || value.is_number() || value.kind() == json::Kind::boolean;
        bool const list = value.is_array() &&
                          std::all_of(value.elements().begin(), value.elements().end(), is_string);
        if (scalar || list) continue;
        std::string name;
        key.append_string_to(name);
        DecodeContext::Step const step(context, name);
        return context.fail_expected("a string, a number, a boolean or a list of strings", value);
    }
    return Codec<JsonObject>::decode(view, static_cast<std::optional<JsonObject>*>(out)->emplace(),
                                     context);
}

bool is_not_one_of(void const* schema) noexcept {
    auto const& single = single_select(schema);
    return single.enum_names || !is_titled(single.options);
}

bool is_not_enum(void const* schema) noexcept {
    return !is_not_one_of(schema);
}

bool is_untitled(void const* schema) noexcept {
    return !is_titled(single_select(schema).options);
}

bool has_no_enum_names(void const* schema) noexcept {
    return !single_select(schema).enum_names || is_untitled(schema);
}

bool skip_choices(json::View, void*, DecodeContext&) {
    return true;
}

void encode_enum(json::Writer& writer, void const* schema, EncodeContext const&) {
    encode_values(writer, single_select(schema).options);
}

void encode_enum_names(json::Writer& writer, void const* schema, EncodeContext const&) {
    writer.begin_array();
    for (auto const& option : single_select(schema).options) {
        writer.string(option.title.empty() ? option.value : option.title);
    }
    writer.end_array();
}

void encode_one_of(json::Writer& writer, void const* schema, EncodeContext const&) {
    encode_titled(writer, single_select(schema).options);
}

void encode_items(json::Writer& writer, void const* options, EncodeContext const&) {
    auto const& choices = *static_cast<Options const*>(options);
    writer.begin_object();
    if (is_titled(choices)) {
        writer.key("anyOf");
        encode_titled(writer, choices);
    } else {
        writer.key("type").string("string").key("enum");
        encode_values(writer, choices);
    }
    writer.end_object();
}

}  // namespace wire::detail
}  // namespace lanyard
