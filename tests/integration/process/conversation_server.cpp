// The server of these tests: tools that answer, report progress, ask, and wait.
#include <fstream>

#include "conversation.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "lanyard/transport/stdio.hpp"

namespace {

using lanyard::Context;
using lanyard::Task;
using lanyard::test::Sure;
using lanyard::test::Text;

std::string echo(Text in) {
    return in.text;
}

Task<std::string> report(Text in, Context& context) {
    for (int i = 1; i <= 3; ++i) {
        context.report_progress(i, 3);
        co_await context.yield();
    }
    co_return in.text;
}

Task<std::string> ask(Text in, Context& context) {
    auto const sure = co_await context.elicit<Sure>("sure", "Go on?");
    if (!sure || !sure->really) throw lanyard::ToolError("declined");
    co_return in.text;
}

// Does not return before its connection has ended.
Task<std::string> hang(Text in) {
    co_await lanyard::sleep_until(lanyard::real_time(), lanyard::TimePoint::max());
    co_return in.text;
}

// Reports progress, then waits until a byte is written to the pipe of this name.
std::string wait(Text in, Context& context) {
    context.report_progress(1);
    std::ifstream(in.text).get();
    return in.text;
}

Task<std::string> wait_in_coroutine(Text in, Context& context) {
    co_return wait(std::move(in), context);
}

}  // namespace

int main(int argc, char** argv) {
    // With --with-waits the server's time does not advance, so that no timeout ends a waiting
    // handler.
    bool const with_waits = argc > 1 && std::string_view(argv[1]) == "--with-waits";
    lanyard::testing::FakeTime still;
    lanyard::ServerOptions options;
    if (with_waits) options.time(still);
    lanyard::Server server("conversation", "1", options);
    server.tool("ask", "Asks the user first", ask);
    server.tool("echo", "Returns its text", echo);
    server.tool("report", "Reports progress", report);
    if (with_waits) {
        server.tool("wait", "Waits for a pipe", wait, lanyard::ToolOptions().blocking());
        server.tool("block", "Waits for a pipe on the event loop", wait,
                    lanyard::ToolOptions().inline_());
        server.tool("doze", "Waits for a pipe in a coroutine", wait_in_coroutine,
                    lanyard::ToolOptions().timeout(std::chrono::minutes(1)));
    } else if (argc > 1) {
        server.tool("hang", "Waits for the end", hang);
    }
    return server.run(lanyard::stdio());
}
