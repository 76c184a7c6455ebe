// The state machines of the RPC layer: negotiation, phases, correlation, notifications, and the
// capabilities that both sides exchange.
#include <benchmark/benchmark.h>

#include <array>

#include "base/rate_limiter.hpp"
#include "count_allocations.hpp"
#include "lanyard/protocol/methods.hpp"
#include "peer/correlator.hpp"
#include "peer/inbound_requests.hpp"
#include "peer/negotiation.hpp"
#include "peer/phase.hpp"
#include "protocol/capability_check.hpp"
#include "wire/codec.hpp"

namespace {

using namespace lanyard;
using namespace lanyard::rpc;
using namespace std::chrono_literals;

using bench::CountAllocations;

// One request is begun and answered while `range` others are pending. Answers arrive in the order
// of the requests, so every request waits for `range` others.
void correlation(benchmark::State& state) {
    Correlator<void*> requests;
    TimePoint now(1h);
    std::int64_t oldest = 1;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        static_cast<void>(requests.begin("tools/call", nullptr, now));
    }
    CountAllocations const count(state);
    for (auto _ : state) {
        now += 100ns;
        auto const begun = requests.begin("tools/call", nullptr, now);
        benchmark::DoNotOptimize(begun->id);
        auto const answer = requests.answer(oldest++, Outcome::answered, now);
        benchmark::DoNotOptimize(answer.ended.continuation);
    }
}
BENCHMARK(correlation)->Arg(0)->Arg(50)->Arg(999);

// The same on the receiving side.
void inbound_request(benchmark::State& state) {
    InboundRequests<void*> requests;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        static_cast<void>(requests.begin(-1 - i, "tools/call", {}, nullptr));
    }
    std::int64_t id = 0;
    CountAllocations const count(state);
    for (auto _ : state) {
        auto const ticket = requests.begin(++id, "tools/call", {}, nullptr);
        auto const finish = requests.finish(*ticket);
        benchmark::DoNotOptimize(finish.answer);
    }
}
BENCHMARK(inbound_request)->Arg(0)->Arg(50)->Arg(999);

void version_negotiation(benchmark::State& state) {
    auto const versions = VersionSet::all();
    CountAllocations const count(state);
    for (auto _ : state) {
        auto const proposed = version_to_propose({versions, std::nullopt});
        auto const answer = answer_initialize(versions, to_string(*proposed));
        auto const accepted = accept_initialize(versions, *proposed, to_string(answer->version));
        benchmark::DoNotOptimize(accepted->version);
    }
}
BENCHMARK(version_negotiation);

// Both sides: the server reads the client's capabilities and writes its own; the client reads them
// and checks whether it may call tools.
void capability_negotiation(benchmark::State& state) {
    constexpr auto version = newest_legacy_version;
    InitializeResult offered;
    offered.protocol_version = std::string(to_string(version));
    offered.server_info.name = "bench";
    offered.server_info.version = "1";
    offered.capabilities.tools.emplace().list_changed = true;
    offered.capabilities.prompts.emplace().list_changed = true;
    offered.capabilities.resources.emplace().subscribe = true;
    offered.capabilities.logging.emplace();
    offered.capabilities.completions.emplace();
    json::Document request;
    json::Document answer;
    CountAllocations const count(state);
    for (auto _ : state) {
        auto const params = request.parse(
            R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},)"
            R"("sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}},)"
            R"("clientInfo":{"name":"bench","version":"1"}})");
        auto const asked = wire::decode_params<InitializeParams>(*params, version);
        benchmark::DoNotOptimize(asked->capabilities.sampling.has_value());
        std::string out;
        json::Writer writer(out);
        wire::ResultStamp stamp;
        wire::encode_result(writer, offered, stamp).value();
        auto const result = wire::decode_result<InitializeResult>(*answer.parse(out), version);
        auto const may_call =
            protocol::check_capability(methods::CallTool::info, result->capabilities, version);
        benchmark::DoNotOptimize(may_call.has_value());
    }
}
BENCHMARK(capability_negotiation);

// One transition in the cycle of a client that keeps reconnecting; with an observer.
void phase_transition(benchmark::State& state) {
    using enum ClientPhase;
    constexpr std::array circle{initializing, initialized, error, pre_initialization};
    PhaseMachine<ClientPhase> machine(TimePoint(1h));
    std::uint64_t heard = 0;
    machine.observe([&heard](auto const&) { ++heard; });
    TimePoint now(1h);
    std::size_t i = 0;
    CountAllocations const count(state);
    for (auto _ : state) {
        auto const entered = machine.enter(circle[i++ % circle.size()], now);
        benchmark::DoNotOptimize(entered.has_value());
    }
    benchmark::DoNotOptimize(heard);
}
BENCHMARK(phase_transition);

void keyed_rate_limit(benchmark::State& state) {
    KeyedRateLimiter limiter;
    std::vector<std::string> keys;
    for (int i = 0; i < 1'000; ++i) keys.push_back("principal-" + std::to_string(i));
    TimePoint now(1h);
    std::size_t i = 0;
    for (auto _ : state) {
        now += 1us;
        benchmark::DoNotOptimize(limiter.take(keys[i++ % keys.size()], now));
    }
}
BENCHMARK(keyed_rate_limit);

}  // namespace
