// FileWatcher over inotify(7).
#include "lanyard/files/file_watcher.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include <dirent.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "files/folder_changes.hpp"
#include "lanyard/error.hpp"
#include "lanyard/time_source.hpp"
#include "runtime/descriptors.hpp"

namespace lanyard {

namespace {

using transport::Descriptor;
using Names = std::set<std::string, std::less<>>;
namespace fs = std::filesystem;

constexpr std::uint32_t written = IN_MODIFY | IN_CLOSE_WRITE;
constexpr std::uint32_t appeared = IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t vanished = IN_DELETE | IN_MOVED_FROM;
constexpr std::uint32_t gone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED;
// Without IN_EXCL_UNLINK, writes to a deleted file would be reported under its old name.
constexpr std::uint32_t wanted =
    written | appeared | vanished | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

constexpr auto retry_after = std::chrono::milliseconds(10);

std::string describe_errno(int error) {
    return std::generic_category().message(error);
}

Names names_in(fs::path const& folder) {
    // Not fs::directory_iterator: libstdc++ calls std::terminate in it if memory runs out.
    Names names;
    std::unique_ptr<DIR, int (*)(DIR*)> const stream(::opendir(folder.c_str()), &::closedir);
    while (auto const* const entry = stream ? ::readdir(stream.get()) : nullptr) {
        std::string_view const name = entry->d_name;
        if (name != "." && name != "..") names.emplace(name);
    }
    return names;
}

Descriptor open_inotify() {
    Descriptor inotify(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!inotify.is_open()) {
        throw Error(Errc::unavailable, "files cannot be watched: " + describe_errno(errno) +
                                           " (fs.inotify.max_user_instances limits how many "
                                           "watchers a user has)");
    }
    return inotify;
}

}  // namespace

class FileWatcher::State {
public:
    /// One registered callback for a folder.
    struct Watch {
        std::string name;  // the only file to report; empty to report all files
        std::function<void(fs::path const& file)> changed;
        std::function<void()> listed;
    };

    explicit State(FileWatcherOptions options)
        : options_(std::move(options)),
          inotify_(open_inotify()),
          wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
        if (!wake_.is_open()) {
            throw Error(Errc::unavailable, "files cannot be watched: " + describe_errno(errno));
        }
        thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
    }
    ~State() {
        thread_.request_stop();
        wake();
        thread_.join();
    }

    WatchId add(fs::path const& folder, Watch watch);
    bool remove(WatchId id);

private:
    struct Folder {
        Folder(fs::path where, Duration settle) : path(std::move(where)), changes(settle) {}

        fs::path path;
        int descriptor = -1;                    // watch descriptor; -1 if the folder does not exist
        TimePoint retry_at = TimePoint::max();  // when to check again whether the folder exists
        files::FolderChanges changes;
        std::map<WatchId, Watch> watches;
    };
    struct Call {
        WatchId id;
        std::function<void()> function;
    };

    void run(std::stop_token const& stop) noexcept;
    void run_once(std::stop_token const& stop);
    void count_all_as_changed(TimePoint now);
    void wake() noexcept;
    int timeout(TimePoint now);
    void read_events(TimePoint now);
    void take(inotify_event const& event, TimePoint now);
    void lose(Folder& folder, TimePoint now);
    void look_for_lost(TimePoint now);
    std::vector<Call> due_calls(TimePoint now);
    void call(Call const& call);
    bool arm(Folder& folder);
    void disarm(Folder& folder);
    void report(std::string const& text) const {
        if (options_.on_error()) options_.on_error()(text);
    }

    FileWatcherOptions options_;
    Descriptor inotify_;
    Descriptor wake_;

    std::mutex mutex_;
    WatchId last_id_ = 0;
    std::map<fs::path, Folder> folders_;
    std::unordered_multimap<int, Folder*> armed_;  // by watch descriptor
    std::map<WatchId, Folder*> by_id_;

    bool lost_events_ = false;  // used by the thread only

    std::mutex calling_;  // held while a callback runs
    std::jthread thread_;
};

FileWatcher::WatchId FileWatcher::State::add(fs::path const& folder, Watch watch) {
    std::error_code error;
    auto const path = fs::canonical(folder, error);
    if (error || !fs::is_directory(path, error)) {
        throw Error(Errc::invalid_argument,
                    "cannot watch \"" + folder.string() + "\": there is no such folder");
    }
    std::lock_guard const lock(mutex_);
    auto at = folders_.find(path);
    if (at == folders_.end()) {
        if (folders_.size() >= options_.max_folders()) {
            throw Error(Errc::too_many_pending, "cannot watch \"" + path.string() + "\": " +
                                                    std::to_string(options_.max_folders()) +
                                                    " folders are watched already");
        }
        at = folders_.try_emplace(path, path, options_.settle_interval()).first;
        if (!arm(at->second)) {
            auto const why = describe_errno(errno);
            folders_.erase(at);
            throw Error(Errc::unavailable, "cannot watch \"" + path.string() + "\": " + why +
                                               " (fs.inotify.max_user_watches limits how many "
                                               "folders a user watches)");
        }
        at->second.changes.begin(names_in(path));
    }
    auto const id = ++last_id_;
    at->second.watches.emplace(id, std::move(watch));
    by_id_.emplace(id, &at->second);
    return id;
}

bool FileWatcher::State::remove(WatchId id) {
    {
        std::lock_guard const lock(mutex_);
        auto const found = by_id_.find(id);
        if (found == by_id_.end()) return false;
        auto& folder = *found->second;
        by_id_.erase(found);
        folder.watches.erase(id);
        if (folder.watches.empty()) {
            disarm(folder);
            folders_.erase(fs::path(folder.path));
        }
    }
    // Waits until a running callback has returned, unless this thread is running the callback.
    if (std::this_thread::get_id() != thread_.get_id()) std::lock_guard const wait(calling_);
    return true;
}

// Returns false and sets errno on failure.
bool FileWatcher::State::arm(Folder& folder) {
    int const descriptor = inotify_add_watch(inotify_.get(), folder.path.c_str(), wanted);
    if (descriptor < 0) return false;
    folder.descriptor = descriptor;
    folder.retry_at = TimePoint::max();
    armed_.emplace(descriptor, &folder);
    return true;
}

void FileWatcher::State::disarm(Folder& folder) {
    if (folder.descriptor < 0) return;
    auto const [first, last] = armed_.equal_range(folder.descriptor);
    for (auto at = first; at != last; ++at) {
        if (at->second != &folder) continue;
        armed_.erase(at);
        break;
    }
    // Another path may lead to the same folder and share the watch descriptor, so the descriptor is
    // removed only if no other path uses it.
    if (!armed_.contains(folder.descriptor)) {
        inotify_rm_watch(inotify_.get(), folder.descriptor);
    }
    folder.descriptor = -1;
}

void FileWatcher::State::wake() noexcept {
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const ignored = ::write(wake_.get(), &one, sizeof one);
}

// Returns the milliseconds until the next retry or report, rounded up; -1 for never.
int FileWatcher::State::timeout(TimePoint now) {
    auto next = TimePoint::max();
    for (auto const& [path, folder] : folders_) {
        next = std::min({next, folder.changes.due(), folder.retry_at});
    }
    if (next == TimePoint::max()) return -1;
    if (next <= now) return 0;
    auto const wait = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
    return static_cast<int>(std::min<decltype(wait)>(wait, std::numeric_limits<int>::max()));
}

void FileWatcher::State::run(std::stop_token const& stop) noexcept {
    while (!stop.stop_requested()) {
        try {
            run_once(stop);
        } catch (std::exception const&) {
            // Out of memory: changes may be lost. Waits, so that other threads can free memory.
            std::this_thread::sleep_for(retry_after);
            lost_events_ = true;
        }
    }
}

void FileWatcher::State::run_once(std::stop_token const& stop) {
    int wait = 0;
    {
        std::lock_guard const lock(mutex_);
        wait = lost_events_ ? 0 : timeout(real_time().now());
    }
    std::array<pollfd, 2> polled{{{inotify_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), wait);
    std::vector<Call> calls;
    {
        std::lock_guard const lock(mutex_);
        auto const now = real_time().now();
        if (lost_events_) {
            count_all_as_changed(now);
            lost_events_ = false;
        }
        read_events(now);
        look_for_lost(now);
        calls = due_calls(now);
    }
    for (auto const& each : calls) {
        if (stop.stop_requested()) return;
        call(each);
    }
}

void FileWatcher::State::read_events(TimePoint now) {
    alignas(inotify_event) std::array<char, 64 * 1024> buffer;
    for (;;) {
        auto const size = ::read(inotify_.get(), buffer.data(), buffer.size());
        if (size <= 0) return;
        for (char const* at = buffer.data(); at < buffer.data() + size;) {
            inotify_event event;
            std::memcpy(&event, at, sizeof event);
            take(*reinterpret_cast<inotify_event const*>(at), now);
            at += sizeof event + event.len;
        }
    }
}

void FileWatcher::State::take(inotify_event const& event, TimePoint now) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
        count_all_as_changed(now);
        return;
    }
    std::vector<Folder*> concerned;
    auto const [first, last] = armed_.equal_range(event.wd);
    for (auto at = first; at != last; ++at) concerned.push_back(at->second);
    std::string_view const name = event.len == 0 ? "" : event.name;
    for (auto* const folder : concerned) {
        if ((event.mask & gone) != 0) {
            lose(*folder, now);
        } else if ((event.mask & appeared) != 0) {
            folder->changes.on_appeared(name, now);
        } else if ((event.mask & vanished) != 0) {
            folder->changes.on_vanished(name, now);
        } else if ((event.mask & written) != 0) {
            folder->changes.on_written(name, now);
        }
    }
}

void FileWatcher::State::count_all_as_changed(TimePoint now) {
    report("events of watched files were lost: everything counts as changed");
    for (auto& [path, folder] : folders_) folder.changes.on_unknown(names_in(path), now);
}

void FileWatcher::State::lose(Folder& folder, TimePoint now) {
    disarm(folder);
    folder.changes.on_unknown({}, now);
    folder.retry_at = now;
}

void FileWatcher::State::look_for_lost(TimePoint now) {
    for (auto& [path, folder] : folders_) {
        if (folder.retry_at > now) continue;
        if (arm(folder)) {
            folder.changes.on_unknown(names_in(path), now);
        } else {
            folder.retry_at = now + options_.retry_interval();
        }
    }
}

std::vector<FileWatcher::State::Call> FileWatcher::State::due_calls(TimePoint now) {
    std::vector<Call> calls;
    for (auto& [path, folder] : folders_) {
        auto const changes = folder.changes.take(now);
        if (!changes) continue;
        for (auto const& [id, watch] : folder.watches) {
            for (auto const& name : changes->changed) {
                if (!watch.changed || (!watch.name.empty() && watch.name != name)) continue;
                calls.push_back(
                    {id, [changed = watch.changed, file = path / name] { changed(file); }});
            }
            if (changes->listed && watch.listed) calls.push_back({id, watch.listed});
        }
    }
    return calls;
}

void FileWatcher::State::call(Call const& call) {
    std::lock_guard const running(calling_);
    {
        std::lock_guard const lock(mutex_);
        if (!by_id_.contains(call.id)) return;
    }
    try {
        call.function();
    } catch (std::exception const& error) {
        report(std::string("a callback of a watched file failed: ") + error.what());
    } catch (...) {
        report("a callback of a watched file failed");
    }
}

FileWatcher::FileWatcher(FileWatcherOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

FileWatcher::~FileWatcher() = default;

FileWatcher::WatchId FileWatcher::watch_file(fs::path const& file, std::function<void()> changed) {
    auto const name = file.filename();
    if (name.empty() || name == "." || name == "..") {
        throw Error(Errc::invalid_argument, "\"" + file.string() + "\" does not name a file");
    }
    State::Watch watch;
    watch.name = name.string();
    watch.changed = [changed = std::move(changed)](fs::path const&) { changed(); };
    auto const folder = file.parent_path();
    return state_->add(folder.empty() ? fs::path(".") : folder, std::move(watch));
}

FileWatcher::WatchId FileWatcher::watch_folder(fs::path const& folder,
                                               std::function<void(fs::path const& file)> changed,
                                               std::function<void()> listed) {
    State::Watch watch;
    watch.changed = std::move(changed);
    watch.listed = std::move(listed);
    return state_->add(folder, std::move(watch));
}

bool FileWatcher::unwatch(WatchId watch) {
    return state_->remove(watch);
}

}  // namespace lanyard
