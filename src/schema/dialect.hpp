// The keywords of JSON Schema 2020-12 and draft-07, and which of them a dialect has.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "lanyard/schema.hpp"

namespace lanyard::schema {

enum class Keyword : std::uint8_t {
    id,
    schema,
    ref,
    anchor,
    dynamic_ref,
    dynamic_anchor,
    defs,
    definitions,
    all_of,
    any_of,
    one_of,
    negation,
    condition,
    consequence,
    alternative,
    dependent_schemas,
    dependencies,
    prefix_items,
    items,
    additional_items,
    contains,
    properties,
    pattern_properties,
    additional_properties,
    property_names,
    unevaluated_items,
    unevaluated_properties,
    type,
    constant,
    enumeration,
    multiple_of,
    maximum,
    exclusive_maximum,
    minimum,
    exclusive_minimum,
    max_length,
    min_length,
    pattern,
    max_items,
    min_items,
    unique_items,
    max_contains,
    min_contains,
    max_properties,
    min_properties,
    required,
    dependent_required,
    format,
};
inline constexpr std::size_t keyword_count = static_cast<std::size_t>(Keyword::format) + 1;

/// Where a keyword's value contains subschemas.
enum class SubschemaShape : std::uint8_t {
    no_schemas,
    schema,
    schema_list,
    schema_map,
    schema_or_list,
    dependencies,  ///< a map whose values are schemas or lists of names
};

/// The vocabularies of 2020-12 that have an effect on validation, as bits.
enum Vocabulary : std::uint8_t {
    core = 1,
    applicator = 2,
    unevaluated = 4,
    validation = 8,
    format_annotation = 16,
    format_assertion = 32,
};
inline constexpr std::uint8_t standard_vocabularies =
    core | applicator | unevaluated | validation | format_annotation;

/// The dialect that `$schema` selects.
struct Dialect {
    Draft draft;
    std::uint8_t vocabularies;
    /// The meta-schema that every schema of the dialect must match; null while the meta-schemas
    /// themselves are compiled.
    std::shared_ptr<detail::Program const> meta_schema;
};

struct KeywordInfo {
    std::string_view name;
    Keyword keyword;
    /// Vocabularies as bits. The keyword exists if the dialect has at least one of them.
    std::uint8_t vocabularies;
    bool in_draft_07;
    bool in_2020_12;
    SubschemaShape shape;
};

std::string_view name_of(Keyword keyword) noexcept;

/// Returns the keyword of this name, or null if the dialect does not have it.
KeywordInfo const* find_keyword(Dialect const& dialect, std::string_view name) noexcept;

/// Whether the schema is only a reference: draft-07 ignores all keywords next to `$ref`.
bool is_pure_reference(Dialect const& dialect, JsonObject const& schema);

/// Returns the bits of the vocabulary with this URI, 0 if it is unknown. The vocabularies without
/// an effect on validation (content, meta-data) count as core.
std::uint8_t vocabulary_bits(std::string_view uri) noexcept;

}  // namespace lanyard::schema
