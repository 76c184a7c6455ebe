// Media types (RFC 9110, section 8.3) and what a peer accepts (section 12.5.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/fields.hpp"

namespace lanyard::http {

/// "type/subtype" and what follows.
struct MediaType {
    std::string_view type;
    std::string_view subtype;
    std::string_view parameters;  ///< all behind the first ';'

    /// Without regard to case.
    bool is(std::string_view other_type, std::string_view other_subtype) const noexcept;
    /// The value of a parameter, without quotes; nothing where it is not there.
    std::optional<std::string_view> parameter(std::string_view name) const noexcept;
};

/// Nothing where the text is not exactly one media type with well-formed parameters.
std::optional<MediaType> parse_media_type(std::string_view text) noexcept;

/// application/json in UTF-8, which is the only encoding there is for it.
bool is_json(std::string_view content_type) noexcept;
/// text/event-stream, likewise.
bool is_event_stream(std::string_view content_type) noexcept;

/// Which of the two kinds of answers a peer takes.
struct Acceptance {
    bool json = false;
    bool event_stream = false;

    bool operator==(Acceptance const&) const = default;
};

/// Without Accept a peer takes anything. A range that names the type decides before one with
/// wildcards; quality 0 means no. Ranges that are malformed do not count.
Acceptance read_acceptance(Fields const& fields) noexcept;

}  // namespace lanyard::http
