#include "load/process.hpp"

#include <array>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanyard::bench {
namespace {

// Returns the process and all its descendants.
std::vector<pid_t> tree(pid_t root) {
    std::vector<pid_t> all{root};
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::error_code error;
        std::filesystem::directory_iterator const threads(
            "/proc/" + std::to_string(all[i]) + "/task", error);
        if (error) continue;
        for (auto const& thread : threads) {
            std::ifstream children(thread.path() / "children");
            for (pid_t child = 0; children >> child;) all.push_back(child);
        }
    }
    return all;
}

}  // namespace

void pin_to(int core) {
    if (core < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        throw std::runtime_error("there is no core " + std::to_string(core));
    }
}

Process::Process(std::vector<std::string> command, int core, bool pipes) {
    std::array<int, 2> in{-1, -1};
    std::array<int, 2> out{-1, -1};
    if (pipes && (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)) {
        throw std::runtime_error("no pipes");
    }
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        auto const nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(pipes ? in[0] : nothing, STDIN_FILENO);
        dup2(pipes ? out[1] : STDERR_FILENO, STDOUT_FILENO);
        std::vector<char*> pointers;
        for (auto& argument : command) pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        try {
            pin_to(core);
        } catch (std::runtime_error const&) {
            _exit(126);
        }
        execvp(pointers[0], pointers.data());
        _exit(127);
    }
    if (pipes) {
        close(in[0]);
        close(out[1]);
        to_ = in[1];
        from_ = out[0];
    }
}

Process::~Process() {
    if (to_ >= 0) close(to_);
    if (from_ >= 0) close(from_);
    if (pid_ < 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

void Process::expect_running() {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return;
    pid_ = -1;
    throw std::runtime_error(
        WIFEXITED(status)
            ? "the server has ended with status " + std::to_string(WEXITSTATUS(status))
            : "the server was ended by signal " + std::to_string(WTERMSIG(status)));
}

double Process::cpu_seconds() const {
    double total = 0;
    for (auto const pid : tree(pid_)) {
        // The scheduler's count in nanoseconds, as in schedstat, including threads that have ended.
        clockid_t clock{};
        timespec spent{};
        if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &spent) != 0) continue;
        total += static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
    }
    return total;
}

double Process::resident_mib() const {
    double total = 0;
    for (auto const pid : tree(pid_)) {
        std::ifstream pages("/proc/" + std::to_string(pid) + "/statm");
        long size = 0;
        long resident = 0;
        pages >> size >> resident;
        total += static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1024 * 1024);
    }
    return total;
}

}  // namespace lanyard::bench
