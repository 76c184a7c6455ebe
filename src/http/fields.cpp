#include "http/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/ascii.hpp"

namespace lanyard::http {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, field_name_count> names = {
    "",
    "Accept",
    "Access-Control-Request-Headers",
    "Access-Control-Request-Method",
    "Access-Control-Request-Private-Network",
    "Authorization",
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Content-Type",
    "Expect",
    "Host",
    "Last-Event-ID",
    "Location",
    "Mcp-Method",
    "Mcp-Name",
    "MCP-Protocol-Version",
    "MCP-Session-Id",
    "Origin",
    "Retry-After",
    "Transfer-Encoding",
    "Upgrade",
    "WWW-Authenticate",
};

constexpr std::size_t index_of(FieldName name) noexcept {
    return static_cast<std::size_t>(name);
}

constexpr std::uint64_t every_byte(std::uint8_t value) noexcept {
    return 0x0101010101010101U * value;
}

// Whether one of eight bytes is below 0x20 or is 0x7F. A byte above a true one may count by
// mistake, so that a hit calls for a closer look.
constexpr bool may_hold_control(std::uint64_t word) noexcept {
    auto const below = (word - every_byte(0x20)) & ~word;
    auto const flipped = word ^ every_byte(0x7F);
    auto const deleted = (flipped - every_byte(0x01)) & ~flipped;
    return ((below | deleted) & every_byte(0x80)) != 0;
}

constexpr bool is_value_character(char c) noexcept {
    auto const byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || c == '\t';
}

}  // namespace

std::string_view to_string(FieldName name) noexcept {
    return names[index_of(name)];
}

FieldName field_name(std::string_view text) noexcept {
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (names[i].size() == text.size() && ascii::equals_ignoring_case(names[i], text)) {
            return static_cast<FieldName>(i);
        }
    }
    return FieldName::other;
}

void Fields::clear() noexcept {
    fields_.clear();
    first_.fill(none);
    repeated_.reset();
}

void Fields::add(std::string_view name, std::string_view value) {
    auto const id = field_name(name);
    auto const known = index_of(id);
    if (first_[known] == none) {
        first_[known] = static_cast<std::uint8_t>(fields_.size());
    } else {
        repeated_.set(known);
    }
    fields_.push_back({id, name, value});
}

std::optional<std::string_view> Fields::find(FieldName name) const noexcept {
    auto const index = first_[index_of(name)];
    if (index == none) return std::nullopt;
    return fields_[index].value;
}

std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
    for (auto const& field : fields_) {
        if (ascii::equals_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

bool Fields::repeated(FieldName name) const noexcept {
    return repeated_.test(index_of(name));
}

std::size_t Fields::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::count_if(
        fields_.begin(), fields_.end(),
        [&](Field const& field) { return ascii::equals_ignoring_case(field.name, name); }));
}

bool Fields::lists(FieldName name, std::string_view token) const noexcept {
    if (!has(name)) return false;
    for (auto const& field : fields_) {
        if (field.id != name) continue;
        for (auto rest = field.value; !rest.empty();) {
            auto const comma = rest.find(',');
            if (ascii::equals_ignoring_case(ascii::trim(rest.substr(0, comma)), token)) return true;
            rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
        }
    }
    return false;
}

bool is_field_value(std::string_view value) noexcept {
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= value.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, value.data() + at, sizeof word);
        if (may_hold_control(word)) break;
    }
    return std::all_of(value.begin() + static_cast<std::ptrdiff_t>(at), value.end(),
                       is_value_character);
}

std::string_view const too_many_fields = "there are too many header fields";

std::string_view parse_fields(std::string_view lines, std::size_t max_count, Fields& out) {
    while (!lines.empty()) {
        auto const end = lines.find("\r\n");
        auto const line = lines.substr(0, end);
        lines.remove_prefix(std::min(lines.size(), end + 2));
        if (out.size() == std::min(max_count, Fields::max_count)) return too_many_fields;
        std::size_t colon = 0;
        while (colon < line.size() && ascii::is_token_character(line[colon])) ++colon;
        if (colon == 0 || colon == line.size() || line[colon] != ':') {
            return "a header line is not \"Name: value\"";
        }
        auto const value = ascii::trim(line.substr(colon + 1));
        if (!is_field_value(value)) return "a header value holds a control character";
        out.add(line.substr(0, colon), value);
    }
    return {};
}

FramingVerdict read_framing(Fields const& fields) noexcept {
    FramingVerdict verdict;
    auto const coding = fields.find(FieldName::transfer_encoding);
    auto const length = fields.find(FieldName::content_length);
    if (coding) {
        if (length) {
            verdict.fault = "Content-Length and Transfer-Encoding exclude each other";
        } else if (fields.repeated(FieldName::transfer_encoding) ||
                   !ascii::equals_ignoring_case(*coding, "chunked")) {
            verdict.fault = "Transfer-Encoding must be \"chunked\"";
        }
        verdict.framing.kind = BodyFraming::Kind::chunked;
    } else if (length) {
        if (fields.repeated(FieldName::content_length)) {
            verdict.fault = "Content-Length stands there more than once";
        } else if (length->empty() ||
                   !std::all_of(length->begin(), length->end(), ascii::is_digit)) {
            verdict.fault = "Content-Length is not a number of bytes";
        }
        verdict.framing.kind = BodyFraming::Kind::length;
        auto const failure =
            std::from_chars(length->data(), length->data() + length->size(), verdict.framing.length)
                .ec;
        // A number that does not fit is beyond every limit.
        if (failure == std::errc::result_out_of_range) {
            verdict.framing.length = std::numeric_limits<std::uint64_t>::max();
        }
    }
    return verdict;
}

}  // namespace lanyard::http
