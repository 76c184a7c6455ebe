#include "lanyard/json/writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include <simdjson.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "json/text.hpp"

namespace lanyard::json {

namespace {

// Texts up to this size are escaped byte by byte; longer ones are searched in blocks of 16 bytes.
constexpr std::size_t short_text = 15;
constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

// How each byte is written: 0 means unchanged, 'u' means the form \u00XX, and any other letter
// means a backslash followed by this letter.
constexpr std::array<char, 256> escape_table = [] {
    std::array<char, 256> table{};
    for (std::size_t i = 0; i < 0x20; ++i) table[i] = 'u';
    table['"'] = '"';
    table['\\'] = '\\';
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    return table;
}();

char escape_of(char c) noexcept {
    return escape_table[static_cast<unsigned char>(c)];
}

#if defined(__SSE2__)

// Returns a mask in which bit i is set if byte i (of 16) cannot be copied unchanged.
template <bool stop_at_non_ascii>
unsigned special_bytes(char const* bytes) noexcept {
    auto const last_control = _mm_set1_epi8(0x1F);
    auto const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(bytes));
    auto const control = _mm_cmpeq_epi8(_mm_max_epu8(block, last_control), last_control);
    auto special = _mm_or_si128(control, _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                                      _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
    if constexpr (stop_at_non_ascii) special = _mm_or_si128(special, block);
    return static_cast<unsigned>(_mm_movemask_epi8(special));
}

#endif

// Finds the first byte that cannot be copied unchanged: one that must be escaped or, with
// stop_at_non_ascii, one above 0x7F.
template <bool stop_at_non_ascii>
char const* find_special(char const* p, char const* end) noexcept {
#if defined(__SSE2__)
    if (end - p >= 16) {
        do {
            auto const found = special_bytes<stop_at_non_ascii>(p);
            if (found != 0) return p + __builtin_ctz(found);
            p += 16;
        } while (end - p >= 16);
        // The last block overlaps bytes that were already checked.
        auto const found = special_bytes<stop_at_non_ascii>(end - 16);
        return found != 0 ? end - 16 + __builtin_ctz(found) : end;
    }
#endif
    for (; p != end; ++p) {
        if (escape_of(*p) != 0 || (stop_at_non_ascii && static_cast<unsigned char>(*p) > 0x7F))
            break;
    }
    return p;
}

constexpr std::size_t longest_escape = 6;

// Writes the escape sequence of a character that needs one. Returns the end of the sequence.
char* write_escape(char* to, char c) noexcept {
    char const letter = escape_of(c);
    *to++ = '\\';
    *to++ = letter;
    if (letter != 'u') return to;
    constexpr std::string_view digits = "0123456789abcdef";
    auto const byte = static_cast<unsigned char>(c);
    *to++ = '0';
    *to++ = '0';
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15U];
    return to;
}

void append_escape(std::string& out, char c) {
    char escape[longest_escape];
    char const* const end = write_escape(escape, c);
    out.append(std::string_view(escape, end));
}

bool is_ascii(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x80;
}

// Appends the characters before the first non-ASCII character, and returns the position of that
// character (the end if there is none). Collects the characters in a small buffer, so that they are
// appended with one call.
char const* append_short_ascii(std::string& out, std::string_view characters) {
    char buffer[short_text * longest_escape];
    char* to = buffer;
    char const* p = characters.data();
    char const* const end = p + characters.size();
    for (; p != end && is_ascii(*p); ++p) {
        if (escape_of(*p) == 0) {
            *to++ = *p;
        } else {
            to = write_escape(to, *p);
        }
    }
    out.append(std::string_view(buffer, to));
    return p;
}

// Pieces are appended as std::string_view: given two pointers, libstdc++ takes a slower path,
// because the pointers could point into the string itself.
void append_escaped_utf8(std::string& out, char const* p, char const* end) {
    while (p != end) {
        char const* const special = find_special<false>(p, end);
        out.append(std::string_view(p, special));
        if (special == end) return;
        append_escape(out, *special);
        p = special + 1;
    }
}

std::string replace_bad_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size() + replacement_character.size());
    while (!text.empty()) {
        auto const length = utf8_sequence_length(text);
        out.append(length == 0 ? replacement_character : text.substr(0, length));
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return out;
}

bool is_plain(char c) noexcept {
    return escape_of(c) == 0 && is_ascii(c);
}

// Appends the characters in quotes, optionally with a comma before and a colon after them.
void append_quoted(std::string& out, bool comma, std::string_view characters, bool colon) {
    // Most strings are short and need no escapes: they are put together in a small buffer and
    // appended with one call.
    constexpr std::size_t short_string = 28;
    if (characters.size() <= short_string) {
        char buffer[short_string + 4];
        char* p = buffer;
        *p = ',';
        p += comma;
        *p++ = '"';
        char const* c = characters.data();
        char const* const end = c + characters.size();
        while (c != end && is_plain(*c)) *p++ = *c++;
        if (c == end) {
            *p++ = '"';
            *p = ':';
            p += colon;
            out.append(buffer, static_cast<std::size_t>(p - buffer));
            return;
        }
    }
    out.append(comma ? std::string_view(",\"") : std::string_view("\""));
    append_escaped(out, characters);
    out.append(colon ? std::string_view("\":") : std::string_view("\""));
}

template <class Number, class... Format>
void append_number(std::string& out, Number value, Format... format) {
    // The longest numbers are a 20-digit integer with a sign and a double of 24 characters.
    char buffer[32];
    auto const result = std::to_chars(buffer, buffer + sizeof buffer, value, format...);
    out.append(std::string_view(buffer, result.ptr));
}

}  // namespace

void append_escaped(std::string& out, std::string_view characters) {
    // Reserves room for the whole text, with some extra for escapes.
    constexpr std::size_t long_text = std::size_t{16} * 1024;
    char const* p = characters.data();
    char const* const end = p + characters.size();
    if (characters.size() <= short_text) {
        p = append_short_ascii(out, characters);
    } else if (characters.size() >= long_text) {
        make_room(out, characters.size() + characters.size() / 16);
    }
    while (p != end) {
        char const* const special = find_special<true>(p, end);
        out.append(std::string_view(p, special));
        if (special == end) return;
        if (!is_ascii(*special)) {
            // The text is not only ASCII. Validates everything from here to the end in one call,
            // instead of character by character.
            auto const rest = std::string_view(special, static_cast<std::size_t>(end - special));
            if (simdjson::validate_utf8(rest.data(), rest.size())) {
                append_escaped_utf8(out, special, end);
            } else {
                auto const repaired = replace_bad_utf8(rest);
                append_escaped_utf8(out, repaired.data(), repaired.data() + repaired.size());
            }
            return;
        }
        append_escape(out, *special);
        p = special + 1;
    }
}

void append_raw(std::string& out, std::string_view json) {
    auto const begin = out.size();
    out.append(json);
    // Strings contain no raw line breaks, so each line break found is white space between tokens.
    for (char const line_break : {'\n', '\r'}) {
        char* at = out.data() + begin;
        char* const end = out.data() + out.size();
        while ((at = static_cast<char*>(
                    std::memchr(at, line_break, static_cast<std::size_t>(end - at)))) != nullptr) {
            *at++ = ' ';
        }
    }
}

std::string serialize(Json const& json) {
    std::string out;
    Writer(out).value(json);
    return out;
}

Writer& Writer::key(std::string_view name) {
    append_quoted(*out_, needs_comma_, name, true);
    needs_comma_ = false;
    return *this;
}

Writer& Writer::null() {
    separate();
    out_->append("null", 4);
    return *this;
}

Writer& Writer::boolean(bool value) {
    separate();
    out_->append(value ? std::string_view("true") : std::string_view("false"));
    return *this;
}

Writer& Writer::integer(std::int64_t value) {
    separate();
    append_number(*out_, value);
    return *this;
}

Writer& Writer::unsigned_integer(std::uint64_t value) {
    separate();
    append_number(*out_, value);
    return *this;
}

Writer& Writer::real(double value) {
    if (!std::isfinite(value)) return null();
    separate();
    // Whole numbers up to 2^53, which a double represents exactly, are written without an exponent,
    // as most peers do. Larger numbers get an exponent, so that no peer reads them as integers of
    // more than 64 bits.
    constexpr double exact = 9007199254740992.0;
    if (std::fabs(value) > exact) {
        append_number(*out_, value, std::chars_format::scientific);
    } else if (value == std::trunc(value)) {
        append_number(*out_, static_cast<std::int64_t>(value));
    } else {
        append_number(*out_, value);
    }
    return *this;
}

Writer& Writer::string(std::string_view characters) {
    append_quoted(*out_, needs_comma_, characters, false);
    needs_comma_ = true;
    return *this;
}

Writer& Writer::safe_string(std::string_view characters) {
    separate();
    out_->reserve(out_->size() + characters.size() + 2);
    out_->push_back('"');
    out_->append(characters);
    out_->push_back('"');
    return *this;
}

Writer& Writer::raw(std::string_view json) {
    separate();
    append_raw(*out_, json);
    return *this;
}

Writer& Writer::value(Json const& json) {
    switch (json.kind()) {
        case boost::json::kind::null:
            return null();
        case boost::json::kind::bool_:
            return boolean(json.get_bool());
        case boost::json::kind::int64:
            return integer(json.get_int64());
        case boost::json::kind::uint64:
            return unsigned_integer(json.get_uint64());
        case boost::json::kind::double_:
            return real(json.get_double());
        case boost::json::kind::string:
            return string(json.get_string());
        case boost::json::kind::array:
            begin_array();
            for (auto const& element : json.get_array()) value(element);
            return end_array();
        case boost::json::kind::object:
            break;
    }
    begin_object();
    for (auto const& member : json.get_object()) key(member.key()).value(member.value());
    return end_object();
}

}  // namespace lanyard::json
