#include "lanyard/schema_of.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/constraints.hpp"

namespace lanyard::codec {

namespace {

using reflect::Enumerator;
using reflect::EnumInfo;
using reflect::Field;
using reflect::FieldDetails;
using reflect::Flag;
using reflect::Literal;
using reflect::Number;
using reflect::Shape;
using reflect::StructInfo;

Json to_json_value(Number number) {
    switch (number.kind()) {
        case Number::Kind::integer:
            return number.integer();
        case Number::Kind::unsigned_integer:
            return number.unsigned_integer();
        default:
            return number.real();
    }
}

Json to_json_value(Literal const& literal) {
    switch (literal.kind) {
        case Literal::Kind::boolean:
            return literal.boolean;
        case Literal::Kind::number:
            return to_json_value(literal.number);
        default:
            return Json(literal.string);
    }
}

void add_text(JsonObject& schema, std::string_view keyword, std::string_view text) {
    if (!text.empty()) schema[keyword] = text;
}

void add_number(JsonObject& schema, std::string_view keyword, Number number) {
    if (number) schema[keyword] = to_json_value(number);
}

void add_count(JsonObject& schema, std::string_view keyword, std::optional<std::size_t> count) {
    if (count) schema[keyword] = *count;
}

bool greater(Number a, Number b) noexcept {
    return less(b, a);
}

// Returns the field's own bound or its type's bound, whichever excludes more values.
Number tighter(Number own, Number of_type, bool (*looser)(Number, Number) noexcept) {
    if (!own) return of_type;
    return of_type && looser(own, of_type) ? of_type : own;
}

JsonObject typed(std::string_view type) {
    return {{"type", type}};
}

// Extends the schema so that it also accepts null.
JsonObject or_null(JsonObject schema) {
    auto* const type = schema.if_contains("type");
    // Keywords that list values (`enum`, `oneOf`) would still exclude null, so adding "null" to the
    // types is not enough.
    bool const lists_values = schema.contains("enum") || schema.contains("oneOf");
    if (type != nullptr && type->is_string() && !lists_values) {
        *type = JsonArray{*type, "null"};
        return schema;
    }
    return {{"anyOf", JsonArray{std::move(schema), typed("null")}}};
}

JsonObject schema_of_enum(EnumInfo const& info, bool list_values) {
    auto const titled = std::any_of(info.enumerators.begin(), info.enumerators.end(),
                                    [](Enumerator const& e) { return !e.title.empty(); });
    JsonArray values;
    for (auto const& enumerator : info.enumerators) {
        if (titled) {
            auto const title = enumerator.title.empty() ? enumerator.name : enumerator.title;
            values.push_back({{"const", enumerator.name}, {"title", title}});
        } else {
            values.emplace_back(enumerator.name);
        }
    }
    auto schema = typed("string");
    if (titled && list_values) {
        auto& names = schema["enum"].emplace_array();
        for (auto const& enumerator : info.enumerators) names.emplace_back(enumerator.name);
    }
    schema[titled ? "oneOf" : "enum"] = std::move(values);
    return schema;
}

// Replaces characters that must not occur in a URI reference, such as '<' and '>' in "Vec<int>".
std::string definition_name(std::string_view name) {
    std::string result;
    for (char const c : name) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        result += plain ? c : '_';
    }
    return result.empty() ? "Object" : result;
}

class Generator {
public:
    Generator(Shape const& root, SchemaOptions const& options) : root_(root), options_(options) {
        count(root);
    }

    Json generate() {
        name_definitions();
        auto schema = root_.kind == Shape::Kind::structure ? inline_struct(*root_.structure())
                                                           : convert(root_);
        JsonObject definitions;
        for (auto const& use : uses_) {
            if (!use.definition.empty()) {
                definitions[use.definition] = inline_struct(*use.info);
            }
        }
        if (!definitions.empty()) schema["$defs"] = std::move(definitions);
        return schema;
    }

private:
    struct Use {
        StructInfo const* info;
        std::size_t count = 1;
        bool open = true;          // true while count() visits the structs inside this one
        bool recursive = false;    // the struct contains itself, directly or indirectly
        std::string definition{};  // the struct's name in $defs, if it has one
    };

    Use* find(StructInfo const* info) {
        auto const use = std::find_if(uses_.begin(), uses_.end(),
                                      [info](Use const& u) { return u.info == info; });
        return use == uses_.end() ? nullptr : &*use;
    }

    bool is_root(StructInfo const& info) const {
        return root_.kind == Shape::Kind::structure && root_.structure() == &info;
    }

    // Counts the occurrences of each struct.
    void count(Shape const& shape) {
        if (shape.element != nullptr) count(shape.element());
        for (auto const& alternative : shape.alternatives) count(alternative.shape());
        if (shape.structure == nullptr) return;
        auto const* const info = shape.structure();
        if (auto* const use = find(info)) {
            ++use->count;
            use->recursive = use->recursive || use->open;
            return;
        }
        uses_.push_back({info});
        for (auto const& field : info->fields) {
            if (field.access != nullptr) count(field.type.shape());
        }
        find(info)->open = false;
    }

    bool needs_definition(Use const& use) const {
        if (is_root(*use.info)) return false;
        return options_.inline_references ? use.recursive : use.count > 1;
    }

    void name_definitions() {
        for (auto& use : uses_) {
            if (!needs_definition(use)) continue;
            auto const base = definition_name(use.info->name);
            auto name = base;
            for (int suffix = 2; is_taken(name); ++suffix) {
                name = base + "_" + std::to_string(suffix);
            }
            use.definition = std::move(name);
        }
    }

    bool is_taken(std::string_view name) const {
        return std::any_of(uses_.begin(), uses_.end(),
                           [name](Use const& use) { return use.definition == name; });
    }

    JsonObject convert(Shape const& shape) {
        switch (shape.kind) {
            case Shape::Kind::any:
                return {};
            case Shape::Kind::null:
                return typed("null");
            case Shape::Kind::boolean:
                return typed("boolean");
            case Shape::Kind::integer:
            case Shape::Kind::number: {
                auto schema = typed(shape.kind == Shape::Kind::integer ? "integer" : "number");
                add_number(schema, "minimum", shape.minimum);
                add_number(schema, "maximum", shape.maximum);
                add_number(schema, "multipleOf", shape.multiple_of);
                return schema;
            }
            case Shape::Kind::string: {
                auto schema = typed("string");
                add_text(schema, "format", shape.format);
                return schema;
            }
            case Shape::Kind::request_id:
                return {{"type", JsonArray{"string", "integer"}}};
            case Shape::Kind::object:
                return typed("object");
            case Shape::Kind::array: {
                auto schema = typed("array");
                schema["items"] = convert(shape.element());
                if (shape.sized) {
                    add_count(schema, "minItems", shape.size);
                    add_count(schema, "maxItems", shape.size);
                }
                if (shape.unique) schema["uniqueItems"] = true;
                return schema;
            }
            case Shape::Kind::tuple:
                return convert_tuple(shape);
            case Shape::Kind::map: {
                auto schema = typed("object");
                if (shape.keys != Shape::Keys::strings) {
                    bool const negative = shape.keys == Shape::Keys::integers;
                    schema["propertyNames"] = {
                        {"pattern", negative ? "^(0|-?[1-9][0-9]*)$" : "^(0|[1-9][0-9]*)$"}};
                }
                schema["additionalProperties"] = convert(shape.element());
                return schema;
            }
            case Shape::Kind::optional:
                return or_null(convert(shape.element()));
            case Shape::Kind::pointer:
                return convert(shape.element());
            case Shape::Kind::variant: {
                JsonArray alternatives;
                for (auto const& alternative : shape.alternatives) {
                    alternatives.push_back(convert(alternative.shape()));
                }
                return {{"anyOf", std::move(alternatives)}};
            }
            case Shape::Kind::enumeration:
                return schema_of_enum(*shape.enumeration(), options_.list_enum_values);
            case Shape::Kind::custom: {
                auto schema = shape.custom();
                return schema.is_object() ? std::move(schema.as_object()) : JsonObject();
            }
            case Shape::Kind::structure:
                break;
        }
        auto const& info = *shape.structure();
        if (is_root(info)) return {{"$ref", "#"}};
        auto const& definition = find(&info)->definition;
        if (!definition.empty()) return {{"$ref", "#/$defs/" + definition}};
        return inline_struct(info);
    }

    JsonObject convert_tuple(Shape const& shape) {
        auto schema = typed("array");
        JsonArray parts;
        for (auto const& part : shape.alternatives) parts.push_back(convert(part.shape()));
        // JSON Schema does not allow an empty prefixItems.
        if (!parts.empty()) schema["prefixItems"] = std::move(parts);
        schema["items"] = false;
        add_count(schema, "minItems", shape.size);
        add_count(schema, "maxItems", shape.size);
        return schema;
    }

    JsonObject inline_struct(StructInfo const& info) {
        auto schema = typed("object");
        add_text(schema, "title", info.title);
        add_text(schema, "description", info.doc);
        JsonObject properties;
        JsonArray required;
        for (auto const& field : info.fields) {
            bool const detailed = field.details != Field::no_details;
            properties[field.name] =
                convert_field(field, detailed ? info.details[field.details] : FieldDetails());
            if (has(field.flags, Flag::required)) required.emplace_back(field.name);
        }
        add_defaults(info, properties);
        schema["properties"] = std::move(properties);
        if (!required.empty()) schema["required"] = std::move(required);
        bool const closed = info.closed || (options_.closed && info.rest == nullptr);
        if (closed) schema["additionalProperties"] = false;
        return schema;
    }

    JsonObject convert_field(Field const& field, FieldDetails const& details) {
        JsonObject schema;
        if (field.access == nullptr) {
            schema = typed("string");
            schema["const"] = field.constant;
        } else {
            schema = convert(field.type.shape());
            add_constraints(schema, field.type.shape(), details);
            if (has(field.flags, Flag::nullable)) schema = or_null(std::move(schema));
        }
        add_text(schema, "title", details.title);
        add_text(schema, "description", details.doc);
        if (details.example_count > 0) {
            JsonArray examples;
            for (std::size_t i = 0; i < details.example_count; ++i) {
                examples.push_back(to_json_value(details.examples[i]));
            }
            schema["examples"] = std::move(examples);
        }
        if (has(field.flags, Flag::deprecated)) schema["deprecated"] = true;
        return schema;
    }

    static void add_constraints(JsonObject& schema, Shape const& shape,
                                FieldDetails const& details) {
        auto const& constraints = details.constraints;
        add_number(schema, "minimum", tighter(constraints.minimum, shape.minimum, less));
        add_number(schema, "maximum", tighter(constraints.maximum, shape.maximum, greater));
        add_number(schema, "exclusiveMinimum", constraints.exclusive_minimum);
        add_number(schema, "exclusiveMaximum", constraints.exclusive_maximum);
        add_number(schema, "multipleOf", constraints.multiple_of);
        add_count(schema, "minLength", constraints.min_length);
        add_count(schema, "maxLength", constraints.max_length);
        add_count(schema, "minItems", constraints.min_items);
        add_count(schema, "maxItems", constraints.max_items);
        if (constraints.unique_items) schema["uniqueItems"] = true;
        add_text(schema, "pattern", details.pattern);
        add_text(schema, "format", details.format);
    }

    // Adds the default values of defaulted members, read from a default-constructed object.
    static void add_defaults(StructInfo const& info, JsonObject& properties) {
        struct State {
            StructInfo const& info;
            JsonObject& properties;
        } state{info, properties};
        info.with_default(
            [](void const* object, void* opaque) {
                auto& [described, schemas] = *static_cast<State*>(opaque);
                for (auto const& field : described.fields) {
                    if (field.access == nullptr || !has(field.flags, Flag::defaulted)) continue;
                    auto const* const member = field.access(const_cast<void*>(object));
                    if (field.absent != nullptr && field.absent(member)) continue;
                    std::string text;
                    json::Writer writer(text);
                    field.type.encode(writer, member, {});
                    schemas[field.name].as_object()["default"] =
                        RawJson::trusted(std::move(text)).to_json();
                }
            },
            &state);
    }

    Shape const& root_;
    SchemaOptions options_;
    std::vector<Use> uses_;
};

}  // namespace

Json make_schema(Shape const& shape, SchemaOptions const& options) {
    return Generator(shape, options).generate();
}

}  // namespace lanyard::codec
