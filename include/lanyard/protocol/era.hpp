// Protocol revisions and the two eras they fall into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanyard {

/// A protocol revision. Later revisions compare greater.
enum class Version : std::uint8_t {
    v2024_11_05,
    v2025_03_26,
    v2025_06_18,
    v2025_11_25,
    v2026_07_28,
};

/// Legacy revisions start with a handshake and keep a session. In modern revisions, every request
/// contains all information that the server needs.
enum class Era : std::uint8_t { legacy, modern };

inline constexpr std::array all_versions{Version::v2024_11_05, Version::v2025_03_26,
                                         Version::v2025_06_18, Version::v2025_11_25,
                                         Version::v2026_07_28};
/// The names of the revisions, in the order of all_versions.
inline constexpr std::array<std::string_view, all_versions.size()> version_names{
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
inline constexpr Version newest_legacy_version = Version::v2025_11_25;
inline constexpr Version newest_version = Version::v2026_07_28;

constexpr Era era_of(Version version) noexcept {
    return version >= Version::v2026_07_28 ? Era::modern : Era::legacy;
}

/// "2025-11-25"
constexpr std::string_view to_string(Version version) noexcept {
    return version_names[static_cast<std::size_t>(version)];
}

/// Returns the revision with this name; nullopt if the name is unknown.
constexpr std::optional<Version> parse_version(std::string_view name) noexcept {
    // The newest revision is compared first, because most HTTP requests name it. All names have the
    // same length; comparing a constant number of characters needs no function call.
    constexpr std::size_t size = to_string(newest_version).size();
    if (name.size() != size) return std::nullopt;
    for (auto at = all_versions.rbegin(); at != all_versions.rend(); ++at) {
        auto const known = to_string(*at);
        if (std::char_traits<char>::compare(name.data(), known.data(), size) == 0) return *at;
    }
    return std::nullopt;
}
static_assert([] {
    for (auto const version : all_versions) {
        if (parse_version(to_string(version)) != version) return false;
    }
    return true;
}());

}  // namespace lanyard
