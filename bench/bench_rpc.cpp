// JSON-RPC: reading the envelope, routing a call and writing its answer, framing, and translating
// errors. The targets are in bench/targets.txt.
#include <benchmark/benchmark.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "jsonrpc/envelope.hpp"
#include "jsonrpc/framing.hpp"
#include "jsonrpc/message_writer.hpp"
#include "lanyard/codec.hpp"
#include "lanyard/reflect.hpp"
#include "samples.hpp"
#include "wire/errors.hpp"

namespace lanyard::bench {

struct Echo {
    std::string text;
    int times = 1;
    bool loud = false;
    std::vector<std::string> tags;
};
LANYARD_STRUCT(Echo, (text, "What to say"), (times, "How often", defaulted), (loud, "", defaulted),
               (tags, "", defaulted))

namespace {

void per_byte(benchmark::State& state, std::size_t bytes) {
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(bytes));
}

void read_envelope(benchmark::State& state) {
    auto const text = state.range(0) == 0 ? call_message() : list_message();
    rpc::EnvelopeReader reader;
    for (auto _ : state) benchmark::DoNotOptimize(reader.read(text)->kind);
    per_byte(state, text.size());
}

// The work of a server for a tools/call, without a transport: method and tool are looked up by
// name, the arguments are decoded, the tool runs, the result is written.
using Methods = std::unordered_map<std::string_view, int>;

template <class Tool>
void route_and_respond(benchmark::State& state, Tool&& tool) {
    auto const text = call_message();
    Methods const methods{{"ping", 1}, {"tools/list", 2}, {"tools/call", 3}, {"prompts/get", 4}};
    Methods const tools{{"echo", 1}, {"greet", 2}, {"add", 3}};
    rpc::EnvelopeReader reader;
    std::string out;
    for (auto _ : state) {
        out.clear();
        auto const envelope = reader.read(text);
        auto const method = methods.find(envelope->method);
        auto const name = envelope->params->find("name")->plain_string();
        if (method == methods.end() || method->second != 3 || tools.find(*name) == tools.end()) {
            state.SkipWithError("not routed");
            break;
        }
        rpc::begin_result(out, *envelope->id);
        tool(*envelope->params->find("arguments"), out);
        rpc::end_message(out);
        benchmark::DoNotOptimize(out.data());
    }
    per_byte(state, text.size());
}

void write_text_result(std::string& out, std::string_view text) {
    json::Writer writer(out);
    writer.begin_object().key("content").begin_array().begin_object();
    writer.key("type").safe_string("text").key("text").string(text);
    writer.end_object().end_array().end_object();
}

void route_typed(benchmark::State& state) {
    route_and_respond(state, [&](json::View arguments, std::string& out) {
        auto const echo = decode<Echo>(arguments);
        if (!echo) return state.SkipWithError("not decoded");
        write_text_result(out, echo->text);
    });
}

void route_dynamic(benchmark::State& state) {
    route_and_respond(state, [&](json::View arguments, std::string& out) {
        auto const json = arguments.to_json();
        write_text_result(out, json.as_object().at("text").as_string());
    });
}

void route_unknown_method(benchmark::State& state) {
    auto const text = call_message();
    rpc::EnvelopeReader reader;
    std::string out;
    for (auto _ : state) {
        out.clear();
        auto const envelope = reader.read(text);
        auto const error = wire::translate(wire::Condition::method_not_found, newest_version,
                                           {.method = envelope->method});
        rpc::append_error(out, *envelope->id, error.text());
        benchmark::DoNotOptimize(out.data());
    }
}

void translate_condition(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(wire::translate(wire::Condition::resource_not_found,
                                                 newest_version, {.uri = "file:///srv/data.txt"}));
    }
}

void translate_error(benchmark::State& state) {
    Error const error(Errc::timeout, "no answer within 30 s");
    for (auto _ : state) {
        benchmark::DoNotOptimize(wire::translate(error, newest_version, system_random()));
    }
}

void translate_refusal(benchmark::State& state) {
    Refusal const refusal(RefusalReason::permission, "only admins may delete");
    for (auto _ : state) {
        benchmark::DoNotOptimize(wire::translate(refusal, newest_version, system_random()));
    }
}

// Includes the second throw that an exception_ptr needs.
void translate_exception_ptr(benchmark::State& state) {
    auto const exception = std::make_exception_ptr(Refusal(RefusalReason::permission, "no"));
    for (auto _ : state) {
        benchmark::DoNotOptimize(wire::translate(exception, newest_version, system_random()));
    }
}

void translate_peer_error(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            wire::to_error({RequestId(1), -32009, "timeout", {}}, newest_legacy_version));
    }
}

void write_request(benchmark::State& state) {
    std::string out;
    for (auto _ : state) {
        out.clear();
        rpc::append_request(out, RequestId(42), "tools/call",
                            R"({"name":"echo","arguments":{"text":"x"}})");
        benchmark::DoNotOptimize(out.data());
    }
}

// A stream of calls, read in pieces of 64 KiB; and one message of 10 MB.
void frame_lines(benchmark::State& state) {
    std::string stream;
    if (state.range(0) == 0) {
        while (stream.size() < 1'000'000) stream += call_message() + "\n";
    } else {
        stream = base64_text(10'000'000) + "\n";
    }
    rpc::LineReader reader;
    for (auto _ : state) {
        for (std::string_view rest = stream; !rest.empty();) {
            auto const chunk = rest.substr(0, 64 * 1024);
            rest.remove_prefix(chunk.size());
            reader.feed(chunk);
            while (auto const frame = reader.next()) benchmark::DoNotOptimize(frame->text.size());
        }
    }
    per_byte(state, stream.size());
}

BENCHMARK(read_envelope)->Name("read_envelope_call")->Arg(0);
BENCHMARK(read_envelope)->Name("read_envelope_list")->Arg(1);
BENCHMARK(route_typed);
BENCHMARK(route_dynamic);
BENCHMARK(route_unknown_method);
BENCHMARK(write_request);
BENCHMARK(translate_condition);
BENCHMARK(translate_error);
BENCHMARK(translate_refusal);
BENCHMARK(translate_exception_ptr);
BENCHMARK(translate_peer_error);
BENCHMARK(frame_lines)->Name("frame_calls")->Arg(0);
BENCHMARK(frame_lines)->Name("frame_large")->Arg(1);

}  // namespace
}  // namespace lanyard::bench
