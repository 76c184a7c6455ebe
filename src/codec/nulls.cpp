#include "codec/nulls.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace lanyard::codec {

namespace {

using reflect::Shape;

bool schema_admits_null(Json const& schema);

bool any_admits_null(Json const& schemas) {
    return !schemas.is_array() ||
           std::any_of(schemas.as_array().begin(), schemas.as_array().end(), schema_admits_null);
}

bool is_or_has(Json const& value, Json const& wanted) {
    if (!value.is_array()) return value == wanted;
    auto const& list = value.get_array();
    return std::find(list.begin(), list.end(), wanted) != list.end();
}

// Whether the schema admits null. Also returns true if this is not clear from the schema; then the
// codec decides.
bool schema_admits_null(Json const& schema) {
    if (!schema.is_object()) return true;
    auto const& members = schema.get_object();
    if (auto const* type = members.if_contains("type"); type && !is_or_has(*type, "null")) {
        return false;
    }
    if (auto const* value = members.if_contains("const"); value && !value->is_null()) return false;
    if (auto const* values = members.if_contains("enum"); values && !is_or_has(*values, nullptr)) {
        return false;
    }
    for (auto const* const keyword : {"anyOf", "oneOf"}) {
        auto const* const schemas = members.if_contains(keyword);
        if (schemas != nullptr && !any_admits_null(*schemas)) return false;
    }
    return true;
}

}  // namespace

bool admits_null(Shape const& shape) {
    switch (shape.kind) {
        case Shape::Kind::any:
        case Shape::Kind::null:
        case Shape::Kind::optional:
            return true;
        case Shape::Kind::pointer:
            return admits_null(shape.element());
        case Shape::Kind::variant:
            return std::any_of(
                shape.alternatives.begin(), shape.alternatives.end(),
                [](reflect::TypeOps const& one) { return admits_null(one.shape()); });
        case Shape::Kind::custom:
            return schema_admits_null(shape.custom());
        default:
            return false;
    }
}

}  // namespace lanyard::codec
