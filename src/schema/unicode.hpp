// Questions about code points that RE2's Unicode tables answer.
#pragma once

#include <string_view>

namespace lanyard::schema {

/// Unicode's ID_Start and ID_Continue: what identifiers begin with and consist of.
bool is_id_start(char32_t code_point) noexcept;
bool is_id_continue(char32_t code_point) noexcept;

}  // namespace lanyard::schema
