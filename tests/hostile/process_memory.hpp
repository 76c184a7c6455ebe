// How much memory a process uses, as the system counts it.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace lanyard::test {

inline constexpr std::size_t mib = std::size_t{1024} * 1024;

/// A field of /proc/PID/status that is given in kB, as bytes; 0 if the process does not exist.
inline std::size_t process_status(pid_t process, std::string_view field) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(field) && line.substr(field.size(), 1) == ":") {
            return std::stoul(line.substr(field.size() + 1)) * 1024;
        }
    }
    return 0;
}

/// Resident memory now.
inline std::size_t resident_memory(pid_t process) {
    return process_status(process, "VmRSS");
}

/// The most resident memory so far.
inline std::size_t peak_resident_memory(pid_t process) {
    return process_status(process, "VmHWM");
}

/// Sets the peak back to the resident memory of now.
inline void reset_peak_memory(pid_t process) {
    std::ofstream("/proc/" + std::to_string(process) + "/clear_refs") << "5";
}

}  // namespace lanyard::test
