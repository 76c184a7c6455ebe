#include "progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

#include "characters.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::size_t longest_bar = 30;
// A shorter bar shows too little to be worth its columns.
constexpr std::size_t shortest_bar = 8;
constexpr std::size_t usual_width = 80;
// The columns that stay free: for the cursor, and for "^C", which the terminal prints after the bar
// when the user types it. A line that wraps could not be erased.
constexpr std::size_t margin = 3;
// Carriage return, erase the line.
constexpr char const* erase = "\r\x1B[K";

/// Returns "[###---] ", or nothing if the terminal is too narrow.
std::string bar_of(double share, std::size_t width) {
    auto const length = std::min(longest_bar, width / 3);
    if (length < shortest_bar) return {};
    auto const filled = static_cast<std::size_t>(std::lround(share * static_cast<double>(length)));
    return "[" + std::string(filled, '#') + std::string(length - filled, '-') + "] ";
}

}  // namespace

std::string progress_line(ProgressParams const& progress, std::size_t width) {
    std::ostringstream line;
    if (progress.total && *progress.total > 0) {
        auto const share = std::clamp(progress.progress / *progress.total, 0.0, 1.0);
        line << bar_of(share, width) << std::lround(share * 100) << " %";
    } else {
        line << progress.progress;
    }
    if (!progress.message.empty()) {
        line << ' ' << first_line(progress.message);
    }
    return cut(line.str(), width > margin ? width - margin : 0);
}

void ProgressBar::update(ProgressParams const& progress) {
    if (!shown_) return;
    auto const width = width_();
    *out_ << erase << progress_line(progress, width == 0 ? usual_width : width) << std::flush;
    drawn_ = true;
}

void ProgressBar::clear() {
    if (drawn_) *out_ << erase << std::flush;
    drawn_ = false;
}

}  // namespace lanyard::app
