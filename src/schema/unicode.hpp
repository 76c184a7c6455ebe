// Properties of code points, from RE2's Unicode tables.
#pragma once

namespace lanyard::schema {

/// ID_Start and ID_Continue: the characters that identifiers begin with and consist of.
bool is_id_start(char32_t code_point) noexcept;
bool is_id_continue(char32_t code_point) noexcept;

/// General categories Ll, Lo, Lm, Mn, Mc and Nd, and Cherokee's capitals, which are the folded form
/// of its small letters: LetterDigits of RFC 5892 without the code points that case folding
/// changes.
bool is_folded_letter_or_digit(char32_t code_point) noexcept;
/// General category M, and Mn alone.
bool is_mark(char32_t code_point) noexcept;
bool is_nonspacing_mark(char32_t code_point) noexcept;

bool is_greek(char32_t code_point) noexcept;
bool is_hebrew(char32_t code_point) noexcept;
/// Hiragana, Katakana or Han.
bool is_japanese(char32_t code_point) noexcept;

}  // namespace lanyard::schema
