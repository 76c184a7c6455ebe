// The server under load: a program in a process group of its own, on a core of its own, and what it
// and its children use.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace lanyard::bench {

/// Keeps this process, and what it starts, on one core; a negative number leaves it free.
void pin_to(int core);

class Process {
public:
    /// Starts the program on the core. With pipes, they are its stdin and stdout; without, it reads
    /// nothing, and what it prints goes to stderr.
    Process(std::vector<std::string> command, int core, bool pipes);
    ~Process();
    Process(Process const&) = delete;
    Process& operator=(Process const&) = delete;

    /// The ends of the pipes that are ours.
    int to() const { return to_; }
    int from() const { return from_; }

    /// Throws if the program has ended.
    void expect_running();
    /// CPU time of all threads that the program and its children have had.
    double cpu_seconds() const;
    /// Memory in use by the program and its children, as the kernel counts it.
    double resident_mib() const;

private:
    pid_t pid_ = -1;
    int to_ = -1;
    int from_ = -1;
};

}  // namespace lanyard::bench
