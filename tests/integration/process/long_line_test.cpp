// A line of excessive length, sent to a real server (hardening R-01).
#include <cstdlib>

#include "server_process.hpp"

namespace lanyard {
namespace {

std::string const server_program = LANYARD_CONVERSATION_SERVER;
constexpr std::size_t mib = 1024 * 1024;

TEST(Hardening, R01_a_line_of_any_length_costs_no_memory_and_the_next_message_is_served) {
    test::ServerProcess server({server_program});
    server.initialize();
    // Both are far beyond the limit of 16 MiB.
    std::size_t const length = std::getenv("LANYARD_TEST_LONG") != nullptr ? 1024 * mib : 200 * mib;
    server.write(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")");
    std::string const chunk(mib, 'x');
    for (std::size_t sent = 0; sent < length; sent += chunk.size()) {
        server.write(chunk);
        if (::testing::Test::HasFatalFailure()) return;
    }
    server.write("\"}}\n");
    auto const refused = server.receive();
    ASSERT_TRUE(refused.is_object());
    EXPECT_TRUE(refused.as_object().contains("error")) << json::serialize(refused);
    auto const answer =
        server.ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo",)"
                   R"("arguments":{"text":"still here"}}})");
    ASSERT_TRUE(answer.is_object());
    EXPECT_EQ(answer.as_object().at("id"), 2);
    EXPECT_TRUE(answer.as_object().contains("result")) << json::serialize(answer);
    EXPECT_LT(server.peak_memory(), 100 * mib);
    server.kill(SIGTERM);
    EXPECT_TRUE(server.wait());
}

}  // namespace
}  // namespace lanyard
