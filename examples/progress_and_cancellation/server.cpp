// Tools that take long: one is a coroutine, one a plain function. Both report progress, and both
// stop when the call is cancelled.
#include <atomic>
#include <chrono>
#include <thread>

#include <lanyard/server.hpp>
#include <lanyard/time_source.hpp>

using namespace std::chrono_literals;

struct Steps {
    int steps = 0;
};
LANYARD_STRUCT(Steps, (steps, "How many steps to take", min{1}))

struct Done {
    int steps = 0;
};
LANYARD_STRUCT(Done, steps)

std::atomic<int> interrupted = 0;

// Counts the calls that ended before they were done.
struct Witness {
    bool done = false;
    ~Witness() {
        if (!done) ++interrupted;
    }
};

// A coroutine waits without using a thread. If the call is cancelled, the pending co_await throws.
lanyard::Task<Done> walk(Steps in, lanyard::Context& context) {
    Witness witness;
    for (int step = 1; step <= in.steps; ++step) {
        co_await lanyard::sleep_for(1ms);
        context.report_progress(step, in.steps, "walking");
    }
    witness.done = true;
    Done done{in.steps};
    co_return done;
}

// A slow plain function runs in a worker thread, and checks whether it was cancelled.
Done run(Steps in, lanyard::Context& context) {
    Witness witness;
    for (int step = 1; step <= in.steps; ++step) {
        if (context.cancelled()) throw lanyard::ToolError("stopped on the way");
        std::this_thread::sleep_for(1ms);
        context.report_progress(step, in.steps, "running");
    }
    witness.done = true;
    return Done{in.steps};
}

int main() {
    lanyard::Server server{"walker", "1.0.0"};
    server.tool("walk", "Take steps, waiting between them", walk);
    server.tool("run", "Take steps in a thread", run, lanyard::ToolOptions().blocking());
    server.tool("interrupted", "How many walks and runs were cut short",
                [] { return interrupted.load(); });
    return server.run(lanyard::stdio());
}
