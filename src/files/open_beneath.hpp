// Opens files below a folder. A path cannot lead out of the folder, whatever `..` and links it
// contains.
#pragma once

#include <string>

#include "runtime/descriptors.hpp"

namespace lanyard::files {

using transport::Descriptor;

/// How open_beneath() keeps a path below its root.
enum class Confinement {
    by_kernel,  ///< with openat2(2); like by_hand if the system has no openat2(2)
    by_hand,    ///< by opening one path component after the other
};

/// Opens the relative path below the folder, following links that stay below it. On failure returns
/// a closed descriptor and sets errno: EXDEV if the path leads outside.
Descriptor open_beneath(int folder, std::string const& path, int flags,
                        Confinement confinement = Confinement::by_kernel);

}  // namespace lanyard::files
