// main() of a fuzz target without libFuzzer: runs it with the empty input and with every file of a
// corpus folder.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: " << argv[0] << " CORPUS_FOLDER\n";
        return 1;
    }
    std::string input;
    std::size_t inputs = 0;
    auto const feed = [&] {
        LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(input.data()), input.size());
        ++inputs;
    };
    feed();
    if (std::filesystem::is_directory(argv[1])) {
        for (auto const& entry : std::filesystem::directory_iterator(argv[1])) {
            std::ifstream in(entry.path(), std::ios::binary);
            input.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
            feed();
        }
    }
    std::cout << inputs << " inputs replayed\n";
    return 0;
}
