// Properties of code points, from RE2's Unicode tables.
#pragma once

namespace lanyard::schema {

/// ID_Start: characters with which an identifier may begin. ID_Continue: characters that may
/// follow.
bool is_id_start(char32_t code_point) noexcept;
bool is_id_continue(char32_t code_point) noexcept;

/// Whether the general category is Ll, Lo, Lm, Mn, Mc or Nd, or the code point is a capital letter
/// of Cherokee. These are the LetterDigits of RFC 5892 without the code points that case folding
/// changes. (In Cherokee, case folding turns small letters into capitals.)
bool is_folded_letter_or_digit(char32_t code_point) noexcept;
/// Whether the general category is Mn, Mc or Me.
bool is_mark(char32_t code_point) noexcept;
/// Whether the general category is Mn.
bool is_nonspacing_mark(char32_t code_point) noexcept;

bool is_greek(char32_t code_point) noexcept;
bool is_hebrew(char32_t code_point) noexcept;
/// Hiragana, Katakana or Han.
bool is_japanese(char32_t code_point) noexcept;

}  // namespace lanyard::schema
