// --output: saves the images, sounds and files of a result.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/protocol/content.hpp"

namespace lanyard::app {

/// A part of a result that can be saved as a file.
struct Saveable {
    std::string mime_type;
    std::string bytes;
    bool is_text = false;
};

/// Returns the parts of the content that can be saved. Throws Failure (protocol_error) for bad
/// base64.
std::vector<Saveable> saveables(std::vector<ContentBlock> const& content);
std::vector<Saveable> saveables(std::vector<ResourceContents> const& contents);

/// Writes the images, sounds and files, or the text if there is nothing else. If `output` is a
/// folder, the files in it are named `stem-1.png`, ...; otherwise `output` is the file for the only
/// item. Returns the paths of the files. Throws Failure (usage) if there is nothing to save, if
/// there are several items and `output` is not a folder, or if a file cannot be written.
std::vector<std::filesystem::path> save(std::vector<Saveable> items, std::string const& output,
                                        std::string_view stem);

}  // namespace lanyard::app
