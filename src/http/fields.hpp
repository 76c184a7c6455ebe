// Header fields of HTTP messages (RFC 9110, section 5), as views into the head they were read from.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lanyard::http {

/// The fields that this library looks at.
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

/// As it is usually written: "Content-Type". FieldName::other has none.
std::string_view to_string(FieldName name) noexcept;
/// Names are compared without regard to case.
FieldName field_name(std::string_view text) noexcept;

struct Field {
    FieldName id;
    std::string_view name;  ///< as it was sent
    std::string_view value;
};

/// The fields of one head. Keeps its memory when it is cleared.
class Fields {
public:
    static constexpr std::size_t max_count = 200;

    void clear() noexcept;
    /// There must be fewer than max_count.
    void add(std::string_view name, std::string_view value);

    std::span<Field const> all() const noexcept { return fields_; }
    std::size_t size() const noexcept { return fields_.size(); }

    /// The first field of the name.
    std::optional<std::string_view> find(FieldName name) const noexcept {
        if (!has(name)) return std::nullopt;
        return fields_[first_[static_cast<std::size_t>(name)]].value;
    }
    std::optional<std::string_view> find(std::string_view name) const noexcept;
    bool has(FieldName name) const noexcept {
        return first_[static_cast<std::size_t>(name)] != none;
    }
    /// Whether the field stands there more than once.
    bool repeated(FieldName name) const noexcept;
    std::size_t count(std::string_view name) const noexcept;

    /// Whether a field that is a list of tokens holds this one, in any case.
    bool lists(FieldName name, std::string_view token) const noexcept;
    /// Whether a field, where it is there, is such a list.
    bool is_token_list(FieldName name) const noexcept;

private:
    template <class Wanted>
    bool any_element(FieldName name, Wanted wanted) const noexcept;

    static constexpr std::uint8_t none = 0xFF;

    std::vector<Field> fields_;
    std::array<std::uint8_t, field_name_count> first_ = filled_with_none();
    std::bitset<field_name_count> repeated_;

    static constexpr std::array<std::uint8_t, field_name_count> filled_with_none() noexcept {
        std::array<std::uint8_t, field_name_count> indices{};
        indices.fill(none);
        return indices;
    }
};

/// Whether these characters may stand in a field's value: no control characters but the tab.
bool is_field_value(std::string_view value) noexcept;

/// Reads the field lines of a head, each with its CR LF. Returns what is wrong with them, or
/// nothing. There is no folding, no blank before the colon and no character that is not allowed.
std::string_view parse_fields(std::string_view lines, std::size_t max_count, Fields& out);

/// What parse_fields() says where there are too many.
extern std::string_view const too_many_fields;

/// How the end of a message's body is known (RFC 9112, section 6.3).
struct BodyFraming {
    enum class Kind : std::uint8_t { none, length, chunked, until_close };

    Kind kind = Kind::none;
    std::uint64_t length = 0;

    /// Nothing follows the head.
    bool empty() const noexcept {
        return kind == Kind::none || (kind == Kind::length && length == 0);
    }
    bool operator==(BodyFraming const&) const = default;
};

struct FramingVerdict {
    BodyFraming framing;     ///< Kind::none where the head says nothing
    std::string_view fault;  ///< what is wrong, empty where nothing is
};

/// At most one Content-Length, of digits; or exactly "chunked" as Transfer-Encoding; never both.
FramingVerdict read_framing(Fields const& fields) noexcept;

}  // namespace lanyard::http
