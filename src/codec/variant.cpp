// Variants: decodes the first alternative that accepts a value, or explains why none does.
#include <algorithm>

#include "codec/message.hpp"
#include "lanyard/codec.hpp"

namespace lanyard::codec {

namespace {

using reflect::Field;
using reflect::Shape;
using reflect::TypeOps;

// Whether the value may have this shape. Examines only the kind of the value and those of its
// members that must have a constant value.
bool fits(Shape const& shape, json::View view, std::optional<Version> version);

bool fits_struct(reflect::StructInfo const& info, json::View view, std::optional<Version> version) {
    if (!view.is_object()) return false;
    for (auto const& field : info.fields) {
        if (field.access != nullptr || !field.in(version)) continue;
        auto const value = view.find(field.name);
        if (!value || !value->equals(field.constant)) return false;
    }
    return true;
}

bool fits_any(std::span<TypeOps const> alternatives, json::View view,
              std::optional<Version> version) {
    return std::any_of(alternatives.begin(), alternatives.end(), [&](TypeOps const& alternative) {
        return fits(alternative.shape(), view, version);
    });
}

bool fits(Shape const& shape, json::View view, std::optional<Version> version) {
    switch (shape.kind) {
        case Shape::Kind::any:
        case Shape::Kind::custom:
            return true;
        case Shape::Kind::null:
            return view.is_null();
        case Shape::Kind::boolean:
            return view.kind() == json::Kind::boolean;
        case Shape::Kind::integer:
        case Shape::Kind::number:
            return view.is_number();
        case Shape::Kind::string:
        case Shape::Kind::enumeration:
            return view.is_string();
        case Shape::Kind::request_id:
            return view.is_string() || view.is_number();
        case Shape::Kind::object:
        case Shape::Kind::map:
            return view.is_object();
        case Shape::Kind::array:
        case Shape::Kind::tuple:
            return view.is_array();
        case Shape::Kind::optional:
            return view.is_null() || fits(shape.element(), view, version);
        case Shape::Kind::pointer:
            return fits(shape.element(), view, version);
        case Shape::Kind::variant:
            return fits_any(shape.alternatives, view, version);
        case Shape::Kind::structure:
            break;
    }
    return fits_struct(*shape.structure(), view, version);
}

void add_name(std::vector<std::string>& names, std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
    }
}

// Adds the name of an alternative in the form in which messages show it, for example "a string" or
// "Circle".
void add_names(std::vector<std::string>& names, Shape const& shape) {
    switch (shape.kind) {
        case Shape::Kind::any:
        case Shape::Kind::custom:
            return add_name(names, "another value");
        case Shape::Kind::null:
            return add_name(names, "null");
        case Shape::Kind::boolean:
            return add_name(names, "a boolean");
        case Shape::Kind::integer:
            return add_name(names, "an integer");
        case Shape::Kind::number:
            return add_name(names, "a number");
        case Shape::Kind::string:
        case Shape::Kind::enumeration:
            return add_name(names, "a string");
        case Shape::Kind::request_id:
            add_name(names, "a string");
            return add_name(names, "an integer");
        case Shape::Kind::object:
        case Shape::Kind::map:
            return add_name(names, "an object");
        case Shape::Kind::array:
        case Shape::Kind::tuple:
            return add_name(names, "an array");
        case Shape::Kind::optional:
            add_names(names, shape.element());
            return add_name(names, "null");
        case Shape::Kind::pointer:
            return add_names(names, shape.element());
        case Shape::Kind::variant:
            for (auto const& alternative : shape.alternatives) {
                add_names(names, alternative.shape());
            }
            return;
        case Shape::Kind::structure:
            break;
    }
    auto const name = shape.structure()->name;
    add_name(names, name.empty() ? "an object" : std::string(name));
}

// Returns the names as a list, for example "a string, an integer or Circle".
std::string enumerate(std::span<TypeOps const> alternatives) {
    std::vector<std::string> names;
    for (auto const& alternative : alternatives) add_names(names, alternative.shape());
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
        text += names[i];
    }
    return text;
}

Field const* first_constant(Shape const& shape, std::optional<Version> version) {
    if (shape.kind != Shape::Kind::structure) return nullptr;
    for (auto const& field : shape.structure()->fields) {
        if (field.access == nullptr && field.in(version)) return &field;
    }
    return nullptr;
}

// Reports a wrong value of the constant member by which the alternatives are distinguished.
bool fail_constant(json::View view, std::span<TypeOps const> alternatives, DecodeContext& context) {
    std::string_view name;
    std::string values;
    for (auto const& alternative : alternatives) {
        auto const* const constant = first_constant(alternative.shape(), context.version());
        if (constant == nullptr || (!name.empty() && constant->name != name)) continue;
        name = constant->name;
        if (!values.empty()) values += ", ";
        values += quoted(constant->constant);
    }
    if (name.empty()) return context.fail_expected(enumerate(alternatives), view);
    auto const value = view.find(name);
    if (!value) return context.fail("missing required property ", quoted(name));
    DecodeContext::Step const step(context, name);
    return context.fail("must be one of ", values, ", got ", shown(*value));
}

bool fail_kind(json::View view, std::span<TypeOps const> alternatives, DecodeContext& context) {
    if (context.quiet()) return false;
    if (view.is_object()) return fail_constant(view, alternatives, context);
    return context.fail_expected(enumerate(alternatives), view);
}

// Called if several alternatives looked possible and none accepted the value. Reports the reason
// for each. Inside the attempt of an outer variant, lists only the names; otherwise messages would
// nest as deeply as the value.
bool fail_all(json::View view, void* variant, std::span<TypeOps const> alternatives,
              DecodeContext& context) {
    if (context.quiet()) return false;
    if (context.trying()) return context.fail("is not ", enumerate(alternatives));
    std::string reasons;
    for (auto const& alternative : alternatives) {
        if (!fits(alternative.shape(), view, context.version())) continue;
        DecodeContext::Trial const trial(context, view, false);
        // Decoding fails again, but this time the error is stored.
        alternative.decode(view, variant, context);
        if (!reasons.empty()) reasons += "; ";
        reasons +=
            "not " + enumerate({&alternative, 1}) + " (" + context.take_error().to_string() + ")";
    }
    return context.fail(reasons);
}

}  // namespace

bool decode_variant(json::View view, void* variant, std::span<TypeOps const> alternatives,
                    DecodeContext& context) {
    TypeOps const* only = nullptr;
    std::size_t possible = 0;
    for (auto const& alternative : alternatives) {
        if (!fits(alternative.shape(), view, context.version())) continue;
        only = &alternative;
        ++possible;
    }
    if (possible == 0) return fail_kind(view, alternatives, context);
    if (possible == 1) return only->decode(view, variant, context);
    for (auto const& alternative : alternatives) {
        if (!fits(alternative.shape(), view, context.version())) continue;
        DecodeContext::Trial const trial(context, view, true);
        if (!trial.affordable()) break;
        if (alternative.decode(view, variant, context)) return true;
    }
    return fail_all(view, variant, alternatives, context);
}

}  // namespace lanyard::codec
