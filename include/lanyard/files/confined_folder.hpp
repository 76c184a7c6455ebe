// ConfinedFolder: files below one folder, and no way out of it.
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

/// Something in a folder. A link is described itself, not what it leads to.
struct FolderEntry {
    enum class Kind { file, folder, link, other };

    std::string name;
    Kind kind = Kind::file;
    std::uintmax_t size = 0;  ///< bytes, for files
    std::chrono::system_clock::time_point modified;
};

/// Reads and writes files below a root folder that the other side may not leave: not with dots, not
/// with absolute paths, not with symbolic links, and not by changing links while a path is being
/// followed. A link that leads to another place below the root is followed.
///
/// Paths are relative to the root, or absolute and begin with it. Every function throws Error
/// (invalid_argument) for a path that leads outside, and std::system_error where the system says
/// no. Safe from any thread.
class ConfinedFolder {
public:
    /// Throws Error (invalid_argument) where there is no such folder.
    explicit ConfinedFolder(std::filesystem::path const& root);
    ~ConfinedFolder();
    ConfinedFolder(ConfinedFolder&&) noexcept;
    ConfinedFolder& operator=(ConfinedFolder&&) noexcept;

    /// The root without links and dots.
    std::filesystem::path const& root() const noexcept;

    /// The content of a regular file. Throws Error (too_large) where it has more bytes than this.
    std::string read(std::filesystem::path const& file,
                     std::size_t max_bytes = 16 * 1024 * 1024) const;
    /// Replaces the file as a whole: whoever reads it sees the old content or the new.
    void write(std::filesystem::path const& file, std::string_view content) const;
    /// What is right inside the folder, sorted by name.
    std::vector<FolderEntry> list(std::filesystem::path const& folder = ".") const;
    /// Does not follow a link at the end of the path.
    FolderEntry describe(std::filesystem::path const& path) const;
    void create_folder(std::filesystem::path const& folder) const;
    /// Removes a file, a link or an empty folder.
    void remove(std::filesystem::path const& path) const;
    /// Gives a file or folder another place below the root; what is there already is refused.
    void move(std::filesystem::path const& from, std::filesystem::path const& to) const;

private:
    struct Root;
    std::unique_ptr<Root> root_;
};

}  // namespace lanyard
