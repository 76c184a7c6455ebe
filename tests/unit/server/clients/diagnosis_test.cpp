// What the server reports about its connections: counts, pending requests, and that it is stopping.
#include <algorithm>
#include <future>
#include <map>

#include <boost/asio/use_future.hpp>

#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, really)

std::string request(std::string_view id, std::string_view method, std::string_view params = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
           R"(","params":)" + std::string(params) + "}";
}

class DiagnosisTest : public ::testing::Test {
protected:
    DiagnosisTest() : DiagnosisTest(ServerOptions()) {}
    explicit DiagnosisTest(ServerOptions options)
        : server("s", "1",
                 options.time(time).request_state_expiry(5s).on_log(
                     [this](auto, auto text) { logged.emplace_back(text); })) {
        server.tool("ask", "", [](Context& context) -> Task<std::string> {
            auto const sure = co_await context.elicit<Confirm>("sure", "Sure?");
            co_return sure && sure->really ? "yes" : "no";
        });
        server.resource("test://slow", "slow", ResourceOptions().timeout(2s),
                        [this]() -> Task<std::string> {
                            co_await sleep_for(time, 1h);
                            co_return "late";
                        });
    }
    ~DiagnosisTest() override {
        client.close();
        client.poll();
    }
    void open() { client.initialize("2025-11-25", R"({"elicitation":{}})"); }
    /// Lets a tool ask the client; returns the id of the question.
    std::string ask(std::string_view id) {
        auto const asked = client.ask(request(id, "tools/call", R"({"name":"ask"})"));
        EXPECT_EQ(at(asked, "method"), "elicitation/create");
        return json::serialize(at(asked, "id"));
    }
    void pass(Duration duration) {
        time.advance(duration);
        client.poll();
        while (!client.next().empty()) continue;
    }
    void answer(std::string_view id) {
        client.send(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
                    R"(,"result":{"action":"decline"}})");
    }
    std::vector<UnansweredRequest> pending() {
        auto found = boost::asio::co_spawn(context, server.pending(), boost::asio::use_future);
        context.restart();
        context.poll();
        EXPECT_EQ(found.wait_for(0s), std::future_status::ready);
        return found.get();
    }

    testing::FakeTime time;
    std::vector<std::string> logged;
    Server server;
    boost::asio::io_context context;
    RawClient client{context, server};
};

TEST_F(DiagnosisTest, late_answers_are_counted) {
    open();
    auto const id = ask("1");
    pass(5s);
    EXPECT_EQ(server.limit_counts().late_answers, 0U);
    answer(id);
    EXPECT_EQ(server.limit_counts().late_answers, 1U);
    EXPECT_EQ(server.limit_counts().unknown_answers, 0U);
}

TEST_F(DiagnosisTest, unknown_answers_are_counted) {
    open();
    answer("77");
    answer(R"("x")");
    EXPECT_EQ(server.limit_counts().unknown_answers, 2U);
    EXPECT_EQ(server.limit_counts().refused_messages, 0U);
}

TEST_F(DiagnosisTest, refused_messages_are_counted) {
    open();
    client.send("{nonsense");
    client.send(R"({"jsonrpc":"1.0","id":1,"method":"ping"})");
    EXPECT_EQ(server.limit_counts().refused_messages, 2U);
    while (!client.next().empty()) continue;
    ask("7");
    client.send(request("7", "ping"));
    EXPECT_EQ(server.limit_counts().refused_messages, 3U);
}

class FewTombstonesTest : public DiagnosisTest {
protected:
    FewTombstonesTest() : DiagnosisTest(ServerOptions().max_tombstones(1)) {}
};

TEST_F(FewTombstonesTest, evicted_requests_are_counted) {
    open();
    auto const first = ask("1");
    auto const second = ask("2");
    pass(5s);
    answer(first);
    answer(second);
    EXPECT_EQ(server.limit_counts().evicted_requests, 1U);
    EXPECT_EQ(server.limit_counts().unknown_answers, 1U);
    EXPECT_EQ(server.limit_counts().late_answers, 1U);
}

class TombstoneSweepTest : public DiagnosisTest {
protected:
    TombstoneSweepTest() : DiagnosisTest(ServerOptions().tombstone_sweep_interval(2s)) {}
};

TEST_F(TombstoneSweepTest, the_server_looks_for_old_tombstones_in_the_interval_of_the_option) {
    open();
    ask("1");
    pass(5s);  // the question times out and leaves a tombstone
    EXPECT_EQ(time.next_alarm(), time.now() + 2s);
    pass(2s);
    EXPECT_EQ(time.next_alarm(), time.now() + 2s);
}

TEST_F(DiagnosisTest, pending_requests_of_both_sides_are_listed) {
    open();
    EXPECT_TRUE(pending().empty());
    auto const question = ask(R"("call-1")");
    time.advance(2s);
    auto const found = pending();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].session, server.sessions().front().id);
    EXPECT_TRUE(found[0].from_client);
    EXPECT_EQ(found[0].method, "tools/call");
    EXPECT_EQ(found[0].id, R"("call-1")");
    EXPECT_EQ(found[0].age, 2s);
    EXPECT_EQ(found[1].session, found[0].session);
    EXPECT_FALSE(found[1].from_client);
    EXPECT_EQ(found[1].method, "elicitation/create");
    EXPECT_EQ(found[1].id, question);
    EXPECT_EQ(found[1].age, 2s);
    answer(question);
    client.poll();
    EXPECT_TRUE(pending().empty());
}

TEST_F(DiagnosisTest, pending_requests_may_be_listed_on_another_executor) {
    open();
    ask("1");
    boost::asio::io_context elsewhere;
    auto found = boost::asio::co_spawn(elsewhere, server.pending(), boost::asio::use_future);
    elsewhere.poll();
    EXPECT_EQ(found.wait_for(0s), std::future_status::timeout);
    client.poll();
    elsewhere.restart();
    elsewhere.poll();
    ASSERT_EQ(found.wait_for(0s), std::future_status::ready);
    EXPECT_EQ(found.get().size(), 2U);
}

TEST_F(DiagnosisTest, a_list_of_pending_requests_that_is_not_awaited_any_more_does_no_harm) {
    open();
    {
        boost::asio::io_context elsewhere;
        boost::asio::co_spawn(elsewhere, server.pending(), boost::asio::detached);
        elsewhere.poll();
    }
    client.poll();
    EXPECT_TRUE(pending().empty());
}

TEST_F(DiagnosisTest, a_server_that_stops_logs_one_line) {
    open();
    ask("1");
    EXPECT_FALSE(server.stopping());
    server.stop(3s);
    EXPECT_TRUE(server.stopping());
    server.stop(1s);
    EXPECT_EQ(std::count(logged.begin(), logged.end(),
                         "the server is stopping; pending requests may take 3000 ms"),
              1);
    EXPECT_EQ(std::count_if(logged.begin(), logged.end(),
                            [](auto const& line) { return line.starts_with("the server is"); }),
              1);
}

TEST(Stopping, a_server_without_connections_stops_silently) {
    std::vector<std::string> logged;
    {
        Server server("s", "1",
                      ServerOptions().on_log([&](auto, auto text) { logged.emplace_back(text); }));
        server.stop();
        EXPECT_TRUE(server.stopping());
    }
    EXPECT_TRUE(logged.empty());
}

TEST_F(DiagnosisTest, a_request_that_takes_too_long_has_the_code_of_its_revision) {
    open();
    client.send(request("1", "resources/read", R"({"uri":"test://slow"})"));
    time.advance(2s);
    auto const legacy = client.wait_json();
    EXPECT_EQ(at(legacy, "id"), 1);
    EXPECT_EQ(at(legacy, "error", "code"), -32009);
    RawClient modern(context, server);
    modern.send(
        request("1", "resources/read", R"({"uri":"test://slow",)" + RawClient::meta() + "}"));
    time.advance(2s);
    auto const answer = modern.wait_json();
    EXPECT_EQ(at(answer, "error", "code"), -32603);
    EXPECT_EQ(at(answer, "error", "data", "reason"), "timeout");
    modern.close();
    modern.poll();
}

TEST_F(DiagnosisTest, a_batch_may_contain_requests_of_all_kinds) {
    server.tool("echo", "", [] { return "echo"; }, ToolOptions().inline_());
    server.prompt("p", "", [](Context&) { return "text"; });
    client.initialize("2025-03-26", R"({"elicitation":{}})");
    client.send("[" + request("1", "ping") + "," + request("2", "tools/list") + "," +
                request("3", "tools/call", R"({"name":"echo"})") + "," +
                R"({"jsonrpc":"2.0","method":"notifications/custom"},)" +
                request("4", "resources/subscribe", R"({"uri":"test://slow"})") + "," +
                request("5", "logging/setLevel", R"({"level":"error"})") + "," +
                request("6", "prompts/list") + "," + request("7", "no/such") + "," +
                request("8", "resources/read", R"({"uri":"test://slow"})") + "]");
    EXPECT_EQ(client.unread(), 0U) << "the last request is still pending";
    time.advance(2s);
    auto const answers = client.wait_json();
    ASSERT_TRUE(answers.is_array());
    std::map<std::int64_t, Json> by_id;
    for (auto const& each : answers.as_array()) {
        if (at(each, "id").is_int64()) by_id[at(each, "id").as_int64()] = each;
    }
    EXPECT_EQ(at(by_id[1], "result"), JsonObject());
    EXPECT_TRUE(at(by_id[2], "result", "tools").is_array());
    EXPECT_EQ(at(by_id[3], "result", "content", 0, "text"), "echo");
    EXPECT_TRUE(at(by_id[4], "result").is_object());
    EXPECT_TRUE(at(by_id[5], "result").is_object());
    EXPECT_TRUE(at(by_id[6], "result", "prompts").is_array());
    EXPECT_EQ(at(by_id[7], "error", "code"), -32601);
    EXPECT_EQ(at(by_id[8], "error", "code"), -32009);
    EXPECT_EQ(by_id.size(), 8U);
    EXPECT_EQ(client.unread(), 0U);
}

TEST_F(DiagnosisTest, a_carrier_that_limits_messages_itself_may_accept_large_ones) {
    constexpr std::size_t large = 17'000'000;  // more than the default limit of a parser
    Tool length;
    length.name = "length";
    length.input_schema = Json{{"type", "object"}};
    server.add_tool(length, [](JsonObject const&, Context& context) {
        return std::to_string(context.params().size());
    });
    client.initialize("2025-11-25", R"({"elicitation":{}})");
    auto const text = std::string(large, 'x');
    auto const answered = client.ask(
        request("1", "tools/call", R"({"name":"length","arguments":{"text":")" + text + "\"}}"));
    auto const length_of_rest =
        std::string_view(R"({"name":"length","arguments":{"text":""}})").size();
    auto const expected = std::to_string(large + length_of_rest);
    EXPECT_EQ(json::serialize(at(answered, "result", "content", 0, "text")), "\"" + expected + "\"")
        << json::serialize(at(answered, "error"));
    // An answer to a question.
    auto const id = ask("2");
    client.send(R"({"jsonrpc":"2.0","id":)" + id +
                R"(,"result":{"action":"accept","content":{"really":true},"x":")" + text + "\"}}");
    EXPECT_EQ(at(client.wait_json(), "result", "content", 0, "text"), "yes");
}

}  // namespace
}  // namespace lanyard::server
