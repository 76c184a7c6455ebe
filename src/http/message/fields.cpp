#include "http/message/fields.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/ascii.hpp"

namespace lanyard::http {
namespace {

// The names of the header fields, in the order of the enumeration.
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

constexpr std::size_t longest_name = 38;

constexpr auto lower_texts = [] {
    std::array<std::array<char, longest_name>, field_name_count> texts{};
    for (std::size_t id = 0; id < names.size(); ++id) {
        std::transform(names[id].begin(), names[id].end(), texts[id].begin(), ascii::to_lower);
    }
    return texts;
}();

constexpr auto lower_names = [] {
    std::array<std::string_view, field_name_count> views;
    for (std::size_t id = 0; id < names.size(); ++id) {
        views[id] = {lower_texts[id].data(), names[id].size()};
    }
    return views;
}();

// An index of the names by length: `ids` has all names sorted by length, and begin[n] is the
// position in `ids` of the first name with n characters.
struct NamesByLength {
    std::array<std::uint8_t, field_name_count> ids{};
    std::array<std::uint8_t, longest_name + 2> begin{};
};

constexpr NamesByLength by_length = [] {
    NamesByLength index;
    std::size_t count = 0;
    for (std::size_t length = 1; length <= longest_name; ++length) {
        index.begin[length] = static_cast<std::uint8_t>(count);
        for (std::size_t id = 1; id < names.size(); ++id) {
            if (names[id].size() == length) index.ids[count++] = static_cast<std::uint8_t>(id);
        }
    }
    index.begin[longest_name + 1] = static_cast<std::uint8_t>(count);
    return index;
}();
static_assert(by_length.begin[longest_name + 1] == field_name_count - 1, "a name is too long");

constexpr std::size_t index_of(FieldName name) noexcept {
    return static_cast<std::size_t>(name);
}

constexpr std::uint64_t every_byte(std::uint8_t value) noexcept {
    return 0x0101010101010101U * value;
}

// Returns a word in which the top bit of a byte is set if that byte of the argument is below 0x20
// or equal to 0x7F. Of the bits that are set, only the lowest is reliable, because the subtractions
// borrow from higher bytes.
constexpr std::uint64_t control_marks(std::uint64_t word) noexcept {
    auto const below = (word - every_byte(0x20)) & ~word;
    auto const flipped = word ^ every_byte(0x7F);
    auto const deleted = (flipped - every_byte(0x01)) & ~flipped;
    return (below | deleted) & every_byte(0x80);
}

constexpr bool is_value_character(char c) noexcept {
    auto const byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || c == '\t';
}

// Returns the first character that must not occur in a value, or `end`.
char const* find_control(char const* at, char const* end) noexcept {
    // Checks eight bytes at a time, but only on little-endian machines. On these, the lowest bit
    // that control_marks() sets belongs to the first control character.
    constexpr std::ptrdiff_t step = sizeof(std::uint64_t);
    while (std::endian::native == std::endian::little && end - at >= step) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        auto const marks = control_marks(word);
        if (marks == 0) {
            at += step;
            continue;
        }
        at += std::countr_zero(marks) / 8;
        if (*at != '\t') return at;
        ++at;
    }
    while (at != end && is_value_character(*at)) ++at;
    return at;
}

}  // namespace

std::string_view to_string(FieldName name) noexcept {
    return names[index_of(name)];
}

FieldName field_name(std::string_view text) noexcept {
    if (text.empty() || text.size() > longest_name) return FieldName::other;
    auto const begin = by_length.begin[text.size()];
    auto const end = by_length.begin[text.size() + 1];
    for (auto at = begin; at < end; ++at) {
        auto const id = by_length.ids[at];
        // Most peers use the usual spelling or lower case, so these two spellings are compared
        // first.
        if (text == names[id] || text == lower_names[id] ||
            ascii::equals_ignoring_case(text, names[id])) {
            return static_cast<FieldName>(id);
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

std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
    for (auto const& field : fields_) {
        if (ascii::equals_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

bool Fields::repeated(FieldName name) const noexcept {
    return repeated_.test(index_of(name));
}

// Whether `wanted` returns true for at least one of the comma-separated elements of all fields with
// this name.
template <class Wanted>
bool Fields::any_element(FieldName name, Wanted wanted) const noexcept {
    if (!has(name)) return false;
    for (auto const& field : fields_) {
        if (field.id != name) continue;
        for (auto rest = field.value; !rest.empty();) {
            auto const comma = rest.find(',');
            if (wanted(ascii::trim(rest.substr(0, comma)))) return true;
            rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
        }
    }
    return false;
}

std::size_t Fields::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::count_if(
        fields_.begin(), fields_.end(),
        [&](HeaderField const& field) { return ascii::equals_ignoring_case(field.name, name); }));
}

bool Fields::lists(FieldName name, std::string_view token) const noexcept {
    return any_element(name, [&](std::string_view element) {
        return ascii::equals_ignoring_case(element, token);
    });
}

bool Fields::is_token_list(FieldName name) const noexcept {
    return !any_element(name, [](std::string_view element) {
        return !element.empty() && !ascii::is_token(element);
    });
}

bool is_field_value(std::string_view value) noexcept {
    auto const* const end = value.data() + value.size();
    return find_control(value.data(), end) == end;
}

void append_header(std::string& lines, std::string_view name, std::string_view value) {
    lines.append(name).append(": ");
    auto const begin = lines.size();
    lines.append(value);
    for (auto at = lines.begin() + static_cast<std::ptrdiff_t>(begin); at != lines.end(); ++at) {
        if (!is_field_value({&*at, 1})) *at = ' ';
    }
    lines.append("\r\n");
}

std::string_view const too_many_fields = "there are too many header fields";

std::string_view parse_fields(std::string_view lines, std::size_t max_count, Fields& out) {
    auto const* at = lines.data();
    auto const* const end = at + lines.size();
    while (at != end) {
        if (out.size() == std::min(max_count, Fields::max_count)) return too_many_fields;
        // No search goes past the end of the line: every line ends with CR LF, and CR occurs
        // neither in a token nor in a value.
        auto const* const name = at;
        while (ascii::is_token_character(*at)) ++at;
        auto const* const colon = at;
        if (colon == name || *colon != ':') return "a header line is not \"Name: value\"";
        at = find_control(colon + 1, end);
        if (at[0] != '\r' || at[1] != '\n') return "a header value holds a control character";
        out.add({name, colon}, ascii::trim({colon + 1, at}));
        at += 2;
    }
    return {};
}

ReadFraming read_framing(Fields const& fields) noexcept {
    ReadFraming read;
    auto const coding = fields.find(FieldName::transfer_encoding);
    auto const length = fields.find(FieldName::content_length);
    if (coding) {
        if (length) {
            read.fault = "Content-Length and Transfer-Encoding exclude each other";
        } else if (fields.repeated(FieldName::transfer_encoding) ||
                   !ascii::equals_ignoring_case(*coding, "chunked")) {
            read.fault = "Transfer-Encoding must be \"chunked\"";
        }
        read.framing.kind = BodyFraming::Kind::chunked;
    } else if (length) {
        if (fields.repeated(FieldName::content_length)) {
            read.fault = "Content-Length occurs more than once";
        } else if (!ascii::is_number(*length)) {
            read.fault = "Content-Length is not a number of bytes";
        }
        read.framing.kind = BodyFraming::Kind::length;
        auto const failure =
            std::from_chars(length->data(), length->data() + length->size(), read.framing.length)
                .ec;
        // A number that does not fit into 64 bits exceeds every limit, so the largest 64-bit number
        // is used in its place.
        if (failure == std::errc::result_out_of_range) {
            read.framing.length = std::numeric_limits<std::uint64_t>::max();
        }
    }
    return read;
}

}  // namespace lanyard::http
