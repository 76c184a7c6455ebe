// Checks of option values. If a value is not allowed, the check throws Error (invalid_argument),
// whose message names the option.
#pragma once

#include <cstddef>
#include <string_view>

#include "lanyard/clock.hpp"

namespace lanyard {

/// Throws unless the value is more than zero. `option` is the name for the message, such as
/// "ServerOptions::write_timeout".
void check_positive(std::string_view option, Duration value);
/// Throws if the value is less than zero.
void check_not_negative(std::string_view option, Duration value);
/// Throws if the value is less than `least`. If `least` is the value of another option, `what`
/// names that option in the message.
void check_at_least(std::string_view option, Duration value, Duration least,
                    std::string_view what = {});
void check_at_least(std::string_view option, std::size_t value, std::size_t least,
                    std::string_view what = {});

}  // namespace lanyard
