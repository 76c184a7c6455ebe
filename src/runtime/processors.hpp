// The number of processors that this process may use.
#pragma once

#include <cstddef>
#include <string_view>

namespace lanyard::runtime {

/// Returns the number of processors in the affinity mask of this process, or the processor quota of
/// its control group (rounded up) if that is less. At least one.
std::size_t available_processors();

/// Returns the number of processors, rounded up, that the file `cpu.max` of a control group allows:
/// "150000 100000" allows 1.5. SIZE_MAX if the file sets no limit or cannot be read.
std::size_t processors_of_quota(std::string_view cpu_max) noexcept;

}  // namespace lanyard::runtime
