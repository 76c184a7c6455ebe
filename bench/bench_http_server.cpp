// A server behind sockets, against a process that does the least there is to do (epoll, read, write
// a fixed answer), in the same run and on one core: CPU, user instructions and allocations of the
// server per call.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "floor.hpp"
#include "http_load.hpp"

namespace {

using namespace lanyard::bench;

constexpr int connections = 8;

void echo_forever(int listening) {
    answer_http_forever(listening, http_answer(short_answer));
}

// Several connections, each with one call at a time.
struct Load {
    Load(Child const& server, std::string const& request) {
        auto const id = request.find(R"("id":1)") + 5;
        for (int i = 0; i < connections; ++i) {
            clients.push_back(std::make_unique<Client>(server.port()));
            requests.push_back(request);
            // In a session, requests that are under way have ids of their own.
            requests.back()[id] = static_cast<char>('1' + i);
        }
    }
    void run(int rounds) {
        for (int i = 0; i < rounds; ++i) {
            for (std::size_t c = 0; c < clients.size(); ++c) clients[c]->send(requests[c]);
            for (auto const& client : clients) client->receive();
        }
    }

    std::vector<std::string> requests;
    std::vector<std::unique_ptr<Client>> clients;
};

// The counter of allocations that the server's tool "allocations" reads out.
double allocations(Client& client) {
    auto const answer = std::string(client.call(single_call("allocations")));
    auto const at = answer.find(R"("text":")");
    return at == answer.npos ? -1 : std::strtod(answer.c_str() + at + 8, nullptr);
}

// The counter is read over a connection of its own: it is read by other requests than are counted.
double allocations_per_call(Client& counter, Client& client, std::string const& request) {
    constexpr int calls = 1000;
    for (int i = 0; i < 100; ++i) client.call(request);
    auto const before = allocations(counter);
    auto const between = allocations(counter);
    for (int i = 0; i < calls; ++i) client.call(request);
    auto const after = allocations(counter);
    return std::max(0.0, (after - between) - (between - before)) / calls;
}

// User instructions from start to end of a server that has served so many calls.
double instructions(bool in_session, int calls) {
    auto const folder = std::filesystem::temp_directory_path() /
                        ("lanyard-bench-" + std::to_string(getpid()) + ".callgrind");
    Child server("--port",
                 {"valgrind", "--tool=callgrind", "-q", "--callgrind-out-file=" + folder.string()});
    {
        Client client(server.port());
        auto const request = in_session ? session_call(open_session(client)) : single_call();
        for (int i = 0; i < calls; ++i) client.call(request);
    }
    server.end();
    std::ifstream file(folder);
    double total = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("summary: ")) total = std::stod(line.substr(9));
    }
    std::filesystem::remove(folder);
    return total;
}

void http_call(benchmark::State& state, bool in_session) {
    pin_to_one_core();
    Child echo(echo_forever);
    Child server("--port");
    Client first(server.port());
    auto const session = in_session ? open_session(first) : std::string();
    auto const request = in_session ? session_call(session) : single_call();
    Load raw(echo, request);
    Load served(server, request);
    raw.run(100);
    served.run(200);
    // Of a tool that has nothing to allocate by itself.
    Client counter(server.port());
    allocations(counter);
    state.counters["allocations"] = allocations_per_call(
        counter, first,
        in_session ? session_call(session, "add", two_numbers) : single_call("add", two_numbers));
    // In turns, and the quickest of each counts: other work on the machine only ever adds.
    constexpr int rounds = 100;
    double least_raw = 1e9;
    double least_served = 1e9;
    for (auto _ : state) {
        auto before = echo.cpu_seconds();
        raw.run(rounds);
        least_raw = std::min(least_raw, echo.cpu_seconds() - before);
        before = server.cpu_seconds();
        served.run(rounds);
        least_served = std::min(least_served, server.cpu_seconds() - before);
    }
    state.counters["raw_us"] = least_raw * 1e6 / rounds / connections;
    state.counters["served_us"] = least_served * 1e6 / rounds / connections;
    state.counters["ratio"] = least_served / least_raw;
}

void http_instructions(benchmark::State& state, bool in_session) {
    if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
        state.SkipWithError("needs valgrind");
        return;
    }
    for (auto _ : state) {
        constexpr int few = 200;
        constexpr int many = 1200;
        auto const more = instructions(in_session, many) - instructions(in_session, few);
        state.counters["instructions"] = more / (many - few);
    }
}

BENCHMARK_CAPTURE(http_call, single, false)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_call, session, true)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_instructions, single, false)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_instructions, session, true)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
