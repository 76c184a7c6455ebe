// Runs files of the official JSON Schema test suite and counts the tests that pass.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lanyard/schema.hpp"

namespace lanyard::schema::test {

struct SuiteResult {
    std::size_t passed = 0;
    std::size_t total = 0;
    struct Failure {
        std::string test;  ///< "file: group: test"
        std::string why;
    };
    std::vector<Failure> failures;
};

/// Returns options with every file in `remotes` registered below http://localhost:1234/.
Options with_remotes(std::filesystem::path const& remotes);

/// Runs the files of one folder, without its subfolders, on both kinds of instances.
SuiteResult run_folder(std::filesystem::path const& folder, Options const& options);

}  // namespace lanyard::schema::test
