// Derives JSON Schema 2020-12 from types. The schema describes what decode<T>() accepts and
// encode() writes.
#pragma once

#include <lanyard/codec.hpp>

namespace lanyard {

/// Options of a derived schema.
struct SchemaOptions {
    /// Whether the schemas of structs refuse unknown members. A struct that stores unknown members
    /// (rest()) still accepts them.
    bool closed = false;
    /// Whether structs that occur more than once are repeated instead of being placed in `$defs`.
    /// Recursive structs are always referenced.
    bool inline_references = false;
    /// Whether enumerations with titles are written with `enum` in addition to `oneOf`, for readers
    /// that do not support `oneOf`.
    bool list_enum_values = false;
};

namespace codec {

/// Returns the schema of values with this shape.
Json make_schema(reflect::Shape const& shape, SchemaOptions const& options = {});

}  // namespace codec

/// Returns the JSON Schema of T.
///
/// A described struct becomes an object with docs, constraints and defaults; its members are
/// required, except those that decode() allows to be absent. Recursive structs, and structs that
/// occur more than once, are placed in `$defs`. The schema contains everything that decode()
/// checks, except the bounds of integer types of 32 bits and more. For these types it contains only
/// the minimum 0 of unsigned types.
template <class T>
Json schema_of(SchemaOptions const& options = {}) {
    return codec::make_schema(reflect::shape_of<T>(), options);
}

/// Returns the schema of T as JSON text. The text is built by the first call.
template <class T>
RawJson const& schema_text_of() {
    static RawJson const text(schema_of<T>());
    return text;
}

}  // namespace lanyard
