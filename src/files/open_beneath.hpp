// Opening files below a folder without leaving it, whatever the path and the links on it say.
#pragma once

#include <string>

#include "transport/descriptors.hpp"

namespace lanyard::files {

using transport::Descriptor;

/// How a path is kept below its root.
enum class Confinement {
    by_kernel,  ///< openat2(2), and by hand where the system has no such call
    by_hand,    ///< one component after the other
};

/// Opens the relative path below the folder, following links that stay below it. Closed, with errno
/// set, where it fails: EXDEV where the path leads outside.
Descriptor open_beneath(int folder, std::string const& path, int flags,
                        Confinement confinement = Confinement::by_kernel);

}  // namespace lanyard::files
