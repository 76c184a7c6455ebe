// A first signal ends Server::run() gracefully, a second one ends the process.
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include "server_process.hpp"

namespace lanyard {
namespace {

using test::ServerProcess;

std::string const server_program = LANYARD_CONVERSATION_SERVER;

std::string call(int id, std::string_view tool, std::string_view text) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
           R"(","arguments":{"text":")" + std::string(text) + R"("},"_meta":{"progressToken":1}}})";
}

Json at(Json const& json, std::string_view key) {
    auto const* const object = json.if_object();
    auto const* const member = object != nullptr ? object->if_contains(key) : nullptr;
    return member != nullptr ? *member : Json(nullptr);
}

// Sends requests until the server refuses one, which shows that it has handled the signal.
void wait_until_stopping(ServerProcess& server) {
    for (int id = 100;; ++id) {
        auto const answer = server.ask(call(id, "echo", "still there?"));
        ASSERT_EQ(at(answer, "id"), id);
        if (!at(answer, "error").is_null()) return;
    }
}

// The parameters are a signal and a tool that waits: in a worker thread, on the event loop, or in a
// coroutine.
class StopTest : public ::testing::TestWithParam<std::tuple<int, char const*>> {
protected:
    StopTest() {
        mkfifo(gate.c_str(), 0600);
        server.initialize();
        // The handler waits until the gate is written to.
        server.send(call(1, std::get<1>(GetParam()), gate));
        EXPECT_EQ(at(server.receive(), "method"), "notifications/progress");
    }
    ~StopTest() override { std::filesystem::remove(gate); }

    int signal = std::get<0>(GetParam());
    std::string gate = ::testing::TempDir() + "lanyard_gate_" + std::to_string(getpid());
    ServerProcess server{{server_program, "--with-waits"}};
};

INSTANTIATE_TEST_SUITE_P(Signals, StopTest,
                         ::testing::Combine(::testing::Values(SIGTERM, SIGINT),
                                            ::testing::Values("wait", "block", "doze")));

TEST_P(StopTest, pending_calls_end_after_a_signal) {
    server.kill(signal);
    wait_until_stopping(server);
    std::ofstream(gate) << "go";
    auto const answer = server.receive();
    EXPECT_EQ(at(answer, "id"), 1);
    EXPECT_TRUE(at(answer, "result").is_object());
    EXPECT_TRUE(server.receive().is_null());
    auto const status = server.wait();
    ASSERT_TRUE(status);
    EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 0) << *status;
}

TEST_P(StopTest, a_second_signal_ends_the_process_with_that_signal) {
    server.kill(signal);
    wait_until_stopping(server);
    server.kill(signal);
    EXPECT_TRUE(server.receive().is_null());
    auto const status = server.wait();
    ASSERT_TRUE(status);
    // The handler still waits and the server's time does not advance, so no grace period has ended.
    EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 128 + signal) << *status;
}

// Returns once the process has handled every signal that was sent to it.
void wait_until_taken(pid_t process) {
    for (bool pending = true; pending;) {
        std::ifstream status("/proc/" + std::to_string(process) + "/status");
        pending = false;
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("ShdPnd:") || line.starts_with("SigPnd:")) {
                pending = pending || line.find_first_of("123456789abcdef", 7) != line.npos;
            }
        }
    }
}

class StopBlockedTest : public ::testing::TestWithParam<char const*> {};

TEST_P(StopBlockedTest, a_second_signal_ends_a_server_whose_event_loop_is_blocked) {
    auto const gate = ::testing::TempDir() + "lanyard_block_" + std::to_string(getpid());
    mkfifo(gate.c_str(), 0600);
    for (int const signal : {SIGTERM, SIGINT}) {
        ServerProcess server{{server_program, "--with-waits"}};
        server.initialize();
        server.send(call(1, GetParam(), gate));
        // Returns once the handler has opened the gate for reading.
        std::ofstream const held(gate);
        server.kill(signal);
        wait_until_taken(server.id());
        server.kill(signal);
        auto const status = server.wait();
        ASSERT_TRUE(status);
        EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 128 + signal) << *status;
    }
    std::filesystem::remove(gate);
}

INSTANTIATE_TEST_SUITE_P(Tools, StopBlockedTest, ::testing::Values("block", "doze"));

TEST(StopTerminalTest, a_server_over_pipes_ends_with_its_terminal) {
    ServerProcess server{{server_program}};
    server.initialize();
    server.kill(SIGHUP);
    EXPECT_TRUE(server.receive().is_null());
    auto const status = server.wait();
    ASSERT_TRUE(status);
    EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 0) << *status;
}

}  // namespace
}  // namespace lanyard
