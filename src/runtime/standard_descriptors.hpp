// Handles programs that were started with descriptor 0, 1 or 2 closed.
#pragma once

namespace lanyard::runtime {

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed. Otherwise a socket could
/// get one of these numbers and receive printed output. Call it before opening anything; only the
/// first call has an effect.
void reserve_standard_descriptors() noexcept;

/// Whether this descriptor (0, 1 or 2) was closed at the first call of
/// reserve_standard_descriptors().
bool was_closed(int descriptor) noexcept;

}  // namespace lanyard::runtime
