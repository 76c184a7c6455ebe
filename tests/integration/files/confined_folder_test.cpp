// ConfinedFolder: no path leads out of the folder.
#include "lanyard/files/confined_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/open_beneath.hpp"
#include "lanyard/error.hpp"
#include "temporary_folder.hpp"

namespace lanyard {
namespace {

namespace fs = std::filesystem;
using files::Confinement;
using testing::ElementsAre;
using testing::HasSubstr;

class ConfinedFolderTest : public testing::Test {
protected:
    ConfinedFolderTest() {
        fs::create_directories(place / "root/sub/deep");
        place.write("secret", "secret");
        place.write("root/a.txt", "a");
        place.write("root/sub/b.txt", "b");
        fs::create_directory(place / "rootless");
        place.write("rootless/c.txt", "c");
    }

    ConfinedFolder folder() { return ConfinedFolder(place / "root"); }

    // Returns the result of reading the path: the content, "outside" or the name of the system's
    // error.
    std::string reading(fs::path const& path) {
        try {
            return folder().read(path);
        } catch (Error const& error) {
            EXPECT_TRUE(error.is(Errc::invalid_argument)) << error.what();
            return error.message().find("outside") == std::string::npos ? "refused" : "outside";
        } catch (std::system_error const& error) {
            return error.code().message();
        }
    }

    TemporaryFolder place;
};

TEST_F(ConfinedFolderTest, reads_files_inside) {
    EXPECT_EQ(reading("a.txt"), "a");
    EXPECT_EQ(reading("sub/b.txt"), "b");
    EXPECT_EQ(reading("sub/../a.txt"), "a");
    EXPECT_EQ(reading("./sub//deep/../b.txt"), "b");
    EXPECT_EQ(reading(place / "root/sub/b.txt"), "b");
    EXPECT_EQ(folder().root(), place / "root");
}

TEST_F(ConfinedFolderTest, refuses_dots_that_lead_outside) {
    EXPECT_EQ(reading("../secret"), "outside");
    EXPECT_EQ(reading("sub/../../secret"), "outside");
    EXPECT_EQ(reading("sub/deep/../../../secret"), "outside");
    EXPECT_EQ(reading(".."), "outside");
}

TEST_F(ConfinedFolderTest, refuses_absolute_paths) {
    EXPECT_EQ(reading(place / "secret"), "outside");
    EXPECT_EQ(reading("/etc/passwd"), "outside");
    EXPECT_EQ(reading(place / "root/../secret"), "outside");
    EXPECT_EQ(reading(place / "rootless/c.txt"), "outside");
    EXPECT_EQ(reading("/"), "outside");
}

TEST_F(ConfinedFolderTest, refuses_links_that_lead_outside) {
    fs::create_symlink(place / "secret", place / "root/absolute");
    fs::create_symlink("../secret", place / "root/relative");
    fs::create_directory_symlink("..", place / "root/up");
    fs::create_symlink("up/secret", place / "root/chained");
    for (auto const* path : {"absolute", "relative", "up/secret", "chained", "sub/../up/secret"}) {
        EXPECT_EQ(reading(path), "outside") << path;
        EXPECT_THROW(folder().list("up"), Error);
    }
}

TEST_F(ConfinedFolderTest, follows_links_that_stay_inside) {
    fs::create_symlink("sub/b.txt", place / "root/link");
    fs::create_directory_symlink("sub/deep", place / "root/hole");
    fs::create_symlink("../a.txt", place / "root/sub/back");
    EXPECT_EQ(reading("link"), "b");
    EXPECT_EQ(reading("hole/../b.txt"), "b");
    EXPECT_EQ(reading("sub/back"), "a");
}

TEST_F(ConfinedFolderTest, refuses_links_in_a_circle) {
    fs::create_symlink("two", place / "root/one");
    fs::create_symlink("one", place / "root/two");
    EXPECT_EQ(reading("one"), std::generic_category().message(ELOOP));
}

TEST_F(ConfinedFolderTest, reads_regular_files_only) {
    ASSERT_EQ(mkfifo((place / "root/pipe").c_str(), 0600), 0);
    EXPECT_EQ(reading("pipe"), "refused");
    EXPECT_EQ(reading("sub"), "refused");
    EXPECT_EQ(reading("missing"), std::generic_category().message(ENOENT));
    EXPECT_EQ(reading(std::string("a.txt\0x", 7)), "refused");
}

TEST_F(ConfinedFolderTest, reads_no_more_than_the_limit) {
    place.write("root/five", "12345");
    EXPECT_EQ(folder().read("five", 5), "12345");
    try {
        folder().read("five", 4);
        FAIL();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::too_large));
    }
    place.write("root/empty", "");
    EXPECT_EQ(folder().read("empty"), "");
    std::string const large(300'000, 'x');
    place.write("root/large", large);
    EXPECT_EQ(folder().read("large"), large);
}

TEST_F(ConfinedFolderTest, writes_and_replaces_files) {
    folder().write("new.txt", "new");
    EXPECT_EQ(place.read("root/new.txt"), "new");
    fs::permissions(place / "root/a.txt", fs::perms::owner_read | fs::perms::owner_write);
    folder().write("sub/../a.txt", "other");
    EXPECT_EQ(place.read("root/a.txt"), "other");
    EXPECT_EQ(fs::status(place / "root/a.txt").permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
    for (auto const& entry : folder().list()) EXPECT_FALSE(entry.name.starts_with(".lanyard"));
}

TEST_F(ConfinedFolderTest, writes_nothing_outside) {
    fs::create_symlink(place / "secret", place / "root/link");
    fs::create_directory_symlink(place.path(), place / "root/up");
    auto const confined = folder();
    confined.write("link", "mine");
    EXPECT_EQ(place.read("secret"), "secret");
    EXPECT_EQ(place.read("root/link"), "mine");
    EXPECT_THROW(confined.write("up/secret", "x"), Error);
    EXPECT_THROW(confined.write("../secret", "x"), Error);
    EXPECT_THROW(confined.write("sub", "x"), Error);
    EXPECT_THROW(confined.write("..", "x"), Error);
    EXPECT_THROW(confined.write(".", "x"), Error);
    EXPECT_THROW(confined.write("missing/x", "x"), std::system_error);
    EXPECT_EQ(place.read("secret"), "secret");
}

TEST_F(ConfinedFolderTest, lists_folders) {
    fs::create_symlink("a.txt", place / "root/link");
    ASSERT_EQ(mkfifo((place / "root/pipe").c_str(), 0600), 0);
    std::vector<std::string> names;
    for (auto const& entry : folder().list()) {
        names.push_back(entry.name + " " + std::to_string(static_cast<int>(entry.kind)) + " " +
                        std::to_string(entry.size));
    }
    EXPECT_THAT(names, ElementsAre("a.txt 0 1", "link 2 0", "pipe 3 0", "sub 1 0"));
    EXPECT_EQ(folder().list("sub").size(), 2U);
    EXPECT_THROW(folder().list("a.txt"), std::system_error);
}

TEST_F(ConfinedFolderTest, describes_files_and_folders) {
    fs::create_symlink(place / "secret", place / "root/link");
    auto const confined = folder();
    EXPECT_EQ(confined.describe("a.txt").kind, FolderEntry::Kind::file);
    EXPECT_EQ(confined.describe("sub").kind, FolderEntry::Kind::folder);
    EXPECT_EQ(confined.describe("link").kind, FolderEntry::Kind::link);
    EXPECT_EQ(confined.describe("a.txt").name, "a.txt");
    auto const age = std::chrono::system_clock::now() - confined.describe("a.txt").modified;
    EXPECT_LT(age, std::chrono::hours(1));
    EXPECT_THROW(confined.describe("../secret"), Error);
}

TEST_F(ConfinedFolderTest, creates_removes_and_moves) {
    auto const confined = folder();
    confined.create_folder("new");
    confined.create_folder("other/");
    EXPECT_THROW(confined.create_folder("new"), std::system_error);
    confined.move("a.txt", "new/b.txt");
    EXPECT_EQ(confined.read("new/b.txt"), "a");
    EXPECT_THROW(confined.move("new/b.txt", "sub/b.txt"), std::system_error);
    EXPECT_THROW(confined.move("new/b.txt", "../out"), Error);
    EXPECT_THROW(confined.remove("new"), std::system_error);
    confined.remove("new/b.txt");
    confined.remove("new");
    EXPECT_THROW(confined.remove("new"), std::system_error);
    EXPECT_THROW(confined.remove("../secret"), Error);
    EXPECT_THROW(confined.create_folder("../out"), Error);
    fs::create_directory_symlink(place / "rootless", place / "root/link");
    confined.remove("link");
    EXPECT_TRUE(fs::exists(place / "rootless"));
    auto moved = std::move(const_cast<ConfinedFolder&>(confined));
    EXPECT_EQ(moved.read("sub/b.txt"), "b");
    moved = folder();
    EXPECT_EQ(moved.read("sub/b.txt"), "b");
}

TEST_F(ConfinedFolderTest, needs_an_existing_folder) {
    EXPECT_THROW(ConfinedFolder(place / "missing"), Error);
    EXPECT_THROW(ConfinedFolder(place / "secret"), Error);
}

// Both implementations of opening must agree about every path.
class OpenBeneath : public ConfinedFolderTest, public testing::WithParamInterface<Confinement> {
protected:
    std::string open(std::string const& path, int flags = O_RDONLY) {
        files::Descriptor const root(
            ::open((place / "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        auto const opened = files::open_beneath(root.get(), path, flags, GetParam());
        if (!opened.is_open()) return std::generic_category().message(errno);
        struct stat status{};
        fstat(opened.get(), &status);
        if (S_ISDIR(status.st_mode)) return "folder";
        if (S_ISLNK(status.st_mode)) return "link";
        char byte = '?';
        return ::read(opened.get(), &byte, 1) == 1 ? std::string(1, byte) : "unreadable";
    }
};

TEST_P(OpenBeneath, gives_the_same_result_with_and_without_openat2) {
    auto const outside = std::generic_category().message(EXDEV);
    fs::create_symlink(place / "secret", place / "root/absolute");
    fs::create_symlink("../secret", place / "root/relative");
    fs::create_directory_symlink("..", place / "root/up");
    fs::create_symlink("sub/b.txt", place / "root/link");
    fs::create_directory_symlink("sub/deep", place / "root/hole");
    fs::create_symlink("one", place / "root/one");
    EXPECT_EQ(open("a.txt"), "a");
    EXPECT_EQ(open("./sub//b.txt"), "b");
    EXPECT_EQ(open("sub/deep/../../a.txt"), "a");
    EXPECT_EQ(open("."), "folder");
    EXPECT_EQ(open("sub/"), "folder");
    EXPECT_EQ(open("sub/.."), "folder");
    EXPECT_EQ(open("link"), "b");
    EXPECT_EQ(open("hole/../b.txt"), "b");
    EXPECT_EQ(open("link", O_PATH | O_NOFOLLOW), "link");
    EXPECT_EQ(open("absolute", O_PATH | O_NOFOLLOW), "link");
    for (auto const* path : {"..", "../secret", "sub/../../secret", "absolute", "relative",
                             "up/secret", "up", "hole/../../../secret", "/etc/passwd"}) {
        EXPECT_EQ(open(path), outside) << path;
    }
    EXPECT_EQ(open("missing"), std::generic_category().message(ENOENT));
    EXPECT_EQ(open("missing/x"), std::generic_category().message(ENOENT));
    EXPECT_EQ(open("a.txt/x"), std::generic_category().message(ENOTDIR));
    EXPECT_EQ(open("one"), std::generic_category().message(ELOOP));
}

TEST_P(OpenBeneath, stays_inside_while_a_folder_is_exchanged_for_a_link) {
    place.write("rootless/b.txt", "!");
    fs::create_directory_symlink(place / "rootless", place / "root/trap");
    std::atomic<bool> done = false;
    // Exchanges "sub" and a link to the outside as fast as possible.
    std::jthread attacker([&] {
        while (!done) {
            renameat2(AT_FDCWD, (place / "root/sub").c_str(), AT_FDCWD,
                      (place / "root/trap").c_str(), RENAME_EXCHANGE);
        }
    });
    for (int i = 0; i < 3000; ++i) {
        auto const got = open("sub/b.txt");
        if (got == "!") {
            ADD_FAILURE() << "read a file outside";
            break;
        }
    }
    done = true;
}

INSTANTIATE_TEST_SUITE_P(BothWays, OpenBeneath,
                         testing::Values(Confinement::by_kernel, Confinement::by_hand),
                         [](auto const& info) {
                             return info.param == Confinement::by_kernel ? "ByKernel" : "ByHand";
                         });

}  // namespace
}  // namespace lanyard
