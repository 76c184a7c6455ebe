// ProgressBar: shows the progress of a call on one line of the terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "lanyard/protocol/progress.hpp"

namespace lanyard::app {

/// Returns text such as "[########------------] 40 % loading", or "3 loading" if the total is
/// unknown. The text is cut so that a terminal with `width` columns does not wrap it. On a
/// narrow terminal there is no bar.
std::string progress_line(ProgressParams const& progress, std::size_t width);

/// Draws progress on one line and erases it at the end. Does nothing if `shown` is false.
class ProgressBar {
public:
    /// `width` returns the number of columns of the terminal, 0 if it is unknown. It is called
    /// for every update, because the user may resize the terminal.
    ProgressBar(std::ostream& out, bool shown, std::function<std::size_t()> width)
        : out_(&out), shown_(shown), width_(std::move(width)) {}
    ~ProgressBar() { clear(); }
    ProgressBar(ProgressBar const&) = delete;
    ProgressBar& operator=(ProgressBar const&) = delete;

    void update(ProgressParams const& progress);
    void clear();

private:
    std::ostream* out_;
    bool shown_;
    std::function<std::size_t()> width_;
    bool drawn_ = false;
};

}  // namespace lanyard::app
