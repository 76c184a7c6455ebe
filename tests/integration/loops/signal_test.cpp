// As stdio_test.cpp, over HTTP: signals while a handler blocks.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <future>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lanyard/client/blocking.hpp"
#include "lanyard/connect.hpp"
#include "lanyard/listen.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/fake_time.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

// Writes the port to the pipe, and a byte when the handler blocks. The handler returns when it can
// read a byte. The time of the server does not advance.
[[noreturn]] void serve(int to_test, int from_test) {
    testing::FakeTime time;
    ServerOptions options;
    options.time(time);
    Server server("loops", "1", options);
    auto const block = [=] {
        char byte = 'b';
        bool const woken = write(to_test, &byte, 1) == 1 && read(from_test, &byte, 1) == 1;
        return std::string(woken ? "slept" : "lost");
    };
    server.tool(
        "quick", "Answers at once", [] { return std::string("quick"); }, ToolOptions().inline_());
    server.tool("nap", "Blocks", block, ToolOptions().inline_().timeout(1s));
    server.tool(
        "doze", "Blocks in a coroutine", [block]() -> Task<std::string> { co_return block(); },
        ToolOptions().timeout(1s));
    auto listener = listen("http://127.0.0.1:0/mcp");
    std::uint16_t const port = listener->port();
    if (write(to_test, &port, sizeof port) != sizeof port) _exit(2);
    _exit(server.run(std::move(listener)));
}

class HttpServer {
public:
    HttpServer() {
        int up[2];
        int down[2];
        EXPECT_EQ(pipe(up), 0);
        EXPECT_EQ(pipe(down), 0);
        child_ = fork();
        if (child_ == 0) serve(up[1], down[0]);
        close(up[1]);
        close(down[0]);
        from_ = up[0];
        to_ = down[1];
        EXPECT_EQ(read(from_, &port_, sizeof port_), static_cast<ssize_t>(sizeof port_));
    }
    ~HttpServer() {
        close(to_);
        close(from_);
        if (child_ == 0) return;
        ::kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    HttpServer(HttpServer const&) = delete;
    HttpServer& operator=(HttpServer const&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/mcp"; }
    void kill(int signal) const { ::kill(child_, signal); }
    bool wait_until_blocked() const {
        char byte = 0;
        return read(from_, &byte, 1) == 1 && byte == 'b';
    }
    void wake() const { EXPECT_EQ(write(to_, "w", 1), 1); }
    // Waits until the server accepts no more connections.
    bool is_closed_within(std::chrono::seconds time) const {
        auto const until = std::chrono::steady_clock::now() + time;
        while (accepts()) {
            if (std::chrono::steady_clock::now() > until) return false;
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
    int exit_code() {
        int status = 0;
        waitpid(std::exchange(child_, 0), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    bool accepts() const {
        int const end = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        bool const accepted =
            ::connect(end, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
        close(end);
        return accepted;
    }

    pid_t child_ = 0;
    int from_ = -1;
    int to_ = -1;
    std::uint16_t port_ = 0;
};

// The parameter is the tool that blocks.
class Signal : public ::testing::TestWithParam<char const*> {};

TEST_P(Signal, stops_a_server_while_a_handler_blocks) {
    HttpServer server;
    auto const client = blocking::connect(server.url());
    CallOptions patience;
    patience.timeout(15s);
    auto slept = std::async(std::launch::async,
                            [&] { return client.call<std::string>(GetParam(), patience); });
    ASSERT_TRUE(server.wait_until_blocked());
    server.kill(SIGTERM);
    // The handler still blocks. Its call has five seconds to end.
    EXPECT_TRUE(server.is_closed_within(4s));
    EXPECT_EQ(slept.wait_for(0s), std::future_status::timeout);
    server.wake();
    EXPECT_EQ(slept.get(), "slept");
    EXPECT_EQ(server.exit_code(), 0);
}

TEST_P(Signal, ends_a_server_at_once_if_it_is_the_second_one) {
    HttpServer server;
    auto const client = blocking::connect(server.url());
    CallOptions patience;
    patience.timeout(15s);
    auto slept = std::async(std::launch::async, [&] {
        EXPECT_THROW(client.call<std::string>(GetParam(), patience), Error);
    });
    ASSERT_TRUE(server.wait_until_blocked());
    server.kill(SIGTERM);
    EXPECT_TRUE(server.is_closed_within(20s));
    // The handler blocks for ever. No time passes for the server, so neither its call nor the time
    // that it has to stop ends.
    server.kill(SIGTERM);
    EXPECT_EQ(server.exit_code(), 128 + SIGTERM);
    slept.get();
}

INSTANTIATE_TEST_SUITE_P(Handlers, Signal, ::testing::Values("nap", "doze"));

}  // namespace
}  // namespace lanyard
