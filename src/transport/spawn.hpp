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
    std::vector<std::string> arguments;  ///< the program first; looked up in PATH if it has no
                                         ///< slash
    std::optional<std::string> working_directory;
    /// The whole environment, as NAME=value.
    std::vector<std::string> environment;
};

/// A started process and this process's ends of its pipes.
struct Spawned {
    pid_t process;
    Descriptor watch;  ///< becomes readable when the process ends
    Descriptor in;
    Descriptor out;
    Descriptor err;
};

/// Fails with Errc::unavailable; the message names the program and the reason.
Result<Spawned> spawn(SpawnRequest const& request);

}  // namespace lanyard::transport
