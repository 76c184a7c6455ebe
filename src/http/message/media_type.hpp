// Media types (RFC 9110, section 8.3) and the Accept field (section 12.5.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/fields.hpp"

namespace lanyard::http {

/// "type/subtype" and its parameters.
struct MediaType {
    std::string_view type;
    std::string_view subtype;
    std::string_view parameters;  ///< everything after the first ';'

    /// Compares type and subtype, ignoring case.
    bool is(std::string_view other_type, std::string_view other_subtype) const noexcept;
    /// Returns the value of a parameter, without quotes; nullopt if there is none.
    std::optional<std::string_view> parameter(std::string_view name) const noexcept;
};

/// Returns nullopt unless the text is exactly one media type with well-formed parameters.
std::optional<MediaType> parse_media_type(std::string_view text) noexcept;

/// Whether the type is application/json with no charset or with UTF-8, the only encoding of JSON.
bool is_json(std::string_view content_type) noexcept;
/// Whether the type is text/event-stream with no charset or with UTF-8.
bool is_event_stream(std::string_view content_type) noexcept;

/// Which kinds of responses a client accepts: JSON, event streams, or both.
struct Acceptance {
    bool json = false;
    bool event_stream = false;

    bool operator==(Acceptance const&) const = default;
};

/// Reads the Accept fields. If there is no Accept field, the client accepts both kinds. A media
/// range that names the type takes precedence over a range with wildcards, and quality 0 means "not
/// accepted". Malformed ranges are ignored.
Acceptance read_acceptance(Fields const& fields) noexcept;

}  // namespace lanyard::http
