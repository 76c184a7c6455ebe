#include "schema/dialect.hpp"

#include <algorithm>
#include <array>

#include <boost/json/object.hpp>

namespace lanyard::schema {
namespace {

constexpr std::array<KeywordInfo, keyword_count> keywords{{
    {"$id", Keyword::id, core, true, true, SubschemaShape::no_schemas},
    {"$schema", Keyword::schema, core, true, true, SubschemaShape::no_schemas},
    {"$ref", Keyword::ref, core, true, true, SubschemaShape::no_schemas},
    {"$anchor", Keyword::anchor, core, false, true, SubschemaShape::no_schemas},
    {"$dynamicRef", Keyword::dynamic_ref, core, false, true, SubschemaShape::no_schemas},
    {"$dynamicAnchor", Keyword::dynamic_anchor, core, false, true, SubschemaShape::no_schemas},
    {"$defs", Keyword::defs, core, false, true, SubschemaShape::schema_map},
    {"definitions", Keyword::definitions, core, true, true, SubschemaShape::schema_map},
    {"allOf", Keyword::all_of, applicator, true, true, SubschemaShape::schema_list},
    {"anyOf", Keyword::any_of, applicator, true, true, SubschemaShape::schema_list},
    {"oneOf", Keyword::one_of, applicator, true, true, SubschemaShape::schema_list},
    {"not", Keyword::negation, applicator, true, true, SubschemaShape::schema},
    {"if", Keyword::condition, applicator, true, true, SubschemaShape::schema},
    {"then", Keyword::consequence, applicator, true, true, SubschemaShape::schema},
    {"else", Keyword::alternative, applicator, true, true, SubschemaShape::schema},
    {"dependentSchemas", Keyword::dependent_schemas, applicator, false, true,
     SubschemaShape::schema_map},
    {"dependencies", Keyword::dependencies, applicator, true, true, SubschemaShape::dependencies},
    {"prefixItems", Keyword::prefix_items, applicator, false, true, SubschemaShape::schema_list},
    {"items", Keyword::items, applicator, true, true, SubschemaShape::schema_or_list},
    {"additionalItems", Keyword::additional_items, applicator, true, false, SubschemaShape::schema},
    {"contains", Keyword::contains, applicator, true, true, SubschemaShape::schema},
    {"properties", Keyword::properties, applicator, true, true, SubschemaShape::schema_map},
    {"patternProperties", Keyword::pattern_properties, applicator, true, true,
     SubschemaShape::schema_map},
    {"additionalProperties", Keyword::additional_properties, applicator, true, true,
     SubschemaShape::schema},
    {"propertyNames", Keyword::property_names, applicator, true, true, SubschemaShape::schema},
    {"unevaluatedItems", Keyword::unevaluated_items, unevaluated, false, true,
     SubschemaShape::schema},
    {"unevaluatedProperties", Keyword::unevaluated_properties, unevaluated, false, true,
     SubschemaShape::schema},
    {"type", Keyword::type, validation, true, true, SubschemaShape::no_schemas},
    {"const", Keyword::constant, validation, true, true, SubschemaShape::no_schemas},
    {"enum", Keyword::enumeration, validation, true, true, SubschemaShape::no_schemas},
    {"multipleOf", Keyword::multiple_of, validation, true, true, SubschemaShape::no_schemas},
    {"maximum", Keyword::maximum, validation, true, true, SubschemaShape::no_schemas},
    {"exclusiveMaximum", Keyword::exclusive_maximum, validation, true, true,
     SubschemaShape::no_schemas},
    {"minimum", Keyword::minimum, validation, true, true, SubschemaShape::no_schemas},
    {"exclusiveMinimum", Keyword::exclusive_minimum, validation, true, true,
     SubschemaShape::no_schemas},
    {"maxLength", Keyword::max_length, validation, true, true, SubschemaShape::no_schemas},
    {"minLength", Keyword::min_length, validation, true, true, SubschemaShape::no_schemas},
    {"pattern", Keyword::pattern, validation, true, true, SubschemaShape::no_schemas},
    {"maxItems", Keyword::max_items, validation, true, true, SubschemaShape::no_schemas},
    {"minItems", Keyword::min_items, validation, true, true, SubschemaShape::no_schemas},
    {"uniqueItems", Keyword::unique_items, validation, true, true, SubschemaShape::no_schemas},
    {"maxContains", Keyword::max_contains, validation, false, true, SubschemaShape::no_schemas},
    {"minContains", Keyword::min_contains, validation, false, true, SubschemaShape::no_schemas},
    {"maxProperties", Keyword::max_properties, validation, true, true, SubschemaShape::no_schemas},
    {"minProperties", Keyword::min_properties, validation, true, true, SubschemaShape::no_schemas},
    {"required", Keyword::required, validation, true, true, SubschemaShape::no_schemas},
    {"dependentRequired", Keyword::dependent_required, validation, false, true,
     SubschemaShape::no_schemas},
    {"format", Keyword::format, format_annotation | format_assertion, true, true,
     SubschemaShape::no_schemas},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        if (keywords[i].keyword != static_cast<Keyword>(i)) return false;
    }
    return true;
}
static_assert(in_order(), "name_of() indexes the table by keyword");

constexpr auto by_name = [] {
    auto sorted = keywords;
    std::sort(sorted.begin(), sorted.end(),
              [](KeywordInfo const& a, KeywordInfo const& b) { return a.name < b.name; });
    return sorted;
}();

}  // namespace

std::string_view name_of(Keyword keyword) noexcept {
    return keywords[static_cast<std::size_t>(keyword)].name;
}

KeywordInfo const* find_keyword(Dialect const& dialect, std::string_view name) noexcept {
    auto const at = std::lower_bound(
        by_name.begin(), by_name.end(), name,
        [](KeywordInfo const& info, std::string_view wanted) { return info.name < wanted; });
    if (at == by_name.end() || at->name != name) return nullptr;
    bool const in_draft = dialect.draft == Draft::draft_07 ? at->in_draft_07 : at->in_2020_12;
    return in_draft && (at->vocabularies & dialect.vocabularies) != 0 ? &*at : nullptr;
}

bool is_pure_reference(Dialect const& dialect, JsonObject const& schema) {
    return dialect.draft == Draft::draft_07 && schema.contains("$ref");
}

std::uint8_t vocabulary_bits(std::string_view uri) noexcept {
    constexpr std::string_view prefix = "https://json-schema.org/draft/2020-12/vocab/";
    if (!uri.starts_with(prefix)) return 0;
    auto const name = uri.substr(prefix.size());
    if (name == "core" || name == "meta-data" || name == "content") return core;
    if (name == "applicator") return applicator;
    if (name == "unevaluated") return unevaluated;
    if (name == "validation") return validation;
    if (name == "format-annotation") return format_annotation;
    if (name == "format-assertion") return format_assertion;
    return 0;
}

}  // namespace lanyard::schema
