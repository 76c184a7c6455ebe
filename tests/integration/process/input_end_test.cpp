// A server whose input has ended answers all requests and exits: `server < requests > answers`.
#include <filesystem>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>

#include "server_process.hpp"

namespace lanyard {
namespace {

using test::ServerProcess;

std::string const server_program = LANYARD_CONVERSATION_SERVER;
constexpr auto handshake =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n";
constexpr auto metadata =
    R"(,"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

class InputEndTest : public ::testing::TestWithParam<bool> {
protected:
    InputEndTest() { std::filesystem::create_directory(folder); }
    ~InputEndTest() override { std::filesystem::remove_all(folder); }

    bool modern() const { return GetParam(); }
    std::string opening() const { return modern() ? "" : handshake; }
    std::string call(int id, std::string_view tool, std::string_view text) const {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
               R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
               R"(","arguments":{"text":")" + std::string(text) + R"("})" +
               (modern() ? metadata : R"(,"_meta":{"progressToken":1})") + "}}\n";
    }
    // Waits until the tool has reported progress.
    static void expect_progress(ServerProcess& server) {
        Json message = server.receive();
        while (message.is_object() && !message.as_object().contains("method")) {
            message = server.receive();
        }
        EXPECT_TRUE(message.is_object()) << "the tool has not begun";
    }
    static void expect_clean_end(ServerProcess& server) {
        auto const status = server.wait();
        ASSERT_TRUE(status);
        EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 0) << *status;
    }

    std::string const folder = ::testing::TempDir() + "lanyard_end_" + std::to_string(getpid());
};

INSTANTIATE_TEST_SUITE_P(Eras, InputEndTest, ::testing::Bool(),
                         [](auto const& era) { return era.param ? "modern" : "legacy"; });

TEST_P(InputEndTest, calls_in_other_threads_are_answered_first) {
    auto const gate = folder + "/gate";
    mkfifo(gate.c_str(), 0600);
    ServerProcess server({server_program, "--with-waits"});
    server.write(opening() + call(1, "wait", gate));
    server.end_input();
    expect_progress(server);
    std::ofstream(gate) << "go";
    auto const answer = server.receive();
    ASSERT_TRUE(answer.is_object());
    EXPECT_TRUE(answer.as_object().contains("result")) << json::serialize(answer);
    EXPECT_TRUE(server.receive().is_null());
    expect_clean_end(server);
}

TEST_P(InputEndTest, the_server_does_not_wait_for_a_client_that_has_disconnected) {
    ServerProcess server({server_program, "hang"});
    server.write(opening() + call(1, "report", "begun") + call(2, "hang", ""));
    expect_progress(server);
    server.end_input();
    server.close_output();
    expect_clean_end(server);
}

TEST_P(InputEndTest, requests_from_a_file_are_answered_into_a_file) {
    constexpr int calls = 500;
    {
        std::ofstream requests(folder + "/requests");
        requests << opening();
        for (int id = 1; id <= calls; ++id) requests << call(id, "echo", std::string(2'000, 'x'));
    }
    auto const process = fork();
    if (process == 0) {
        dup2(::open((folder + "/requests").c_str(), O_RDONLY), STDIN_FILENO);
        dup2(::open((folder + "/answers").c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
        execl(server_program.c_str(), server_program.c_str(), nullptr);
        _exit(127);
    }
    auto const status = test::wait_for_exit(process);
    ASSERT_TRUE(status);
    EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 0) << *status;
    std::set<std::int64_t> answered;
    std::ifstream answers(folder + "/answers");
    for (std::string line; std::getline(answers, line);) {
        auto const answer = json::parse(line).value();
        EXPECT_TRUE(answer.as_object().contains("result")) << line.substr(0, 200);
        answered.insert(answer.at("id").as_int64());
    }
    EXPECT_EQ(answered.size(), calls + (modern() ? 0U : 1U));
}

TEST_P(InputEndTest, answers_that_do_not_fit_into_the_pipe_are_not_lost) {
    constexpr int calls = 200;
    ServerProcess server({server_program});
    // The server reads all requests before its answers are read, so it has to queue most answers.
    server.write(opening());
    for (int id = 1; id <= calls; ++id) server.write(call(id, "echo", std::string(2'000, 'x')));
    server.end_input();
    std::size_t answers = 0;
    while (server.receive().is_object()) ++answers;
    EXPECT_EQ(answers, calls + (modern() ? 0U : 1U));
    expect_clean_end(server);
}

}  // namespace
}  // namespace lanyard
