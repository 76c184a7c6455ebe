// Manual pages (troff) of the program and its commands.
#pragma once

#include <filesystem>

#include "command_description.hpp"

namespace lanyard::app {

/// Writes `lanyard.1` and one page for each command (`lanyard-call.1`) into the folder, which is
/// created if necessary. Throws Failure (usage) if a file cannot be written.
void write_manual(ProgramDescription const& program, std::filesystem::path const& folder);

}  // namespace lanyard::app
