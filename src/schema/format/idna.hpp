// The rules of IDNA2008 for one label (RFC 5891 section 4.2, RFC 5892, RFC 5893).
#pragma once

#include "schema/format/punycode.hpp"

namespace lanyard::schema {

/// Whether the code points form a U-label. Checks neither the Bidi rule nor normalization.
bool is_u_label(LabelText const& label) noexcept;

/// Whether the code point is of class R, AL or AN, which makes the Bidi rule apply to the whole
/// domain name.
bool is_right_to_left(char32_t code_point) noexcept;

/// Checks the Bidi rule (RFC 5893 section 2).
bool follows_bidi_rule(LabelText const& label) noexcept;

}  // namespace lanyard::schema
