// Fails one call to the system in each run of a scenario. LANYARD_TORTURE_SEED selects which runs
// the short form does; LANYARD_TEST_LONG=1 does all of them. LANYARD_TORTURE=SCENARIO:KIND:K
// repeats one run, with the stacks of leaks on stderr; K may be "all" or a range as in
// "17-30" or, with steps of 5, "17-300/5".
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "torture/runner.hpp"

namespace lanyard::torture {
namespace {

constexpr int short_runs = 50;

std::string name_of_run(Scenario const& scenario, Kind kind, std::uint64_t k) {
    return std::string(scenario.name) + ":" + std::string(name_of(kind)) + ":" + std::to_string(k);
}

// The scenarios in which every failed allocation is survived. For the others this is not known, or
// some are not survived.
bool survives_malloc(Scenario const& scenario) {
    constexpr std::array<std::string_view, 8> names = {"correlator", "dispatch", "files", "child",
                                                       "tcp",        "memory",   "unix",  "pool"};
    return std::ranges::find(names, scenario.name) != names.end();
}

// Fails the test if the run has a fault. Returns whether it has none.
bool expect_fine(Scenario const& scenario, Kind kind, std::uint64_t k) {
    auto const outcome = run(scenario, kind, k);
    auto const name = name_of_run(scenario, kind, k);
    EXPECT_EQ(outcome.fault, "") << "in scenario " << scenario.name << " when " << name_of(kind)
                                 << " call " << k
                                 << " fails; repeat it with LANYARD_TORTURE=" << name;
    return outcome.fault.empty();
}

// The number of calls of each kind.
std::array<std::uint64_t, kind_count> counted(Scenario const& scenario) {
    warm_up(scenario);
    auto outcome = count(scenario);
    EXPECT_EQ(outcome.fault, "") << "in scenario " << scenario.name << " without a failure";
    if (!survives_malloc(scenario)) outcome.calls[static_cast<std::size_t>(Kind::malloc)] = 0;
    return outcome.calls;
}

bool long_run() {
    return std::getenv("LANYARD_TEST_LONG") != nullptr;
}

class Torture : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Torture, every_failure_is_survived) {
    if (!long_run()) return;
    auto const& scenario = scenarios()[GetParam()];
    auto const calls = counted(scenario);
    std::uint64_t runs = 0;
    std::uint64_t fine = 0;
    for (std::size_t i = 0; i < kind_count; ++i) {
        for (std::uint64_t k = 1; k <= calls[i]; ++k, ++runs) {
            if (expect_fine(scenario, static_cast<Kind>(i), k)) ++fine;
        }
    }
    std::cout << "COUNT: torture, " << scenario.name << " " << fine << "/" << runs << "\n";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Torture, ::testing::Range(std::size_t{0}, scenarios().size()),
                         [](auto const& info) {
                             return std::string(scenarios()[info.param].name);
                         });

TEST(TortureSample, random_failures_are_survived) {
    if (long_run()) return;
    auto const* const given = std::getenv("LANYARD_TORTURE_SEED");
    auto const seed = given != nullptr ? std::stoull(given) : std::random_device()();
    std::cout << "LANYARD_TORTURE_SEED=" << seed << std::endl;
    std::mt19937_64 random(seed);
    // The runs of each scenario follow each other, since each process can count only one.
    std::vector<int> runs(scenarios().size());
    for (int i = 0; i < short_runs; ++i) ++runs[random() % runs.size()];
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto const& scenario = scenarios()[i];
        auto const calls = counted(scenario);
        for (int j = 0; j < runs[i]; ++j) {
            auto kind = random() % kind_count;
            while (calls[kind] == 0) kind = (kind + 1) % kind_count;
            expect_fine(scenario, static_cast<Kind>(kind), 1 + random() % calls[kind]);
        }
    }
}

// The runner detects what it is meant to detect.

void crash() {
    auto const fail = []() noexcept { delete new std::string(100, 'x'); };
    fail();
}

void leak() {
    auto* const lost = std::malloc(77);
    delete new std::string(100, 'x');
    if (lost != nullptr && !injector::fired()) std::free(lost);
}

void hang() {
    try {
        delete new std::string(100, 'x');
    } catch (std::bad_alloc const&) {
        alarm(1);
        for (;;) pause();
    }
}

void keep_descriptor() {
    int ends[2];
    if (pipe(ends) != 0) return;
    try {
        delete new std::string(100, 'x');
        close(ends[0]);
    } catch (std::bad_alloc const&) {
        // The read end stays open.
    }
    close(ends[1]);
}

void harm() {
    try {
        delete new std::string(100, 'x');
    } catch (std::bad_alloc const&) {
        throw Harm{"planted"};
    }
}

std::string fault_of(void (*run_it)(), std::uint64_t k) {
    Scenario const scenario{"planted", run_it};
    EXPECT_EQ(count(scenario).fault, "");
    auto const outcome = run(scenario, Kind::malloc, k);
    EXPECT_TRUE(outcome.fired || outcome.fault.find("signal") != std::string::npos ||
                outcome.fault.find("hang") != std::string::npos);
    return outcome.fault;
}

TEST(TortureSelfTest, planted_faults_are_found) {
    EXPECT_NE(fault_of(crash, 1).find("std::terminate was called: std::bad_alloc"),
              std::string::npos);
    EXPECT_NE(fault_of(leak, 2).find("1 blocks of memory are not freed: 77 bytes"),
              std::string::npos);
    EXPECT_NE(fault_of(hang, 1).find("hang"), std::string::npos);
    EXPECT_NE(fault_of(keep_descriptor, 1).find("descriptors are open"), std::string::npos);
    EXPECT_EQ(fault_of(harm, 1), "harm: planted\n");
}

// Repeats the runs that LANYARD_TORTURE names, and prints how they ended.
int repeat(std::string const& what) {
    auto const first = what.find(':');
    auto const second = what.find(':', first + 1);
    auto const scenario_name = what.substr(0, first);
    auto const kind = what.substr(first + 1, second - first - 1);
    auto const k = what.substr(second + 1);
    auto const dash = k.find('-');
    bool const single = k != "all" && dash == k.npos;
    int faults = 0;
    for (auto const& scenario : scenarios()) {
        if (scenario.name != scenario_name && scenario_name != "all") continue;
        if (single) be_verbose();
        warm_up(scenario);
        auto const counts = count(scenario);
        if (!counts.fault.empty()) std::cout << scenario.name << ": " << counts.fault;
        for (std::size_t i = 0; i < kind_count; ++i) {
            if (kind_names[i] != kind && kind != "all") continue;
            auto const from = k == "all" ? 1 : std::stoull(k);
            auto to = single ? from : counts.calls[i];
            if (dash != k.npos) to = std::min<std::uint64_t>(to, std::stoull(k.substr(dash + 1)));
            double longest = 0;
            auto const slash = k.find('/');
            auto const step = slash != k.npos ? std::stoull(k.substr(slash + 1)) : 1;
            for (auto at = from; at <= to; at += step) {
                auto const outcome = run(scenario, static_cast<Kind>(i), at);
                longest = std::max(longest, outcome.seconds);
                if (outcome.fault.empty() && outcome.seconds < 2) continue;
                auto const name = name_of_run(scenario, static_cast<Kind>(i), at);
                std::cout << name << " (" << outcome.seconds << " s): " << outcome.fault
                          << std::endl;
                std::cerr << name << ", the call that failed:" << std::endl;
                injector::print_stack(outcome.failed);
                if (outcome.last[0] != nullptr) {
                    std::cerr << name << ", the end:" << std::endl;
                    injector::print_stack(outcome.last);
                }
                if (!outcome.fault.empty()) ++faults;
            }
            std::cout << scenario.name << ":" << kind_names[i] << ": " << counts.calls[i]
                      << " calls, longest run " << longest << " s" << std::endl;
        }
    }
    return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lanyard::torture

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--serve") == 0) return lanyard::torture::serve_stdio();
    if (auto const* const what = std::getenv("LANYARD_TORTURE")) {
        return lanyard::torture::repeat(what);
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
