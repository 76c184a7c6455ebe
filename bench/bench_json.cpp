// JSON: reading and writing, compared with Boost.JSON in the same run.
#include <benchmark/benchmark.h>

#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "lanyard/json.hpp"
#include "samples.hpp"

namespace {

using namespace lanyard;

std::string result_with_text(std::string const& text) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("content").begin_array().begin_object();
    writer.key("type").string("text").key("text").string(text);
    writer.end_object().end_array().end_object();
    return out;
}

std::string sample(int index) {
    switch (index) {
        case 0:
            return bench::call_message();
        case 1:
            return bench::list_message();
        case 2:
            return result_with_text(bench::prose(1'000'000));
        default:
            return result_with_text(bench::base64_text(10'000'000));
    }
}

void per_byte(benchmark::State& state, std::size_t bytes) {
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(bytes));
}

void read_lanyard(benchmark::State& state) {
    auto const text = sample(static_cast<int>(state.range(0)));
    json::Document document;
    for (auto _ : state) benchmark::DoNotOptimize(document.parse(text).has_value());
    per_byte(state, text.size());
}

void read_boost(benchmark::State& state) {
    auto const text = sample(static_cast<int>(state.range(0)));
    std::vector<unsigned char> buffer(64 * 1024);
    for (auto _ : state) {
        boost::json::monotonic_resource memory(buffer.data(), buffer.size());
        benchmark::DoNotOptimize(boost::json::parse(text, &memory));
    }
    per_byte(state, text.size());
}

void write_tree_lanyard(benchmark::State& state) {
    auto const tree = json::parse(sample(static_cast<int>(state.range(0)))).value();
    std::string out;
    for (auto _ : state) {
        out.clear();
        json::Writer(out).value(tree);
        benchmark::DoNotOptimize(out.data());
    }
    per_byte(state, out.size());
}

void write_tree_boost(benchmark::State& state) {
    auto const tree = json::parse(sample(static_cast<int>(state.range(0)))).value();
    std::size_t bytes = 0;
    for (auto _ : state) {
        auto const out = boost::json::serialize(tree);
        bytes = out.size();
        benchmark::DoNotOptimize(out.data());
    }
    per_byte(state, bytes);
}

// Targets: 1 MB text <= 0.8 ns/B, 10 MB blob <= 0.08 ns/B.
void write_text_result(benchmark::State& state) {
    auto const text = bench::prose(1'000'000);
    std::string out;
    for (auto _ : state) {
        out.clear();
        json::Writer(out).begin_object().key("text").string(text).end_object();
        benchmark::DoNotOptimize(out.data());
    }
    per_byte(state, text.size());
    state.SetLabel("target <= 0.8 ns/B");
}

void write_blob_result(benchmark::State& state) {
    auto const blob = bench::base64_text(10'000'000);
    std::string out;
    for (auto _ : state) {
        out.clear();
        json::Writer(out).begin_object().key("blob").safe_string(blob).end_object();
        benchmark::DoNotOptimize(out.data());
    }
    per_byte(state, blob.size());
    state.SetLabel("target <= 0.08 ns/B");
}

// 0: tools/call, 1: tools/list 30 KB, 2: text 1 MB, 3: base64 10 MB
BENCHMARK(read_lanyard)->DenseRange(0, 3);
BENCHMARK(read_boost)->DenseRange(0, 3);
BENCHMARK(write_tree_lanyard)->DenseRange(0, 3);
BENCHMARK(write_tree_boost)->DenseRange(0, 3);
BENCHMARK(write_text_result);
BENCHMARK(write_blob_result);

}  // namespace

BENCHMARK_MAIN();
