// Calls over HTTP: requests, responses, sharing of connections, and the effect of a failed call on
// the others.
#include "http_client/client_harness.hpp"

namespace lanyard::http_client_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Calls : public HttpClientTest {};

TEST_F(Calls, a_server_without_sessions_gets_only_posts) {
    ScriptedHttpServer server([](Turn& turn) {
        if (!answer_modern(turn)) turn.result(text_result("hi"));
    });
    connect(server.url());
    EXPECT_EQ(client.version(), Version::v2026_07_28);
    EXPECT_EQ(call("greet"), "hi");
    stop();
    auto const seen = server.requests();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].line, "POST /mcp");
    EXPECT_EQ(seen[0]["mcp-method"], "server/discover");
    EXPECT_EQ(seen[1]["mcp-method"], "tools/call");
    EXPECT_EQ(seen[1]["mcp-name"], "greet");
    EXPECT_EQ(seen[1]["mcp-protocol-version"], "2026-07-28");
    EXPECT_EQ(seen[1]["accept"], "application/json, text/event-stream");
    EXPECT_EQ(seen[1]["mcp-session-id"], "-");
    EXPECT_EQ(seen[1]["host"], "127.0.0.1:" + std::to_string(server.port()));
}

TEST_F(Calls, a_server_with_sessions_gets_the_handshake_and_a_delete) {
    ScriptedHttpServer server([](Turn& turn) {
        if (!answer_session(turn)) turn.result(text_result("hi", false));
    });
    connect(server.url());
    EXPECT_EQ(client.version(), Version::v2025_11_25);
    EXPECT_EQ(client.known_server().version, Version::v2025_11_25);
    EXPECT_EQ(call(), "hi");
    stop();
    auto const calls = server.requests("tools/call");
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0]["mcp-session-id"], "s-1");
    EXPECT_EQ(calls[0]["mcp-protocol-version"], "2025-11-25");
    EXPECT_EQ(server.requests("DELETE /mcp").size(), 1U);
    EXPECT_EQ(server.requests("DELETE /mcp")[0]["mcp-session-id"], "s-1");
    EXPECT_LE(server.requests("GET /mcp").size(), 1U);
}

TEST_F(Calls, a_known_server_is_not_probed) {
    ScriptedHttpServer server([](Turn& turn) { answer_session(turn); });
    connect(server.url());
    auto const known = client.known_server();
    stop();
    connect(server.url(), ClientOptions().known_server(known));
    EXPECT_EQ(server.requests("server/discover").size(), 1U);
    EXPECT_EQ(server.requests("initialize").size(), 2U);
    stop();
}

TEST_F(Calls, custom_headers_and_a_token_are_sent) {
    ScriptedHttpServer server([](Turn& turn) { answer_modern(turn); });
    connect(server.url(), {},
            HttpClientOptions().header("X-Tenant", "blue").bearer_token("secret"));
    EXPECT_EQ(server.requests()[0]["x-tenant"], "blue");
    EXPECT_EQ(server.requests()[0]["authorization"], "Bearer secret");
}

TEST_F(Calls, wrong_options_are_refused_before_anything_is_sent) {
    auto const refused = [this](std::string url, HttpClientOptions options = {}) {
        auto const outcome = attempt(lanyard::connect(std::move(url), ClientOptions(), options));
        EXPECT_FALSE(outcome);
        return !outcome && outcome.error().is(Errc::invalid_argument);
    };
    EXPECT_TRUE(refused("ftp://a.example/"));
    EXPECT_TRUE(refused("http://user:pw@a.example/"));
    EXPECT_TRUE(refused("http://a.example/", HttpClientOptions().header("Host", "b")));
    EXPECT_TRUE(refused("http://a.example/", HttpClientOptions().header("X", "a\r\nY: b")));
    EXPECT_TRUE(refused("http://a.example/", HttpClientOptions().bearer_token("a\nb")));
    EXPECT_TRUE(refused("http://a.example/", HttpClientOptions().proxy("https://p.example")));
    EXPECT_TRUE(refused("http://a.example/", HttpClientOptions().proxy("http://[")));
    EXPECT_TRUE(refused("https://a.example/", HttpClientOptions().ca_file("/no/such/file")));
}

TEST_F(Calls, consecutive_calls_share_one_connection) {
    ScriptedHttpServer server([](Turn& turn) {
        if (!answer_modern(turn)) turn.result(text_result("hi"));
    });
    connect(server.url());
    for (int i = 0; i < 50; ++i) EXPECT_EQ(call(), "hi");
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(Calls, a_connection_is_reused_after_a_stream) {
    ScriptedHttpServer server([](Turn& turn) {
        if (answer_modern(turn)) return;
        turn.begin_stream();
        turn.chunk(": hello\n\n");
        turn.chunk("data: " + turn.result_text(text_result("hi")) + "\n\n");
        turn.end_stream();
    });
    connect(server.url());
    for (int i = 0; i < 20; ++i) EXPECT_EQ(call(), "hi");
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(Calls, ten_calls_run_at_a_time_and_the_others_wait) {
    std::atomic<int> waiting = 0;
    std::mutex mutex;
    std::condition_variable changed;
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_modern(turn)) return;
        {
            // Waits until ten calls are in progress before the first one is answered.
            std::unique_lock lock(mutex);
            ++waiting;
            changed.notify_all();
            changed.wait_for(lock, 10s, [&] { return waiting.load() >= 10; });
        }
        turn.result(text_result("hi"));
    });
    connect(server.url());
    std::vector<CallToolParams> calls(40);
    for (auto& each : calls) each.name = "t";
    auto const outcomes = await(client.call_all(calls));
    for (auto const& outcome : outcomes) EXPECT_TRUE(outcome);
    EXPECT_EQ(server.most_at_a_time(), 10);
    EXPECT_EQ(server.connections(), 10);
}

TEST_F(Calls, calls_beyond_the_limit_of_the_queue_fail_with_busy) {
    std::mutex gate;
    gate.lock();
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_modern(turn)) return;
        std::lock_guard const held(gate);
        turn.result(text_result("hi"));
    });
    connect(server.url(), {}, HttpClientOptions().max_connections(2).max_queued(3));
    std::vector<CallToolParams> calls(8);
    for (auto& each : calls) each.name = "t";
    std::vector<Result<CallToolResult>> outcomes;
    boost::asio::co_spawn(context, client.call_all(calls),
                          [&](std::exception_ptr, auto result) { outcomes = std::move(result); });
    run_until([&] { return server.requests("tools/call").size() == 2; });
    gate.unlock();
    ASSERT_TRUE(run_until([&] { return !outcomes.empty(); }));
    auto const busy = std::ranges::count_if(
        outcomes, [](auto const& outcome) { return !outcome && outcome.error().is(Errc::busy); });
    EXPECT_EQ(busy, 3);
}

TEST_F(Calls, long_streams_do_not_delay_other_calls) {
    std::mutex gate;
    gate.lock();
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_modern(turn)) return;
        bool const slow = turn.seen["mcp-name"] == "slow";
        if (!slow) {
            turn.result(text_result("hi"));
            return;
        }
        turn.begin_stream();
        std::lock_guard const held(gate);
        turn.chunk("data: " + turn.result_text(text_result("late")) + "\n\n");
        turn.end_stream();
    });
    connect(server.url(), {}, HttpClientOptions().max_connections(3));
    int late = 0;
    for (int i = 0; i < 12; ++i) {
        boost::asio::co_spawn(context, client.call<std::string>("slow"),
                              [&](std::exception_ptr failure, std::string const& text) {
                                  late += !failure && text == "late";
                              });
    }
    EXPECT_EQ(call(), "hi");
    EXPECT_EQ(late, 0);
    gate.unlock();
    EXPECT_TRUE(run_until([&] { return late == 12; }));
}

TEST_F(Calls, a_question_of_the_server_is_answered_while_calls_fill_the_pool) {
    std::mutex mutex;
    std::condition_variable changed;
    int answered = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_session(turn)) return;
        if (turn.seen.method().empty()) {
            turn.status(202);
            std::lock_guard const lock(mutex);
            ++answered;
            changed.notify_all();
            return;
        }
        turn.begin_stream();
        turn.chunk("data: {\"jsonrpc\":\"2.0\",\"id\":\"q" + std::to_string(turn.seen.id()) +
                   "\",\"method\":\"roots/list\"}\n\n");
        std::unique_lock lock(mutex);
        changed.wait_for(lock, 10s, [&] { return answered == 4; });
        turn.chunk("data: " + turn.result_text(text_result("hi", false)) + "\n\n");
        turn.end_stream();
    });
    connect(server.url(), ClientOptions().roots({}), HttpClientOptions().max_connections(2));
    std::vector<CallToolParams> calls(4);
    for (auto& each : calls) each.name = "t";
    for (auto const& outcome : await(client.call_all(calls))) EXPECT_TRUE(outcome);
    EXPECT_EQ(answered, 4);
    stop();
}

// A failure of one request, and the error that its caller gets.
struct Trouble {
    std::string name;
    std::function<void(Turn&)> answer;
    Errc code;
};

void PrintTo(Trouble const& trouble, std::ostream* out) {
    *out << trouble.name;
}

class Failures : public HttpClientTest, public ::testing::WithParamInterface<Trouble> {};

TEST_P(Failures, end_one_call_and_not_the_client) {
    ScriptedHttpServer server([](Turn& turn) {
        if (answer_modern(turn)) return;
        if (turn.seen["mcp-name"] == "bad") {
            GetParam().answer(turn);
        } else {
            turn.result(text_result("hi"));
        }
    });
    connect(server.url(), {}, HttpClientOptions().max_response_bytes(1'000).max_event_bytes(1'000));
    EXPECT_EQ(call(), "hi");
    auto const outcome = attempt(client.call<std::string>("bad"));
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(GetParam().code)) << outcome.error().what();
    EXPECT_TRUE(client.is_open());
    EXPECT_EQ(call(), "hi");
}

INSTANTIATE_TEST_SUITE_P(
    Of, Failures,
    ::testing::Values(
        Trouble{"not_found", [](Turn& turn) { turn.status(404); }, Errc::failed},
        Trouble{"unauthorized", [](Turn& turn) { turn.status(401); }, Errc::unauthorized},
        Trouble{"forbidden", [](Turn& turn) { turn.status(403); }, Errc::unauthorized},
        Trouble{"broken", [](Turn& turn) { turn.status(500); }, Errc::unavailable},
        Trouble{"limited", [](Turn& turn) { turn.status(429); }, Errc::rate_limited},
        Trouble{"empty", [](Turn& turn) { turn.status(202); }, Errc::protocol_violation},
        Trouble{"html",
                [](Turn& turn) {
                    turn.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                        "Content-Length: 3\r\n\r\n<p>");
                },
                Errc::protocol_violation},
        Trouble{"not_json", [](Turn& turn) { turn.json("{nonsense"); }, Errc::protocol_violation},
        Trouble{"not_http", [](Turn& turn) { turn.send("220 smtp ready\r\n\r\n"); },
                Errc::protocol_violation},
        Trouble{"too_large",
                [](Turn& turn) {
                    turn.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                        "Content-Length: 1001\r\n\r\n");
                },
                Errc::too_large},
        Trouble{"too_large_in_chunks",
                [](Turn& turn) {
                    turn.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n");
                    for (int i = 0; i < 101; ++i) turn.chunk("          ");
                },
                Errc::too_large},
        Trouble{"endless_event",
                [](Turn& turn) {
                    turn.begin_stream();
                    turn.chunk("data: ");
                    for (int i = 0; i < 101; ++i) turn.chunk("xxxxxxxxxx");
                    turn.wait_until_closed();
                },
                Errc::too_large},
        Trouble{"endless_head",
                [](Turn& turn) {
                    turn.send("HTTP/1.1 200 OK\r\n");
                    for (int i = 0; i < 3'000; ++i) {
                        turn.send("X-" + std::to_string(i) + ": " + std::string(100, 'x') + "\r\n");
                    }
                    turn.wait_until_closed();
                },
                Errc::protocol_violation},
        Trouble{"closed", [](Turn& turn) { turn.close(); }, Errc::transport_down},
        Trouble{"cut_in_head",
                [](Turn& turn) {
                    turn.send("HTTP/1.1 200 OK\r\nContent-");
                    turn.close();
                },
                Errc::transport_down},
        Trouble{"cut_in_body",
                [](Turn& turn) {
                    turn.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                        "Content-Length: 100\r\n\r\n{\"json");
                    turn.close();
                },
                Errc::transport_down},
        Trouble{"cut_stream",
                [](Turn& turn) {
                    turn.begin_stream();
                    turn.chunk("id: 5\ndata: {\"js");
                    turn.close();
                },
                Errc::transport_down},
        Trouble{"redirect",
                [](Turn& turn) { turn.status(307, "Location: http://127.0.0.2:1/mcp\r\n"); },
                Errc::failed}),
    [](auto const& info) { return info.param.name; });

TEST_F(Calls, a_slow_server_may_send_byte_by_byte) {
    ScriptedHttpServer server([](Turn& turn) {
        if (answer_modern(turn)) return;
        auto const body = turn.result_text(text_result("slow"));
        auto const answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body;
        for (char const c : answer) turn.send({&c, 1});
    });
    connect(server.url());
    EXPECT_EQ(call(), "slow");
}

TEST_F(Calls, a_call_that_takes_too_long_ends_and_its_connection_is_closed) {
    std::atomic<bool> closed = false;
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_modern(turn)) return;
        turn.wait_until_closed();
        closed = true;
    });
    connect(server.url());
    auto const outcome = attempt(client.call_tool("t", RawJson(), CallOptions().timeout(50ms)));
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(Errc::timeout));
    EXPECT_TRUE(run_until([&] { return closed.load(); }));
    EXPECT_THAT(server.requests("notifications/cancelled"), IsEmpty());
}

TEST_F(Calls, cancelling_a_call_of_a_session_notifies_the_server) {
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_session(turn)) return;
        if (turn.seen.method() == "tools/call") {
            turn.begin_stream();
            turn.wait_until_closed();
        } else {
            turn.status(202);
        }
    });
    connect(server.url());
    std::stop_source stopping;
    std::optional<Errc> code;
    boost::asio::co_spawn(context,
                          lanyard::attempt(client.call_tool(
                              "t", RawJson(), CallOptions().stop_token(stopping.get_token()))),
                          [&](std::exception_ptr, Result<CallToolResult> result) {
                              if (!result && result.error().is(Errc::cancelled))
                                  code = Errc::cancelled;
                          });
    run_until([&] { return server.requests("tools/call").size() == 1; });
    stopping.request_stop();
    EXPECT_TRUE(run_until([&] { return code.has_value(); }));
    EXPECT_TRUE(run_until([&] { return server.requests("notifications/cancelled").size() == 1; }));
    stop();
}

TEST_F(Calls, a_kept_connection_that_the_server_closes_is_replaced) {
    ScriptedHttpServer server([](Turn& turn) {
        if (turn.seen.on_connection == 2) {
            turn.close();
        } else if (!answer_modern(turn)) {
            turn.result(R"({"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"})");
        }
    });
    connect(server.url());
    EXPECT_TRUE(attempt(client.list_tools()));
    EXPECT_EQ(server.connections(), 2);
    // A tool call is not repeated.
    auto const outcome = attempt(client.call_tool("t"));
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(Errc::transport_down)) << outcome.error().what();
    EXPECT_EQ(server.requests("tools/call").size(), 1U);
}

TEST_F(Calls, a_connection_that_was_closed_while_idle_does_no_harm) {
    std::atomic<bool> closed = false;
    ScriptedHttpServer server([&](Turn& turn) {
        if (!answer_modern(turn)) {
            turn.result(text_result("hi"));
            return;
        }
        turn.close();
        closed = true;
    });
    connect(server.url());
    run_until([&] { return closed.load(); });
    context.run_for(10ms);
    EXPECT_EQ(call(), "hi");
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(Calls, requests_that_were_refused_with_retry_after_are_repeated) {
    std::atomic<int> refused = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_modern(turn)) return;
        if (++refused <= 2) {
            turn.status(503, "Retry-After: 0\r\nConnection: close\r\n");
            turn.close();
        } else {
            turn.result(text_result("hi"));
        }
    });
    connect(server.url());
    EXPECT_EQ(call(), "hi");
    EXPECT_EQ(server.connections(), 3);
}

TEST_F(Calls, redirects_of_the_same_server_are_followed) {
    ScriptedHttpServer server([](Turn& turn) {
        if (turn.seen.line == "POST /old") {
            turn.status(308, "Location: /mcp\r\n");
        } else if (!answer_modern(turn)) {
            turn.result(text_result("hi"));
        }
    });
    connect(server.url("/old"));
    EXPECT_EQ(call(), "hi");
}

TEST_F(Calls, tools_with_invalid_annotations_are_left_out_and_the_others_mirror_arguments) {
    std::vector<std::string> told;
    ScriptedHttpServer server([](Turn& turn) {
        if (answer_modern(turn)) return;
        if (turn.seen.method() == "tools/list") {
            turn.result(R"({"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[
                {"name":"good","inputSchema":{"type":"object","properties":{
                    "city":{"type":"string","x-mcp-header":"City"}}}},
                {"name":"bad","inputSchema":{"type":"object","properties":{
                    "x":{"type":"number","x-mcp-header":"X"}}}}]})");
        } else if (turn.seen["mcp-param-city"] == "-") {
            turn.json(R"({"jsonrpc":"2.0","id":)" + std::to_string(turn.seen.id()) +
                          R"(,"error":{"code":-32020,"message":"header missing"}})",
                      "", 400);
        } else {
            turn.result(text_result(turn.seen["mcp-param-city"]));
        }
    });
    connect(server.url(),
            ClientOptions().on_diagnostic([&](std::string_view text) { told.emplace_back(text); }));
    // The client has not listed the tools yet: it lists them and tries again.
    auto const found = await(client.call_tool("good", RawJson::trusted(R"({"city":"Oslo"})")));
    EXPECT_EQ(std::get<TextContent>(found.content.at(0)).text, "Oslo");
    EXPECT_EQ(server.requests("tools/call").size(), 2U);
    auto const tools = await(client.list_tools());
    ASSERT_EQ(tools.size(), 1U);
    EXPECT_EQ(tools[0].name, "good");
    EXPECT_THAT(told, ::testing::Contains(HasSubstr("bad")));
    EXPECT_EQ(
        std::get<TextContent>(
            await(client.call_tool("good", RawJson::trusted(R"({"city":" a"})"))).content.at(0))
            .text,
        "=?base64?IGE=?=");
}

TEST_F(Calls, a_subscription_is_opened_again_when_its_stream_is_lost) {
    std::atomic<int> listens = 0;
    ScriptedHttpServer server([&](Turn& turn) {
        if (answer_modern(turn, R"({"tools":{"listChanged":true}})")) return;
        auto const id = std::to_string(turn.seen.id());
        turn.begin_stream();
        turn.chunk(
            R"(data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)"
            R"({"notifications":{"toolsListChanged":true},"_meta":)"
            R"({"io.modelcontextprotocol/subscriptionId":)" +
            id + "}}}\n\n");
        if (++listens == 1) {
            turn.close();
            return;
        }
        turn.chunk(R"(data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":)"
                   R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                   id + "}}}\n\n");
        turn.wait_until_closed();
    });
    int changes = 0;
    connect(server.url(), ClientOptions().time(time).on_list_changed([&](ListKind) { ++changes; }),
            HttpClientOptions().time(time));
    EXPECT_TRUE(run_until([&] {
        if (listens == 1) time.advance(100ms);
        return changes == 1;
    }));
    EXPECT_EQ(listens.load(), 2);
}

}  // namespace
}  // namespace lanyard::http_client_test
