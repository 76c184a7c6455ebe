// ProgressBar: shows the progress of a call on one line of the terminal.
#pragma once

#include <ostream>
#include <string>

#include <lanyard/protocol/progress.hpp>

namespace lanyard::app {

/// Returns text such as "[########------------] 40 % loading", or "3 loading" if the total is
/// unknown.
std::string progress_line(ProgressParams const& progress);

/// Draws progress on one line and erases it at the end. Does nothing if `shown` is false.
class ProgressBar {
public:
    ProgressBar(std::ostream& out, bool shown) : out_(&out), shown_(shown) {}
    ~ProgressBar() { clear(); }
    ProgressBar(ProgressBar const&) = delete;
    ProgressBar& operator=(ProgressBar const&) = delete;

    void update(ProgressParams const& progress);
    void clear();

private:
    std::ostream* out_;
    bool shown_;
    bool drawn_ = false;
};

}  // namespace lanyard::app
