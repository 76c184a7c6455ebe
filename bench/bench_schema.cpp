// JSON Schema: validating typical tool arguments, reporting their errors, and compiling.
#include <benchmark/benchmark.h>

#include "count_allocations.hpp"
#include "lanyard/json.hpp"
#include "lanyard/schema.hpp"
#include "samples.hpp"

namespace {

using namespace lanyard;

schema::Validator tool_validator() {
    return schema::Validator::compile(json::parse(bench::tool_schema).value()).value();
}

void validate_arguments(benchmark::State& state) {
    auto const validator = tool_validator();
    json::Document document;
    auto const view = document.parse(bench::tool_arguments).value();
    bench::CountAllocations const allocations(state);
    for (auto _ : state) benchmark::DoNotOptimize(validator.validate(view).has_value());
}

void validate_arguments_as_tree(benchmark::State& state) {
    auto const validator = tool_validator();
    auto const tree = json::parse(bench::tool_arguments).value();
    bench::CountAllocations const allocations(state);
    for (auto _ : state) benchmark::DoNotOptimize(validator.validate(tree).has_value());
}

void parse_and_validate_arguments(benchmark::State& state) {
    auto const validator = tool_validator();
    json::Document document;
    for (auto _ : state) {
        auto const view = document.parse(bench::tool_arguments);
        benchmark::DoNotOptimize(validator.validate(*view).has_value());
    }
}

void explain_bad_arguments(benchmark::State& state) {
    auto const validator = tool_validator();
    json::Document document;
    auto const view = document.parse(R"({"path":"a","mode":"delete","limt":5})").value();
    for (auto _ : state) benchmark::DoNotOptimize(validator.validate(view).error().to_string());
}

void compile_tool_schema(benchmark::State& state) {
    auto const tree = json::parse(bench::tool_schema).value();
    for (auto _ : state) benchmark::DoNotOptimize(schema::Validator::compile(tree).has_value());
}

// A schema of sixty alternatives and references, as is typical of protocols.
void validate_tools_list(benchmark::State& state) {
    auto const schema = json::parse(R"({
        "$defs": {
            "schema": {"type": "object", "properties": {"type": {"const": "object"},
                       "properties": {"type": "object", "additionalProperties": {"type": "object"}},
                       "required": {"type": "array", "items": {"type": "string"}}},
                       "required": ["type"]},
            "tool": {"type": "object", "properties": {"name": {"type": "string"},
                     "title": {"type": "string"}, "description": {"type": "string"},
                     "inputSchema": {"$ref": "#/$defs/schema"}},
                     "required": ["name", "inputSchema"]}
        },
        "properties": {"result": {"anyOf": [{"type": "object", "required": ["prompts"]},
            {"type": "object", "properties": {"tools": {"type": "array",
             "items": {"$ref": "#/$defs/tool"}}}, "required": ["tools"]}]}}
    })")
                            .value();
    auto const validator = schema::Validator::compile(schema).value();
    auto const text = bench::list_message();
    json::Document document;
    auto const view = document.parse(text).value();
    for (auto _ : state) benchmark::DoNotOptimize(validator.validate(view).has_value());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK(validate_arguments);
BENCHMARK(validate_arguments_as_tree);
BENCHMARK(parse_and_validate_arguments);
BENCHMARK(explain_bad_arguments);
BENCHMARK(compile_tool_schema);
BENCHMARK(validate_tools_list);

}  // namespace
