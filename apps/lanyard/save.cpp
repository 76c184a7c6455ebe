#include "save.hpp"

#include "lanyard/base64.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "failure.hpp"

namespace lanyard::app {
namespace {

namespace fs = std::filesystem;

std::string decoded(std::string_view text) {
    auto bytes = base64::decode(text);
    if (!bytes) {
        throw Failure(Exit::protocol_error, "the server sent bad base64: " + bytes.error().message);
    }
    return *std::move(bytes);
}

std::string_view extension(Saveable const& item) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 16> known{{
        {"image/png", ".png"},
        {"image/jpeg", ".jpg"},
        {"image/gif", ".gif"},
        {"image/webp", ".webp"},
        {"image/svg+xml", ".svg"},
        {"audio/wav", ".wav"},
        {"audio/mpeg", ".mp3"},
        {"audio/ogg", ".ogg"},
        {"text/plain", ".txt"},
        {"text/markdown", ".md"},
        {"text/html", ".html"},
        {"text/csv", ".csv"},
        {"application/json", ".json"},
        {"application/pdf", ".pdf"},
        {"application/gzip", ".gz"},
        {"application/zip", ".zip"},
    }};
    for (auto const& [mime_type, ending] : known) {
        if (item.mime_type == mime_type) return ending;
    }
    return item.is_text ? ".txt" : ".bin";
}

/// Returns a name without characters that could lead out of the folder.
std::string safe_stem(std::string_view stem) {
    std::string safe;
    for (char const character : stem) {
        bool const plain = (character >= 'a' && character <= 'z') ||
                           (character >= 'A' && character <= 'Z') ||
                           (character >= '0' && character <= '9') || character == '-';
        safe += plain ? character : '_';
    }
    return safe.substr(0, 60);
}

void write(fs::path const& path, std::string const& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << bytes;
    file.close();
    if (!file) usage_error("'" + path.string() + "' cannot be written");
}

Saveable saveable(ResourceContents const& contents) {
    if (auto const* text = std::get_if<TextResourceContents>(&contents)) {
        return {text->mime_type, text->text, true};
    }
    auto const& blob = std::get<BlobResourceContents>(contents);
    return {blob.mime_type, decoded(blob.blob), false};
}

}  // namespace

std::vector<Saveable> saveables(std::vector<ContentBlock> const& content) {
    std::vector<Saveable> items;
    for (auto const& block : content) {
        if (auto const* text = std::get_if<TextContent>(&block)) {
            items.push_back({"text/plain", text->text, true});
        } else if (auto const* image = std::get_if<ImageContent>(&block)) {
            items.push_back({image->mime_type, decoded(image->data), false});
        } else if (auto const* audio = std::get_if<AudioContent>(&block)) {
            items.push_back({audio->mime_type, decoded(audio->data), false});
        } else if (auto const* embedded = std::get_if<EmbeddedResource>(&block)) {
            auto item = saveable(embedded->resource);
            item.is_text = false;  // saved as a separate file, not as the text of the answer
            items.push_back(std::move(item));
        }
    }
    return items;
}

std::vector<Saveable> saveables(std::vector<ResourceContents> const& contents) {
    std::vector<Saveable> items;
    for (auto const& each : contents) items.push_back(saveable(each));
    return items;
}

std::vector<fs::path> save(std::vector<Saveable> items, std::string const& output,
                           std::string_view stem) {
    auto const is_file = [](Saveable const& item) { return !item.is_text; };
    if (std::ranges::any_of(items, is_file)) {
        std::erase_if(items, [](Saveable const& item) { return item.is_text; });
    }
    if (items.empty()) usage_error("the answer holds nothing that --output could save");
    std::vector<fs::path> files;
    if (output.ends_with('/') || fs::is_directory(output)) {
        std::error_code failed;
        fs::create_directories(output, failed);
        for (std::size_t i = 0; i < items.size(); ++i) {
            files.push_back(fs::path(output) / (safe_stem(stem) + "-" + std::to_string(i + 1) +
                                                std::string(extension(items[i]))));
        }
    } else if (items.size() == 1) {
        files.emplace_back(output);
    } else {
        usage_error("the answer holds " + std::to_string(items.size()) +
                    " files: give --output a folder (a name that ends with /)");
    }
    for (std::size_t i = 0; i < items.size(); ++i) write(files[i], items[i].bytes);
    return files;
}

}  // namespace lanyard::app
