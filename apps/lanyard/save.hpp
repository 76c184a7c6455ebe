// --output: saves the images, sounds and files of a result.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/protocol/content.hpp>

namespace lanyard::app {

/// Something of a result that can be a file.
struct Saveable {
    std::string mime_type;
    std::string bytes;
    bool is_text = false;
};

/// The parts of content that can be saved. Throws Failure (protocol_error) for bad base64.
std::vector<Saveable> saveables(std::vector<ContentBlock> const& content);
std::vector<Saveable> saveables(std::vector<ResourceContents> const& contents);

/// Writes images, sounds and files, or the text where there is nothing else: one to the file
/// `output`, any number into the folder `output` as `stem-1.png`, ... Returns the files. Throws
/// Failure (usage) where that cannot be done.
std::vector<std::filesystem::path> save(std::vector<Saveable> items, std::string const& output,
                                        std::string_view stem);

}  // namespace lanyard::app
