// The server for the chaos tests and the tests on every carrier, on stdio or at the given address.
#include <iostream>

#include <unistd.h>

#include "lanyard/server.hpp"
#include "lanyard/transport/stdio.hpp"
#include "lanyard/transport/stream.hpp"
#include "load.hpp"
#include "support/talker.hpp"
#include "support/turns.hpp"

namespace {

using lanyard::Task;
using lanyard::chaos::Text;

Task<std::string> echo(Text in) {
    co_return in.text;
}

Task<std::string> slow(Text in) {
    auto& time = lanyard::real_time();
    co_await lanyard::sleep_for(time, std::chrono::milliseconds(2));
    co_return in.text;
}

Task<std::string> process_id(Text) {
    co_return std::to_string(getpid());
}

}  // namespace

int main(int argc, char** argv) {
    lanyard::Server server("chaos", "1");
    server.tool("echo", "Returns its text", echo);
    server.tool("slow", "Returns its text a little later", slow);
    server.tool("process", "The number of its process", process_id);
    lanyard::test::add_talker(server);
    lanyard::test::add_turns(server);
    if (argc == 1) return server.run(lanyard::stdio());
    auto listener = lanyard::listen(argv[1], lanyard::StreamServerOptions());
    // The parent process reads the port.
    std::cout << listener->port() << std::endl;
    return server.run(std::move(listener));
}
