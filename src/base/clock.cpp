#include "lanyard/clock.hpp"

#include <cerrno>
#include <system_error>

#include <sys/random.h>

namespace lanyard {

namespace {

class SystemClock final : public Clock {
public:
    TimePoint now() const noexcept override { return std::chrono::steady_clock::now(); }
    WallTime wall() const noexcept override {
        return std::chrono::time_point_cast<std::chrono::milliseconds>(
            std::chrono::system_clock::now());
    }
};

class SystemRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override {
        while (!bytes.empty()) {
            auto const got = getrandom(bytes.data(), bytes.size(), 0);
            if (got > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(got));
            } else if (got == 0 || errno != EINTR) {
                // Ids and keys would not be safe without randomness, and there is no other source
                // of it, so whatever needs it fails.
                throw std::system_error(errno, std::generic_category(), "no random bytes");
            }
        }
    }
};

}  // namespace

Clock const& system_clock() noexcept {
    static SystemClock const clock;
    return clock;
}

Random& system_random() noexcept {
    static SystemRandom random;
    return random;
}

std::uint64_t Random::bits() {
    std::uint64_t value = 0;
    fill(std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

double Random::unit() {
    // Uses 53 bits, because a double has 53 bits of precision.
    return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

}  // namespace lanyard
