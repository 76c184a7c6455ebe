// ConfinedFolder: access to the files below one folder and to nothing outside it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanyard {

/// An entry of a folder. For a symbolic link it describes the link, not the target.
struct FolderEntry {
    enum class Kind { file, folder, link, other };

    std::string name;
    Kind kind = Kind::file;
    std::uintmax_t size = 0;  ///< in bytes; files only
    std::chrono::system_clock::time_point modified;
};

/// Reads and writes files below a root folder. Paths from outside the program cannot escape the
/// root: not with dots, absolute paths or symbolic links, and not if links change while a path is
/// resolved. A link that leads to another place below the root is followed.
///
/// Paths are relative to the root, or absolute paths that start with the root. Every function
/// throws Error (invalid_argument) for a path that leads outside, and std::system_error if a system
/// call fails. Thread-safe.
class ConfinedFolder {
public:
    /// Throws Error (invalid_argument) if the folder does not exist.
    explicit ConfinedFolder(std::filesystem::path const& root);
    ~ConfinedFolder();
    ConfinedFolder(ConfinedFolder&&) noexcept;
    ConfinedFolder& operator=(ConfinedFolder&&) noexcept;

    /// The root as an absolute path without links and dots.
    std::filesystem::path const& root() const noexcept;

    /// Returns the content of a regular file. Throws Error (too_large) if it is larger than
    /// `max_bytes`.
    std::string read(std::filesystem::path const& file,
                     std::size_t max_bytes = 16 * 1024 * 1024) const;
    /// Replaces the file atomically: readers see either the old content or the new.
    void write(std::filesystem::path const& file, std::string_view content) const;
    /// Returns the direct entries of the folder, sorted by name.
    std::vector<FolderEntry> list(std::filesystem::path const& folder = ".") const;
    /// Returns the entry for a path. Does not follow a link at the end of the path.
    FolderEntry describe(std::filesystem::path const& path) const;
    /// Creates a folder.
    void create_folder(std::filesystem::path const& folder) const;
    /// Removes a file, a link or an empty folder.
    void remove(std::filesystem::path const& path) const;
    /// Moves or renames a file or folder below the root. Fails if the destination exists.
    void move(std::filesystem::path const& from, std::filesystem::path const& to) const;

private:
    struct Root;
    std::unique_ptr<Root> root_;
};

}  // namespace lanyard
