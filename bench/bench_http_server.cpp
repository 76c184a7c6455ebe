// A server with sockets, compared with a process that does the least possible work (epoll, read,
// write a fixed answer), in the same run and on one core: CPU time and allocations of the server
// per call, for stateless calls (2026-07-28), in a session and without one (2025-11-25), answered
// immediately and as a stream.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "beside_floor.hpp"
#include "http_load.hpp"

namespace {

using namespace lanyard::bench;

constexpr int connections = 8;

// The CPU time of both servers for the same requests.
void measure(benchmark::State& state, PortServer const& server, std::string const& request,
             std::string const& fixed_answer) {
    PortServer const echo(
        [&fixed_answer](int listening) { answer_http_forever(listening, fixed_answer); });
    Load raw(echo.port(), request, connections);
    Load served(server.port(), request, connections);
    raw.run(100);
    served.run(200);
    auto const cpu_per_call = [](PortServer const& loaded, Load& load) {
        constexpr int rounds = 100;
        auto const before = loaded.cpu_seconds();
        load.run(rounds);
        return (loaded.cpu_seconds() - before) * 1e6 / rounds / connections;
    };
    measure_beside_floor(
        state, [&] { return cpu_per_call(server, served); },
        [&] { return cpu_per_call(echo, raw); });
}

enum class Kind { single, session, stateless };

class HttpServer {
public:
    explicit HttpServer(Kind kind)
        : kind_(kind),
          server_("--port", kind == Kind::stateless ? std::vector<std::string>{"--stateless"}
                                                    : std::vector<std::string>{}),
          first_(server_.port()) {
        if (kind == Kind::session) session_ = open_session(first_);
    }
    std::string request(std::string_view tool, std::string_view arguments,
                        std::string_view meta = {}) const {
        return kind_ == Kind::single ? single_call(tool, arguments, meta)
                                     : session_call(session_, tool, arguments, meta);
    }
    PortServer const& server() const { return server_; }
    HttpClient& client() { return first_; }

private:
    Kind kind_;
    PortServer server_;
    HttpClient first_;
    std::string session_;
};

// The allocation counter that the server's tool "allocations" returns.
double allocations(HttpServer const& server, HttpClient& client) {
    auto const answer = std::string(client.call(server.request("allocations", text_arguments)));
    auto const at = answer.find(R"("text":")");
    return at == answer.npos ? -1 : std::strtod(answer.c_str() + at + 8, nullptr);
}

// The counter is read over a separate connection, by other requests than those that are counted.
double allocations_per_call(HttpServer& server, HttpClient& counter, std::string const& request) {
    constexpr int calls = 1000;
    allocations(server, counter);
    for (int i = 0; i < 100; ++i) server.client().call(request);
    auto const before = allocations(server, counter);
    auto const between = allocations(server, counter);
    for (int i = 0; i < calls; ++i) server.client().call(request);
    auto const after = allocations(server, counter);
    return std::max(0.0, (after - between) - (between - before)) / calls;
}

void http_call(benchmark::State& state, Kind kind) {
    pin_to_one_core();
    HttpServer server(kind);
    // With a tool that itself allocates nothing.
    HttpClient counter(server.server().port());
    state.counters["allocations"] =
        allocations_per_call(server, counter, server.request("add", two_numbers));
    measure(state, server.server(), server.request("echo", text_arguments),
            http_answer(short_answer));
}

// A call that reports progress before its answer, so that a stream carries both.
void http_stream_call(benchmark::State& state, Kind kind) {
    pin_to_one_core();
    HttpServer server(kind);
    auto const request = server.request("progress", text_arguments, with_progress);
    auto const answer = std::string(server.client().call(request));
    if (answer.find("text/event-stream") == answer.npos) {
        state.SkipWithError("the answer is no stream");
        return;
    }
    measure(state, server.server(), request, answer);
}

BENCHMARK_CAPTURE(http_call, single, Kind::single)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_call, session, Kind::session)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_call, stateless, Kind::stateless)
    ->Iterations(40)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_stream_call, single, Kind::single)
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_stream_call, session, Kind::session)
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
