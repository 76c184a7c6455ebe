// Starts a process without a shell, in its own process group, with three pipes and no other
// descriptor.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "runtime/descriptors.hpp"

namespace lanyard::transport {

struct SpawnRequest {
    /// The program, then its arguments. A program without a slash is looked up in PATH.
    std::vector<std::string> arguments;
    std::optional<std::string> working_directory;
    /// The whole environment, as NAME=value.
    std::vector<std::string> environment;
};

/// A started process, and the ends of its pipes that belong to this process.
struct Spawned {
    pid_t process;
    Descriptor watch;  ///< becomes readable when the process ends
    Descriptor in;
    Descriptor out;
    Descriptor err;
};

/// Starts a process. Fails with Errc::invalid_argument if no program is given, and with
/// Errc::unavailable if the process cannot be started; the message gives the reason.
Result<Spawned> spawn(SpawnRequest const& request);

}  // namespace lanyard::transport
