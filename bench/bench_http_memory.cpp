// The costs of an HTTP server without calls: startup, memory, and how much waiting clients (open
// streams, idle sessions) add to its memory and to the calls of others.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http_load.hpp"

namespace {

using namespace lanyard::bench;
using Clock = std::chrono::steady_clock;

// Opens a stream that stays open without messages (2026-07-28).
std::string listen_request() {
    return post(R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{)"
                R"("notifications":{"toolsListChanged":true},)"
                R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
                R"("io.modelcontextprotocol/clientCapabilities":{}}}})",
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n");
}

struct Percentiles {
    double p50;
    double p99;
};

Percentiles time_calls(HttpClient& client, int calls) {
    auto const request = single_call();
    for (int i = 0; i < 200; ++i) client.call(request);
    std::vector<double> taken;
    for (int i = 0; i < calls; ++i) {
        auto const start = Clock::now();
        client.call(request);
        taken.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    std::sort(taken.begin(), taken.end());
    return {taken[taken.size() / 2], taken[taken.size() * 99 / 100]};
}

// Calls of another client, without and with this many open streams.
void http_streams(benchmark::State& state) {
    constexpr int calls = 5000;
    raise_descriptor_limit();
    for (auto _ : state) {
        PortServer const server("--port");
        HttpClient caller(server.port());
        auto const without = time_calls(caller, calls);
        auto const before = server.resident_kib();
        std::vector<std::unique_ptr<HttpClient>> listeners;
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            listeners.push_back(std::make_unique<HttpClient>(server.port()));
            listeners.back()->send(listen_request());
            listeners.back()->receive_begin();
        }
        auto const after = server.resident_kib();
        auto const with = time_calls(caller, calls);
        state.counters["stream_kib"] = (after - before) / static_cast<double>(state.range(0));
        state.counters["p50_us"] = without.p50;
        state.counters["p99_us"] = without.p99;
        state.counters["p50_beside_us"] = with.p50;
        state.counters["p99_beside_us"] = with.p99;
        state.counters["p50_ratio"] = with.p50 / without.p50;
        state.counters["p99_ratio"] = with.p99 / without.p99;
    }
}

double heap_kib(HttpClient& client) {
    auto const answer = std::string(client.call(single_call("heap")));
    auto const at = answer.find(R"("text":")");
    return at == answer.npos ? 0 : std::strtod(answer.c_str() + at + 8, nullptr) / 1024;
}

// Sessions that were opened and not used: new ones, and suspended ones. They are opened in rounds
// of a thousand and suspended after a second; later rounds reuse the memory of the first round's
// new sessions.
void http_sessions(benchmark::State& state) {
    constexpr int in_round = 1000;
    for (auto _ : state) {
        PortServer const server("--port", {"--suspend-after", "1"});
        HttpClient client(server.port());
        auto const open_round = [&] {
            for (int i = 0; i < in_round; ++i) open_session(client);
        };
        auto const idle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2500)); };
        open_session(client);
        auto const empty = heap_kib(client);
        open_round();
        state.counters["new_session_kib"] = (heap_kib(client) - empty) / in_round;
        idle();
        auto const heap = heap_kib(client);
        auto const resident = server.resident_kib();
        auto const rounds = state.range(0) / in_round;
        for (std::int64_t i = 0; i < rounds; ++i) {
            open_round();
            idle();
        }
        auto const count = static_cast<double>(rounds * in_round);
        state.counters["session_kib"] = (heap_kib(client) - heap) / count;
        state.counters["resident_kib"] = (server.resident_kib() - resident) / count;
    }
}

// From the start of the process to the response to its first request.
void http_cold_start(benchmark::State& state) {
    double best = 1e9;
    double memory = 0;
    for (auto _ : state) {
        auto const start = Clock::now();
        PortServer const server("--port");
        HttpClient client(server.port(), std::chrono::microseconds(200));
        client.call(single_call());
        best =
            std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        memory = server.resident_kib() / 1024;
    }
    state.counters["start_ms"] = best;
    state.counters["resident_mib"] = memory;
}

BENCHMARK(http_cold_start)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK(http_sessions)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(http_streams)->Arg(200)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
