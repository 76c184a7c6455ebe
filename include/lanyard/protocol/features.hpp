// The feature matrix: which protocol revision has which features. docs/protocol-versions.md shows
// the matrix as a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <lanyard/protocol/era.hpp>

namespace lanyard {

/// A feature that some protocol revisions do not have. Methods have their own table (methods.hpp).
enum class Feature : std::uint8_t {
    batching,
    audio_content,
    tool_annotations,
    progress_message,
    completions_capability,
    titles,
    meta_on_types,
    last_modified,
    resource_links,
    structured_output,
    completion_context,
    form_elicitation,
    icons,
    implementation_details,
    url_elicitation,
    elicitation_id,
    elicitation_modes,
    titled_enums,
    multi_select_enums,
    elicitation_defaults,
    sampling_tools,
    sampling_content_lists,
    schema_dialects,
    core_tasks,
    extensions,
    any_structured_output,
    handshake,
    roots_list_changed,
    request_metadata,
    result_types,
    cache_hints,
    input_required,
    tasks_extension,
};

/// A feature's name and the range of revisions that have it.
struct FeatureInfo {
    std::string_view name;
    Version since;
    Version until;  ///< the last revision that has the feature
};

/// One entry for each Feature, in the order of the enumeration.
inline constexpr std::array<FeatureInfo, 33> feature_table{{
    {"message batches", Version::v2025_03_26, Version::v2025_03_26},
    {"audio content", Version::v2025_03_26, newest_version},
    {"tool annotations", Version::v2025_03_26, newest_version},
    {"progress messages", Version::v2025_03_26, newest_version},
    {"the completions capability", Version::v2025_03_26, newest_version},
    {"titles", Version::v2025_06_18, newest_version},
    {"_meta on types", Version::v2025_06_18, newest_version},
    {"annotations.lastModified", Version::v2025_06_18, newest_version},
    {"resource links", Version::v2025_06_18, newest_version},
    {"structured tool output", Version::v2025_06_18, newest_version},
    {"completion context", Version::v2025_06_18, newest_version},
    {"form elicitation", Version::v2025_06_18, newest_version},
    {"icons", Version::v2025_11_25, newest_version},
    {"description and website of an implementation", Version::v2025_11_25, newest_version},
    {"URL elicitation", Version::v2025_11_25, newest_version},
    {"elicitation ids", Version::v2025_11_25, Version::v2025_11_25},
    {"elicitation modes", Version::v2025_11_25, newest_version},
    {"titled enumerations (oneOf)", Version::v2025_11_25, newest_version},
    {"multi-select enumerations", Version::v2025_11_25, newest_version},
    {"defaults of text, number and enumeration fields", Version::v2025_11_25, newest_version},
    {"tools in sampling", Version::v2025_11_25, newest_version},
    {"sampling messages of several blocks", Version::v2025_11_25, newest_version},
    {"$schema in requested schemas", Version::v2025_11_25, newest_version},
    {"task-augmented requests", Version::v2025_11_25, Version::v2025_11_25},
    {"capability extensions", Version::v2025_11_25, newest_version},
    {"structured output of any type", Version::v2026_07_28, newest_version},
    {"the initialize handshake", Version::v2024_11_05, newest_legacy_version},
    {"roots.listChanged", Version::v2024_11_05, newest_legacy_version},
    {"metadata on every request", Version::v2026_07_28, newest_version},
    {"resultType", Version::v2026_07_28, newest_version},
    {"cache hints", Version::v2026_07_28, newest_version},
    {"input_required results", Version::v2026_07_28, newest_version},
    {"the tasks extension", Version::v2026_07_28, newest_version},
}};

constexpr FeatureInfo const& info(Feature feature) noexcept {
    return feature_table[static_cast<std::size_t>(feature)];
}

constexpr bool supports(Feature feature, Version version) noexcept {
    return version >= info(feature).since && version <= info(feature).until;
}

}  // namespace lanyard
