// Log messages for clients: the limits of their rate, and the count of those that are dropped.
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

class LogMessagesTest : public ::testing::Test {
protected:
    LogMessagesTest() {
        server.tool(
            "talk", "",
            [](Context& ctx) {
                for (int i = 0; i < 210; ++i) ctx.log(LoggingLevel::warning, Json(i));
                ctx.log(LoggingLevel::error, "grave");
            },
            ToolOptions().inline_());
        server.tool("talk_longer", "", [this](Context& ctx) -> Task<> {
            for (int i = 0; i < 210; ++i) ctx.log(LoggingLevel::warning, Json(i));
            co_await sleep_for(time, 1s);
            for (int i = 0; i < 110; ++i) ctx.log(LoggingLevel::warning, Json(i));
        });
        server.tool(
            "talk_much", "",
            [](Context& ctx) {
                for (int i = 0; i < 1'010; ++i) ctx.log(LoggingLevel::error, Json(i));
                ctx.report_progress(1);
            },
            ToolOptions().inline_());
    }
    ~LogMessagesTest() override {
        client.close();
        client.poll();
    }

    static std::string call(std::string_view tool, std::string const& meta = R"("_meta":{})") {
        return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
               std::string(tool) + R"(",)" + meta + "}}";
    }
    // Returns the number of log messages that have arrived, without any other messages.
    std::size_t log_messages() {
        std::size_t count = 0;
        for (auto text = client.next(); !text.empty(); text = client.next()) {
            if (text.find("notifications/message") != std::string::npos) ++count;
        }
        return count;
    }
    std::uint64_t dropped() const { return server.limit_counts().dropped_log_messages; }

    testing::FakeTime time;
    Server server{"s", "1", ServerOptions().time(time)};
    boost::asio::io_context context;
    RawClient client{context, server, 16 << 20};
};

TEST_F(LogMessagesTest, every_call_may_log_200_messages_at_once) {
    client.initialize();
    for (std::uint64_t calls = 1; calls <= 3; ++calls) {
        client.send(call("talk"));
        EXPECT_EQ(log_messages(), 201U);  // errors are always sent
        EXPECT_EQ(dropped(), calls * 10);
    }
}

TEST_F(LogMessagesTest, requests_without_a_session_have_limits_of_their_own) {
    auto const meta = RawClient::meta("{}", R"(,"io.modelcontextprotocol/logLevel":"debug")");
    for (std::uint64_t calls = 1; calls <= 3; ++calls) {
        client.send(call("talk", meta));
        EXPECT_EQ(log_messages(), 201U);
        EXPECT_EQ(dropped(), calls * 10);
    }
}

TEST_F(LogMessagesTest, a_call_may_log_100_messages_per_second_afterwards) {
    client.initialize();
    client.send(call("talk_longer"));
    EXPECT_EQ(log_messages(), 200U);
    EXPECT_EQ(dropped(), 10U);
    time.advance(1s);
    client.poll();
    EXPECT_EQ(log_messages(), 100U);
    EXPECT_EQ(dropped(), 20U);
}

TEST_F(LogMessagesTest, messages_of_the_server_are_limited_for_each_session) {
    client.initialize();
    for (int i = 0; i < 210; ++i) server.log(LoggingLevel::warning, Json(i));
    client.poll();
    EXPECT_EQ(log_messages(), 200U);
    EXPECT_EQ(dropped(), 10U);
    // They do not count towards the limits of calls.
    client.send(call("talk"));
    EXPECT_EQ(log_messages(), 201U);
}

TEST_F(LogMessagesTest, messages_beyond_1000_that_wait_are_counted) {
    client.initialize();
    client.send(call("talk_much", R"("_meta":{"progressToken":1})"));
    // The progress replaces the last message.
    EXPECT_EQ(log_messages(), 999U);
    EXPECT_EQ(dropped(), 11U);
}

TEST_F(LogMessagesTest, messages_for_a_client_that_does_not_read_are_counted) {
    RawClient slow(context, server, 1);
    slow.initialize();
    server.tool(
        "talk_at_length", "",
        [](Context& ctx) {
            std::string const text(100'000, 'x');
            for (int i = 0; i < 100; ++i) ctx.log(LoggingLevel::error, Json(text));
        },
        ToolOptions().inline_());
    slow.write(call("talk_at_length"));
    slow.poll();
    std::uint64_t arrived = 0;
    for (auto text = slow.next(); !text.empty(); text = slow.next()) {
        if (text.find("notifications/message") != std::string::npos) ++arrived;
    }
    EXPECT_LT(arrived, 20U);
    EXPECT_EQ(arrived + dropped(), 100U);
    slow.close();
    slow.poll();
}

}  // namespace
}  // namespace lanyard::server
