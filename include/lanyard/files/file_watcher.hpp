// FileWatcher: tells when files change, so that a server can tell its subscribers.
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

    /// Changes that follow each other within this time are reported once, after it.
    FileWatcherOptions& settle(Duration time) noexcept {
        settle_ = time;
        return *this;
    }
    /// How often a folder that has vanished is looked for.
    FileWatcherOptions& retry(Duration interval) noexcept {
        retry_ = interval;
        return *this;
    }
    /// How many folders may be watched; files count by the folder they are in.
    FileWatcherOptions& max_folders(std::size_t count) noexcept {
        max_folders_ = count;
        return *this;
    }
    /// Gets what goes wrong while watching, and what a callback throws.
    FileWatcherOptions& on_error(std::function<void(std::string_view text)> sink) {
        on_error_ = std::move(sink);
        return *this;
    }

    Duration settle() const noexcept { return settle_; }
    Duration retry() const noexcept { return retry_; }
    std::size_t max_folders() const noexcept { return max_folders_; }
    std::function<void(std::string_view text)> const& on_error() const noexcept {
        return on_error_;
    }

private:
    Duration settle_ = std::chrono::milliseconds(20);
    Duration retry_ = std::chrono::seconds(1);
    std::size_t max_folders_ = 1'000;
    std::function<void(std::string_view text)> on_error_;
};

/// Watches files and folders from a thread of its own.
///
/// Files are watched by name: a file that is replaced by renaming another over it (as editors do),
/// deleted or created again is reported and watched on, and so is one whose folder comes back after
/// it was gone. Where the system reports that it has lost events, everything counts as changed.
///
/// Callbacks run on the watcher's thread, one at a time. Every function may be called from any
/// thread, callbacks included; the destructor not from callbacks.
class FileWatcher {
public:
    using WatchId = std::uint64_t;

    /// Throws Error (unavailable) where files cannot be watched.
    explicit FileWatcher(FileWatcherOptions options = {});
    /// No callback runs afterwards.
    ~FileWatcher();
    FileWatcher(FileWatcher const&) = delete;
    FileWatcher& operator=(FileWatcher const&) = delete;

    /// Calls when the file's content has changed, or it was created or removed. The file need not
    /// exist, its folder must. Throws Error: invalid_argument where there is no such folder,
    /// too_many_pending beyond the limit, unavailable where the system's own limit is reached.
    WatchId watch_file(std::filesystem::path const& file, std::function<void()> changed);

    /// Calls `changed` for each file right inside the folder as watch_file does, and `listed` when
    /// there are other names in it than before. Either may be empty. Throws the same.
    WatchId watch_folder(std::filesystem::path const& folder,
                         std::function<void(std::filesystem::path const& file)> changed,
                         std::function<void()> listed);

    /// Its callback is not called any more, and unless this is called from it, is not running.
    /// False where there is no such watch.
    bool unwatch(WatchId watch);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace lanyard
