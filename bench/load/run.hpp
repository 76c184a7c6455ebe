// Runs calls through a channel, and what came of it.
#pragma once

#include <cstddef>
#include <vector>

#include "load/channel.hpp"

namespace lanyard::bench {

struct RunOptions {
    double seconds = 1;
    double warm_up_seconds = 0;
    /// Calls a second, sent when they are due; 0 sends the next call when one is answered.
    double rate = 0;
};

struct Figures {
    std::size_t calls = 0;
    std::size_t unanswered = 0;  ///< of a fixed rate, when the patience with the server has ended
    double seconds = 0;
    double cpu_seconds = 0;                    ///< of the server
    std::vector<double> latency_microseconds;  ///< of every call, sorted
};

Figures run(Channel& channel, Process const& server, RunOptions const& options);

}  // namespace lanyard::bench
