// URI templates: parsing, expanding and matching, with hostile URIs and ordinary ones; and base64,
// which encodes every blob.
#include <benchmark/benchmark.h>

#include <string>

#include "lanyard/base64.hpp"
#include "lanyard/uri_template.hpp"

namespace {

using namespace lanyard;

constexpr auto rows_template = "db://{table}/{id}{?columns}";
constexpr auto rows_uri = "db://customers/4711?columns=name";

void per_byte(benchmark::State& state, std::size_t bytes) {
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(bytes));
}

void uri_template_parse(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(UriTemplate::parse(rows_template).has_value());
}
BENCHMARK(uri_template_parse);

void uri_template_expand(benchmark::State& state) {
    auto const rows = UriTemplate::parse(rows_template).value();
    auto const variables = rows.match(rows_uri).value();
    for (auto _ : state) benchmark::DoNotOptimize(rows.expand(variables).has_value());
}
BENCHMARK(uri_template_expand);

void uri_template_match(benchmark::State& state) {
    auto const rows = UriTemplate::parse(rows_template).value();
    for (auto _ : state) benchmark::DoNotOptimize(rows.match(rows_uri).has_value());
}
BENCHMARK(uri_template_match);

// The most frequent case of a server with many templates: the URI belongs to another template.
void uri_template_mismatch(benchmark::State& state) {
    auto const rows = UriTemplate::parse(rows_template).value();
    for (auto _ : state) benchmark::DoNotOptimize(rows.match("file:///etc/hosts").has_value());
}
BENCHMARK(uri_template_mismatch);

void match_megabyte(benchmark::State& state, std::string_view text, std::string_view begin,
                    std::string_view repeated, std::string_view end) {
    auto const parsed = UriTemplate::parse(text).value();
    std::string uri(begin);
    while (uri.size() < 1'000'000) uri += repeated;
    uri += end;
    for (auto _ : state) benchmark::DoNotOptimize(parsed.match(uri).has_value());
    per_byte(state, uri.size());
}
BENCHMARK_CAPTURE(match_megabyte, commas, "{/id*}", "/", ",", "");
BENCHMARK_CAPTURE(match_megabyte, segments, "{/id*}", "", "/segment", "");
BENCHMARK_CAPTURE(match_megabyte, broken_segments, "{/id*}", "", "/a", "|");
BENCHMARK_CAPTURE(match_megabyte, path, "file:///{+path}", "file:///", "folder/", "");
BENCHMARK_CAPTURE(match_megabyte, ambiguous, "{a}x{b}x{c}y", "", "x", "");

void base64_encode(benchmark::State& state) {
    std::string const bytes(static_cast<std::size_t>(state.range(0)), 'x');
    for (auto _ : state) benchmark::DoNotOptimize(base64::encode(bytes).data());
    per_byte(state, bytes.size());
}
BENCHMARK(base64_encode)->Arg(1'000)->Arg(10'000'000);

void base64_decode(benchmark::State& state) {
    auto const text = base64::encode(std::string(static_cast<std::size_t>(state.range(0)), 'x'));
    for (auto _ : state) benchmark::DoNotOptimize(base64::decode(text)->data());
    per_byte(state, text.size());
}
BENCHMARK(base64_decode)->Arg(1'000)->Arg(10'000'000);

}  // namespace
