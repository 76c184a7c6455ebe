#include "support/data.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace lanyard::test {

std::optional<std::filesystem::path> data_folder(std::string const& subfolder) {
    char const* root = std::getenv("LANYARD_TEST_DATA");
    if (root == nullptr || *root == '\0') return std::nullopt;
    auto path = std::filesystem::path(root) / subfolder;
    if (!std::filesystem::is_directory(path)) return std::nullopt;
    return path;
}

std::string read_file(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        std::cerr << "cannot read " << path << '\n';
        std::abort();
    }
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace lanyard::test
