// Descriptors 0, 1 and 2 in programs that were started without them.
#pragma once

namespace lanyard::runtime {

/// Opens /dev/null for those of the three that are closed, so that no socket gets their numbers and
/// takes what is printed. To be called before anything is opened; only the first call does
/// something.
void reserve_standard_descriptors() noexcept;

/// Whether this one (0, 1 or 2) was closed when the others were reserved.
bool was_closed(int descriptor) noexcept;

}  // namespace lanyard::runtime
