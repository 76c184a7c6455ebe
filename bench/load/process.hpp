// Process: the server under load, a program in its own process group and on its own core, and the
// resources that it and its children use.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace lanyard::bench {

/// Keeps this process and its children on one core; a negative number means any core.
void pin_to(int core);

class Process {
public:
    /// Starts the program on the core. With `pipes`, they are its stdin and stdout; without, it
    /// gets no input, and its output goes to stderr.
    Process(std::vector<std::string> command, int core, bool pipes);
    ~Process();
    Process(Process const&) = delete;
    Process& operator=(Process const&) = delete;

    /// This process's ends of the pipes.
    int to() const { return to_; }
    int from() const { return from_; }

    /// Throws if the program has ended.
    void expect_running();
    /// CPU time of all threads of the program and its children.
    double cpu_seconds() const;
    /// Memory of the program and its children, as counted by the kernel.
    double resident_mib() const;

private:
    pid_t pid_ = -1;
    int to_ = -1;
    int from_ = -1;
};

}  // namespace lanyard::bench
