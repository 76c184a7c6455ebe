// A server behind TCP, against a process that only echoes bytes, in the same run and on one core:
// CPU per pipelined call, and the memory of ten thousand connections.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::string_view opening =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n";

std::string call(int id) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":"echo","arguments":)"
           R"({"text":"the quick brown fox jumps over the lazy dog"}}})"
           "\n";
}

void pin_to_one_core() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof set, &set);
}

int open_socket(std::uint16_t& port, bool listens) {
    auto const descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int const on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    bool const opened = listens ? bind(descriptor, name, size) == 0 && listen(descriptor, 100) == 0
                                : connect(descriptor, name, size) == 0;
    if (!opened) {
        close(descriptor);
        return -1;
    }
    if (listens) {
        getsockname(descriptor, name, &size);
        port = ntohs(address.sin_port);
    }
    return descriptor;
}

[[noreturn]] void echo_forever(int listening) {
    std::array<char, 65536> buffer;
    for (;;) {
        auto const descriptor = accept(listening, nullptr, nullptr);
        for (;;) {
            auto const got = read(descriptor, buffer.data(), buffer.size());
            if (got <= 0) break;
            for (ssize_t sent = 0; sent < got;) {
                auto const size =
                    write(descriptor, buffer.data() + sent, static_cast<std::size_t>(got - sent));
                if (size <= 0) break;
                sent += size;
            }
        }
        close(descriptor);
    }
}

std::string server_path() {
    std::array<char, 4096> path{};
    auto const size = readlink("/proc/self/exe", path.data(), path.size() - 1);
    std::string const self(path.data(), static_cast<std::size_t>(size));
    return self.substr(0, self.rfind("/bench/")) + "/bin/bench-server";
}

// A server in a process of its own: ours, or the echo.
class Child {
public:
    explicit Child(bool echoes) {
        auto const listening = open_socket(port_, true);
        if (!echoes) close(listening);
        pid_ = fork();
        if (pid_ == 0) {
            if (echoes) echo_forever(listening);
            auto const program = server_path();
            execl(program.c_str(), program.c_str(), "--tcp", std::to_string(port_).c_str(),
                  nullptr);
            _exit(127);
        }
        if (echoes) close(listening);
    }
    ~Child() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    std::uint16_t port() const { return port_; }
    double cpu_seconds() const {
        clockid_t clock{};
        timespec spent{};
        clock_getcpuclockid(pid_, &clock);
        clock_gettime(clock, &spent);
        return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
    }
    // Memory in use, as the kernel counts it.
    double resident_kib() const {
        std::ifstream pages("/proc/" + std::to_string(pid_) + "/statm");
        long total = 0;
        long resident = 0;
        pages >> total >> resident;
        return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1024;
    }

private:
    pid_t pid_ = -1;
    std::uint16_t port_ = 0;
};

class Client {
public:
    explicit Client(std::uint16_t port) {
        // The server may need a moment to start.
        for (int i = 0; i < 1000 && descriptor_ < 0; ++i) {
            descriptor_ = open_socket(port, false);
            if (descriptor_ < 0) usleep(10'000);
        }
        if (descriptor_ < 0) throw std::runtime_error("the server does not listen");
    }
    Client(Client&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    ~Client() {
        if (descriptor_ >= 0) close(descriptor_);
    }

    void send(std::string_view bytes) const {
        if (write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("the server is gone");
        }
    }
    // Reads until this many lines have come.
    void receive(int lines) const {
        std::array<char, 65536> buffer;
        while (lines > 0) {
            auto const got = read(descriptor_, buffer.data(), buffer.size());
            if (got <= 0) throw std::runtime_error("the server has ended the connection");
            lines -= static_cast<int>(std::count(buffer.data(), buffer.data() + got, '\n'));
        }
    }

private:
    int descriptor_ = -1;
};

double cpu_per_call(Child const& child, Client const& client, std::string_view many, int count) {
    constexpr int rounds = 50;
    auto const before = child.cpu_seconds();
    for (int i = 0; i < rounds; ++i) {
        client.send(many);
        client.receive(count);
    }
    return (child.cpu_seconds() - before) / (rounds * count) * 1e6;
}

void tcp_pipelined(benchmark::State& state) {
    pin_to_one_core();
    auto const count = static_cast<int>(state.range(0));
    Child const echo(true);
    Child const server(false);
    Client const to_echo(echo.port());
    Client const to_server(server.port());
    to_server.send(opening);
    to_server.receive(1);
    std::string many;
    for (int i = 0; i < count; ++i) many += call(100 + i);
    cpu_per_call(server, to_server, many, count);
    // In turns, and the quickest of each counts: other work on the machine only ever adds.
    double raw = 1e9;
    double served = 1e9;
    for (auto _ : state) {
        raw = std::min(raw, cpu_per_call(echo, to_echo, many, count));
        served = std::min(served, cpu_per_call(server, to_server, many, count));
    }
    state.counters["raw_us"] = raw;
    state.counters["cpu_us"] = served;
    state.counters["messages_per_second"] = 1e6 / served;
}

// Each has opened a session and is idle.
void tcp_connections(benchmark::State& state) {
    auto const count = static_cast<std::size_t>(state.range(0));
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < count + 100) {
        state.SkipWithError("too few descriptors");
        return;
    }
    double each = 1e9;
    for (auto _ : state) {
        Child const server(false);
        std::vector<Client> clients;
        clients.reserve(count + 1);
        auto const open = [&] {
            clients.emplace_back(server.port());
            clients.back().send(opening);
            clients.back().receive(1);
        };
        open();
        auto const before = server.resident_kib();
        while (clients.size() <= count) open();
        each = std::min(each, (server.resident_kib() - before) / static_cast<double>(count));
    }
    state.counters["kib_each"] = each;
}

BENCHMARK(tcp_pipelined)->Arg(64)->Arg(512)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK(tcp_connections)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
