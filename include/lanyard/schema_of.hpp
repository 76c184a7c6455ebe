// JSON Schema 2020-12 from types: what decode<T>() accepts and encode() writes, for peers to read.
#pragma once

#include <lanyard/codec.hpp>

namespace lanyard {

/// How a schema is written.
struct SchemaOptions {
    /// Described structs admit no members beside those described, unless they keep the rest.
    bool closed = false;
    /// Structs that occur more than once are repeated instead of standing in `$defs`. Structs that
    /// contain themselves are referred to all the same.
    bool inline_references = false;
    /// Enumerations with titles list their values under `enum` as well, for readers that do not
    /// look into `oneOf`.
    bool list_enum_values = false;
};

namespace codec {

/// The schema of the values of this shape.
Json make_schema(reflect::Shape const& shape, SchemaOptions const& options = {});

}  // namespace codec

/// The JSON Schema of T.
///
/// A described struct becomes an object with docs, constraints and defaults; its members are
/// required unless they may be absent. Structs that occur more than once, or inside themselves,
/// stand in `$defs`. What decode() checks, the schema says; it leaves out only the bounds of 32-bit
/// and wider integers.
template <class T>
Json schema_of(SchemaOptions const& options = {}) {
    return codec::make_schema(reflect::shape_of<T>(), options);
}

/// The schema of T as JSON text, made once.
template <class T>
RawJson const& schema_text_of() {
    static RawJson const text(schema_of<T>());
    return text;
}

}  // namespace lanyard
