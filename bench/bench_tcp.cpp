// A server behind TCP, against a process that only echoes bytes, in the same run and on one core:
// CPU per pipelined call, and the memory of ten thousand connections.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server_child.hpp"

namespace lanyard::bench {
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
    Child const echo(echo_forever);
    Child const server("--tcp");
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
        Child const server("--tcp");
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
}  // namespace lanyard::bench
