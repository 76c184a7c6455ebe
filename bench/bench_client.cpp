// Our client with bench-server, compared with a program that writes the same calls as fixed bytes
// and reads as many answers without parsing them, in the same run and on one core. The CPU time is
// that of the client's side.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "beside_floor.hpp"
#include "http_load.hpp"
#include "lanyard/client.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/connect.hpp"
#include "line_load.hpp"

namespace lanyard::bench {
namespace {

constexpr int many_in_flight = 64;

struct Work {
    std::string tools;  // set of tools of bench-server
    std::string tool;
    std::string arguments;
    int in_flight;
    int rounds;  // per measurement
};

// How our client connects to a server, and a function that sends the same number of calls as fixed
// bytes.
struct Peer {
    std::unique_ptr<Connector> connector;
    std::function<void()> raw_round;
};

template <class Server>
std::function<void()> raw_lines(std::shared_ptr<Server> server, Work const& work) {
    auto const client = std::make_shared<LineClient>(*server);
    client->open_session();
    return [server, client, count = work.in_flight,
            many = call_lines(work.in_flight, work.tool, work.arguments)] {
        client->send(many);
        client->receive(count);
    };
}

Peer stdio_peer(Work const& work) {
    auto const server =
        std::make_shared<PipeServer>(std::vector{std::string("--tools"), work.tools});
    return {child_process(server_path(), "--stdio", "--tools", work.tools),
            raw_lines(server, work)};
}

Peer tcp_peer(Work const& work) {
    auto const server =
        std::make_shared<PortServer>("--tcp", std::vector{std::string("--tools"), work.tools});
    auto raw = raw_lines(server, work);
    return {url_connector("tcp://127.0.0.1:" + std::to_string(server->port())), std::move(raw)};
}

Peer http_peer(Work const& work) {
    auto const server =
        std::make_shared<PortServer>("--port", std::vector{std::string("--tools"), work.tools});
    auto const load = std::make_shared<Load>(server->port(), single_call(work.tool, work.arguments),
                                             work.in_flight);
    HttpClientOptions options;
    options.no_proxy().max_connections(many_in_flight);
    auto const url = "http://127.0.0.1:" + std::to_string(server->port()) + "/mcp";
    return {http_connector(url, std::move(options)), [server, load] { load->run(1); }};
}

class Calls {
public:
    Calls(Client client, Work const& work) : client_(std::move(client)) {
        CallToolParams params;
        params.name = work.tool;
        params.arguments = RawJson::trusted(work.arguments);
        calls_.assign(static_cast<std::size_t>(work.in_flight), params);
    }
    Task<> round() const {
        if (calls_.size() == 1) {
            auto const result = co_await client_.call_tool(calls_[0].name, calls_[0].arguments);
            expect_text(result);
        } else {
            auto const results = co_await client_.call_all(calls_);
            for (auto const& result : results) expect_text(result.value());
        }
    }

private:
    static void expect_text(CallToolResult const& result) {
        if (text_of(result).empty()) throw std::runtime_error("no text");
    }

    Client client_;
    std::vector<CallToolParams> calls_;
};

Task<> measure(benchmark::State& state, Peer peer, Work work) {
    auto client = co_await connect(std::move(peer.connector));
    Calls const calls(std::move(client), work);
    auto const now = [] { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); };
    for (int i = 0; i < work.rounds; ++i) {
        peer.raw_round();
        co_await calls.round();
    }
    // Alternately; the fastest of each counts, because other work on the machine can only add time.
    double raw = 1e9;
    double ours = 1e9;
    for (auto _ : state) {
        auto before = now();
        for (int i = 0; i < work.rounds; ++i) peer.raw_round();
        raw = std::min(raw, now() - before);
        before = now();
        for (int i = 0; i < work.rounds; ++i) co_await calls.round();
        ours = std::min(ours, now() - before);
    }
    auto const count = work.rounds * work.in_flight;
    report_beside_floor(state, ours * 1e6 / count, raw * 1e6 / count);
}

void client_calls(benchmark::State& state, Peer (*peer)(Work const&), Work const& work) {
    pin_to_one_core();
    if (run(measure(state, peer(work), work)) != 0) {
        state.SkipWithError("the client has failed");
    }
}

void client_call(benchmark::State& state, Peer (*peer)(Work const&)) {
    auto const in_flight = static_cast<int>(state.range(0));
    client_calls(state, peer,
                 {"plain", "echo", std::string(text_arguments), in_flight, 1000 / in_flight});
}

// An answer of 1 MB, which the client delimits, checks and decodes.
void client_text(benchmark::State& state, Peer (*peer)(Work const&)) {
    client_calls(state, peer, {"text", "text", "{}", 1, 5});
}

void in_turns(benchmark::internal::Benchmark* one) {
    one->Iterations(20)->Unit(benchmark::kMillisecond);
}
void one_and_many(benchmark::internal::Benchmark* one) {
    in_turns(one->Arg(1)->Arg(many_in_flight));
}

// A notification from Context::log() of a server to the handler of a client, in memory: encoding,
// decoding, the client's queue, and one handler for its method and one for all methods. A call may
// log 200 messages at once.
constexpr int notifications_at_a_time = 64;

Task<> measure_notifications(benchmark::State& state) {
    Server server("bench", "1");
    server.tool(
        "log", "Logs",
        [](Context& context) {
            for (int i = 0; i < notifications_at_a_time; ++i) {
                context.log(LoggingLevel::info, Json("x"));
            }
            return "done";
        },
        ToolOptions().inline_());
    int handled = 0;
    ClientOptions options;
    options.on_log([&](LoggingMessageParams const&) { ++handled; });
    options.on_any_notification([&](std::string const&, RawJson const&) { ++handled; });
    auto const client = co_await testing::connect(server, Era::legacy, options);
    auto const call = [&](std::string const& tool) -> Task<> {
        auto const result = co_await client.call_tool(tool);
        if (text_of(result).empty()) throw std::runtime_error("no text");
    };
    co_await call("log");
    handled = 0;
    auto const before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    for (auto _ : state) co_await call("log");
    auto const took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before;
    auto const count = static_cast<int>(state.iterations()) * notifications_at_a_time;
    if (handled != 2 * count) state.SkipWithError("notifications are missing");
    state.counters["each_ns"] = took * 1e9 / count;
    co_await client.stop();
}

void client_notification(benchmark::State& state) {
    if (run(measure_notifications(state)) != 0) state.SkipWithError("the client has failed");
}

BENCHMARK(client_notification);
BENCHMARK_CAPTURE(client_call, stdio, stdio_peer)->Apply(one_and_many);
BENCHMARK_CAPTURE(client_call, tcp, tcp_peer)->Apply(one_and_many);
BENCHMARK_CAPTURE(client_call, http, http_peer)->Apply(one_and_many);
BENCHMARK_CAPTURE(client_text, stdio, stdio_peer)->Apply(in_turns);
BENCHMARK_CAPTURE(client_text, tcp, tcp_peer)->Apply(in_turns);
BENCHMARK_CAPTURE(client_text, http, http_peer)->Apply(in_turns);

}  // namespace
}  // namespace lanyard::bench

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
