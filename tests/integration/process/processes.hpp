// Starting, watching and counting processes.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lanyard/transport.hpp"
#include "runtime/descriptors.hpp"

namespace lanyard::test {

/// Makes this process the parent of orphaned descendants, so that it can wait for them.
inline void adopt_orphans() {
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
}

/// Returns the exit status of the child; nothing if it still runs after the guard.
inline std::optional<int> wait_for_exit(pid_t process,
                                        std::chrono::milliseconds guard = std::chrono::minutes(1)) {
    auto const watch = transport::open_process(process);
    if (watch.is_open()) {
        pollfd entry{watch.get(), POLLIN, 0};
        if (poll(&entry, 1, static_cast<int>(guard.count())) == 0) return std::nullopt;
    }
    int status = 0;
    if (waitpid(process, &status, 0) != process) return std::nullopt;
    return status;
}

inline std::size_t open_descriptors() {
    auto const folder = std::filesystem::directory_iterator("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

/// Whether this process has a child that is running or not reaped.
inline bool has_children() {
    return waitpid(-1, nullptr, WNOHANG) != -1;
}

/// Returns the process id of the peer of a child_process() transport.
inline pid_t process_of(Transport const& transport) {
    auto const peer = transport.info().peer;
    return static_cast<pid_t>(std::stol(peer.substr(peer.rfind("process ") + 8)));
}

}  // namespace lanyard::test
