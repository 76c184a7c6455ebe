// What benchmarks of whole servers use: a server in a process of its own, at a port, and sockets to
// it.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanyard::bench {

inline std::string server_path() {
    std::array<char, 4096> path{};
    auto const size = readlink("/proc/self/exe", path.data(), path.size() - 1);
    std::string const self(path.data(), static_cast<std::size_t>(size));
    return self.substr(0, self.rfind("/bench/")) + "/bin/bench-server";
}

inline void pin_to_one_core() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof set, &set);
}

inline int open_socket(std::uint16_t& port, bool listens) {
    auto const descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int const on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (!listens) {
        if (connect(descriptor, name, sizeof address) == 0) return descriptor;
        close(descriptor);
        return -1;
    }
    socklen_t size = sizeof address;
    if (bind(descriptor, name, sizeof address) != 0 || listen(descriptor, 100) != 0) return -1;
    getsockname(descriptor, name, &size);
    port = ntohs(address.sin_port);
    return descriptor;
}

// A server in a process of its own.
class Child {
public:
    /// bench-server at a port ("--port", "--tcp"), with further options; what stands in front of it
    /// runs it (valgrind).
    explicit Child(std::string const& how, std::vector<std::string> prefix = {},
                   std::vector<std::string> const& options = {}) {
        close(open_socket(port_, true));
        pid_ = fork();
        if (pid_ == 0) {
            auto arguments = std::move(prefix);
            arguments.insert(arguments.end(), {server_path(), how, std::to_string(port_)});
            arguments.insert(arguments.end(), options.begin(), options.end());
            std::vector<char*> pointers;
            for (auto& argument : arguments) pointers.push_back(argument.data());
            pointers.push_back(nullptr);
            execvp(pointers[0], pointers.data());
            _exit(127);
        }
    }
    /// A function that is given a socket that listens.
    explicit Child(void (*serve)(int listening)) {
        auto const listening = open_socket(port_, true);
        pid_ = fork();
        if (pid_ == 0) {
            serve(listening);
            _exit(0);
        }
        close(listening);
    }
    ~Child() { end(); }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    void end() {
        if (pid_ < 0) return;
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    std::uint16_t port() const { return port_; }
    double resident_kib() const {
        std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmRSS:")) return std::stod(line.substr(6));
        }
        return 0;
    }
    double cpu_seconds() const {
        clockid_t clock{};
        timespec spent{};
        clock_getcpuclockid(pid_, &clock);
        clock_gettime(clock, &spent);
        return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
    }

private:
    pid_t pid_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace lanyard::bench
