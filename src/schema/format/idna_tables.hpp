// Sets of code points that the rules of IDNA2008 need in addition to Unicode's general categories
// and scripts, derived from Unicode 15. A range may also include code points that no label can
// contain.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/ascii.hpp"

namespace lanyard::schema {

struct CodePointRange {
    char32_t first;
    char32_t last;
};

namespace detail {

consteval std::size_t count_ranges(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, ' ')) + 1;
}

// Parses "41-5A 5F": ranges in hexadecimal, in ascending order.
template <std::size_t n>
consteval std::array<CodePointRange, n> read_ranges(std::string_view text) {
    std::array<CodePointRange, n> ranges{};
    std::size_t i = 0;
    bool first = true;
    for (char const c : text) {
        auto& range = ranges[i];
        if (c == ' ') {
            ++i;
            first = true;
        } else if (c == '-') {
            range.last = 0;
            first = false;
        } else {
            range.last =
                range.last * 16 + static_cast<char32_t>(ascii::hex_value(static_cast<char32_t>(c)));
            if (first) range.first = range.last;
        }
    }
    return ranges;
}

// Letters, marks and digits that RFC 5892 nevertheless disallows for one of these reasons: their
// normalized, case-folded form differs (rule B); they are ignorable (rules C and D); the RFC lists
// them as exceptions (rule F); they are old Hangul Jamo (rule I).
constexpr std::string_view disallowed_text =
    "AA-B5 BA 133 140 149 17F 1C6-1CC 1F3 2B0-2B8 2E0-2E4 340-341 343-345 34F 374 37A 3D0-3D6 "
    "3F0-3F2 3F5 587 640 675-678 7FA 958-95F 9DC-9DF A33 A36 A59-A5B A5E B5C-B5D E33 EB3 EDC-EDD "
    "F43 F4D F52 F57 F5C F69 F73 F75-F79 F81 F93 F9D FA2 FA7 FAC FB9 10FC 1100-11FF 13F8-13FD "
    "17B4-17B5 180B-180F 1C80-1C88 1D2C-1D2E 1D30-1D3A 1D3C-1D4D 1D4F-1D6A 1D78 1D9B-1DBF "
    "1E9A-1E9B 1F71 1F73 1F75 1F77 1F79 1F7B 1F7D-1FA7 1FB2-1FB4 1FB7-1FC4 1FC7 1FD3 1FE3 "
    "1FF2-1FF4 1FF7 2071-2149 2C7C-2C7D 2D6F 302E-303B 309F 30FF 3131-318E A69C-A69D A770 "
    "A7F2-A7F4 A7F8-A7F9 A960-A97C AB5C-AB5F AB69-ABBF D7B0-D7FB F900-FA0D FA10 FA12 FA15-FA1E "
    "FA20 FA22 FA25-FA26 FA2A-FB1D FB1F-FE0F FE70-FE72 FE74-FFDC 10781-107BA 1D165-1D1AD "
    "1D242-1D244 1D41A-1D7FF 1E030-1E06D 1EE00-1EEBB 1FBF0-1FBF9 2F800-2FA1D E0100-E01EF";

// Code points of the canonical combining class Virama.
constexpr std::string_view virama_text =
    "94D 9CD A4D ACD B4D BCD C4D CCD D3B-D3C D4D DCA E3A EBA F84 1039-103A 1714-1715 1734 17D2 "
    "1A60 1B44 1BAA-1BAB 1BF2-1BF3 2D7F A806 A82C A8C4 A953 A9C0 AAF6 ABED 10A3F 11046 11070 "
    "1107F 110B9 11133-11134 111C0 11235 112EA 1134D 11442 114C2 115BF 1163F 116B6 1172B 11839 "
    "1193D-1193E 119E0 11A34 11A47 11A99 11C3F 11D44-11D45 11D97 11F41-11F42";

// Code points by Joining_Type, one table each: Dual_Joining, Left_Joining and Right_Joining.
constexpr std::string_view dual_joining_text =
    "620 626 628 62A-62E 633-647 649-64A 66E-66F 679-687 69A-6BF 6C1-6C2 6CC 6CE 6D0-6D1 6FA-6FC "
    "6FF 712-714 71A-71D 71F-727 729 72B 72D-72E 74E-758 75C-76A 76D-770 772 775-777 77A-77F "
    "7CA-7EA 841-845 848 84A-853 855 860 862-865 868 886 889-88D 8A0-8A9 8AF-8B0 8B3-8B8 8BA-8C8 "
    "1820-1878 1887-18A8 18AA A840-A871 10AC0-10AC4 10AD3-10AD6 10AD8-10ADC 10ADE-10AE0 10B80 "
    "10B82 10B86-10B88 10B8A-10B8B 10B8D 10B90 10D01-10D21 10D23 10F30-10F32 10F34-10F44 "
    "10F70-10F73 10F76-10F81 10FB0 10FB2-10FB3 10FB8 10FBB-10FBC 10FBE-10FBF 10FC1 10FC4 "
    "1E922-1E943";
constexpr std::string_view left_joining_text = "A872 10ACD 10AD7 10D00";
constexpr std::string_view right_joining_text =
    "622-625 627 629 62F-632 648 671-673 688-699 6C0 6C3-6CB 6CD 6CF 6D2-6D5 6EE-6EF 710 715-719 "
    "71E 728 72A 72C 72F 74D 759-75B 76B-76C 771 773-774 778-779 840 846-847 849 854 856-858 867 "
    "869-882 88E 8AA-8AC 8AE 8B1-8B2 8B9 10AC5 10AC7-10ACA 10ACE-10AD2 10ADD 10AE1 10AE4 10B81 "
    "10B83-10B85 10B89 10B8C 10B8E-10B8F 10B91 10D22 10F33 10F74-10F75 10FB4-10FB6 10FB9-10FBA "
    "10FBD 10FC2-10FC3";

// Code points by Bidi_Class: the first table has R and AL, the second has ON. The ranges of the
// first table also include non-spacing marks and digits, which bidi_class() tests first.
constexpr std::string_view right_to_left_text =
    "590-8FF FB1D-FDFF FE70-FEFF 10800-10FFF 1E800-1EFFF";
constexpr std::string_view neutral_text =
    "B7 2B9-2BA 2C6-2CF 2EC 375 2E2F 30FB A67F A717-A71F A788";

}  // namespace detail

inline constexpr auto disallowed_letters =
    detail::read_ranges<detail::count_ranges(detail::disallowed_text)>(detail::disallowed_text);
inline constexpr auto viramas =
    detail::read_ranges<detail::count_ranges(detail::virama_text)>(detail::virama_text);
inline constexpr auto dual_joining =
    detail::read_ranges<detail::count_ranges(detail::dual_joining_text)>(detail::dual_joining_text);
inline constexpr auto left_joining =
    detail::read_ranges<detail::count_ranges(detail::left_joining_text)>(detail::left_joining_text);
inline constexpr auto right_joining =
    detail::read_ranges<detail::count_ranges(detail::right_joining_text)>(
        detail::right_joining_text);
inline constexpr auto right_to_left =
    detail::read_ranges<detail::count_ranges(detail::right_to_left_text)>(
        detail::right_to_left_text);
inline constexpr auto neutral =
    detail::read_ranges<detail::count_ranges(detail::neutral_text)>(detail::neutral_text);

/// Whether one of the ranges contains the code point.
template <std::size_t n>
constexpr bool contains(std::array<CodePointRange, n> const& ranges, char32_t code_point) noexcept {
    auto const range = std::ranges::lower_bound(ranges, code_point, {}, &CodePointRange::last);
    return range != ranges.end() && range->first <= code_point;
}

}  // namespace lanyard::schema
