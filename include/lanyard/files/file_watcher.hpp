// FileWatcher: reports changes of files, so that a server can notify its subscribers.
//
//     lanyard::FileWatcher watcher;
//     watcher.watch_file("notes.txt", [&] { server.resource_updated("file:///notes.txt"); });
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include <lanyard/clock.hpp>

namespace lanyard {

class FileWatcherOptions {
public:
    FileWatcherOptions() = default;

    /// How long the watcher collects changes in a folder. Default: 20 ms. The interval starts with
    /// the first change; when it ends, all changes made during it are reported together.
    FileWatcherOptions& settle_interval(Duration interval) noexcept {
        settle_interval_ = interval;
        return *this;
    }
    /// How often the watcher checks whether a vanished folder exists again. Default: 1 s.
    FileWatcherOptions& retry_interval(Duration interval) noexcept {
        retry_interval_ = interval;
        return *this;
    }
    /// The maximum number of watched folders; watching a file counts as watching its folder.
    /// Default: 1,000.
    FileWatcherOptions& max_folders(std::size_t count) noexcept {
        max_folders_ = count;
        return *this;
    }
    /// Called with a message for each error that occurs while watching, and for each exception that
    /// a callback throws. Default: none.
    FileWatcherOptions& on_error(std::function<void(std::string_view text)> sink) {
        on_error_ = std::move(sink);
        return *this;
    }

    Duration settle_interval() const noexcept { return settle_interval_; }
    Duration retry_interval() const noexcept { return retry_interval_; }
    std::size_t max_folders() const noexcept { return max_folders_; }
    std::function<void(std::string_view text)> const& on_error() const noexcept {
        return on_error_;
    }

private:
    Duration settle_interval_ = std::chrono::milliseconds(20);
    Duration retry_interval_ = std::chrono::seconds(1);
    std::size_t max_folders_ = 1'000;
    std::function<void(std::string_view text)> on_error_;
};

/// Watches files and folders from its own thread.
///
/// Files are watched by name. If a file is deleted, created again, or replaced by renaming another
/// file to its name (as editors do), the change is reported and the file stays watched. The same
/// applies to a file whose folder vanishes and appears again. If the system reports lost events,
/// every watched file counts as changed.
///
/// Callbacks run on the watcher's thread, one at a time. All functions may be called from any
/// thread and from callbacks; the destructor must not be called from a callback.
class FileWatcher {
public:
    using WatchId = std::uint64_t;

    /// Throws Error (unavailable) if files cannot be watched.
    explicit FileWatcher(FileWatcherOptions options = {});
    /// Stops watching; no callback runs afterwards.
    ~FileWatcher();
    FileWatcher(FileWatcher const&) = delete;
    FileWatcher& operator=(FileWatcher const&) = delete;

    /// Calls `changed` when the file is created or removed, or when its content changes. The file
    /// need not exist, but its folder must. Throws Error: invalid_argument if the folder does not
    /// exist, too_many_pending if FileWatcherOptions::max_folders is exceeded, unavailable if the
    /// system's own limit is reached.
    WatchId watch_file(std::filesystem::path const& file, std::function<void()> changed);

    /// Calls `changed` when a file directly in the folder is created, removed or changed, and
    /// `listed` when names are added to or removed from the folder. Either function may be empty.
    /// Throws the same errors as watch_file().
    WatchId watch_folder(std::filesystem::path const& folder,
                         std::function<void(std::filesystem::path const& file)> changed,
                         std::function<void()> listed);

    /// Ends the watch that has this id, which watch_file() or watch_folder() returned. The
    /// callbacks of the watch are not called again. If one of these callbacks is running on the
    /// watcher's thread, unwatch() waits until the callback has returned, unless unwatch() is
    /// itself called by a callback. Returns false if there is no such id.
    bool unwatch(WatchId watch);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace lanyard
