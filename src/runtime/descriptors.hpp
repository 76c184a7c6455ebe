// Descriptor, which owns a file descriptor, and functions that return one.
#pragma once

#include <cerrno>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lanyard::transport {

/// Owns a file descriptor; -1 means none.
class Descriptor {
public:
    explicit Descriptor(int value = -1) noexcept : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }

    int get() const noexcept { return value_; }
    int release() noexcept { return std::exchange(value_, -1); }
    bool is_open() const noexcept { return value_ >= 0; }

private:
    int value_;
};

/// Returns an Asio object that owns the descriptor. If an exception is thrown, the descriptor is
/// closed.
inline boost::asio::posix::stream_descriptor adopt(boost::asio::any_io_executor const& executor,
                                                   Descriptor descriptor) {
    boost::asio::posix::stream_descriptor adopted(executor);
    adopted.assign(descriptor.get());
    descriptor.release();
    return adopted;
}

/// Returns a copy that child processes do not inherit.
inline Descriptor duplicate(int descriptor) noexcept {
    return Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

/// Returns a descriptor that becomes readable when the process ends. The result is not open if the
/// system does not support this or the process no longer exists.
inline Descriptor open_process(pid_t process) noexcept {
    return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

}  // namespace lanyard::transport
