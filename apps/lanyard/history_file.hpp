// The file with the lines typed in `lanyard shell`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lanyard::app {

/// Lines of earlier shells, oldest first. Only the user can read the file, because lines may
/// contain secrets. Failures to read or write are ignored: the shell then has no history.
class HistoryFile {
public:
    /// The number of lines that are kept.
    static constexpr std::size_t max_lines = 1000;

    explicit HistoryFile(std::filesystem::path path) : path_(std::move(path)) {}

    /// Returns the newest lines, at most max_lines. Removes older ones from the file.
    std::vector<std::string> load() const;
    /// Adds a line, unless it begins with a space or contains a control character.
    void add(std::string const& line) const;

private:
    std::filesystem::path path_;
};

/// Returns `$XDG_STATE_HOME/lanyard/history`, or the same below `~/.local/state`; nothing if
/// neither XDG_STATE_HOME nor HOME is set to an absolute path.
std::optional<std::filesystem::path> history_path(
    std::function<std::optional<std::string>(std::string const&)> const& environment);

}  // namespace lanyard::app
