// FolderChanges: collects the changes in one folder. A report is due a fixed time after the first
// change that it contains. Does no I/O: the caller passes the events and the current time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/clock.hpp"

namespace lanyard::files {

/// The changes in one folder since the previous report.
struct FolderReport {
    std::vector<std::string> changed;  ///< files that were modified, created or removed
    bool listed = false;               ///< whether files were created, removed or renamed
};

/// Not thread-safe.
class FolderChanges {
public:
    explicit FolderChanges(Duration settle) noexcept : settle_(settle) {}

    /// Sets the names that exist when watching begins.
    void begin(std::set<std::string, std::less<>> names) { names_ = std::move(names); }

    /// Called when the file was written to.
    void on_written(std::string_view name, TimePoint now);
    /// Called when an entry with this name was created, or when a file was moved to this name.
    void on_appeared(std::string_view name, TimePoint now);
    void on_vanished(std::string_view name, TimePoint now);
    /// Called when any file may have changed, for example because events were lost. `names` are the
    /// names that exist now.
    void on_unknown(std::set<std::string, std::less<>> names, TimePoint now);

    /// The time at which take() is to be called next; TimePoint::max() if there is nothing to
    /// report.
    TimePoint due() const noexcept { return due_; }
    /// If due() has been reached, returns the changes since the previous report; otherwise nullopt.
    /// Also returns nullopt if the only changes were files that were created and removed again.
    std::optional<FolderReport> take(TimePoint now);

private:
    void touch(std::string_view name, TimePoint now);

    Duration settle_;
    // The names that exist now.
    std::set<std::string, std::less<>> names_;
    // The names touched since the previous report. The value is whether a file with this name
    // existed at the time of the previous report.
    std::map<std::string, bool, std::less<>> touched_;
    TimePoint due_ = TimePoint::max();
};

}  // namespace lanyard::files
