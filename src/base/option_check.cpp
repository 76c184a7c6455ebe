#include "base/option_check.hpp"

#include <string>

#include "lanyard/error.hpp"

namespace lanyard {
namespace {

std::string to_text(Duration value) {
    auto const milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(value);
    if (milliseconds != value) return std::to_string(value.count()) + " ns";
    return std::to_string(milliseconds.count()) + " ms";
}

[[noreturn]] void refuse(std::string_view option, std::string const& rule, std::string const& got) {
    throw Error(Errc::invalid_argument, std::string(option) + ": must " + rule + ", got " + got);
}

std::string at_least(std::string const& least, std::string_view what) {
    if (what.empty()) return "be at least " + least;
    return "be at least " + std::string(what) + " (" + least + ")";
}

}  // namespace

void check_positive(std::string_view option, Duration value) {
    if (value <= Duration::zero()) refuse(option, "be more than zero", to_text(value));
}

void check_not_negative(std::string_view option, Duration value) {
    if (value < Duration::zero()) refuse(option, "not be negative", to_text(value));
}

void check_at_least(std::string_view option, Duration value, Duration least,
                    std::string_view what) {
    if (value < least) refuse(option, at_least(to_text(least), what), to_text(value));
}

void check_at_least(std::string_view option, std::size_t value, std::size_t least,
                    std::string_view what) {
    if (value >= least) return;
    refuse(option, at_least(std::to_string(least), what), std::to_string(value));
}

}  // namespace lanyard
