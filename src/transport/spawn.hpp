// Starts a process without a shell: own process group, three pipes and no other descriptor.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "transport/descriptors.hpp"

namespace lanyard::transport {

struct SpawnRequest {
    std::vector<std::string> arguments;  ///< the program first; looked up in PATH without a slash
    std::optional<std::string> working_directory;
    /// The whole environment, as NAME=value.
    std::vector<std::string> environment;
};

/// A started process and our ends of its pipes.
struct Spawned {
    pid_t process;
    Descriptor watch;  ///< becomes readable when it ends
    Descriptor in;
    Descriptor out;
    Descriptor err;
};

/// Fails with Errc::unavailable and a sentence that names the program and what is wrong with it.
Result<Spawned> spawn(SpawnRequest const& request);

}  // namespace lanyard::transport
