// Options of a server: bad values are refused, and limits are those of the options.
#include "raw_client.hpp"

namespace lanyard::server {

struct Place {
    std::string city;
};
LANYARD_STRUCT(Place, city)

struct Journey {
    Place from;
    Place to;
};
LANYARD_STRUCT(Journey, from, to)

namespace {

using namespace std::chrono_literals;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::string request(std::string_view method, std::string const& params = "") {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" +
           params + "}}";
}

std::string refusal_of(ServerOptions const& options) {
    try {
        Server const server("s", "1", options);
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        return error.message();
    }
    return "none";
}

TEST(ServerOptionsTest, errors_name_the_option) {
    EXPECT_EQ(refusal_of(ServerOptions()), "none");
    EXPECT_EQ(refusal_of(ServerOptions().max_unsent_bytes(10).hard_unsent_bytes(9)),
              "ServerOptions::hard_unsent_bytes: must be at least max_unsent_bytes (10), got 9");
    EXPECT_EQ(refusal_of(ServerOptions().max_unsent_bytes(10).hard_unsent_bytes(10)), "none");
    EXPECT_EQ(refusal_of(ServerOptions().write_timeout(0s)),
              "ServerOptions::write_timeout: must be more than zero, got 0 ms");
    EXPECT_EQ(refusal_of(ServerOptions().slow_reader_timeout(0s)),
              "ServerOptions::slow_reader_timeout: must be more than zero, got 0 ms");
    EXPECT_EQ(refusal_of(ServerOptions().list_changed_interval(-1ms)),
              "ServerOptions::list_changed_interval: must not be negative, got -1 ms");
    EXPECT_EQ(refusal_of(ServerOptions().tombstone_sweep_interval(0s)),
              "ServerOptions::tombstone_sweep_interval: must be more than zero, got 0 ms");
}

TEST(ServerOptionsTest, the_hard_limit_of_unsent_data_is_eight_times_max_unsent_bytes) {
    EXPECT_EQ(ServerOptions().hard_unsent_bytes(), 64 * mebibyte);
    EXPECT_EQ(ServerOptions().max_unsent_bytes(3).hard_unsent_bytes(), 24U);
    EXPECT_EQ(ServerOptions().max_unsent_bytes(SIZE_MAX / 2).hard_unsent_bytes(), SIZE_MAX);
}

class OptionsTest : public ::testing::Test {
protected:
    void serve(ServerOptions options) {
        server.emplace("s", "1", options.time(time).on_log([](auto, auto) {}));
        server->tool(
            "large", "", [] { return std::string(100'000, 'x'); }, ToolOptions().inline_());
        client.emplace(context, *server, 1 << 16);
    }
    ~OptionsTest() override {
        client->close();
        run();
    }
    void run() {
        context.restart();
        context.poll();
    }
    /// Asks for 20 MB of answers, which are not read.
    void ask_for_too_much() {
        for (int i = 1; i <= 200; ++i) {
            client->write(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                          R"(,"method":"tools/call","params":{"name":"large",)" +
                          RawClient::meta() + "}}");
        }
        run();
    }

    testing::FakeTime time;
    std::optional<Server> server;
    boost::asio::io_context context;
    std::optional<RawClient> client;
};

TEST_F(OptionsTest, a_peer_is_disconnected_at_once_beyond_the_hard_limit_only) {
    serve(ServerOptions().max_unsent_bytes(2 * mebibyte).hard_unsent_bytes(32 * mebibyte));
    ask_for_too_much();
    EXPECT_FALSE(client->served());
    serve(ServerOptions().max_unsent_bytes(2 * mebibyte).hard_unsent_bytes(8 * mebibyte));
    ask_for_too_much();
    EXPECT_TRUE(client->served());
}

TEST_F(OptionsTest, a_slow_reader_has_as_long_as_its_timeout) {
    serve(ServerOptions()
              .max_unsent_bytes(2 * mebibyte)
              .hard_unsent_bytes(32 * mebibyte)
              .slow_reader_timeout(2s));
    ask_for_too_much();
    time.advance(2s - 1ns);
    run();
    EXPECT_FALSE(client->served());
    time.advance(1ns);
    run();
    EXPECT_TRUE(client->served());
}

TEST_F(OptionsTest, a_peer_that_reads_nothing_has_as_long_as_the_write_timeout) {
    serve(ServerOptions()
              .max_unsent_bytes(32 * mebibyte)
              .hard_unsent_bytes(32 * mebibyte)
              .write_timeout(3s));
    ask_for_too_much();
    time.advance(3s - 1ns);
    run();
    EXPECT_FALSE(client->served());
    time.advance(1ns);
    run();
    EXPECT_TRUE(client->served());
    EXPECT_EQ(server->limit_counts().unread, 1U);
}

TEST_F(OptionsTest, a_tool_decides_about_references_in_its_schema) {
    serve({});
    auto const travel = [](Journey const&) {};
    server->tool("refers", "", travel);
    server->tool("repeats", "", travel, ToolOptions().inline_references(true));
    client->initialize();
    auto const listed = client->answer(request("tools/list"));
    int tools = 0;
    for (auto const& tool : at(listed, "result", "tools").as_array()) {
        auto const name = tool.at("name").as_string();
        if (name == "large") continue;
        ++tools;
        auto const refers = json::serialize(tool).find("$ref") != std::string::npos;
        EXPECT_EQ(refers, name == "refers") << name;
    }
    EXPECT_EQ(tools, 2);
}

TEST_F(OptionsTest, a_page_of_a_list_has_page_size_items) {
    serve(ServerOptions().page_size(2));
    for (auto const* name : {"a", "b"}) server->tool(name, "", [] {});
    client->initialize();
    auto const first = client->answer(request("tools/list"));
    EXPECT_EQ(at(first, "result", "tools").as_array().size(), 2U);
    auto const cursor = at(first, "result", "nextCursor");
    ASSERT_TRUE(cursor.is_string());
    auto const second =
        client->answer(request("tools/list", R"("cursor":)" + json::serialize(cursor)));
    EXPECT_EQ(at(second, "result", "tools").as_array().size(), 1U);
    EXPECT_EQ(at(second, "result", "nextCursor"), nullptr);
}

TEST_F(OptionsTest, lists_carry_the_cache_hint_of_the_server) {
    serve(ServerOptions().list_cache({.ttl = 5min, .scope = CacheScope::public_}));
    auto const tools = client->answer(request("tools/list", RawClient::meta()));
    EXPECT_EQ(at(tools, "result", "ttlMs"), 300'000);
    EXPECT_EQ(at(tools, "result", "cacheScope"), "public");
}

TEST_F(OptionsTest, without_logging_clients_receive_no_log_messages) {
    for (bool const offered : {true, false}) {
        serve(ServerOptions().logging(offered));
        server->tool(
            "noisy", "", [](Context& ctx) { ctx.log(LoggingLevel::error, Json("noise")); },
            ToolOptions().inline_());
        EXPECT_EQ(server->capability("logging"), offered);
        auto const level = R"(,"io.modelcontextprotocol/logLevel":"debug")";
        client->send(request("tools/call", R"("name":"noisy",)" + RawClient::meta("{}", level)));
        EXPECT_EQ(client->unread(), offered ? 2U : 1U);
        RawClient legacy(context, *server);
        auto const opened = legacy.initialize();
        EXPECT_EQ(at(opened, "result", "capabilities", "logging").is_object(), offered);
        auto const changed = legacy.answer(request("logging/setLevel", R"("level":"debug")"));
        EXPECT_EQ(at(changed, "error", "code"), offered ? Json(nullptr) : Json(-32601));
        legacy.send(request("tools/call", R"("name":"noisy")"));
        EXPECT_EQ(legacy.unread(), offered ? 2U : 1U);
        legacy.close();
        client->close();
        run();
    }
}

TEST_F(OptionsTest, requests_of_a_peer_beyond_max_in_flight_are_refused) {
    serve(ServerOptions().max_in_flight(2));
    server->tool("sleep", "", [this]() -> Task<> { co_await sleep_for(time, 1s); });
    client->initialize();
    for (auto const* id : {"1", "2", "3"}) {
        client->send(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
                     R"(,"method":"tools/call","params":{"name":"sleep"}})");
    }
    auto const refused = client->next_json();
    EXPECT_EQ(at(refused, "id"), 3);
    EXPECT_TRUE(at(refused, "error", "code").is_int64());
    EXPECT_EQ(client->unread(), 0U);
    time.advance(1s);
    client->poll();
    EXPECT_EQ(client->unread(), 2U);
}

TEST_F(OptionsTest, changed_lists_are_announced_once_in_each_interval) {
    serve(ServerOptions().list_changed_interval(2s));
    client->initialize();
    for (int i = 0; i < 3; ++i) server->tool("t" + std::to_string(i), "", [] {});
    client->poll();
    EXPECT_EQ(at(client->next_json(), "method"), "notifications/tools/list_changed");
    time.advance(2s - 1ns);
    client->poll();
    EXPECT_EQ(client->unread(), 0U);
    time.advance(1ns);
    client->poll();
    EXPECT_EQ(client->unread(), 1U);
}

TEST_F(OptionsTest, without_an_interval_every_change_of_a_list_is_announced) {
    serve(ServerOptions().list_changed_interval(0s));
    client->initialize();
    for (int i = 0; i < 3; ++i) server->tool("t" + std::to_string(i), "", [] {});
    client->poll();
    EXPECT_EQ(client->unread(), 3U);
}

}  // namespace
}  // namespace lanyard::server
