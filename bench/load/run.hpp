// Runs calls through a channel and returns the figures.
#pragma once

#include <cstddef>
#include <vector>

#include "load/channel.hpp"

namespace lanyard::bench {

struct RunOptions {
    double seconds = 1;
    double warm_up_seconds = 0;
    /// Calls per second, sent when they are due; 0 sends the next call when one is answered.
    double rate = 0;
};

struct Figures {
    std::size_t calls = 0;
    std::size_t unanswered = 0;  ///< with a fixed rate: not answered when the run was given up
    double seconds = 0;
    double cpu_seconds = 0;                    ///< of the server
    std::vector<double> latency_microseconds;  ///< of every call, sorted
};

Figures run(Channel& channel, Process const& server, RunOptions const& options);

}  // namespace lanyard::bench
