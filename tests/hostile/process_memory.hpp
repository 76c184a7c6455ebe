// The memory that a process uses, as counted by the system.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace lanyard::test {

inline constexpr std::size_t mib = std::size_t{1024} * 1024;

/// Returns a field of /proc/PID/status in bytes (it is given in kB); 0 if the process does not
/// exist.
inline std::size_t process_status(pid_t process, std::string_view field) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(field) && line.substr(field.size(), 1) == ":") {
            return std::stoul(line.substr(field.size() + 1)) * 1024;
        }
    }
    return 0;
}

/// The current resident memory.
inline std::size_t resident_memory(pid_t process) {
    return process_status(process, "VmRSS");
}

/// The peak of the resident memory.
inline std::size_t peak_resident_memory(pid_t process) {
    return process_status(process, "VmHWM");
}

/// Resets the peak to the current resident memory.
inline void reset_peak_memory(pid_t process) {
    std::ofstream("/proc/" + std::to_string(process) + "/clear_refs") << "5";
}

}  // namespace lanyard::test
