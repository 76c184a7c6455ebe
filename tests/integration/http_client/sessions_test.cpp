// Sessions over real connections: streams cut at every byte, lost sessions, the server's stream,
// the transport of 2024-11-05, and the end of a session.
#include "http_client/client_harness.hpp"

namespace lanyard::http_client_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Sessions : public HttpClientTest {};

std::string note(int number) {
    return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":)" +
           std::to_string(number) + "}}";
}

// A server that answers a tool call with a stream of several events, which it stores. The first
// connection of each call ends after a given number of bytes; then the client resumes the stream.
class CuttingServer {
public:
    CuttingServer() : server_([this](Turn& turn) { answer(turn); }) {}

    std::string url() const { return server_.url(); }
    std::atomic<std::size_t> cut = 0;
    std::atomic<std::size_t> size = 0;

private:
    void answer(Turn& turn) {
        if (answer_session(turn, "s-1", R"({"tools":{},"logging":{}})")) return;
        auto const last = turn.seen["last-event-id"];
        if (last == "-") {
            std::lock_guard const lock(mutex_);
            events_.clear();
            events_.push_back("retry: 1\nid: 0\ndata:\n\n");
            for (int i = 1; i <= 3; ++i) {
                events_.push_back("id: " + std::to_string(i) + "\ndata: " + note(i) + "\n\n");
            }
            events_.push_back("id: 4\nevent: message\ndata: " +
                              turn.result_text(text_result("done", false)) + "\n\n");
        }
        std::string stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        {
            std::lock_guard const lock(mutex_);
            auto const from = last == "-" ? 0U : std::stoul(last) + 1;
            for (auto i = from; i < events_.size(); ++i) stream += events_[i];
        }
        if (last == "-") {
            size = stream.size();
            stream.resize(std::min<std::size_t>(cut, stream.size()));
        }
        turn.send(stream);
        turn.close();
    }

    std::mutex mutex_;
    std::vector<std::string> events_;
    ScriptedHttpServer server_;
};

TEST_F(Sessions, a_stream_cut_at_any_byte_is_resumed_and_every_message_comes_once) {
    CuttingServer server;
    std::vector<std::string> notes;
    connect(server.url(), ClientOptions().on_log([&](LoggingMessageParams const& message) {
        notes.push_back(boost::json::serialize(message.data));
    }));
    server.cut = 1'000'000;
    EXPECT_EQ(call(), "done");
    run_until([&] { return notes.size() == 3; });
    std::size_t const head = 63;  // the bytes before the events, and the first id
    int resumed = 0;
    for (std::size_t cut = 1; cut <= server.size; ++cut) {
        notes.clear();
        server.cut = cut;
        auto const outcome = call();
        // Before the first id has arrived, the stream cannot be resumed: the call fails with an
        // error.
        if (cut < head + 20 && outcome != "done") {
            EXPECT_THAT(outcome, HasSubstr("transport down")) << cut;
            continue;
        }
        ++resumed;
        EXPECT_EQ(outcome, "done") << cut;
        run_until([&] { return notes.size() >= 3; });
        EXPECT_THAT(notes, ElementsAre("1", "2", "3")) << cut;
    }
    EXPECT_GT(resumed, 300);
    stop();
}

TEST_F(Sessions, a_lost_session_is_opened_again_with_its_subscriptions_and_log_level) {
    std::atomic<int> opened = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        auto const current = "s-" + std::to_string(opened.load());
        if (turn.seen.method() == "initialize") {
            answer_session(turn, "s-" + std::to_string(++opened),
                           R"({"tools":{},"logging":{},"resources":{"subscribe":true}})");
        } else if (turn.seen["mcp-session-id"] != "-" && turn.seen["mcp-session-id"] != current) {
            turn.status(404);
        } else if (turn.seen.method() == "tools/call") {
            turn.result(text_result(current, false));
        } else if (!answer_session(turn)) {
            turn.result("{}");
        }
    });
    std::vector<std::string> told;
    connect(server.url(),
            ClientOptions().on_diagnostic([&](std::string_view text) { told.emplace_back(text); }));
    await(client.subscribe("demo://a"));
    await(client.set_log_level(LoggingLevel::warning));
    EXPECT_EQ(call(), "s-1");
    opened = 7;  // the server drops its session
    EXPECT_EQ(call(), "s-8");
    EXPECT_EQ(server.requests("initialize").size(), 2U);
    EXPECT_TRUE(run_until([&] {
        return server.requests("resources/subscribe").size() == 2 &&
               server.requests("logging/setLevel").size() == 2;
    }));
    EXPECT_THAT(told, ::testing::Contains(HasSubstr("lost the session")));
    stop();
}

TEST_F(Sessions, many_calls_of_a_lost_session_open_one_new_session) {
    std::atomic<int> opened = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        auto const current = "s-" + std::to_string(opened.load());
        if (turn.seen.method() == "initialize") {
            answer_session(turn, "s-" + std::to_string(++opened));
        } else if (turn.seen["mcp-session-id"] != "-" && turn.seen["mcp-session-id"] != current) {
            turn.status(404);
        } else if (!answer_session(turn)) {
            turn.result(text_result(current, false));
        }
    });
    connect(server.url());
    opened = 50;
    std::vector<CallToolParams> calls(30);
    for (auto& each : calls) each.name = "t";
    for (auto const& outcome : await(client.call_all(calls))) {
        ASSERT_TRUE(outcome) << outcome.error().what();
        EXPECT_EQ(std::get<TextContent>(outcome->content.at(0)).text, "s-51");
    }
    EXPECT_EQ(server.requests("initialize").size(), 2U);
    stop();
}

TEST_F(Sessions, messages_of_the_servers_own_stream_survive_a_cut) {
    std::atomic<int> streams = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        if (turn.seen.line != "GET /mcp") {
            answer_session(turn, "s-1", R"({"tools":{},"logging":{}})");
            return;
        }
        auto const number = ++streams;
        turn.begin_stream();
        turn.chunk("retry: 1\nid: " + std::to_string(number) + "\ndata: " + note(number) + "\n\n");
        if (number < 3) {
            turn.close();
        } else {
            turn.wait_until_closed();
        }
    });
    std::vector<std::string> notes;
    connect(server.url(), ClientOptions().on_log([&](LoggingMessageParams const& message) {
        notes.push_back(boost::json::serialize(message.data));
    }));
    EXPECT_TRUE(run_until([&] { return notes.size() == 3; }));
    EXPECT_THAT(notes, ElementsAre("1", "2", "3"));
    auto const gets = server.requests("GET /mcp");
    EXPECT_EQ(gets[0]["last-event-id"], "-");
    EXPECT_EQ(gets[2]["last-event-id"], "2");
    EXPECT_EQ(gets[2]["mcp-session-id"], "s-1");
    stop();
}

TEST_F(Sessions, the_servers_own_stream_is_not_opened_if_it_is_switched_off) {
    for (bool const on : {true, false}) {
        ScriptedHttpServer server([&](Turn& turn) {
            if (turn.seen.line != "GET /mcp") {
                answer_session(turn, "s-1", R"({"tools":{},"logging":{}})");
                return;
            }
            turn.begin_stream();
            turn.wait_until_closed();
        });
        connect(server.url(), {}, HttpClientOptions().server_stream(on));
        if (on) EXPECT_TRUE(run_until([&] { return server.requests("GET /mcp").size() == 1; }));
        stop();
        EXPECT_EQ(server.requests("GET /mcp").size(), on ? 1U : 0U);
    }
}

TEST_F(Sessions, closing_does_not_wait_for_a_server_that_sends_nothing) {
    ScriptedHttpServer server([](Turn& turn) {
        if (turn.seen.line == "DELETE /mcp") {
            turn.wait_until_closed();
        } else {
            answer_session(turn);
        }
    });
    connect(server.url(), {}, HttpClientOptions().close_timeout(20ms));
    stop();
    EXPECT_EQ(server.requests("DELETE /mcp").size(), 1U);
}

TEST_F(Sessions, a_client_that_is_destroyed_ends_its_session) {
    ScriptedHttpServer server([](Turn& turn) { answer_session(turn); });
    connect(server.url());
    client = {};
    EXPECT_TRUE(run_until([&] { return server.requests("DELETE /mcp").size() == 1; }));
}

// A server with the transport of 2024-11-05.
class OldServer {
public:
    OldServer() : server_([this](Turn& turn) { answer(turn); }) {}
    ~OldServer() { server_.stop(); }

    ScriptedHttpServer& server() { return server_; }
    void cut() {
        std::lock_guard const lock(mutex_);
        if (stream_ != nullptr) stream_->cut();
    }
    std::atomic<int> sessions = 0;

private:
    void answer(Turn& turn) {
        if (turn.seen.line == "GET /sse") {
            turn.begin_stream();
            auto const number = std::to_string(++sessions);
            {
                std::lock_guard const lock(mutex_);
                stream_ = &turn.stream();
                turn_ = &turn;
            }
            turn.chunk("retry: 1\nevent: endpoint\ndata: /messages?session=" + number + "\n\n");
            turn.wait_until_closed();
            std::lock_guard const lock(mutex_);
            stream_ = nullptr;
            turn_ = nullptr;
            return;
        }
        auto const wanted = "POST /messages?session=" + std::to_string(sessions.load());
        if (turn.seen.line != wanted) {
            turn.status(404);
            return;
        }
        turn.status(202);
        auto const method = turn.seen.method();
        std::string answer;
        if (method == "initialize") {
            answer = turn.result_text(R"({"protocolVersion":"2024-11-05","capabilities":)"
                                      R"({"tools":{}},"serverInfo":{"name":"old","version":"1"}})");
        } else if (method == "tools/call") {
            answer = turn.result_text(text_result("old " + std::to_string(sessions), false));
        }
        std::lock_guard const lock(mutex_);
        if (!answer.empty() && turn_ != nullptr)
            turn_->chunk("event: message\ndata: " + answer + "\n\n");
    }

    std::mutex mutex_;
    Stream* stream_ = nullptr;
    Turn* turn_ = nullptr;
    ScriptedHttpServer server_;
};

TEST_F(Sessions, a_server_of_2024_is_found_by_falling_back) {
    OldServer old;
    connect(old.server().url("/sse"));
    EXPECT_EQ(client.version(), Version::v2024_11_05);
    EXPECT_EQ(call(), "old 1");
    EXPECT_EQ(call(), "old 1");
    EXPECT_EQ(old.server().requests("POST /sse").size(), 2U) << "discover and initialize";
    stop();
}

TEST_F(Sessions, a_lost_connection_to_a_server_of_2024_is_opened_again) {
    OldServer old;
    connect(old.server().url("/sse"));
    EXPECT_EQ(call(), "old 1");
    old.cut();
    ASSERT_TRUE(run_until([&] { return old.sessions == 2; }));
    EXPECT_EQ(call(), "old 2");
    stop();
}

TEST_F(Sessions, connecting_to_another_kind_of_server_fails_with_its_first_refusal) {
    ScriptedHttpServer server([](Turn& turn) {
        turn.send(
            "HTTP/1.1 404 X\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\n"
            "no such page");
    });
    auto const outcome = attempt(lanyard::connect(server.url()));
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().what(), HasSubstr("HTTP 404: no such page"));
}

}  // namespace
}  // namespace lanyard::http_client_test
