// A server behind pipes, against a process that only echoes bytes, in the same run and on one core:
// the round trip with one call at a time, and the server's CPU with 64 under way.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "floor.hpp"

namespace {

constexpr std::string_view opening =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n";
constexpr std::string_view call =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":)"
    R"({"text":"the quick brown fox jumps over the lazy dog"}}})"
    "\n";

void pin_to_one_core() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof set, &set);
}

// A child with its stdin and stdout on pipes.
class Child {
public:
    explicit Child(char const* program) {
        std::array<int, 2> in;
        std::array<int, 2> out;
        if (pipe(in.data()) != 0 || pipe(out.data()) != 0) throw std::runtime_error("no pipes");
        pid_ = fork();
        if (pid_ == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            for (int const descriptor : {in[0], in[1], out[0], out[1]}) close(descriptor);
            if (program == nullptr) lanyard::bench::answer_pipe_forever();
            execl(program, program, "--stdio", nullptr);
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        to_ = in[1];
        from_ = out[0];
    }
    ~Child() {
        close(to_);
        close(from_);
        waitpid(pid_, nullptr, 0);
    }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    void send(std::string_view bytes) const {
        if (write(to_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("the child is gone");
        }
    }
    // Reads until this many lines have come.
    void receive(int lines) {
        while (lines > 0) {
            auto const got = read(from_, buffer_.data(), buffer_.size());
            if (got <= 0) throw std::runtime_error("the child has ended");
            for (ssize_t i = 0; i < got; ++i) lines -= buffer_[static_cast<std::size_t>(i)] == '\n';
        }
    }
    double cpu_seconds() const {
        clockid_t clock{};
        timespec spent{};
        clock_getcpuclockid(pid_, &clock);
        clock_gettime(clock, &spent);
        return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
    }

    // Memory in use, as the kernel counts it.
    double resident_mib() const {
        std::ifstream pages("/proc/" + std::to_string(pid_) + "/statm");
        long total = 0;
        long resident = 0;
        pages >> total >> resident;
        return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1024 * 1024);
    }

private:
    pid_t pid_ = -1;
    int to_ = -1;
    int from_ = -1;
    std::array<char, 65536> buffer_{};
};

std::string server_path() {
    std::array<char, 4096> path{};
    auto const size = readlink("/proc/self/exe", path.data(), path.size() - 1);
    std::string const self(path.data(), static_cast<std::size_t>(size));
    return self.substr(0, self.rfind("/bench/")) + "/bin/bench-server";
}

void open_session(Child& server) {
    server.send(opening);
    server.receive(1);
    for (int i = 0; i < 1000; ++i) {
        server.send(call);
        server.receive(1);
    }
}

double round_trips(Child& child, int count) {
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        child.send(call);
        child.receive(1);
    }
    std::chrono::duration<double, std::micro> const taken =
        std::chrono::steady_clock::now() - start;
    return taken.count() / count;
}

void stdio_round_trip(benchmark::State& state) {
    pin_to_one_core();
    Child echo(nullptr);
    Child server(server_path().c_str());
    open_session(server);
    round_trips(echo, 1000);
    // In turns, and the quickest of each counts: other work on the machine only ever adds.
    double raw = 1e9;
    double served = 1e9;
    for (auto _ : state) {
        raw = std::min(raw, round_trips(echo, 500));
        served = std::min(served, round_trips(server, 500));
    }
    state.counters["raw_us"] = raw;
    state.counters["served_us"] = served;
    state.counters["ratio"] = served / raw;
}

void stdio_64_in_flight(benchmark::State& state) {
    pin_to_one_core();
    Child server(server_path().c_str());
    open_session(server);
    std::string many;
    for (int i = 0; i < 64; ++i) {
        many += R"({"jsonrpc":"2.0","id":)" + std::to_string(100 + i) +
                std::string(call.substr(call.find(R"(,"method")")));
    }
    double best = 1e9;
    for (auto _ : state) {
        auto const before = server.cpu_seconds();
        for (int i = 0; i < 100; ++i) {
            server.send(many);
            server.receive(64);
        }
        best = std::min(best, (server.cpu_seconds() - before) / 6400);
    }
    state.counters["cpu_us"] = best * 1e6;
}

// From the start of the process to the answer to its first request.
void stdio_cold_start(benchmark::State& state) {
    double best = 1e9;
    double memory = 0;
    for (auto _ : state) {
        auto const start = std::chrono::steady_clock::now();
        Child server(server_path().c_str());
        server.send(opening);
        server.receive(1);
        std::chrono::duration<double, std::milli> const taken =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count());
        memory = server.resident_mib();
    }
    state.counters["start_ms"] = best;
    state.counters["resident_mib"] = memory;
}

}  // namespace

BENCHMARK(stdio_cold_start)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_round_trip)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_64_in_flight)->Iterations(40)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
