#include "torture/runner.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "runtime/line_writer.hpp"

namespace lanyard::torture {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using injector::Exempt;

// A run that takes longer hangs. The timeouts of the scenarios are much shorter.
constexpr unsigned guard_seconds = 30;
// How long threads, child processes and connections may take to end after a scenario.
constexpr auto patience = 5s;

bool verbose = false;

// What the child process reports, in memory that it shares with its parent.
struct Report {
    std::array<char, 2048> fault{};
    std::array<std::uint64_t, kind_count> calls{};
    bool fired = false;
    injector::Stack failed{};
    injector::Stack last{};

    // Appends a fault. Needs no memory.
    void add(char const* format, ...) __attribute__((format(printf, 2, 3))) {
        auto const used = std::strlen(fault.data());
        va_list more;
        va_start(more, format);
        std::vsnprintf(fault.data() + used, fault.size() - used, format, more);
        va_end(more);
    }
};

Report* report = nullptr;

std::size_t entries_of(char const* folder) noexcept {
    Exempt const own;
    auto* const stream = opendir(folder);
    if (stream == nullptr) return 0;
    std::size_t count = 0;
    while (readdir(stream) != nullptr) ++count;
    closedir(stream);
    return count;
}

std::size_t descriptors() noexcept {
    return entries_of("/proc/self/fd");
}

std::size_t threads() noexcept {
    return entries_of("/proc/self/task") - 2;  // without "." and ".."
}

// Waits until the condition holds.
template <class F>
bool soon(F const& condition) {
    auto const end = Clock::now() + patience;
    while (!condition()) {
        if (Clock::now() > end) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

[[noreturn]] void on_terminate() {
    injector::disarm();
    Exempt const own;
    char const* what = "no exception";
    try {
        if (std::current_exception()) throw;
    } catch (std::exception const& error) {
        what = error.what();
    } catch (...) {
        what = "an unknown exception";
    }
    report->add("std::terminate was called: %s\n", what);
    injector::take_stack(report->last);
    std::abort();
}

void on_signal(int number) {
    injector::take_stack(report->last);
    std::signal(number, SIG_DFL);
    std::raise(number);
}

void check_blocks() {
    std::array<injector::Block, 8> blocks{};
    auto const all = injector::live_blocks(blocks.data(), blocks.size());
    if (all == 0) return;
    report->add("%zu blocks of memory are not freed:", all);
    for (std::size_t i = 0; i < std::min(all, blocks.size()); ++i) {
        report->add(" %zu bytes (allocation %llu);", blocks[i].bytes,
                    static_cast<unsigned long long>(blocks[i].number));
        if (verbose) {
            std::fprintf(stderr, "block of %zu bytes:\n", blocks[i].bytes);
            injector::print_stack_of(blocks[i].memory);
        }
    }
    report->add("\n");
}

void run_caught(Scenario const& scenario) {
    try {
        scenario.run();
    } catch (Harm const& harm) {
        injector::disarm();
        Exempt const own;
        report->add("harm: %s\n", harm.text.c_str());
    } catch (std::exception const& error) {
        injector::disarm();
        if (verbose) std::fprintf(stderr, "the scenario ended with: %s\n", error.what());
        if (!injector::fired()) report->add("no call failed, but it threw: %s\n", error.what());
    } catch (...) {
        injector::disarm();
        report->add("it threw an exception that is not a std::exception\n");
    }
}

[[noreturn]] void be_child(Scenario const& scenario, Kind kind, std::uint64_t k) {
    std::set_terminate(on_terminate);
    injector::keep_stack(report->failed);
    for (auto const number : {SIGSEGV, SIGBUS, SIGALRM}) std::signal(number, on_signal);
    if (!verbose) {
        int const nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nothing, STDERR_FILENO);
        ::close(nothing);
    } else {
        injector::show_stacks();
        std::fprintf(stderr, "run %s:%s:%llu\n", std::string(scenario.name).c_str(),
                     std::string(name_of(kind)).c_str(), static_cast<unsigned long long>(k));
    }
    alarm(guard_seconds);
    auto const before = descriptors();
    injector::track();
    injector::arm(kind, k);
    run_caught(scenario);
    for (std::size_t i = 0; i < kind_count; ++i) {
        report->calls[i] = injector::calls(static_cast<Kind>(i));
    }
    injector::disarm();
    report->fired = injector::fired();
    if (!soon([] { return threads() == 1; })) {
        report->add("%zu threads are still running\n", threads() - 1);
    }
    if (!soon([] { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; })) {
        report->add("a child process is left\n");
    }
    if (!soon([&] { return descriptors() == before; })) {
        report->add("%zu descriptors are open, %zu were before\n", descriptors(), before);
    }
    // The errors that OpenSSL has recorded for this thread.
    OPENSSL_thread_stop();
    injector::stop_tracking();
    check_blocks();
    _exit(0);
}

Outcome run_child(Scenario const& scenario, Kind kind, std::uint64_t k) {
    if (report == nullptr) {
        auto* const shared = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) throw std::runtime_error("mmap");
        report = static_cast<Report*>(shared);
    }
    new (report) Report();
    // Threads would be missing in the child process, with the locks that they hold.
    if (!soon([] { return threads() == 1; })) throw std::runtime_error("threads are left");
    auto const begin = Clock::now();
    auto const child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) be_child(scenario, kind, k);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    Outcome outcome;
    outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (WIFSIGNALED(status)) {
        auto const signal = WTERMSIG(status);
        if (signal == SIGALRM) {
            report->add("hang: it did not end in %u s\n", guard_seconds);
        } else {
            report->add("crash: signal %d (%s)\n", signal, strsignal(signal));
        }
    } else if (WEXITSTATUS(status) != 0) {
        report->add("it ended with exit code %d\n", WEXITSTATUS(status));
    }
    outcome.fault = report->fault.data();
    outcome.fired = report->fired;
    outcome.calls = report->calls;
    outcome.failed = report->failed;
    outcome.last = report->last;
    return outcome;
}

}  // namespace

void be_verbose() noexcept {
    verbose = true;
}

void warm_up(Scenario const& scenario) {
    injector::disarm();
    runtime::standard_error();
    for (int i = 0; i < 2; ++i) scenario.run();
}

Outcome count(Scenario const& scenario) {
    return run_child(scenario, Kind::malloc, 0);
}

Outcome run(Scenario const& scenario, Kind kind, std::uint64_t k) {
    return run_child(scenario, kind, k);
}

}  // namespace lanyard::torture
