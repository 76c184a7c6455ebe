// A server connected by pipes, compared with a process that only echoes bytes, in the same run and
// on one core: the round trip with one call at a time, and the server's CPU time with 64 under way.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>

#include "beside_floor.hpp"
#include "line_load.hpp"

namespace {

using namespace lanyard::bench;

void warm_up(LineClient const& client) {
    client.open_session();
    for (int i = 0; i < 1000; ++i) client.call(call_lines(1));
}

double round_trips(LineClient const& client, int count) {
    auto const call = call_lines(1);
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        client.send(call);
        client.receive(1);
    }
    std::chrono::duration<double, std::micro> const taken =
        std::chrono::steady_clock::now() - start;
    return taken.count() / count;
}

double cpu_per_call(PipeServer const& server, LineClient const& client, std::string_view many,
                    int count) {
    constexpr int rounds = 100;
    auto const before = server.cpu_seconds();
    for (int i = 0; i < rounds; ++i) {
        client.send(many);
        client.receive(count);
    }
    return (server.cpu_seconds() - before) * 1e6 / (rounds * count);
}

void stdio_round_trip(benchmark::State& state) {
    pin_to_one_core();
    PipeServer const echo([] { answer_pipe_forever(); });
    PipeServer const server;
    LineClient const to_echo(echo);
    LineClient const to_server(server);
    warm_up(to_server);
    round_trips(to_echo, 1000);
    measure_beside_floor(
        state, [&] { return round_trips(to_server, 500); },
        [&] { return round_trips(to_echo, 500); }, "round_trip_us");
}

void stdio_64_in_flight(benchmark::State& state) {
    pin_to_one_core();
    constexpr int count = 64;
    PipeServer const echo([] { answer_pipe_forever(); });
    PipeServer const server;
    LineClient const to_echo(echo);
    LineClient const to_server(server);
    warm_up(to_server);
    auto const many = call_lines(count);
    measure_beside_floor(
        state, [&] { return cpu_per_call(server, to_server, many, count); },
        [&] { return cpu_per_call(echo, to_echo, many, count); });
}

// From the start of the process to the answer to its first request.
void stdio_cold_start(benchmark::State& state) {
    double best = 1e9;
    double memory = 0;
    for (auto _ : state) {
        auto const start = std::chrono::steady_clock::now();
        PipeServer const server;
        LineClient(server).open_session();
        std::chrono::duration<double, std::milli> const taken =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count());
        memory = server.resident_kib() / 1024;
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
