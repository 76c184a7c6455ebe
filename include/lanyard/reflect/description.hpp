// How a type is described: plain constant data about its fields, enumerators and shape, over which
// one engine per task (decode, encode, schema) runs. Templates only build the data (describe.hpp).
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

/// How values of T become JSON and back: the customization point of encode() and decode().
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

/// A type seen through functions, for engines that do not know it.
struct TypeOps {
    Shape const& (*shape)() = nullptr;
    bool (*decode)(json::View view, void* out, DecodeContext& context) = nullptr;
    void (*encode)(json::Writer& writer, void const* value, EncodeContext const& context) = nullptr;
};

/// What the values of a type look like in JSON.
struct Shape {
    enum class Kind : std::uint8_t {
        any,
        null,
        boolean,
        integer,  ///< within `minimum` and `maximum` where given
        number,
        string,      ///< of the `format` if given
        request_id,  ///< a string or an integer
        object,      ///< any object
        array,       ///< of `element`; exactly `size` of them if `sized`, no two equal if `unique`
        tuple,       ///< an array with one value of each of the `alternatives`, in this order
        map,         ///< an object whose values are all `element`
        optional,    ///< `element` or null
        pointer,     ///< `element`
        variant,     ///< one of `alternatives`
        structure,
        enumeration,
        custom,  ///< what `custom` returns
    };

    /// The type of a map's keys.
    enum class Keys : std::uint8_t { strings, integers, unsigned_integers };

    Kind kind = Kind::any;
    Number minimum = {};
    Number maximum = {};
    Number multiple_of = {};
    std::string_view format = {};
    std::size_t size = 0;
    bool sized = false;
    bool unique = false;
    Keys keys = Keys::strings;
    Shape const& (*element)() = nullptr;
    std::span<TypeOps const> alternatives = {};
    StructInfo const* (*structure)() = nullptr;
    EnumInfo const* (*enumeration)() = nullptr;
    Json (*custom)() = nullptr;
};

/// The part of a field that decoding and encoding look at.
struct Field {
    static constexpr std::uint8_t no_details = 255;

    std::string_view name;
    TypeOps type;
    void* (*access)(void* object) = nullptr;
    /// Whether the member has nothing to write; null where it always has.
    bool (*absent)(void const* member) = nullptr;
    /// The only value allowed, for a field without a member.
    std::string_view constant;
    Flag flags = {};
    bool constrained = false;
    /// Its place among the details, where it has some.
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

/// The part of a field that constraints and the schema look at.
struct FieldDetails {
    std::string_view doc, title, format, pattern;
    std::array<Literal, lanyard::examples::limit> examples;
    std::size_t example_count = 0;
    Constraints constraints;
};

struct StructInfo {
    std::string_view name, title, doc;
    std::span<Field const> fields;
    FieldDetails const* details = nullptr;  // see Field::details
    std::uint64_t required = 0;             // a bit for each field
    JsonObject& (*rest)(void* object) = nullptr;
    bool closed = false;
    /// Calls `use` with a value-initialized object, where the type has one.
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
