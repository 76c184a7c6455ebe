// FileWatcher on real files: changes by editors and programs are reported.
//
// No test waits for a fixed time: a test waits for the expected report, and fails if that takes a
// hundred times as long as it should.
#include "lanyard/files/file_watcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <string>

#include <unistd.h>

#include "lanyard/error.hpp"
#include "temporary_folder.hpp"

namespace lanyard {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr auto settle = milliseconds(5);
constexpr auto retry = milliseconds(10);
constexpr auto guard = std::chrono::seconds(10);

// Counts reports by subject.
class Reports {
public:
    void add(std::string const& what) {
        std::lock_guard const lock(mutex_);
        ++counts_[what];
        changed_.notify_all();
    }
    // Waits for one more report than there were at the last call.
    bool wait(std::string const& what) {
        std::unique_lock lock(mutex_);
        auto const arrived =
            changed_.wait_for(lock, guard, [&] { return counts_[what] > seen_[what]; });
        seen_[what] = counts_[what];
        return arrived;
    }
    int count(std::string const& what) {
        std::lock_guard const lock(mutex_);
        return counts_[what];
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, int> counts_;
    std::map<std::string, int> seen_;
};

class FileWatcherTest : public testing::Test {
protected:
    FileWatcherOptions options() {
        return FileWatcherOptions().settle_interval(settle).retry_interval(retry).on_error(
            [this](std::string_view text) { reports.add("error: " + std::string(text)); });
    }
    FileWatcher::WatchId watch_file(std::string const& name) {
        return watcher.watch_file(place / name, [this, name] { reports.add(name); });
    }
    FileWatcher::WatchId watch_folder(fs::path const& folder) {
        return watcher.watch_folder(
            folder, [this](fs::path const& file) { reports.add(file.filename().string()); },
            [this] { reports.add("list"); });
    }

    TemporaryFolder place;
    Reports reports;
    FileWatcher watcher{options()};
};

TEST_F(FileWatcherTest, reports_writing) {
    place.write("a", "1");
    watch_file("a");
    place.write("a", "2");
    EXPECT_TRUE(reports.wait("a"));
    place.write("a", "3");
    EXPECT_TRUE(reports.wait("a"));
}

TEST_F(FileWatcherTest, reports_appending_to_a_file_that_stays_open) {
    std::ofstream log(place / "log");
    watch_file("log");
    log << "line" << std::flush;
    EXPECT_TRUE(reports.wait("log"));
}

TEST_F(FileWatcherTest, reports_an_editors_rename_over_the_file_again_and_again) {
    place.write("a", "1");
    watch_file("a");
    for (int i = 0; i < 3; ++i) {
        place.write("a~", "2");
        fs::rename(place / "a~", place / "a");
        EXPECT_TRUE(reports.wait("a")) << i;
    }
}

TEST_F(FileWatcherTest, reports_deletion_and_creation) {
    place.write("a", "1");
    watch_file("a");
    fs::remove(place / "a");
    EXPECT_TRUE(reports.wait("a"));
    place.write("a", "2");
    EXPECT_TRUE(reports.wait("a"));
}

TEST_F(FileWatcherTest, watches_a_file_that_does_not_exist_yet) {
    watch_file("later");
    place.write("later", "1");
    EXPECT_TRUE(reports.wait("later"));
}

TEST_F(FileWatcherTest, does_not_report_other_files) {
    watch_file("a");
    place.write("b", "1");
    place.write("a", "1");
    EXPECT_TRUE(reports.wait("a"));
    EXPECT_EQ(reports.count("b"), 0);
}

TEST_F(FileWatcherTest, reports_files_and_names_of_a_folder) {
    place.write("a", "1");
    watch_folder(place.path());
    place.write("a", "2");
    EXPECT_TRUE(reports.wait("a"));
    EXPECT_EQ(reports.count("list"), 0);
    place.write("b", "1");
    EXPECT_TRUE(reports.wait("b"));
    EXPECT_TRUE(reports.wait("list"));
    fs::remove(place / "a");
    EXPECT_TRUE(reports.wait("a"));
    EXPECT_TRUE(reports.wait("list"));
}

TEST_F(FileWatcherTest, continues_when_the_folder_is_removed_and_created_again) {
    fs::create_directory(place / "sub");
    place.write("sub/a", "1");
    watcher.watch_file(place / "sub/a", [this] { reports.add("a"); });
    fs::remove_all(place / "sub");
    EXPECT_TRUE(reports.wait("a"));
    fs::create_directory(place / "sub");
    place.write("sub/a", "2");
    EXPECT_TRUE(reports.wait("a"));
    place.write("sub/a", "3");
    EXPECT_TRUE(reports.wait("a"));
}

TEST_F(FileWatcherTest, continues_when_the_folder_is_exchanged) {
    fs::create_directory(place / "sub");
    place.write("sub/a", "1");
    watch_folder(place / "sub");
    fs::rename(place / "sub", place / "old");
    fs::create_directory(place / "sub");
    place.write("sub/b", "1");
    EXPECT_TRUE(reports.wait("b"));
    EXPECT_TRUE(reports.wait("list"));
}

TEST_F(FileWatcherTest, survives_more_events_than_the_system_keeps) {
    std::ifstream limit_file("/proc/sys/fs/inotify/max_queued_events");
    int limit = 0;
    if (!(limit_file >> limit) || limit > 100'000) GTEST_SKIP() << "the queue is too long";
    place.write("a", "1");
    // The first report blocks the watcher's thread until the queue has overflowed.
    std::mutex gate;
    std::unique_lock closed(gate);
    watcher.watch_file(place / "a", [&] {
        reports.add("a");
        std::lock_guard const wait(gate);
    });
    watch_folder(place.path());
    place.write("a", "2");
    ASSERT_TRUE(reports.wait("a"));
    for (int i = 0; i <= limit / 2; ++i) {
        place.write("x", "");
        fs::remove(place / "x");
    }
    place.write("b", "1");
    closed.unlock();
    EXPECT_TRUE(reports.wait("b"));
    EXPECT_TRUE(reports.wait("list"));
    EXPECT_TRUE(
        reports.wait("error: events of watched files were lost: everything counts as changed"));
}

TEST_F(FileWatcherTest, makes_no_call_after_unwatch) {
    auto const a = watch_file("a");
    watch_file("b");
    EXPECT_TRUE(watcher.unwatch(a));
    EXPECT_FALSE(watcher.unwatch(a));
    place.write("a", "1");
    place.write("b", "1");
    EXPECT_TRUE(reports.wait("b"));
    EXPECT_EQ(reports.count("a"), 0);
}

TEST_F(FileWatcherTest, may_be_used_from_a_callback) {
    std::promise<FileWatcher::WatchId> own;
    auto const watched = watcher.watch_file(place / "a", [&] {
        watcher.unwatch(own.get_future().get());
        watch_file("b");
        reports.add("a");
    });
    own.set_value(watched);
    place.write("a", "1");
    EXPECT_TRUE(reports.wait("a"));
    place.write("b", "1");
    EXPECT_TRUE(reports.wait("b"));
}

TEST_F(FileWatcherTest, continues_when_a_callback_throws) {
    watcher.watch_file(place / "a", [] { throw std::runtime_error("no"); });
    watcher.watch_file(place / "b", [] { throw 7; });
    watch_file("c");
    place.write("a", "1");
    EXPECT_TRUE(reports.wait("error: a callback of a watched file failed: no"));
    place.write("b", "1");
    EXPECT_TRUE(reports.wait("error: a callback of a watched file failed"));
    place.write("c", "1");
    EXPECT_TRUE(reports.wait("c"));
}

TEST_F(FileWatcherTest, refuses_paths_that_cannot_be_watched) {
    EXPECT_THROW(watch_file("missing/a"), Error);
    EXPECT_THROW(watcher.watch_file("/", [] {}), Error);
    EXPECT_THROW(watcher.watch_file(place / "..", [] {}), Error);
    place.write("a", "1");
    EXPECT_THROW(watch_folder(place / "a"), Error);
}

TEST_F(FileWatcherTest, refuses_more_paths_than_the_limit) {
    FileWatcher small(options().max_folders(1));
    fs::create_directory(place / "sub");
    small.watch_file(place / "a", [] {});
    auto const second = small.watch_file(place / "b", [] {});
    try {
        small.watch_file(place / "sub/a", [] {});
        FAIL();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::too_many_pending));
    }
    EXPECT_TRUE(small.unwatch(second));
}

TEST_F(FileWatcherTest, accepts_paths_relative_to_the_working_folder) {
    auto const before = fs::current_path();
    fs::current_path(place.path());
    watcher.watch_file("a", [this] { reports.add("a"); });
    fs::current_path(before);
    place.write("a", "1");
    EXPECT_TRUE(reports.wait("a"));
}

TEST(FileWatcherEnd, waits_for_a_callback_that_runs) {
    TemporaryFolder place;
    std::atomic<bool> ended = false;
    Reports reports;
    {
        FileWatcher watcher(FileWatcherOptions().settle_interval(settle));
        watcher.watch_file(place / "a", [&] {
            reports.add("a");
            for (int i = 0; i < 1000; ++i) std::this_thread::yield();
            ended = true;
        });
        place.write("a", "1");
        EXPECT_TRUE(reports.wait("a"));
    }
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace lanyard
