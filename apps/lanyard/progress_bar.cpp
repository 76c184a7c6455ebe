#include "progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::size_t bar_width = 30;
constexpr std::size_t longest_message = 40;
// Carriage return, erase the line.
constexpr char const* erase = "\r\x1B[K";

}  // namespace

std::string progress_line(ProgressParams const& progress) {
    std::ostringstream line;
    if (progress.total && *progress.total > 0) {
        auto const share = std::clamp(progress.progress / *progress.total, 0.0, 1.0);
        auto const filled = static_cast<std::size_t>(std::lround(share * bar_width));
        line << '[' << std::string(filled, '#') << std::string(bar_width - filled, '-') << "] "
             << std::lround(share * 100) << " %";
    } else {
        line << progress.progress;
    }
    if (!progress.message.empty()) {
        auto const end = progress.message.find('\n');
        line << ' '
             << without_control_characters(progress.message.substr(0, end))
                    .substr(0, longest_message);
    }
    return line.str();
}

void ProgressBar::update(ProgressParams const& progress) {
    if (!shown_) return;
    *out_ << erase << progress_line(progress) << std::flush;
    drawn_ = true;
}

void ProgressBar::clear() {
    if (drawn_) *out_ << erase << std::flush;
    drawn_ = false;
}

}  // namespace lanyard::app
