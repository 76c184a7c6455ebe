// A server over TCP, compared with a process that only echoes bytes, in the same run and on one
// core: CPU time per pipelined call, and the memory of ten thousand connections.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "beside_floor.hpp"
#include "line_load.hpp"

namespace lanyard::bench {
namespace {

double cpu_per_call(PortServer const& server, LineClient const& client, std::string_view many,
                    int count) {
    constexpr int rounds = 50;
    auto const before = server.cpu_seconds();
    for (int i = 0; i < rounds; ++i) {
        client.send(many);
        client.receive(count);
    }
    return (server.cpu_seconds() - before) / (rounds * count) * 1e6;
}

void tcp_pipelined(benchmark::State& state) {
    pin_to_one_core();
    auto const count = static_cast<int>(state.range(0));
    PortServer const echo(echo_forever);
    PortServer const server("--tcp");
    LineClient const to_echo(echo);
    LineClient const to_server(server);
    to_server.open_session();
    auto const many = call_lines(count);
    cpu_per_call(server, to_server, many, count);
    auto const served = measure_beside_floor(
        state, [&] { return cpu_per_call(server, to_server, many, count); },
        [&] { return cpu_per_call(echo, to_echo, many, count); });
    state.counters["messages_per_second"] = 1e6 / served;
}

// Each connection has opened a session and is idle.
void tcp_connections(benchmark::State& state) {
    auto const count = static_cast<std::size_t>(state.range(0));
    raise_descriptor_limit();
    double each = 1e9;
    for (auto _ : state) {
        PortServer const server("--tcp");
        std::vector<LineClient> clients;
        clients.reserve(count + 1);
        auto const open = [&] {
            clients.emplace_back(server);
            clients.back().open_session();
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
