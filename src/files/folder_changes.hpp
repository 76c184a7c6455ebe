// FolderChanges: collects the changes in one folder for a fixed time after the first of them.
// Events and the time go in, reports come out; it does no I/O.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/clock.hpp"

namespace lanyard::files {

/// The changes in one folder.
struct FolderReport {
    std::vector<std::string> changed;  ///< files that were modified, created or removed
    bool listed = false;               ///< whether the set of names differs from before
};

/// Not thread-safe.
class FolderChanges {
public:
    explicit FolderChanges(Duration settle) noexcept : settle_(settle) {}

    /// Sets the names that exist when watching begins.
    void begin(std::set<std::string, std::less<>> names) { names_ = std::move(names); }

    /// The file was written to.
    void on_written(std::string_view name, TimePoint now);
    /// The name is new, or refers to another file.
    void on_appeared(std::string_view name, TimePoint now);
    void on_vanished(std::string_view name, TimePoint now);
    /// Any file may have changed, for example because events were lost; `names` are the names that
    /// exist now.
    void on_unknown(std::set<std::string, std::less<>> names, TimePoint now);

    /// The time at which take() returns a report; TimePoint::max() if there is nothing to report.
    TimePoint due() const noexcept { return due_; }
    /// Returns the changes since the last report if the next report is due.
    std::optional<FolderReport> take(TimePoint now);

private:
    void touch(std::string_view name, TimePoint now);

    Duration settle_;
    std::set<std::string, std::less<>> names_;  // that exist at present
    // The names touched since the last report, and whether each existed before.
    std::map<std::string, bool, std::less<>> touched_;
    TimePoint due_ = TimePoint::max();
};

}  // namespace lanyard::files
