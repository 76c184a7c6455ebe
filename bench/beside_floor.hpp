// Reports measurements together with a floor: the least possible work, measured in the same run.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

namespace lanyard::bench {

/// Reports a figure in microseconds with its floor, in the format that tools/bench reads.
inline void report_beside_floor(benchmark::State& state, double value, double floor,
                                std::string const& figure = "cpu_us") {
    state.counters[figure] = value;
    state.counters["floor_us"] = floor;
    state.counters["ratio"] = value / floor;
}

/// Calls both functions, which return microseconds, alternately. The minimum of each counts,
/// because other work on the machine can only add time. Returns the minimum of the first.
template <class Measured, class Floor>
double measure_beside_floor(benchmark::State& state, Measured const& measured, Floor const& floor,
                            std::string const& figure = "cpu_us") {
    double least = 1e9;
    double least_floor = 1e9;
    for (auto _ : state) {
        least_floor = std::min(least_floor, floor());
        least = std::min(least, measured());
    }
    report_beside_floor(state, least, least_floor, figure);
    return least;
}

}  // namespace lanyard::bench
