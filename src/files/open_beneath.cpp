#include "files/open_beneath.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lanyard::files {

namespace {

// The maximum number of symbolic links in one path, the same as in the kernel.
constexpr int max_links = 40;

Descriptor closed(int error) {
    errno = error;
    return Descriptor();
}

Descriptor open_with_kernel(int folder, std::string const& path, int flags) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    // The kernel fails with EAGAIN if the tree changes during the lookup. The number of attempts is
    // limited, because a tree that keeps changing may be an attack.
    for (int attempt = 0;; ++attempt) {
        Descriptor opened(
            static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
        if (opened.is_open() || errno != EAGAIN || attempt == 100) return opened;
    }
}

std::optional<std::string> read_link(int folder, std::string const& name) {
    std::array<char, PATH_MAX> target;
    auto const size = readlinkat(folder, name.c_str(), target.data(), target.size());
    if (size < 0) return std::nullopt;
    return std::string(target.data(), static_cast<std::size_t>(size));
}

// Inserts the components of a path before the remaining components. Returns false if the path is
// absolute.
bool prepend(std::deque<std::string>& components, std::string_view path) {
    if (path.starts_with('/')) return false;
    std::vector<std::string> parts;
    while (!path.empty()) {
        auto const end = std::min(path.find('/'), path.size());
        if (end != 0) parts.emplace_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    components.insert(components.begin(), parts.begin(), parts.end());
    return true;
}

// Opens each component relative to the open descriptor of its parent folder. So replacing a folder
// that is already open has no effect on the lookup.
Descriptor open_by_hand(int folder, std::string const& path, int flags) {
    std::vector<Descriptor> above;  // the folders from the root to the current one
    above.push_back(transport::duplicate(folder));
    std::deque<std::string> components;
    if (!prepend(components, path)) return closed(EXDEV);
    for (int links = 0; !components.empty();) {
        auto const name = std::move(components.front());
        components.pop_front();
        if (name == ".") continue;
        if (name == "..") {
            if (above.size() == 1) return closed(EXDEV);
            above.pop_back();
            continue;
        }
        int const here = above.back().get();
        if (auto const target = read_link(here, name)) {
            // The caller asked for the link itself, not for its target.
            if (components.empty() && (flags & O_NOFOLLOW) != 0) {
                return Descriptor(openat(here, name.c_str(), flags | O_CLOEXEC));
            }
            if (++links > max_links) return closed(ELOOP);
            if (!prepend(components, *target)) return closed(EXDEV);
            continue;
        }
        if (components.empty()) {
            return Descriptor(openat(here, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
        }
        Descriptor next(openat(here, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next.is_open()) return next;
        above.push_back(std::move(next));
    }
    return Descriptor(openat(above.back().get(), ".", flags | O_CLOEXEC));
}

}  // namespace

Descriptor open_beneath(int folder, std::string const& path, int flags, Confinement confinement) {
    if (confinement == Confinement::by_kernel) {
        auto opened = open_with_kernel(folder, path, flags);
        // openat2() is missing before Linux 5.6 and under some seccomp filters. In these cases the
        // path is opened by hand.
        if (opened.is_open() || (errno != ENOSYS && errno != EPERM)) return opened;
    }
    return open_by_hand(folder, path, flags);
}

}  // namespace lanyard::files
