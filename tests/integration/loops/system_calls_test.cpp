// The loop's watch adds no system call to a call: counted with ptrace, over stdio.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lanyard/server.hpp"
#include "lanyard/transport/stdio.hpp"
#include "support/sanitized.hpp"
#include "support/system_calls.hpp"

namespace lanyard {
namespace {

constexpr std::uint64_t calls = 2'000;

[[noreturn]] void serve() {
    Server server("loops", "1");
    server.tool(
        "quick", "Answers at once", [] { return std::string("quick"); }, ToolOptions().inline_());
    _exit(server.run(stdio()));
}

class CountedServer {
public:
    CountedServer() {
        send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})");
        receive();
        send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }
    ~CountedServer() {
        close(in_[1]);
        close(out_[0]);
    }
    CountedServer(CountedServer const&) = delete;
    CountedServer& operator=(CountedServer const&) = delete;

    bool works() const noexcept { return server_.works(); }
    // Sends requests, each after the answer to the one before. Returns the system calls of the
    // server meanwhile.
    test::SystemCalls::Counts count(std::string const& method, std::string const& params) {
        auto const before = server_.counts();
        for (std::uint64_t i = 1; i <= calls; ++i) {
            send(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":")" + method +
                 R"(","params":)" + params + "}");
            receive();
        }
        auto counts = server_.counts();
        for (auto const& [number, count] : before) counts[number] -= count;
        return counts;
    }

private:
    static std::array<int, 2> make_pipe() {
        std::array<int, 2> ends{};
        EXPECT_EQ(pipe(ends.data()), 0);
        return ends;
    }
    void send(std::string text) const {
        text.push_back('\n');
        EXPECT_EQ(write(in_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void receive() const {
        char buffer[4096];
        for (char last = 0; last != '\n';) {
            pollfd waiting{out_[0], POLLIN, 0};
            ASSERT_EQ(poll(&waiting, 1, 60'000), 1);
            auto const got = read(out_[0], buffer, sizeof buffer);
            ASSERT_GT(got, 0);
            last = buffer[got - 1];
        }
    }

    std::array<int, 2> in_ = make_pipe();
    std::array<int, 2> out_ = make_pipe();
    test::SystemCalls server_{[this] {
        dup2(in_[0], STDIN_FILENO);
        dup2(out_[1], STDOUT_FILENO);
        for (int const end : {in_[0], in_[1], out_[0], out_[1]}) close(end);
        serve();
    }};
};

TEST(SystemCallsOfACall, are_those_of_the_transport) {
    if (test::sanitized) return;  // sanitizers make system calls of their own
    CountedServer server;
    if (!server.works()) GTEST_SKIP() << "the system does not allow tracing";
    std::string const call = R"({"name":"quick"})";
    server.count("tools/call", call);
    // A ping uses the transport in the same way, but runs no user code.
    auto of_pings = server.count("ping", "{}");
    auto of_calls = server.count("tools/call", call);
    // The watch sleeps a few milliseconds at a time, independently of the calls.
    of_pings.erase(SYS_clock_nanosleep);
    of_calls.erase(SYS_clock_nanosleep);
    auto const each = [](std::uint64_t count) {
        return static_cast<double>(count) / static_cast<double>(calls);
    };
    // The watch falls asleep if the machine is so slow that there is no call for a while; the next
    // call wakes it. This is the reason for the margin.
    constexpr double rare = 0.02;
    for (auto const& [number, count] : of_calls) {
        EXPECT_NEAR(each(count), each(of_pings[number]), rare) << "system call " << number;
    }
    EXPECT_NEAR(each(of_calls[SYS_read]), 1, rare);
    EXPECT_NEAR(each(of_calls[SYS_write]), 1, rare);
}

}  // namespace
}  // namespace lanyard
