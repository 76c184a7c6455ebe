// Counts the allocations of a benchmark. Link count_allocations.cpp, which replaces malloc.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

#include "allocation_count.hpp"

namespace lanyard::bench {

/// Reports the allocations per iteration of the loop that follows it, as the counter "allocations".
class CountAllocations {
public:
    explicit CountAllocations(benchmark::State& state)
        : state_(state), before_(allocation_count()) {}
    ~CountAllocations() {
        state_.counters["allocations"] = benchmark::Counter(
            static_cast<double>(allocation_count() - before_), benchmark::Counter::kAvgIterations);
    }
    CountAllocations(CountAllocations const&) = delete;
    CountAllocations& operator=(CountAllocations const&) = delete;

private:
    benchmark::State& state_;
    std::uint64_t before_;
};

}  // namespace lanyard::bench
