// SystemCalls: counts the system calls of a child process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <stdexcept>
#include <thread>

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanyard::test {

/// Starts a child process and traces all its threads until it ends. The kernel stops the child
/// twice for each system call, so the child is slow.
class SystemCalls {
public:
    /// The numbers of system calls by their number in the kernel, for example SYS_read.
    using Counts = std::map<long, std::uint64_t>;

    /// Forks; `run` is executed in the child and must not return.
    explicit SystemCalls(std::function<void()> const& run) {
        int go[2];
        if (pipe(go) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ < 0) throw std::runtime_error("no process");
        if (child_ == 0) {
            // Waits until it is traced.
            char byte = 0;
            close(go[1]);
            if (read(go[0], &byte, 1) == 1) run();
            _exit(2);
        }
        close(go[0]);
        std::promise<bool> seized;
        auto ready = seized.get_future();
        // A process can be traced only by the thread that has attached it.
        tracer_ = std::thread([this, &seized] {
            auto const options = PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
            bool const works = ptrace(PTRACE_SEIZE, child_, nullptr, options) == 0 &&
                               ptrace(PTRACE_INTERRUPT, child_, nullptr, nullptr) == 0;
            seized.set_value(works);
            if (works) trace();
        });
        works_ = ready.get();
        if (works_ && write(go[1], "g", 1) != 1) works_ = false;
        close(go[1]);
    }
    ~SystemCalls() {
        kill(child_, SIGKILL);
        tracer_.join();
        if (!works_) waitpid(child_, nullptr, 0);
    }
    SystemCalls(SystemCalls const&) = delete;
    SystemCalls& operator=(SystemCalls const&) = delete;

    /// Whether the system allows tracing.
    bool works() const noexcept { return works_; }
    /// The system calls of all threads of the child so far.
    Counts counts() const {
        Counts all;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            if (auto const count = counts_[i].load(); count > 0) all[static_cast<long>(i)] = count;
        }
        return all;
    }

private:
    // Returns when the child has ended.
    void trace() {
        for (;;) {
            int status = 0;
            auto const thread = waitpid(-1, &status, __WALL | __WNOTHREAD);
            if (thread < 0) return;
            if (!WIFSTOPPED(status)) {
                if (thread == child_) return;
                continue;
            }
            int const signal = WSTOPSIG(status);
            int const event = status >> 16;
            int delivered = 0;
            if (signal == (SIGTRAP | 0x80)) {
                count(thread);
            } else if (event == 0) {
                delivered = signal;
            }
            ptrace(PTRACE_SYSCALL, thread, nullptr, delivered);
        }
    }
    void count(pid_t thread) {
        __ptrace_syscall_info info{};
        if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return;
        if (info.entry.nr < counts_.size()) ++counts_[info.entry.nr];
    }

    pid_t child_ = -1;
    bool works_ = false;
    std::array<std::atomic<std::uint64_t>, 1024> counts_{};
    std::thread tracer_;
};

}  // namespace lanyard::test
