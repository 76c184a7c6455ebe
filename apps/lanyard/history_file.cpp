#include "history_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

namespace lanyard::app {
namespace {

constexpr mode_t only_user = S_IRUSR | S_IWUSR;

/// Writes the text to a file that only the user can read; `flags` are those of open(2).
void write_file(std::filesystem::path const& path, int flags, std::string_view text) {
    int const file =
        open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, only_user);
    if (file < 0) return;
    // The file may be older and have other permissions.
    if (fchmod(file, only_user) == 0) {
        while (!text.empty()) {
            auto const written = write(file, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) break;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    close(file);
}

}  // namespace

std::vector<std::string> HistoryFile::load() const {
    std::vector<std::string> lines;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
        if (!line.empty()) lines.push_back(line);
    }
    if (lines.size() > max_lines) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(max_lines));
        std::string text;
        for (auto const& line : lines) text += line + '\n';
        write_file(path_, O_TRUNC, text);
    }
    return lines;
}

void HistoryFile::add(std::string const& line) const {
    auto const is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (line.empty() || line.front() == ' ' || std::ranges::any_of(line, is_control)) return;
    std::error_code ignored;
    std::filesystem::create_directories(path_.parent_path(), ignored);
    write_file(path_, O_APPEND, line + '\n');
}

std::optional<std::filesystem::path> history_path(
    std::function<std::optional<std::string>(std::string const&)> const& environment) {
    auto const state = environment("XDG_STATE_HOME");
    // The XDG specification demands that relative paths are ignored.
    if (state && state->starts_with('/')) {
        return std::filesystem::path(*state) / "lanyard" / "history";
    }
    auto const home = environment("HOME");
    if (!home || !home->starts_with('/')) return std::nullopt;
    return std::filesystem::path(*home) / ".local" / "state" / "lanyard" / "history";
}

}  // namespace lanyard::app
