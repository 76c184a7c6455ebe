// A compiled schema: flat tables that refer to each other by index.
//
// There is one SchemaNode per subschema. The rules of a node are in one record per kind of
// instance, so that an object, for example, is traversed once for all keywords that concern its
// members.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/schema.hpp"
#include "schema/dialect.hpp"
#include "schema/format/format.hpp"
#include "schema/number.hpp"
#include "schema/pattern.hpp"

namespace lanyard::schema {

inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// A part [begin, end) of one of the tables.
struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    std::uint32_t size() const noexcept { return end - begin; }
    bool empty() const noexcept { return begin == end; }
};

/// The JSON types as bits; `number` includes `integer`.
enum TypeBit : std::uint8_t {
    type_null = 1,
    type_boolean = 2,
    type_integer = 4,
    type_fraction = 8,
    type_string = 16,
    type_array = 32,
    type_object = 64,
    type_number = type_integer | type_fraction,
    type_any = 127,
};

/// Returns the bits of a type's name, 0 if the name is unknown.
std::uint8_t type_bits(std::string_view name) noexcept;

struct NumberRules {
    enum Bound : std::uint8_t {
        minimum = 1,
        exclusive_minimum = 2,
        maximum = 4,
        exclusive_maximum = 8,
        multiple = 16
    };
    std::uint8_t bounds = 0;  ///< which of the values below are set
    NumericValue minimum_value;
    NumericValue exclusive_minimum_value;
    NumericValue maximum_value;
    NumericValue exclusive_maximum_value;
    NumericValue multiple_of;
};

struct StringRules {
    std::uint64_t min_length = 0;
    std::uint64_t max_length = unlimited;
    std::uint32_t pattern = none;  ///< index in Program::patterns
    FormatCheck format = nullptr;
    std::uint32_t format_name = none;  ///< index in Program::names
};

struct ArrayRules {
    std::uint64_t min_items = 0;
    std::uint64_t max_items = unlimited;
    Range prefix;               ///< in Program::lists: one node per leading element
    std::uint32_t rest = none;  ///< the node for the elements after those of `prefix`
    std::uint32_t contains = none;
    std::uint64_t min_contains = 1;
    std::uint64_t max_contains = unlimited;
    bool unique = false;
    /// The keyword that `rest` comes from: `items`, or `additionalItems` in draft-07 if `items` is
    /// a list.
    Keyword rest_keyword = Keyword::items;
};

/// A property name that occurs in a schema object.
struct Name {
    std::string text;
    std::uint32_t node = none;  ///< the node that `properties` applies to the property's value
};

struct PatternRule {
    std::uint32_t pattern;
    std::uint32_t node;
};

/// If the property `trigger` is present, the properties `names` must be present, and the object
/// must match `node`.
struct Dependency {
    std::uint32_t trigger;  ///< position in ObjectRules::names
    Keyword keyword;
    Range names;  ///< in Program::lists: positions in ObjectRules::names
    std::uint32_t node = none;
};

struct ObjectRules {
    std::uint64_t min_properties = 0;
    std::uint64_t max_properties = unlimited;
    Range names;         ///< in Program::names, sorted by length, then bytes
    Range required;      ///< in Program::lists: positions in `names`
    Range patterns;      ///< in Program::pattern_rules
    Range dependencies;  ///< in Program::dependencies
    std::uint32_t additional = none;
    std::uint32_t property_names = none;
    /// Whether the names that are present must be recorded, for `required` or `dependencies`.
    bool tracks_presence = false;
};

/// The values of `enum` or `const`.
struct Choices {
    Range values;   ///< in Program::values, in the order of the schema
    Range strings;  ///< in Program::names: the values that are strings, sorted
    Range others;   ///< in Program::lists: indexes in Program::values of all other values
};

/// A keyword that applies subschemas to the instance itself. The meaning of a, b and c depends on
/// `op`.
struct Applicator {
    enum class Op : std::uint8_t {
        always,       ///< `$ref` or an item of `allOf`; a: the node
        dynamic,      ///< `$dynamicRef`; a: the default node, b: index in Program::dynamic
        any,          ///< `anyOf`; a, b: range of its nodes in Program::lists
        exactly_one,  ///< `oneOf`; a, b: range of its nodes in Program::lists
        negation,     ///< `not`; a: the node
        conditional,  ///< `if`; a: its node, b: the node of `then`, c: the node of `else`
    };
    Op op;
    std::uint32_t a = none;
    std::uint32_t b = none;
    std::uint32_t c = none;
};

struct SchemaNode {
    std::uint8_t types = type_any;
    bool only_types = true;  ///< the cached result of has_only_types()
    std::uint32_t resource = 0;
    std::uint32_t place = 0;
    std::uint32_t constant = none;
    std::uint32_t enumeration = none;
    std::uint32_t number = none;
    std::uint32_t string = none;
    std::uint32_t array = none;
    std::uint32_t object = none;
    Range applicators;
    std::uint32_t unevaluated_items = none;
    std::uint32_t unevaluated_properties = none;

    /// Whether this is the schema `false` or an equivalent one.
    bool refuses_all() const noexcept { return types == 0; }
    bool has_only_types() const noexcept {
        return applicators.empty() && constant == none && enumeration == none && number == none &&
               string == none && array == none && object == none && unevaluated_items == none &&
               unevaluated_properties == none;
    }
};

/// The location of a subschema, relative to the location of the schema around it.
struct Place {
    std::uint32_t parent;  ///< index of the surrounding location; `none` at the root of a resource
    std::string token;     ///< "properties/name", escaped as in a JSON Pointer
};

/// The nodes that one `$dynamicAnchor` name refers to, by resource.
struct DynamicAnchor {
    struct Entry {
        std::uint32_t resource;
        std::uint32_t node;
    };
    std::vector<Entry> entries;
};

namespace detail {

struct Program {
    std::vector<SchemaNode> nodes;  ///< the root node is the first
    std::vector<NumberRules> numbers;
    std::vector<StringRules> strings;
    std::vector<ArrayRules> arrays;
    std::vector<ObjectRules> objects;
    std::vector<Choices> choices;
    std::vector<Applicator> applicators;
    std::vector<std::uint32_t> lists;
    std::vector<Name> names;
    std::vector<PatternRule> pattern_rules;
    std::vector<Dependency> dependencies;
    std::vector<Pattern> patterns;
    std::vector<std::string> pattern_texts;  ///< the source text of each entry of `patterns`
    std::vector<Json> values;
    std::vector<DynamicAnchor> dynamic;

    std::vector<Place> places;
    std::vector<std::string> resources;  ///< the URIs of the resources

    std::uint64_t max_steps = 0;
    std::size_t max_recursion = 0;
    std::size_t max_errors = 0;
    /// The cost of compiling: the number of schema members visited plus the number of validation
    /// steps.
    std::uint64_t compile_steps = 0;

    /// Returns the program of a validator.
    static Program const& of(Validator const& validator) noexcept { return *validator.program_; }

    /// Returns the location as a URI, such as "https://example.com/schema#/properties/name",
    /// followed by the keyword.
    std::string location(std::uint32_t resource, std::uint32_t place,
                         std::string_view keyword = {}) const;
};

}  // namespace detail

using detail::Program;

/// Returns the pointer from the root of a resource to a place in it, percent-encoded for a URI.
std::string pointer_to(std::vector<Place> const& places, std::uint32_t place);

/// The sort order of names: shorter names first, names of equal length in byte order. Most
/// comparisons need only the lengths.
inline bool name_less(std::string_view a, std::string_view b) noexcept {
    return a.size() != b.size() ? a.size() < b.size() : a.compare(b) < 0;
}

}  // namespace lanyard::schema
