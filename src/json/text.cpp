#include "json/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/ascii.hpp"

namespace lanyard::json {

namespace {

char const* skip_digits(char const* p, char const* end) noexcept {
    while (p != end && ascii::is_digit(*p)) ++p;
    return p;
}

// An integer with at most this many digits always fits into std::int64_t.
constexpr std::ptrdiff_t always_fits_int64 = 18;

Kind integer_kind(std::string_view token) noexcept {
    std::int64_t number = 0;
    auto const* end = token.data() + token.size();
    if (std::from_chars(token.data(), end, number).ec == std::errc()) return Kind::integer;
    std::uint64_t large = 0;
    if (token.front() != '-' && std::from_chars(token.data(), end, large).ec == std::errc()) {
        return Kind::unsigned_integer;
    }
    return Kind::real;
}

// Returns the code unit of the "\uXXXX" at the beginning of the text, or -1 if there is none.
int code_unit(std::string_view text) noexcept {
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
    int unit = 0;
    for (std::size_t i = 2; i < 6; ++i) {
        int const digit = ascii::hex_value(text[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

constexpr bool is_high_surrogate(int unit) noexcept {
    return unit >= 0xD800 && unit <= 0xDBFF;
}
constexpr bool is_low_surrogate(int unit) noexcept {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

// Returns the character that a one-character escape stands for, or 0 for any other escape.
constexpr char simple_escape(char c) noexcept {
    switch (c) {
        case '"':
        case '\\':
        case '/':
            return c;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return '\0';
    }
}

// Returns the length of the escape at the beginning of the text, or 0 if the escape is not valid.
std::size_t escape_length(std::string_view text) noexcept {
    if (text.size() >= 2 && simple_escape(text[1]) != '\0') return 2;
    int const unit = code_unit(text);
    if (unit < 0 || is_low_surrogate(unit)) return 0;
    if (!is_high_surrogate(unit)) return 6;
    return is_low_surrogate(code_unit(text.substr(6))) ? 12 : 0;
}

void append_utf8(std::string& out, char32_t code) {
    auto const byte = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | (code >> 6));
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3F));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
}

// Whether a number other than zero lies between -1 and 1, that is, whether the decimal exponent of
// its first significant digit is negative.
bool is_below_one(std::string_view token) noexcept {
    auto const exponent_at = std::min(token.find_first_of("eE"), token.size());
    auto const mantissa = token.substr(0, exponent_at);
    auto const point = std::min(mantissa.find('.'), mantissa.size());
    auto const first = mantissa.find_first_of("123456789");
    auto leading = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    if (leading > 0) --leading;
    if (exponent_at == token.size()) return leading < 0;
    auto text = token.substr(exponent_at + 1);
    if (text.front() == '+') text.remove_prefix(1);
    std::int64_t exponent = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec != std::errc()) {
        return text.front() == '-';
    }
    return exponent < -leading;  // the sum could overflow
}

std::size_t find_backslash(std::string_view text, std::size_t from) noexcept {
    char const* p = text.data() + from;
    char const* const end = text.data() + text.size();
#if defined(__SSE2__)
    // Escapes tend to lie close together, so the next 64 bytes are searched first. In most cases
    // this makes the call of memchr() unnecessary.
    for (int i = 0; i < 4 && end - p >= 16; ++i, p += 16) {
        auto const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
        auto const found = _mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
        if (found != 0) {
            return static_cast<std::size_t>(p - text.data() +
                                            __builtin_ctz(static_cast<unsigned>(found)));
        }
    }
#endif
    auto const* found = std::memchr(p, '\\', static_cast<std::size_t>(end - p));
    if (found == nullptr) return std::string_view::npos;
    return static_cast<std::size_t>(static_cast<char const*>(found) - text.data());
}

}  // namespace

NumberCheck check_number(std::string_view token, bool big_integers, Kind& kind) noexcept {
    char const* p = token.data();
    char const* const end = p + token.size();
    if (p != end && *p == '-') ++p;
    char const* const digits = p;
    p = skip_digits(p, end);
    auto const digit_count = p - digits;
    if (digit_count == 0 || (digit_count > 1 && *digits == '0')) return NumberCheck::malformed;
    if (p == end) {
        kind = digit_count <= always_fits_int64 ? Kind::integer : integer_kind(token);
        if (kind != Kind::real) return NumberCheck::ok;
        return big_integers && std::isfinite(parse_real(token)) ? NumberCheck::ok
                                                                : NumberCheck::out_of_range;
    }
    kind = Kind::real;
    if (*p == '.') {
        char const* const fraction = ++p;
        p = skip_digits(p, end);
        if (p == fraction) return NumberCheck::malformed;
    }
    if (p != end && (*p == 'e' || *p == 'E')) {
        ++p;
        if (p != end && (*p == '+' || *p == '-')) ++p;
        char const* const exponent = p;
        p = skip_digits(p, end);
        if (p == exponent) return NumberCheck::malformed;
    }
    if (p != end) return NumberCheck::malformed;
    return std::isfinite(parse_real(token)) ? NumberCheck::ok : NumberCheck::out_of_range;
}

double parse_real(std::string_view token) noexcept {
    double value = 0;
    auto const result = std::from_chars(token.data(), token.data() + token.size(), value);
    if (result.ec != std::errc::result_out_of_range) return value;
    // from_chars reports the same error for too large and too small numbers. A number that is too
    // small for a double is read as zero.
    double const limit = is_below_one(token) ? 0.0 : std::numeric_limits<double>::infinity();
    return token.front() == '-' ? -limit : limit;
}

std::optional<std::size_t> find_bad_escape(std::string_view characters) noexcept {
    auto at = find_backslash(characters, 0);
    while (at != std::string_view::npos) {
        auto const length = escape_length(characters.substr(at));
        if (length == 0) return at;
        at = find_backslash(characters, at + length);
    }
    return std::nullopt;
}

StringPiece first_piece(std::string_view characters) noexcept {
    if (characters.front() != '\\') {
        return {std::min(find_backslash(characters, 0), characters.size()), false};
    }
    if (auto const length = escape_length(characters); length != 0) return {length, false};
    // The escape is invalid. If it is nevertheless a well-formed \uXXXX, it must be a lone
    // surrogate.
    if (code_unit(characters) >= 0) return {6, true};
    return {std::min<std::size_t>(2, characters.size()), false};
}

void append_unescaped(std::string& out, std::string_view characters) {
    make_room(out, characters.size());
    std::size_t from = 0;
    for (auto at = find_backslash(characters, 0); at != std::string_view::npos;
         at = find_backslash(characters, from)) {
        out.append(characters, from, at - from);
        auto const escape = characters.substr(at);
        if (char const simple = simple_escape(escape[1]); simple != '\0') {
            out.push_back(simple);
            from = at + 2;
            continue;
        }
        int const unit = code_unit(escape);
        if (is_high_surrogate(unit)) {
            int const low = code_unit(escape.substr(6));
            append_utf8(out, 0x10000 + (static_cast<char32_t>(unit - 0xD800) << 10) +
                                 static_cast<char32_t>(low - 0xDC00));
            from = at + 12;
        } else {
            append_utf8(out, static_cast<char32_t>(unit));
            from = at + 6;
        }
    }
    out.append(characters, from);
}

std::size_t utf8_sequence_length(std::string_view text) noexcept {
    auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    auto const continues = [&](std::size_t i) {
        return i < text.size() && (byte(i) & 0xC0U) == 0x80U;
    };
    unsigned const first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    if (!continues(1)) return 0;
    if (first < 0xE0) return 2;
    unsigned const second = byte(1);
    if (first < 0xF0) {
        bool const overlong = first == 0xE0 && second < 0xA0;
        bool const surrogate = first == 0xED && second > 0x9F;
        return !overlong && !surrogate && continues(2) ? 3 : 0;
    }
    bool const overlong = first == 0xF0 && second < 0x90;
    bool const too_large = first == 0xF4 && second > 0x8F;
    return !overlong && !too_large && continues(2) && continues(3) ? 4 : 0;
}

std::optional<std::size_t> find_bad_utf8(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size();) {
        auto const length = utf8_sequence_length(text.substr(i));
        if (length == 0) return i;
        i += length;
    }
    return std::nullopt;
}

}  // namespace lanyard::json
