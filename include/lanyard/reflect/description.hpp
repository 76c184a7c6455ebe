// The description of a type: plain constant data about its fields, enumerators and shape. Templates
// only build this data (describe.hpp). Decoding, encoding and schema generation are functions that
// read the data and are not templates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <lanyard/json/document.hpp>
#include <lanyard/reflect/attributes.hpp>

namespace lanyard {

namespace json {
class Writer;
}
struct EncodeContext;
class DecodeContext;

/// How values of T are converted to JSON and back: the customization point of encode() and
/// decode().
///
/// A specialization has `static void encode(json::Writer&, T const&, EncodeContext const&)` and
/// `static bool decode(json::View, T&, DecodeContext&)`, and may have `static Json schema()`.
template <class T>
struct Codec;

}  // namespace lanyard

namespace lanyard::reflect {

struct Shape;
struct StructInfo;
struct EnumInfo;

/// The functions for one type, as function pointers, for code that is not a template.
struct TypeOps {
    Shape const& (*shape)() = nullptr;
    bool (*decode)(json::View view, void* out, DecodeContext& context) = nullptr;
    void (*encode)(json::Writer& writer, void const* value, EncodeContext const& context) = nullptr;
};

/// The form of a type's values in JSON.
struct Shape {
    enum class Kind : std::uint8_t {
        any,
        null,
        boolean,
        integer,  ///< an integer from `minimum` to `maximum`, if given
        number,
        string,      ///< a string in the `format`, if given
        request_id,  ///< a string or an integer
        object,      ///< any object
        array,       ///< an array of `element`; see `sized` and `unique`
        tuple,       ///< an array with one value of each of the `alternatives`, in this order
        map,         ///< an object whose values all have the shape `element`
        optional,    ///< `element` or null
        pointer,     ///< same as `element`
        variant,     ///< one of `alternatives`
        structure,
        enumeration,
        custom,  ///< described by the schema that `custom` returns
    };

    /// The type of a map's keys.
    enum class Keys : std::uint8_t { strings, integers, unsigned_integers };

    Kind kind = Kind::any;
    Number minimum = {};
    Number maximum = {};
    Number multiple_of = {};
    std::string_view format = {};
    std::size_t size = 0;
    bool sized = false;   ///< whether an array must have exactly `size` values
    bool unique = false;  ///< whether all values of an array must differ
    Keys keys = Keys::strings;
    Shape const& (*element)() = nullptr;
    std::span<TypeOps const> alternatives = {};
    StructInfo const* (*structure)() = nullptr;
    EnumInfo const* (*enumeration)() = nullptr;
    Json (*custom)() = nullptr;
};

/// The part of a field's description that decoding and encoding use.
struct Field {
    static constexpr std::uint8_t no_details = 255;

    std::string_view name;
    TypeOps type;
    void* (*access)(void* object) = nullptr;
    /// Returns whether the member is empty and therefore not written. The pointer is null if the
    /// member is always written.
    bool (*absent)(void const* member) = nullptr;
    /// The only allowed value, for a field that is not stored in the struct.
    std::string_view constant;
    Flag flags = {};
    bool constrained = false;
    /// The index of the field's details in StructInfo::details, or no_details.
    std::uint8_t details = no_details;
    Version since = all_versions.front();
    Version until = all_versions.back();

    bool in(std::optional<Version> version) const noexcept {
        return !version || (*version >= since && *version <= until);
    }
};

struct Constraints {
    Number minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;
    std::optional<std::size_t> min_length, max_length, min_items, max_items;
    bool unique_items = false;
};

/// The part of a field's description that constraint checks and the schema use.
struct FieldDetails {
    std::string_view doc, title, format, pattern;
    std::array<Literal, attr::examples::limit> examples;
    std::size_t example_count = 0;
    Constraints constraints;
};

struct StructInfo {
    std::string_view name, title, doc;
    std::span<Field const> fields;
    FieldDetails const* details = nullptr;  // indexed by Field::details
    std::uint64_t required = 0;             // bit i is set if fields[i] is required
    JsonObject& (*rest)(void* object) = nullptr;
    bool closed = false;
    /// Calls `use` with a value-initialized object. Does nothing if the type has no default
    /// constructor.
    void (*with_default)(void (*use)(void const* object, void* state), void* state) = nullptr;
};

struct Enumerator {
    std::int64_t value = 0;
    std::string_view name;
    std::string_view title;
};

struct EnumInfo {
    std::string_view name;
    std::span<Enumerator const> enumerators;
};

}  // namespace lanyard::reflect
