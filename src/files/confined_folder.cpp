#include "lanyard/files/confined_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/open_beneath.hpp"
#include "lanyard/error.hpp"

namespace lanyard {

namespace {

using files::Descriptor;
namespace fs = std::filesystem;

[[noreturn]] void refuse(fs::path const& path, std::string_view why) {
    throw Error(Errc::invalid_argument, "\"" + path.string() + "\" " + std::string(why));
}

// Throws the error that errno describes.
[[noreturn]] void fail(std::string_view action, fs::path const& path) {
    int const error = errno;
    if (error == EXDEV) refuse(path, "leads outside of the folder");
    throw std::system_error(error, std::generic_category(),
                            "cannot " + std::string(action) + " \"" + path.string() + "\"");
}

FolderEntry entry_of(std::string name, struct stat const& status) {
    FolderEntry entry;
    entry.name = std::move(name);
    entry.kind = S_ISREG(status.st_mode)   ? FolderEntry::Kind::file
                 : S_ISDIR(status.st_mode) ? FolderEntry::Kind::folder
                 : S_ISLNK(status.st_mode) ? FolderEntry::Kind::link
                                           : FolderEntry::Kind::other;
    if (entry.kind == FolderEntry::Kind::file) {
        entry.size = static_cast<std::uintmax_t>(status.st_size);
    }
    entry.modified = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::seconds(status.st_mtim.tv_sec) +
            std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
    return entry;
}

void write_all(int descriptor, std::string_view content, fs::path const& path) {
    while (!content.empty()) {
        auto const size = ::write(descriptor, content.data(), content.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) fail("write", path);
        content.remove_prefix(static_cast<std::size_t>(size));
    }
}

std::string temporary_name() {
    std::random_device random;
    return ".lanyard-" + std::to_string(random()) + std::to_string(random());
}

}  // namespace

struct ConfinedFolder::Root {
    fs::path path;
    Descriptor descriptor;

    // Returns the path relative to the root. Refuses an absolute path that is not below the root.
    std::string inner(fs::path const& asked) const {
        auto text = asked.string();
        if (text.find('\0') != std::string::npos) refuse(asked, "holds a zero byte");
        if (asked.is_absolute()) {
            auto const normal = asked.lexically_normal();
            auto const [in_root, in_path] =
                std::mismatch(path.begin(), path.end(), normal.begin(), normal.end());
            if (in_root != path.end()) refuse(asked, "leads outside of the folder");
            fs::path rest;
            for (auto at = in_path; at != normal.end(); ++at) rest /= *at;
            text = rest.string();
        }
        return text.empty() ? "." : text;
    }

    Descriptor open(fs::path const& asked, int flags, std::string_view action) const {
        auto opened = files::open_beneath(descriptor.get(), inner(asked), flags);
        if (!opened.is_open()) fail(action, asked);
        return opened;
    }

    struct Place {
        Descriptor folder;
        std::string name;
    };
    // Opens the parent folder of a path. Returns it together with the name of the path's last
    // component.
    Place place_of(fs::path const& asked, std::string_view action) const {
        fs::path relative(inner(asked));
        if (!relative.has_filename()) relative = relative.parent_path();
        auto const name = relative.filename().string();
        if (name.empty() || name == "." || name == "..") refuse(asked, "does not name a file");
        auto folder = files::open_beneath(
            descriptor.get(),
            relative.has_parent_path() ? relative.parent_path().string() : std::string("."),
            O_PATH | O_DIRECTORY);
        if (!folder.is_open()) fail(action, asked);
        return {std::move(folder), name};
    }
};

ConfinedFolder::ConfinedFolder(fs::path const& root) : root_(std::make_unique<Root>()) {
    std::error_code error;
    root_->path = fs::canonical(root, error);
    if (!error) {
        root_->descriptor =
            Descriptor(::open(root_->path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    if (!root_->descriptor.is_open()) refuse(root, "is not a folder");
}

ConfinedFolder::~ConfinedFolder() = default;
ConfinedFolder::ConfinedFolder(ConfinedFolder&&) noexcept = default;
ConfinedFolder& ConfinedFolder::operator=(ConfinedFolder&&) noexcept = default;

fs::path const& ConfinedFolder::root() const noexcept {
    return root_->path;
}

std::string ConfinedFolder::read(fs::path const& file, std::size_t max_bytes) const {
    // O_NONBLOCK, because opening a pipe must not wait for its other end to be opened.
    auto const opened = root_->open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY, "read");
    struct stat status{};
    if (::fstat(opened.get(), &status) != 0) fail("read", file);
    if (!S_ISREG(status.st_mode)) refuse(file, "is not a regular file");
    // The size is only a hint: the file may grow, and some files report no size.
    std::string content;
    auto const room =
        std::min<std::uintmax_t>(static_cast<std::uintmax_t>(status.st_size), max_bytes);
    content.resize(static_cast<std::size_t>(room) + 1);
    std::size_t filled = 0;
    for (;;) {
        auto const size = ::read(opened.get(), content.data() + filled, content.size() - filled);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) fail("read", file);
        if (size == 0) break;
        filled += static_cast<std::size_t>(size);
        if (filled > max_bytes) {
            throw Error(Errc::too_large, "\"" + file.string() + "\" has more than " +
                                             std::to_string(max_bytes) + " bytes");
        }
        if (filled == content.size()) content.resize(2 * filled);
    }
    content.resize(filled);
    return content;
}

void ConfinedFolder::write(fs::path const& file, std::string_view content) const {
    auto const place = root_->place_of(file, "write");
    struct stat status{};
    bool const exists =
        ::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists && S_ISDIR(status.st_mode)) refuse(file, "is a folder");
    auto const temporary = temporary_name();
    Descriptor opened(::openat(place.folder.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!opened.is_open()) fail("write", file);
    try {
        if (exists && S_ISREG(status.st_mode)) {
            if (::fchmod(opened.get(), status.st_mode & 07777) != 0) fail("write", file);
        }
        write_all(opened.get(), content, file);
        if (::renameat(place.folder.get(), temporary.c_str(), place.folder.get(),
                       place.name.c_str()) != 0) {
            fail("write", file);
        }
    } catch (...) {
        ::unlinkat(place.folder.get(), temporary.c_str(), 0);
        throw;
    }
}

std::vector<FolderEntry> ConfinedFolder::list(fs::path const& folder) const {
    auto opened = root_->open(folder, O_RDONLY | O_DIRECTORY, "list");
    std::unique_ptr<DIR, int (*)(DIR*)> const stream(::fdopendir(opened.get()), &::closedir);
    if (!stream) fail("list", folder);
    opened.release();
    std::vector<FolderEntry> entries;
    while (auto const* item = ::readdir(stream.get())) {
        std::string name(item->d_name);
        if (name == "." || name == "..") continue;
        struct stat status{};
        // Entries that were removed in the meantime are not listed.
        if (::fstatat(::dirfd(stream.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
            entries.push_back(entry_of(std::move(name), status));
        }
    }
    std::ranges::sort(entries, {}, &FolderEntry::name);
    return entries;
}

FolderEntry ConfinedFolder::describe(fs::path const& path) const {
    auto const opened = root_->open(path, O_PATH | O_NOFOLLOW, "describe");
    struct stat status{};
    if (::fstat(opened.get(), &status) != 0) fail("describe", path);
    return entry_of(path.filename().string(), status);
}

void ConfinedFolder::create_folder(fs::path const& folder) const {
    auto const place = root_->place_of(folder, "create");
    if (::mkdirat(place.folder.get(), place.name.c_str(), 0777) != 0) fail("create", folder);
}

void ConfinedFolder::remove(fs::path const& path) const {
    auto const place = root_->place_of(path, "remove");
    struct stat status{};
    if (::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        fail("remove", path);
    }
    int const flags = S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0;
    if (::unlinkat(place.folder.get(), place.name.c_str(), flags) != 0) fail("remove", path);
}

void ConfinedFolder::move(fs::path const& from, fs::path const& to) const {
    auto const source = root_->place_of(from, "move");
    auto const target = root_->place_of(to, "move");
    if (::renameat2(source.folder.get(), source.name.c_str(), target.folder.get(),
                    target.name.c_str(), RENAME_NOREPLACE) != 0) {
        fail("move", from);
    }
}

}  // namespace lanyard
