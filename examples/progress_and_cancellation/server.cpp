// Tools that take their time: one is a coroutine, one a plain function. Both say how far they are,
// and both stop when nobody wants the answer any more.
#include <atomic>
#include <chrono>
#include <thread>

#include <lanyard/server.hpp>
#include <lanyard/time_source.hpp>

using namespace std::chrono_literals;

struct Steps {
    int steps = 0;
};
LANYARD_STRUCT(Steps, (steps, "How many steps to take", lanyard::min{1}))

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

// A coroutine waits without a thread. A cancelled call unwinds from where it waits.
lanyard::Task<Done> walk(Steps in, lanyard::Context& context) {
    Witness witness;
    for (int step = 1; step <= in.steps; ++step) {
        co_await lanyard::sleep_until(lanyard::real_time(), lanyard::real_time().now() + 1ms);
        co_await context.progress(step, in.steps, "walking");
    }
    witness.done = true;
    Done done{in.steps};
    co_return done;
}

// A plain function runs in a thread of its own while it is slow, and asks whether to go on.
Done run(Steps in, lanyard::Context& context) {
    Witness witness;
    for (int step = 1; step <= in.steps; ++step) {
        if (context.cancelled()) throw lanyard::ToolError("stopped on the way");
        std::this_thread::sleep_for(1ms);
        context.report(step, in.steps, "running");
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
