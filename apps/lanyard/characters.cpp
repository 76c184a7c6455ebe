#include "characters.hpp"

#include <algorithm>
#include <iterator>

namespace lanyard::app {
namespace {

constexpr std::string_view ellipsis = "…";

struct CodeRange {
    char32_t first;
    char32_t last;
};

// Combining marks and invisible characters (general categories Mn, Me and Cf) of the scripts that
// occur most; sorted.
constexpr CodeRange zero_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD},   {0x0610, 0x061A},   {0x064B, 0x065F},
    {0x093C, 0x093C}, {0x0941, 0x0948},   {0x094D, 0x094D},   {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},   {0x200B, 0x200F},   {0x2060, 0x2064},
    {0x20D0, 0x20F0}, {0x302A, 0x302D},   {0x3099, 0x309A},   {0xFE00, 0xFE0F},   {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0001, 0xE007F}, {0xE0100, 0xE01EF},
};

// Characters of two columns (East Asian Width W and F); sorted. Unassigned characters between them
// are included.
constexpr CodeRange wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18DFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
    {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6D7},
    {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
    {0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <std::size_t N>
bool contains(CodeRange const (&ranges)[N], char32_t code) {
    auto const* const found = std::ranges::lower_bound(ranges, code, {}, &CodeRange::last);
    return found != std::end(ranges) && found->first <= code;
}

std::size_t columns_of(Character const& character) {
    if (character.code < 0x300 || !character.valid) return 1;
    if (contains(zero_width, character.code)) return 0;
    return contains(wide, character.code) ? 2 : 1;
}

/// Returns how many bytes of the line fit into `limit` columns. A line that is too wide is broken
/// at the last space that fits or, without such a space, inside a word.
std::size_t line_length(std::string_view line, std::size_t limit) {
    std::size_t taken = 0;
    std::size_t last_space = 0;
    auto const first_word = line.find_first_not_of(' ');
    for (std::size_t i = 0; i < line.size();) {
        auto const next = character_at(line, i);
        taken += columns_of(next);
        if (line[i] == ' ') {
            if (i > first_word) last_space = i;
        } else if (taken > limit) {
            return last_space == 0 ? i : last_space;
        }
        i += next.size;
    }
    return line.size();
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
    auto const lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) return {.code = lead};
    std::size_t const size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    Character result{.code = lead & (0xFFU >> (size + 1)), .size = size};
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < size) return {lead, 1, false};
    for (auto const next : text.substr(at + 1, size - 1)) {
        auto const byte = static_cast<unsigned char>(next);
        if ((byte & 0xC0U) != 0x80U) return {lead, 1, false};
        result.code = result.code << 6U | (byte & 0x3FU);
    }
    return result;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        auto const next = character_at(text, i);
        bool const surrogate = next.code >= 0xD800 && next.code <= 0xDFFF;
        bool const overlong = (next.size == 3 && next.code < 0x800) ||
                              (next.size == 4 && (next.code < 0x10000 || next.code > 0x10FFFF));
        if (!next.valid || surrogate || overlong) return false;
        i += next.size;
    }
    return true;
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size();) {
        auto const next = character_at(text, i);
        count += columns_of(next);
        i += next.size;
    }
    return count;
}

std::string cut(std::string_view text, std::size_t width) {
    if (columns(text) <= width) return std::string(text);
    if (width == 0) return {};
    std::size_t end = 0;
    for (std::size_t used = 0; end < text.size();) {
        auto const next = character_at(text, end);
        used += columns_of(next);
        if (used >= width) break;  // One column is kept for the ellipsis.
        end += next.size;
    }
    return std::string(text.substr(0, end)).append(ellipsis);
}

std::string wrapped(std::string_view text, std::size_t indentation, std::size_t width,
                    std::size_t more) {
    // A narrow terminal gets at least this many columns of text in a line.
    constexpr std::size_t least_columns = 10;
    auto const room = [&](std::size_t margin) {
        return width == 0 ? text.size() : std::max(width, margin + least_columns) - margin;
    };
    std::string out;
    while (!text.empty()) {
        auto const line_end = text.find('\n');
        auto line = text.substr(0, line_end);
        auto margin = indentation;
        do {
            auto const part = line.substr(0, line_length(line, room(margin)));
            line.remove_prefix(part.size());
            line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
            if (!part.empty()) out.append(margin, ' ').append(part);
            out += '\n';
            margin = indentation + more;
        } while (!line.empty());
        text.remove_prefix(line_end == text.npos ? text.size() : line_end + 1);
    }
    return out;
}

}  // namespace lanyard::app
