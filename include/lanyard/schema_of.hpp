// Derives JSON Schema 2020-12 from types. The schema describes what decode<T>() accepts and
// encode() writes.
#pragma once

#include <lanyard/codec.hpp>

namespace lanyard {

/// Options of a derived schema.
struct SchemaOptions {
    /// Whether described structs allow only the members that are described, unless they keep
    /// unknown members (rest()).
    bool closed = false;
    /// Whether structs that occur more than once are repeated instead of being placed in `$defs`.
    /// Recursive structs are always referenced.
    bool inline_references = false;
    /// Whether enumerations with titles also list their values under `enum`, for readers that do
    /// not support `oneOf`.
    bool list_enum_values = false;
};

namespace codec {

/// Returns the schema of values with this shape.
Json make_schema(reflect::Shape const& shape, SchemaOptions const& options = {});

}  // namespace codec

/// Returns the JSON Schema of T.
///
/// A described struct becomes an object with docs, constraints and defaults; its members are
/// required unless they may be absent. Recursive structs, and structs that occur more than once,
/// are placed in `$defs`. The schema contains everything that decode() checks, except the bounds of
/// integers of 32 bits and more; of these, only the minimum 0 of unsigned types is in the schema.
template <class T>
Json schema_of(SchemaOptions const& options = {}) {
    return codec::make_schema(reflect::shape_of<T>(), options);
}

/// Returns the schema of T as JSON text. Built on the first call.
template <class T>
RawJson const& schema_text_of() {
    static RawJson const text(schema_of<T>());
    return text;
}

}  // namespace lanyard
