// Finds the data sets that are not part of the project (LANYARD_TEST_DATA).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lanyard::test {

/// Returns the data folder, or nullopt if LANYARD_TEST_DATA is unset or has no such subfolder.
std::optional<std::filesystem::path> data_folder(std::string const& subfolder);

/// Returns the whole content of a file; aborts the test program if it cannot be read.
std::string read_file(std::filesystem::path const& path);

}  // namespace lanyard::test

/// Ends the running test as SKIPPED, with a message where to get the data.
#define LANYARD_SKIP_WITHOUT_DATA(subfolder)                                                 \
    GTEST_SKIP()                                                                             \
        << "data set '" << (subfolder)                                                       \
        << "' not found: set LANYARD_TEST_DATA to a folder that holds it (CONTRIBUTING.md, " \
           "\"Test data\")"
