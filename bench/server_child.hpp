// For benchmarks of whole servers: servers in separate processes, connected by pipes or at a port,
// and sockets to them.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

/// Allows thousands of connections.
inline void raise_descriptor_limit() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
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
        if (::connect(descriptor, name, sizeof address) == 0) return descriptor;
        close(descriptor);
        return -1;
    }
    socklen_t size = sizeof address;
    if (::bind(descriptor, name, sizeof address) != 0 || ::listen(descriptor, 100) != 0) return -1;
    getsockname(descriptor, name, &size);
    port = ntohs(address.sin_port);
    return descriptor;
}

/// Connects to a server that may still be starting: retries after the pause.
inline int connect_to(std::uint16_t port,
                      std::chrono::microseconds pause = std::chrono::milliseconds(10)) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < end) {
        auto const descriptor = open_socket(port, false);
        if (descriptor >= 0) return descriptor;
        usleep(static_cast<useconds_t>(pause.count()));
    }
    throw std::runtime_error("the server does not listen");
}

inline double seconds_of(clockid_t clock) {
    timespec spent{};
    clock_gettime(clock, &spent);
    return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

/// A process to be measured, which is killed with this object.
class Child {
public:
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    double resident_kib() const {
        std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmRSS:")) return std::stod(line.substr(6));
        }
        return 0;
    }
    double cpu_seconds() const {
        clockid_t clock{};
        clock_getcpuclockid(pid_, &clock);
        return seconds_of(clock);
    }

protected:
    Child() = default;
    ~Child() {
        if (pid_ < 0) return;
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
    }
    /// Runs the function in the new process.
    template <class Run>
    void start(Run const& run) {
        pid_ = fork();
        if (pid_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run();
        _exit(127);
    }
    static void become_server(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), server_path());
        std::vector<char*> pointers;
        for (auto& argument : arguments) pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        execv(pointers[0], pointers.data());
    }

private:
    pid_t pid_ = -1;
};

/// A server at a port.
class PortServer : public Child {
public:
    /// Runs bench-server over HTTP ("--port") or TCP ("--tcp"), with further options.
    explicit PortServer(std::string const& how, std::vector<std::string> options = {}) {
        close(open_socket(port_, true));
        options.insert(options.begin(), {how, std::to_string(port_)});
        start([&options] { become_server(options); });
    }
    /// Runs a function that gets a listening socket.
    explicit PortServer(std::function<void(int listening)> const& serve) {
        auto const listening = open_socket(port_, true);
        start([&] { serve(listening); });
        close(listening);
    }

    std::uint16_t port() const { return port_; }

private:
    std::uint16_t port_ = 0;
};

/// A server connected by pipes.
class PipeServer : public Child {
public:
    /// Runs bench-server over stdio, with further options.
    explicit PipeServer(std::vector<std::string> options = {})
        : PipeServer([&options] {
              options.insert(options.begin(), "--stdio");
              become_server(options);
          }) {}
    /// Runs a function that reads stdin and writes stdout.
    explicit PipeServer(std::function<void()> const& serve) {
        std::array<int, 2> in;
        std::array<int, 2> out;
        if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipes");
        }
        start([&] {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            serve();
        });
        close(in[0]);
        close(out[1]);
        to_ = in[1];
        from_ = out[0];
    }
    ~PipeServer() {
        close(to_);
        close(from_);
    }

    int to() const { return to_; }
    int from() const { return from_; }

private:
    int to_ = -1;
    int from_ = -1;
};

}  // namespace lanyard::bench
