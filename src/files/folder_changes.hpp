// FolderChanges: what has happened in one folder, collected until it is quiet. Events and time in,
// reports out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/clock.hpp"

namespace lanyard::files {

/// What there is to tell about a folder.
struct FolderReport {
    std::vector<std::string> changed;  ///< files with other content, new or gone
    bool listed = false;               ///< there are other names than before
};

/// Not thread-safe.
class FolderChanges {
public:
    explicit FolderChanges(Duration settle) noexcept : settle_(settle) {}

    /// The names that are there when watching begins.
    void begin(std::set<std::string, std::less<>> names) { names_ = std::move(names); }

    /// Something was written to the file.
    void on_written(std::string_view name, TimePoint now);
    /// The name is new, or stands for another file.
    void on_appeared(std::string_view name, TimePoint now);
    void on_vanished(std::string_view name, TimePoint now);
    /// Anything may have happened; these names are there.
    void on_unknown(std::set<std::string, std::less<>> names, TimePoint now);

    /// When take() has something, or never.
    TimePoint due() const noexcept { return due_; }
    /// What has happened since the last report, once it is due.
    std::optional<FolderReport> take(TimePoint now);

private:
    void touch(std::string_view name, TimePoint now);

    Duration settle_;
    std::set<std::string, std::less<>> names_;  // at present
    // What was touched since the last report, and whether it was there before.
    std::map<std::string, bool, std::less<>> touched_;
    TimePoint due_ = TimePoint::max();
};

}  // namespace lanyard::files
