// The codec: decoding and encoding a small tool argument, compared with the dynamic value.
#include <benchmark/benchmark.h>

#include <boost/json/object.hpp>

#include "count_allocations.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/schema_of.hpp"
#include "samples.hpp"

namespace {

using namespace lanyard;

struct Echo {
    std::string text;
    int times = 1;
    bool loud = false;
    std::vector<std::string> tags;
};
LANYARD_STRUCT(Echo, (text, "What to say"), (times, "How often", min{1}, max{5}, defaulted),
               (loud, "With emphasis", defaulted), (tags, "Labels", max_items{8}))

struct Flat {
    std::int64_t id = 0;
    double ratio = 0;
    bool active = false;
    std::optional<int> limit;
    std::string name;
};
LANYARD_STRUCT(Flat, id, ratio, active, limit, name)

constexpr std::string_view flat_text =
    R"({"id":12345,"ratio":0.5,"active":true,"limit":10,"name":"short"})";

std::string echo_text() {
    auto const call = bench::call_message();
    json::Document document;
    return std::string(document.parse(call)->find("params")->find("arguments")->raw());
}

void decode_arguments(benchmark::State& state) {
    auto const text = echo_text();
    json::Document document;
    auto const view = *document.parse(text);
    bench::CountAllocations const count(state);
    for (auto _ : state) benchmark::DoNotOptimize(decode<Echo>(view));
}

void decode_flat(benchmark::State& state) {
    json::Document document;
    auto const view = *document.parse(flat_text);
    bench::CountAllocations const count(state);
    for (auto _ : state) benchmark::DoNotOptimize(decode<Flat>(view));
}

void parse_and_decode_flat(benchmark::State& state) {
    json::Document document;
    bench::CountAllocations const count(state);
    for (auto _ : state) benchmark::DoNotOptimize(decode<Flat>(*document.parse(flat_text)));
}

void encode_arguments(benchmark::State& state) {
    auto const value = *decode_text<Echo>(echo_text());
    std::string out;
    bench::CountAllocations const count(state);
    for (auto _ : state) {
        out.clear();
        json::Writer writer(out);
        encode(writer, value);
        benchmark::DoNotOptimize(out.data());
    }
}

void encode_flat(benchmark::State& state) {
    auto const value = *decode_text<Flat>(flat_text);
    std::string out;
    bench::CountAllocations const count(state);
    for (auto _ : state) {
        out.clear();
        json::Writer writer(out);
        encode(writer, value);
        benchmark::DoNotOptimize(out.data());
    }
}

void refuse_arguments(benchmark::State& state) {
    json::Document document;
    auto const view = *document.parse(R"({"text":"a","times":9,"tags":[]})");
    bench::CountAllocations const count(state);
    for (auto _ : state) benchmark::DoNotOptimize(decode<Echo>(view));
}

void arguments_as_tree(benchmark::State& state) {
    auto const text = echo_text();
    json::Document document;
    auto const view = *document.parse(text);
    bench::CountAllocations const count(state);
    for (auto _ : state) benchmark::DoNotOptimize(view.to_json());
}

void make_schema(benchmark::State& state) {
    bench::CountAllocations const count(state);
    for (auto _ : state) benchmark::DoNotOptimize(schema_of<Echo>());
}

}  // namespace

BENCHMARK(decode_arguments);
BENCHMARK(arguments_as_tree);
BENCHMARK(encode_arguments);
BENCHMARK(decode_flat);
BENCHMARK(parse_and_decode_flat);
BENCHMARK(encode_flat);
BENCHMARK(refuse_arguments);
BENCHMARK(make_schema);

BENCHMARK_MAIN();
