// A server that sends without reading: the client stops reading from it and closes the connection
// after a time.
#include "client_fixture.hpp"

namespace lanyard {
namespace {

constexpr std::size_t mebibyte = 1024 * 1024;

class Unread : public ClientTest {
protected:
    void SetUp() override {
        options.max_unsent_bytes(2 * mebibyte).on_closed([this](auto const& why) { ended = why; });
        open(Version::v2025_11_25, options);
        server->stall();
        server->notify("notifications/x");  // stall() reads one more message: the next one
        start(client.notify("notifications/y"));
        server->next();
    }
    void TearDown() override {
        client = Client();  // on_closed refers to members of this class
        poll();
    }
    /// Sends this many pings; those that the client does not read are queued.
    void ping(int count) {
        for (int i = 0; i < count; ++i) {
            server->put(R"({"jsonrpc":"2.0","id":)" + std::to_string(++asked) +
                        R"(,"method":"ping"})");
            if (i % 256 == 0) poll();
        }
        poll();
    }
    /// Sends pings until the client stops reading.
    void flood() {
        for (int i = 0; i < 1000 && server->all_sent(); ++i) ping(1000);
        EXPECT_FALSE(server->all_sent());
    }

    ClientOptions options;
    std::optional<Error> ended;
    int asked = 0;
};

class UnreadForLess : public Unread {
protected:
    void SetUp() override {
        options.write_timeout(3s);
        Unread::SetUp();
    }
};

TEST_F(UnreadForLess, a_server_that_reads_nothing_has_as_long_as_the_write_timeout) {
    flood();
    advance(3s - 1ns);
    EXPECT_TRUE(client.is_open());
    advance(1ns);
    EXPECT_FALSE(client.is_open());
}

TEST_F(Unread, nothing_is_read_while_answers_are_unsent) {
    flood();
    // 1 MiB is queued in the client, and 1 MiB (the buffer of a memory connection) in each
    // direction.
    EXPECT_LT(asked, 150'000);
    auto calling = start(client.list_tools(CallOptions().timeout(20s)));
    advance(20s);
    EXPECT_TRUE(calling.error().is(Errc::timeout)) << "timeouts work meanwhile";
    EXPECT_EQ(client.limit_counts().unread, 0U);
    server->go_on();
    EXPECT_TRUE(server->all_sent()) << "the client reads again";
    EXPECT_TRUE(client.is_open());
}

TEST_F(Unread, a_server_that_reads_nothing_is_given_up_in_time) {
    flood();
    auto calling = start(client.list_tools(CallOptions().timeout(1h)));
    advance(30s - 1ns);
    EXPECT_FALSE(calling.done());
    advance(1ns);
    auto const error = calling.error();
    EXPECT_TRUE(error.is(Errc::transport_down));
    EXPECT_NE(error.message().find("does not read"), std::string::npos) << error.message();
    ASSERT_TRUE(ended);
    EXPECT_NE(ended->message().find("does not read"), std::string::npos) << ended->message();
    EXPECT_EQ(client.limit_counts().unread, 1U);
}

TEST_F(Unread, the_client_can_be_closed_while_answers_are_unsent) {
    flood();
    auto stopping = start(client.stop());
    EXPECT_TRUE(stopping.done());
    EXPECT_FALSE(client.is_open());
}

TEST_F(Unread, a_large_call_does_not_keep_the_client_from_reading) {
    std::string const text(15 * mebibyte, 'x');
    auto const arguments = RawJson(Json(JsonObject{{"text", text}}));
    auto first = start(client.call_tool("a", arguments));
    auto second = start(client.call_tool("b", arguments));
    EXPECT_FALSE(second.done());
    for (int i = 0; i < 50'000; ++i) {
        server->put(R"({"jsonrpc":"2.0","method":"notifications/x","params":{"a":"0123456789"}})");
        if (i % 256 == 0) poll();
    }
    poll();
    EXPECT_TRUE(server->all_sent());
    advance(20s);
    EXPECT_TRUE(client.is_open());
}

TEST_F(ClientTest, answers_beyond_the_limit_end_the_connection_after_the_slow_reader_timeout) {
    ClientOptions options;
    options.max_unsent_bytes(2 * mebibyte).slow_reader_timeout(3s);
    options.on_roots(
        [] { return std::vector<Root>{{.uri = "file:///" + std::string(mebibyte, 'x')}}; });
    open(Version::v2025_11_25, options);
    server->stall();
    for (int id = 1; id <= 6; ++id) {
        server->put(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                    R"(,"method":"roots/list"})");
    }
    poll();
    advance(3s - 1ns);
    EXPECT_TRUE(client.is_open());
    advance(1ns);
    EXPECT_FALSE(client.is_open());
    EXPECT_EQ(client.limit_counts().unread, 1U);
}

TEST_F(ClientTest, answers_far_beyond_the_limit_end_the_connection_at_once) {
    std::optional<Error> ended;
    ClientOptions options;
    options.max_unsent_bytes(2 * mebibyte).on_closed([&](auto const& why) { ended = why; });
    options.on_roots(
        [] { return std::vector<Root>{{.uri = "file:///" + std::string(mebibyte, 'x')}}; });
    open(Version::v2025_11_25, options);
    server->stall();
    // The requests are small, so that all of them are read before the first one is answered.
    auto const ask = [this](int first, int last) {
        for (int id = first; id <= last; ++id) {
            server->put(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                        R"(,"method":"roots/list"})");
        }
        poll();
    };
    ask(1, 15);
    EXPECT_TRUE(client.is_open());
    client = Client();
    poll();
    open(Version::v2025_11_25, options);
    server->stall();
    ask(1, 30);
    ASSERT_TRUE(ended);
    EXPECT_NE(ended->message().find("too much unread"), std::string::npos) << ended->message();
    EXPECT_FALSE(client.is_open());
}

}  // namespace
}  // namespace lanyard
