#include "runtime/processors.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>

#include <sched.h>

namespace lanyard::runtime {
namespace {

std::size_t processors_of_affinity() noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<std::size_t>(std::max(CPU_COUNT(&set), 1));
}

// The folder of this process in the hierarchy of control groups (version 2); empty if there is
// none.
std::string control_group() {
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("0::")) return "/sys/fs/cgroup" + line.substr(3);
    }
    return {};
}

// A quota of a group applies to all groups in it, so the smallest one counts.
std::size_t smallest_quota(std::string folder) {
    auto smallest = SIZE_MAX;
    while (folder.size() >= std::string_view("/sys/fs/cgroup").size()) {
        std::ifstream file(folder + "/cpu.max");
        std::string text;
        if (std::getline(file, text)) smallest = std::min(smallest, processors_of_quota(text));
        folder.erase(folder.rfind('/'));
    }
    return smallest;
}

}  // namespace

std::size_t processors_of_quota(std::string_view cpu_max) noexcept {
    std::uint64_t quota = 0;
    std::uint64_t period = 0;
    auto const* const end = cpu_max.data() + cpu_max.size();
    auto const [after_quota, failure] = std::from_chars(cpu_max.data(), end, quota);
    if (failure != std::errc() || after_quota == end || *after_quota != ' ') return SIZE_MAX;
    if (std::from_chars(after_quota + 1, end, period).ec != std::errc() || period == 0) {
        return SIZE_MAX;
    }
    return std::max<std::uint64_t>(quota / period + (quota % period != 0 ? 1 : 0), 1);
}

std::size_t available_processors() {
    return std::min(processors_of_affinity(), smallest_quota(control_group()));
}

}  // namespace lanyard::runtime
