// The simulator's program: runs seeds and prints how to replay one that fails.
//
//     simulate [--seeds COUNT] [--first SEED]   runs many seeds, on all cores
//     simulate --seed SEED [--trace]            runs one seed, and prints what happens
//     simulate --self-test                      shows that defects are found and replay is exact
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "world.hpp"

namespace lanyard::simulation {
namespace {

std::string program;
thread_local std::uint64_t running_seed = 0;

// The seed also selects the kind of world.
Outcome simulate(std::uint64_t seed, bool prints) {
    running_seed = seed;
    return seed % 2 == 0 ? simulate_engines(seed, prints) : simulate_sessions(seed, prints);
}

// A crash ends the program, so the seed that caused it is printed.
void on_crash(int signal_number) {
    std::array<char, 160> text{};
    auto const size =
        std::snprintf(text.data(), text.size(),
                      "\nsimulation: signal %d in seed %llu; replay: %s --seed %llu --trace\n",
                      signal_number, static_cast<unsigned long long>(running_seed), program.c_str(),
                      static_cast<unsigned long long>(running_seed));
    [[maybe_unused]] auto const written =
        ::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(size));
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

void report(std::uint64_t seed, Outcome const& outcome) {
    std::cerr << "seed " << seed << " FAILED: " << outcome.violation << "\n  replay: " << program
              << " --seed " << seed << " --trace\n";
}

int run_one(std::uint64_t seed, bool prints) {
    auto const outcome = simulate(seed, prints);
    if (!outcome.violation.empty()) report(seed, outcome);
    std::cout << "seed " << seed << ": " << outcome.steps << " steps, trace " << std::hex
              << outcome.hash << std::dec << '\n';
    return outcome.violation.empty() ? 0 : 1;
}

int run_many(std::uint64_t first, std::uint64_t count) {
    auto const begin = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> next = 0;
    std::atomic<std::uint64_t> passed = 0;
    std::atomic<std::uint64_t> steps = 0;
    std::atomic<std::uint64_t> failed = 0;
    std::mutex output;
    auto const work = [&] {
        // A few failing seeds are enough.
        while (failed < 5) {
            auto const at = next.fetch_add(1);
            if (at >= count) return;
            auto const outcome = simulate(first + at, false);
            steps += outcome.steps;
            if (outcome.violation.empty()) {
                ++passed;
                continue;
            }
            ++failed;
            std::lock_guard const lock(output);
            report(first + at, outcome);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
        threads.emplace_back(work);
    }
    for (auto& thread : threads) thread.join();
    auto const taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin);
    std::printf("COUNT: simulation %llu/%llu seeds, %llu steps (%.0f s)\n",
                static_cast<unsigned long long>(passed), static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(steps), taken.count());
    return passed == count ? 0 : 1;
}

// Searches for a seed whose world detects the defect; returns false if none of many does.
bool finds(char const* name, Defect defect, Outcome (*world)(std::uint64_t, bool, Defect)) {
    constexpr std::uint64_t enough = 3000;
    for (std::uint64_t seed = 0; seed < enough; ++seed) {
        auto const outcome = world(seed, false, defect);
        if (outcome.violation.empty()) continue;
        std::cout << "defect " << static_cast<int>(defect) << " of " << name << " is found by seed "
                  << seed << ": " << outcome.violation << '\n';
        return true;
    }
    std::cerr << "defect " << static_cast<int>(defect) << " of " << name << " is not found in "
              << enough << " seeds\n";
    return false;
}

int self_test() {
    bool good = true;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        auto const once = simulate(seed, false);
        auto const again = simulate(seed, false);
        if (once.hash != again.hash || once.steps != again.steps) {
            std::cerr << "seed " << seed << " goes another way when it is replayed\n";
            good = false;
        }
    }
    for (auto defect = 1; defect <= static_cast<int>(Defect::queues_without_bound); ++defect) {
        good = finds("engines", static_cast<Defect>(defect), simulate_engines) && good;
    }
    for (auto const defect :
         {Defect::answers_twice, Defect::swaps_answers, Defect::forgets_a_handler,
          Defect::forgets_subscriptions, Defect::never_pings, Defect::never_reconnects}) {
        good = finds("sessions", defect, simulate_sessions) && good;
    }
    return good ? 0 : 1;
}

int usage() {
    std::cerr << "usage: simulate [--seeds COUNT] [--first SEED] | --seed SEED [--trace] |"
                 " --self-test\n";
    return 64;
}

int run(std::vector<std::string> const& arguments) {
    std::uint64_t count = 1000;
    std::uint64_t first = 0;
    bool single = false;
    bool prints = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto const& argument = arguments[i];
        if (argument == "--self-test") return self_test();
        if (argument == "--trace") {
            prints = true;
            continue;
        }
        if (i + 1 == arguments.size()) return usage();
        auto const number = std::strtoull(arguments[++i].c_str(), nullptr, 10);
        if (argument == "--seeds") {
            count = number;
        } else if (argument == "--first" || argument == "--seed") {
            first = number;
            single = single || argument == "--seed";
        } else {
            return usage();
        }
    }
    // `make test-long` runs more seeds.
    if (char const* const is_long = std::getenv("LANYARD_TEST_LONG");
        is_long != nullptr && !single) {
        count *= 20;
    }
    return single ? run_one(first, prints) : run_many(first, count);
}

}  // namespace
}  // namespace lanyard::simulation

int main(int argc, char** argv) {
    using namespace lanyard::simulation;
    program = argv[0];
    for (int const number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
        std::signal(number, on_crash);
    return run({argv + 1, argv + argc});
}
