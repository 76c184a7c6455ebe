// A child process whose behaviour is chosen by its first argument; see child_process_test.cpp and
// stdio_test.cpp.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lanyard/task.hpp"
#include "lanyard/transport/stdio.hpp"

namespace {

int echo() {
    for (std::string line; std::getline(std::cin, line);) std::cout << line << std::endl;
    return 0;
}

// Sends its descriptors, working directory, a variable and the process group, one message each.
int tell() {
    std::string open;
    for (int number = 0; number < 1024; ++number) {
        if (fcntl(number, F_GETFD) >= 0) open += std::to_string(number) + " ";
    }
    char const* variable = std::getenv("LANYARD_TEST_VARIABLE");
    std::cout << open << '\n'
              << std::filesystem::current_path().string() << '\n'
              << (variable != nullptr ? variable : "(unset)") << '\n'
              << (getpgrp() == getpid() ? "own group" : "foreign group") << std::endl;
    return 0;
}

int write_much_to_stderr() {
    std::string const line(1023, 'e');
    for (int i = 0; i < 10 * 1024; ++i) std::cerr << line << '\n';
    std::cerr << "the last line" << std::endl;
    return echo();
}

// Ignores SIGTERM and the end of its input, and so does the process it starts.
int stubborn() {
    std::signal(SIGTERM, SIG_IGN);
    pid_t const grandchild = fork();
    if (grandchild == 0) {
        for (;;) pause();
    }
    std::cout << grandchild << std::endl;
    for (;;) pause();
}

int crash() {
    rlimit const no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer may have set a handler
    std::raise(SIGSEGV);
    return 0;
}

// Closes its output and continues to run until its input ends.
int mute() {
    close(STDOUT_FILENO);
    for (std::string line; std::getline(std::cin, line);) continue;
    return 0;
}

class Echo final : public lanyard::Endpoint {
public:
    lanyard::Task<> serve(std::unique_ptr<lanyard::Transport> transport) override {
        std::printf("a stray print\n");
        lanyard::rpc::Outbox outbox;
        while (auto const frames = co_await transport->read()) {
            for (auto const& frame : *frames) {
                outbox.begin().append(frame.text);
                outbox.end();
            }
            try {
                co_await transport->write(outbox);
            } catch (std::exception const&) {
                break;
            }
        }
        transport->close();
    }
};

lanyard::Task<int> serve() {
    auto const listener = lanyard::stdio();
    Echo endpoint;
    co_await listener->run(endpoint);
    co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::string const mode = argc > 1 ? argv[1] : "";
    if (mode == "echo") return echo();
    if (mode == "tell") return tell();
    if (mode == "stderr") return write_much_to_stderr();
    if (mode == "print" && argc > 2) {
        std::cerr << argv[2] << std::flush;
        return echo();
    }
    if (mode == "stubborn") return stubborn();
    if (mode == "crash") return crash();
    if (mode == "leave") return 7;
    if (mode == "mute") return mute();
    if (mode == "serve") return lanyard::run(serve());
    if (mode == "fail") {
        std::cerr << "cannot find my configuration" << std::endl;
        return 3;
    }
    return 64;
}
