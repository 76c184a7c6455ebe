// As blocked_handler_test.cpp, over stdio: a server in a child process, with concurrent calls.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lanyard/reflect.hpp"
#include "lanyard/server.hpp"
#include "lanyard/transport/stdio.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Pause {
    int ms = 0;
};
LANYARD_STRUCT(Pause, ms)

[[noreturn]] void serve() {
    Server server("loops", "1");
    server.tool(
        "quick", "Answers at once", [] { return std::string("quick"); }, ToolOptions().inline_());
    server.tool(
        "pause", "Blocks",
        [](Pause in) {
            std::this_thread::sleep_for(std::chrono::milliseconds(in.ms));
            return std::string("paused");
        },
        ToolOptions().inline_());
    server.tool("doze", "Blocks in a coroutine", [](Pause in) -> Task<std::string> {
        std::this_thread::sleep_for(std::chrono::milliseconds(in.ms));
        co_return std::string("paused");
    });
    _exit(server.run(stdio()));
}

class StdioServer {
public:
    StdioServer() {
        int in[2];
        int out[2];
        EXPECT_EQ(pipe(in), 0);
        EXPECT_EQ(pipe(out), 0);
        child_ = fork();
        if (child_ == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            for (int const end : {in[0], in[1], out[0], out[1]}) close(end);
            serve();
        }
        close(in[0]);
        close(out[1]);
        to_ = in[1];
        from_ = out[0];
        send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})");
        EXPECT_NE(line().find("\"id\":0"), std::string::npos);
        send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }
    ~StdioServer() {
        close(to_);
        close(from_);
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    StdioServer(StdioServer const&) = delete;
    StdioServer& operator=(StdioServer const&) = delete;

    void send(std::string text) {
        text.push_back('\n');
        EXPECT_EQ(write(to_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void call(int id, std::string const& tool, std::string const& arguments) {
        send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
             R"(,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":)" +
             arguments + "}}");
    }
    std::string line() {
        for (;;) {
            if (auto const end = read_.find('\n'); end != std::string::npos) {
                auto text = read_.substr(0, end);
                read_.erase(0, end + 1);
                return text;
            }
            pollfd waiting{from_, POLLIN, 0};
            if (poll(&waiting, 1, 20'000) != 1) return {};
            char buffer[4096];
            auto const got = read(from_, buffer, sizeof buffer);
            if (got <= 0) return {};
            read_.append(buffer, static_cast<std::size_t>(got));
        }
    }
    pid_t child() const { return child_; }

private:
    pid_t child_ = 0;
    int to_ = -1;
    int from_ = -1;
    std::string read_;
};

// The parameter is the tool that blocks.
class BlockedStdio : public ::testing::TestWithParam<std::string> {};

TEST_P(BlockedStdio, other_calls_are_answered_while_one_blocks) {
    StdioServer server;
    auto const begin = Clock::now();
    // All requests arrive together; the one in the middle blocks.
    server.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quick"}})"
                "\n"
                R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":")" +
                GetParam() +
                R"(","arguments":{"ms":4000}}})"
                "\n"
                R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"quick"}})");
    EXPECT_NE(server.line().find("\"id\":1"), std::string::npos);
    EXPECT_NE(server.line().find("\"id\":3"), std::string::npos);
    EXPECT_LT(Clock::now() - begin, 2s);
    server.call(4, "quick", "{}");
    EXPECT_NE(server.line().find("\"id\":4"), std::string::npos);
    EXPECT_LT(Clock::now() - begin, 3s);
    EXPECT_NE(server.line().find("\"id\":2"), std::string::npos);
    EXPECT_GE(Clock::now() - begin, 4s);
}

TEST_P(BlockedStdio, a_signal_stops_the_server_while_a_handler_blocks) {
    StdioServer server;
    server.call(1, GetParam(), R"({"ms":1500})");
    server.call(2, "quick", "{}");
    EXPECT_NE(server.line().find("\"id\":2"), std::string::npos);
    kill(server.child(), SIGTERM);
    EXPECT_NE(server.line().find("\"id\":1"), std::string::npos);
    EXPECT_EQ(server.line(), "");
}

INSTANTIATE_TEST_SUITE_P(Handlers, BlockedStdio, ::testing::Values("pause", "doze"));

TEST(StdioLoop, calls_that_arrive_together_are_answered_in_order) {
    StdioServer server;
    std::string all;
    for (int i = 1; i <= 500; ++i) {
        all += R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
               R"(,"method":"tools/call","params":{"name":"quick"}})" + (i < 500 ? "\n" : "");
    }
    server.send(all);
    for (int i = 1; i <= 500; ++i) {
        ASSERT_NE(server.line().find("\"id\":" + std::to_string(i) + ","), std::string::npos);
    }
}

}  // namespace
}  // namespace lanyard
