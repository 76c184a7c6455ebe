#include "runtime/standard_descriptors.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace lanyard::runtime {

namespace {

std::array<bool, 3> reserve() noexcept {
    std::array<bool, 3> closed{};
    for (int number = 0; number < 3; ++number) {
        if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
        closed[static_cast<std::size_t>(number)] = true;
        // open() returns the lowest free number, which is `number`, because all lower ones are
        // open.
        int const opened = ::open("/dev/null", O_RDWR);
        if (opened > number) ::close(opened);
    }
    return closed;
}

std::array<bool, 3> const& closed_at_start() noexcept {
    static auto const closed = reserve();
    return closed;
}

}  // namespace

void reserve_standard_descriptors() noexcept {
    closed_at_start();
}

bool was_closed(int descriptor) noexcept {
    return closed_at_start()[static_cast<std::size_t>(descriptor)];
}

}  // namespace lanyard::runtime
