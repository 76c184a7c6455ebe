// Header fields of HTTP messages (RFC 9110, section 5), as views into the head they were read from.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanyard::http {

/// The header fields that this library reads by name.
enum class FieldName : std::uint8_t {
    other,
    accept,
    access_control_request_headers,
    access_control_request_method,
    access_control_request_private_network,
    authorization,
    connection,
    content_encoding,
    content_length,
    content_type,
    expect,
    host,
    last_event_id,
    location,
    mcp_method,
    mcp_name,
    mcp_protocol_version,
    mcp_session_id,
    origin,
    retry_after,
    transfer_encoding,
    upgrade,
    www_authenticate,
};
inline constexpr std::size_t field_name_count = 23;

/// Returns the usual spelling, such as "Content-Type"; empty for FieldName::other.
std::string_view to_string(FieldName name) noexcept;
/// Returns the enumerator for a name, ignoring case; FieldName::other for a name that is not
/// listed.
FieldName field_name(std::string_view text) noexcept;

struct HeaderField {
    FieldName id;
    std::string_view name;  ///< spelled as in the message
    std::string_view value;
};

/// The fields of one head. clear() keeps the memory for the next head.
class Fields {
public:
    static constexpr std::size_t max_count = 200;

    void clear() noexcept;
    /// Must not be called if there are already max_count fields.
    void add(std::string_view name, std::string_view value);

    std::span<HeaderField const> all() const noexcept { return fields_; }
    std::size_t size() const noexcept { return fields_.size(); }

    /// Returns the value of the first field with this name.
    std::optional<std::string_view> find(FieldName name) const noexcept {
        if (!has(name)) return std::nullopt;
        return fields_[first_[static_cast<std::size_t>(name)]].value;
    }
    std::optional<std::string_view> find(std::string_view name) const noexcept;
    bool has(FieldName name) const noexcept {
        return first_[static_cast<std::size_t>(name)] != none;
    }
    /// Whether the field occurs more than once.
    bool repeated(FieldName name) const noexcept;
    std::size_t count(std::string_view name) const noexcept;

    /// Whether the comma-separated values of the field contain this token, ignoring case.
    bool lists(FieldName name, std::string_view token) const noexcept;
    /// Whether the field is absent, or its value is a comma-separated list of tokens.
    bool is_token_list(FieldName name) const noexcept;

private:
    template <class Wanted>
    bool any_element(FieldName name, Wanted wanted) const noexcept;

    static constexpr std::uint8_t none = 0xFF;

    std::vector<HeaderField> fields_;
    std::array<std::uint8_t, field_name_count> first_ = filled_with_none();
    std::bitset<field_name_count> repeated_;

    static constexpr std::array<std::uint8_t, field_name_count> filled_with_none() noexcept {
        std::array<std::uint8_t, field_name_count> indices{};
        indices.fill(none);
        return indices;
    }
};

/// Whether the text may be the value of a field: it has no control characters except tabs.
bool is_field_value(std::string_view value) noexcept;

/// Appends "name: value" and CR LF. Characters that are not allowed in a value become spaces.
void append_header(std::string& lines, std::string_view name, std::string_view value);

/// Adds the field lines of a head to `out`. Each line must end with CR LF. Returns a description of
/// the first fault; empty if there is none. Folded lines, a blank before the colon and invalid
/// characters are faults.
std::string_view parse_fields(std::string_view lines, std::size_t max_count, Fields& out);

/// The fault that parse_fields() returns if there are too many fields.
extern std::string_view const too_many_fields;

/// How a receiver finds the end of a message's body (RFC 9112, section 6.3).
struct BodyFraming {
    enum class Kind : std::uint8_t { none, length, chunked, until_close };

    Kind kind = Kind::none;
    std::uint64_t length = 0;

    /// Whether the message has no body.
    bool empty() const noexcept {
        return kind == Kind::none || (kind == Kind::length && length == 0);
    }
    bool operator==(BodyFraming const&) const = default;
};

struct ReadFraming {
    BodyFraming framing;     ///< Kind::none if the head does not announce a body
    std::string_view fault;  ///< empty if there is no fault
};

/// Determines how the body ends. Accepts one Content-Length that consists of digits, or a
/// Transfer-Encoding that is exactly "chunked"; both together are a fault.
ReadFraming read_framing(Fields const& fields) noexcept;

}  // namespace lanyard::http
