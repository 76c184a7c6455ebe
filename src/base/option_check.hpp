// Checks of option values. A value that an option does not allow throws Error (invalid_argument)
// whose message names the option.
#pragma once

#include <cstddef>
#include <string_view>

#include <lanyard/clock.hpp>

namespace lanyard {

/// Throws unless the value is more than zero. `option` is a name such as
/// "ServerOptions::write_timeout".
void check_positive(std::string_view option, Duration value);
/// Throws if the value is less than zero.
void check_not_negative(std::string_view option, Duration value);
/// Throws if the value is less than `least`. `what` describes `least` if it is the value of another
/// option.
void check_at_least(std::string_view option, Duration value, Duration least,
                    std::string_view what = {});
void check_at_least(std::string_view option, std::size_t value, std::size_t least,
                    std::string_view what = {});

}  // namespace lanyard
