// Sessions of a client over HTTP: how they open, their streams, what happens when they are lost,
// and how they end.
#include <algorithm>

#include "unit/http/client/client_machine_harness.hpp"

namespace lanyard::http {
namespace {

using test::cancelled;
using test::initialize;
using test::initialized;
using test::MachineHarness;
using test::request;
using test::result;
using test::stateless_request;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Stage = CallLoss::Stage;

std::string const version_11_25 = R"({"protocolVersion":"2025-11-25"})";

std::string session(std::string const& id) {
    return "Mcp-Session-Id: " + id + "\r\n";
}

TEST(ClientSession, requests_wait_until_the_session_is_open) {
    MachineHarness harness;
    harness.send(initialize);
    harness.answer(MachineHarness::json(result(1, version_11_25)));
    harness.send(initialized);
    auto const opening = harness.last().id;
    harness.send(request(2));
    harness.send(request(3));
    EXPECT_EQ(harness.calls.size(), 2U);
    harness.answer(opening, MachineHarness::accepted);
    ASSERT_EQ(harness.calls.size(), 5U);
    EXPECT_EQ(harness.calls[2].body, request(2));
    EXPECT_EQ(harness.calls[3].body, request(3));
    EXPECT_EQ(harness.calls[4].line, "GET /mcp");
    EXPECT_EQ(harness.calls[4]["Accept"], "text/event-stream");
    EXPECT_EQ(harness.calls[4].lane, SlotKind::stream);
}

TEST(ClientSession, requests_that_wait_for_the_session_are_limited) {
    ClientMachineOptions options;
    options.max_held = 1;
    MachineHarness harness(options);
    harness.send(initialize);
    harness.answer(MachineHarness::json(result(1, version_11_25)));
    harness.send(initialized);
    harness.frames();
    harness.send(request(2));
    harness.send(request(3));
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 3 busy")));
}

TEST(ClientSession, opens_even_if_the_server_refuses_the_initialized_notification) {
    MachineHarness harness;
    harness.send(initialize);
    harness.answer(MachineHarness::json(result(1, version_11_25)));
    harness.send(initialized);
    harness.answer(MachineHarness::status(500));
    harness.send(request(2));
    EXPECT_EQ(harness.last().body, request(2));
}

TEST(ClientSession, the_handshake_may_be_answered_by_a_stream) {
    MachineHarness harness;
    harness.send(initialize);
    harness.answer("HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n" + session("s-9") +
                   "\r\ndata: " + result(1, version_11_25) + "\n\n");
    harness.send(initialized);
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "s-9");
    EXPECT_EQ(harness.last()["MCP-Protocol-Version"], "2025-11-25");
}

class ServerStream : public ::testing::Test {
protected:
    void open(ClientMachineOptions options = {}) {
        harness = std::make_unique<MachineHarness>(std::move(options));
        harness->send(initialize);
        harness->answer(MachineHarness::json(result(1, version_11_25), session("s-1")));
        harness->send(initialized);
        harness->answer(MachineHarness::accepted);
        harness->frames();
    }
    std::unique_ptr<MachineHarness> harness;
};

TEST_F(ServerStream, delivers_messages_of_the_server) {
    open();
    EXPECT_EQ(harness->last()["Mcp-Session-Id"], "s-1");
    harness->feed(harness->last().id, std::string(MachineHarness::stream) +
                                          "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n");
    EXPECT_THAT(harness->frames(), ElementsAre(R"({"jsonrpc":"2.0","method":"n"})"));
}

TEST_F(ServerStream, is_not_opened_if_it_is_switched_off) {
    ClientMachineOptions options;
    options.server_stream = false;
    open(options);
    EXPECT_EQ(harness->last().line, "POST /mcp");
}

TEST_F(ServerStream, is_given_up_if_the_server_refuses_it) {
    for (int const status : {400, 401, 404, 405}) {
        open();
        harness->answer(MachineHarness::status(status));
        EXPECT_TRUE(harness->machine.idle()) << status;
        EXPECT_EQ(harness->machine.next_deadline(), TimePoint::max());
    }
    EXPECT_THAT(harness->frames(), IsEmpty());
}

TEST_F(ServerStream, is_resumed_from_the_last_event_after_the_retry_of_the_server) {
    open();
    harness->answer(
        std::string(MachineHarness::stream) +
        "id: e-4\nretry: 700\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\nid: e-5\n");
    EXPECT_EQ(harness->pass(), std::chrono::milliseconds(700));
    EXPECT_EQ(harness->last().line, "GET /mcp");
    EXPECT_EQ(harness->last()["Last-Event-ID"], "e-4") << "an incomplete event does not count";
}

TEST_F(ServerStream, is_opened_again_after_five_seconds_if_the_server_sends_no_retry) {
    open();
    harness->answer(std::string(MachineHarness::stream) + "id: p\ndata:\n\n");
    EXPECT_EQ(harness->pass(), std::chrono::seconds(5));
    EXPECT_EQ(harness->last()["Last-Event-ID"], "p") << "a priming event gives an id";
}

TEST_F(ServerStream, is_requested_less_often_without_events_but_never_given_up) {
    open();
    auto longest = Duration::zero();
    for (int i = 0; i < 30; ++i) {
        if (i % 2 == 0) {
            harness->lose(harness->last().id, Stage::unsent);
        } else {
            harness->answer(MachineHarness::status(502));
        }
        longest = std::max(longest, harness->pass());
        EXPECT_EQ(harness->last().line, "GET /mcp");
    }
    EXPECT_GT(longest, std::chrono::seconds(25));
    EXPECT_LT(longest, std::chrono::seconds(42));
}

TEST_F(ServerStream, is_not_opened_without_a_pause_if_it_ends_after_an_event) {
    open();
    int streams = 0;
    auto const serve = [&] {
        harness->answer(std::string(MachineHarness::stream) + "id: " + std::to_string(++streams) +
                        "\nretry: 0\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n");
        harness->frames();
    };
    auto const opened_in = [&](Duration time) {
        auto const end = harness->now + time;
        int count = 0;
        for (; harness->machine.next_deadline() <= end; ++count) {
            harness->pass();
            serve();
        }
        harness->now = end;
        return count;
    };
    serve();
    EXPECT_EQ(opened_in(std::chrono::seconds(10)), 100);
    EXPECT_LT(opened_in(std::chrono::seconds(60)), 20);
    EXPECT_LE(opened_in(std::chrono::hours(1)), 720) << "once in five seconds";
}

TEST_F(ServerStream, is_opened_again_after_an_event_beyond_the_limit) {
    ClientMachineOptions options;
    options.max_event_bytes = 50;
    open(options);
    harness->feed(harness->last().id,
                  std::string(MachineHarness::stream) + "data: " + std::string(60, 'x'));
    EXPECT_EQ(harness->aborted.size(), 1U);
    harness->pass();
    EXPECT_EQ(harness->last().line, "GET /mcp");
}

TEST_F(ServerStream, a_404_on_resuming_means_that_the_session_is_lost) {
    open();
    harness->answer(MachineHarness::stream);
    harness->pass();
    harness->answer(MachineHarness::status(404));
    EXPECT_EQ(harness->last().body, initialize);
    EXPECT_EQ(harness->last()["Mcp-Session-Id"], "-");
}

TEST_F(ServerStream, redirects_are_followed_to_the_same_server_only) {
    open();
    harness->answer(MachineHarness::status(302, "Location: /stream\r\n"));
    EXPECT_EQ(harness->last().line, "GET /stream");
    harness->answer(MachineHarness::status(302, "Location: http://b.example/\r\n"));
    EXPECT_EQ(harness->pass(), std::chrono::seconds(5));
}

class BrokenStream : public ::testing::Test {
protected:
    BrokenStream() {
        harness.open_session();
        harness.send(request(2));
        id = harness.last().id;
    }
    MachineHarness harness;
    CallId id;
};

TEST_F(BrokenStream, is_resumed_after_its_last_event) {
    harness.feed(id, std::string(MachineHarness::stream) + "id: a-1\nretry: 250\ndata:\n\n");
    harness.feed(id, "id: a-2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\ndata: {\"js");
    harness.finish(id);
    EXPECT_EQ(harness.pass(), std::chrono::milliseconds(250));
    EXPECT_EQ(harness.last().line, "GET /mcp");
    EXPECT_EQ(harness.last()["Last-Event-ID"], "a-2");
    EXPECT_EQ(harness.last()["Accept"], "text/event-stream");
    EXPECT_EQ(harness.last().body, "");
    harness.answer(id,
                   std::string(MachineHarness::stream) + "id: a-3\ndata: " + result(2) + "\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre(R"({"jsonrpc":"2.0","method":"n"})", result(2)));
    EXPECT_TRUE(harness.machine.idle());
}

TEST_F(BrokenStream, without_event_ids_fails_the_request) {
    harness.answer(id, std::string(MachineHarness::stream) + "data: {\"js");
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 2 transport_down")));
    EXPECT_TRUE(harness.machine.idle());
}

TEST_F(BrokenStream, a_server_that_does_not_resume_fails_the_request) {
    harness.answer(id, std::string(MachineHarness::stream) + "id: a-1\ndata:\n\n");
    harness.pass();
    harness.answer(MachineHarness::status(405));
    EXPECT_THAT(harness.frames(), ElementsAre(HasSubstr("cannot be resumed")));
    EXPECT_TRUE(harness.machine.idle());
}

TEST_F(BrokenStream, is_retried_after_server_errors_but_not_without_limit) {
    harness.answer(id, std::string(MachineHarness::stream) + "id: a-1\ndata:\n\n");
    int attempts = 0;
    while (!harness.machine.idle() && attempts < 50) {
        harness.pass();
        harness.answer(MachineHarness::status(500));
        ++attempts;
    }
    EXPECT_EQ(attempts, 11);
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 2 unavailable")));
}

TEST(RetriedStream, is_resumed_as_often_as_the_options_allow) {
    ClientMachineOptions options;
    options.stream_retries.backoff = {std::chrono::seconds(3), std::chrono::seconds(3), 2, 0, 2};
    MachineHarness harness(options);
    harness.open_session();
    harness.send(request(2));
    harness.answer(std::string(MachineHarness::stream) + "id: a-1\nretry: 1000\ndata:\n\n");
    for (int const seconds : {1, 4, 4}) {
        EXPECT_EQ(harness.pass(), std::chrono::seconds(seconds));
        harness.answer(MachineHarness::status(500));
    }
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 2 unavailable")));
}

TEST_F(BrokenStream, an_answer_on_another_stream_ends_the_wait) {
    harness.answer(id, std::string(MachineHarness::stream) + "id: a-1\ndata:\n\n");
    harness.send(request(3));
    harness.feed(harness.last().id,
                 std::string(MachineHarness::stream) + "data: " + result(2) + "\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre(result(2)));
    harness.feed(harness.last().id, "data: " + result(3) + "\n\n");
    harness.finish(harness.last().id);
    EXPECT_TRUE(harness.machine.idle());
}

TEST_F(BrokenStream, in_a_lost_session_fails_the_request_as_possibly_executed) {
    harness.answer(id, std::string(MachineHarness::stream) + "id: a-1\ndata:\n\n");
    harness.pass();
    harness.answer(MachineHarness::status(404));
    EXPECT_THAT(harness.frames(), ElementsAre(HasSubstr("may have been carried out")));
    EXPECT_EQ(harness.last().body, initialize) << "the next request finds a session";
}

TEST_F(BrokenStream, is_not_resumed_in_another_session) {
    harness.answer(id, std::string(MachineHarness::stream) + "id: a-1\ndata:\n\n");
    harness.send(request(3));
    harness.answer(MachineHarness::status(404));
    harness.answer(MachineHarness::json(result(1, version_11_25), session("s-2")));
    harness.pass();
    EXPECT_THAT(harness.frames(),
                ElementsAre("renewed", HasSubstr("failed 2 transport_down: the server lost")));
}

TEST(ClientSession, a_lost_session_is_opened_again_once_and_the_refused_requests_are_repeated) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.send(request(2));
    auto const first = harness.last().id;
    harness.send(request(3));
    auto const second = harness.last().id;
    harness.answer(first, MachineHarness::status(404));
    ASSERT_EQ(harness.calls.size(), 3U);
    EXPECT_EQ(harness.last().body, initialize);
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "-");
    auto const handshake = harness.last().id;
    harness.send(request(4));
    harness.answer(second, MachineHarness::status(404));
    EXPECT_EQ(harness.calls.size(), 3U) << "one handshake is enough";
    harness.answer(handshake, MachineHarness::json(result(1, version_11_25), session("s-2")));
    EXPECT_THAT(harness.frames(), ElementsAre("renewed"));
    ASSERT_EQ(harness.calls.size(), 4U);
    EXPECT_EQ(harness.last().body, initialized);
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "s-2");
    harness.answer(MachineHarness::accepted);
    ASSERT_EQ(harness.calls.size(), 8U);
    for (int i = 0; i < 3; ++i) {
        auto const& call = harness.calls[static_cast<std::size_t>(4 + i)];
        EXPECT_EQ(call.body, request(2 + i));
        EXPECT_EQ(call["Mcp-Session-Id"], "s-2");
        harness.answer(call.id, MachineHarness::json(result(2 + i)));
    }
    EXPECT_EQ(harness.last().line, "GET /mcp");
    EXPECT_THAT(harness.frames(), ElementsAre(result(2), result(3), result(4)));
}

TEST(ClientSession, a_late_refusal_of_the_old_session_repeats_the_request_in_the_new_one) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.send(request(2));
    harness.send(request(3));
    auto const late = harness.last().id;
    harness.answer(harness.calls[0].id, MachineHarness::status(404));
    harness.answer(MachineHarness::json(result(1, version_11_25), session("s-2")));
    harness.answer(MachineHarness::accepted);
    harness.answer(late, MachineHarness::status(404));
    EXPECT_EQ(harness.last().body, request(3));
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "s-2");
}

TEST(ClientSession, a_cancellation_does_not_end_the_handshake_that_renews_the_session) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.send(request(2));
    harness.answer(MachineHarness::status(404));
    ASSERT_EQ(harness.last().body, initialize);
    harness.send(cancelled(1));
    EXPECT_EQ(harness.last().body, initialize);
    harness.answer(MachineHarness::json(result(1, version_11_25), session("s-2")));
    harness.answer(MachineHarness::accepted);
    EXPECT_EQ(harness.last().line, "GET /mcp");
    EXPECT_EQ(harness.calls.end()[-2].body, request(2)) << "the request is repeated";
}

TEST(ClientSession, a_session_that_is_lost_again_at_once_fails_the_request) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.send(request(2));
    auto const id = harness.last().id;
    harness.answer(MachineHarness::status(404));
    harness.answer(MachineHarness::json(result(1, version_11_25), session("s-2")));
    harness.answer(MachineHarness::accepted);
    harness.answer(id, MachineHarness::status(404));
    EXPECT_THAT(
        harness.frames(),
        ElementsAre("renewed", StartsWith("failed 2 unavailable: the server does not know")));
}

// A server that answers every message with 404 and every handshake with a new session.
TEST(ClientSession, is_not_renewed_without_a_pause_if_it_is_lost_repeatedly) {
    MachineHarness harness;
    harness.open_session("s-1");
    auto const end = harness.now + std::chrono::hours(1);
    int handshakes = 0;
    for (int i = 2; harness.now < end; ++i) {
        harness.send(R"({"jsonrpc":"2.0","id":"q","result":{}})");
        harness.answer(MachineHarness::status(404));
        if (harness.last().body != initialize) harness.pass();
        ASSERT_EQ(harness.last().body, initialize);
        ++handshakes;
        harness.answer(
            MachineHarness::json(result(1, version_11_25), session("s-" + std::to_string(i))));
        EXPECT_EQ(harness.last().body, initialized);
        harness.answer(MachineHarness::accepted);
        if (harness.last().line.starts_with("GET")) harness.answer(MachineHarness::status(405));
        EXPECT_TRUE(harness.machine.idle());
    }
    EXPECT_GE(handshakes, 100);
    EXPECT_LE(handshakes, 150) << "twice a minute";
}

TEST(ClientSession, may_be_renewed_at_once_if_the_last_one_has_lasted) {
    MachineHarness harness;
    harness.open_session("s-1");
    for (int i = 2; i < 10; ++i) {
        harness.send(request(i));
        harness.answer(MachineHarness::status(404));
        EXPECT_EQ(harness.last().body, initialize) << i;
        harness.answer(
            MachineHarness::json(result(1, version_11_25), session("s-" + std::to_string(i))));
        harness.answer(MachineHarness::accepted);
        harness.answer(harness.calls.at(harness.calls.size() - 2).id,
                       MachineHarness::json(result(i)));
        harness.answer(MachineHarness::status(405));
        harness.pass(std::chrono::seconds(30));
    }
}

TEST(ClientSession, a_session_that_cannot_be_opened_again_fails_the_waiting_requests) {
    struct Case {
        std::string answer;
        std::string why;
    };
    Case const cases[] = {
        {MachineHarness::status(500), "HTTP 500"},
        {MachineHarness::json(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"full"}})"),
         "full"},
        {MachineHarness::json(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"full"}})",
                              "", 400),
         "full"},
        {MachineHarness::json(result(1, R"({"protocolVersion":"2025-06-18"})")),
         "another protocol"},
        {MachineHarness::json(result(7)), "not answered"},
        {std::string(MachineHarness::stream) +
             "data: " + result(1, R"({"protocolVersion":"2025-06-18"})") + "\n\n",
         "another protocol"},
        {std::string(MachineHarness::stream), "ended the stream"},
    };
    for (auto const& each : cases) {
        MachineHarness harness;
        harness.open_session("s-1");
        harness.send(request(2));
        harness.answer(MachineHarness::status(404));
        harness.send(R"({"jsonrpc":"2.0","method":"notifications/x"})");
        harness.answer(each.answer);
        EXPECT_THAT(harness.frames().back(),
                    ::testing::AllOf(StartsWith("failed 2 unavailable"), HasSubstr(each.why)))
            << each.answer;
        EXPECT_TRUE(harness.machine.idle());
        harness.send(request(3));
        EXPECT_EQ(harness.last().body, request(3)) << "the next one tries again";
    }
}

TEST(ClientSession, is_renewed_by_a_handshake_that_is_answered_by_a_stream) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.send(request(2));
    harness.answer(MachineHarness::status(404));
    harness.feed(harness.last().id, "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n" +
                                        session("s-2") + "\r\ndata: " + result(1, version_11_25) +
                                        "\n\n");
    EXPECT_EQ(harness.last().body, initialized);
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "s-2");
}

TEST(ClientSession, a_404_to_a_notification_renews_the_session_without_repeating_it) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.send(R"({"jsonrpc":"2.0","method":"notifications/x"})");
    harness.answer(MachineHarness::status(404));
    EXPECT_EQ(harness.last().body, initialize);
    harness.answer(MachineHarness::json(result(1, version_11_25), session("s-2")));
    harness.answer(MachineHarness::status(404));
    EXPECT_EQ(harness.last().line, "GET /mcp") << "an opening that fails is not begun again";
}

TEST(ClientSession, without_a_session_id_404_is_a_refusal) {
    MachineHarness harness;
    harness.open_session("");
    harness.send(request(2));
    harness.answer(MachineHarness::status(404));
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 2 failed")));
}

TEST(ClientSession, ends_with_delete) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.send(request(2));
    auto const pending = harness.last().id;
    harness.machine.close(harness.now);
    EXPECT_THAT(harness.aborted, ElementsAre(pending));
    EXPECT_EQ(harness.last().line, "DELETE /mcp");
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "s-1");
    EXPECT_EQ(harness.last()["MCP-Protocol-Version"], "2025-11-25");
    EXPECT_FALSE(harness.machine.idle());
    harness.answer(MachineHarness::status(405));
    EXPECT_TRUE(harness.machine.idle());
    harness.send(request(3));
    harness.machine.close(harness.now);
    EXPECT_EQ(harness.last().line, "DELETE /mcp") << "nothing more is sent";
}

TEST(ClientSession, closing_does_not_wait_for_an_unresponsive_server) {
    MachineHarness harness;
    harness.open_session("s-1");
    harness.machine.close(harness.now);
    EXPECT_EQ(harness.pass(), std::chrono::seconds(2));
    EXPECT_TRUE(harness.machine.idle());
    MachineHarness gone;
    gone.open_session("s-1");
    gone.machine.close(gone.now);
    gone.lose(gone.last().id, Stage::unsent);
    EXPECT_TRUE(gone.machine.idle());
}

TEST(ClientSession, without_a_session_id_no_delete_is_sent) {
    MachineHarness harness;
    harness.send(stateless_request(1));
    harness.machine.close(harness.now);
    EXPECT_TRUE(harness.machine.idle());
    EXPECT_EQ(harness.calls.size(), 1U);
}

TEST_F(ServerStream, is_opened_again_with_a_new_session) {
    open();
    auto const old = harness->last().id;
    harness->feed(old, MachineHarness::stream);
    harness->send(request(2));
    harness->answer(MachineHarness::status(404));
    harness->answer(MachineHarness::json(result(1, version_11_25), session("s-2")));
    harness->answer(MachineHarness::accepted);
    EXPECT_THAT(harness->aborted, ElementsAre(old));
    EXPECT_EQ(harness->last().line, "GET /mcp");
    EXPECT_EQ(harness->last()["Mcp-Session-Id"], "s-2");
}

TEST_F(ServerStream, is_not_opened_again_after_405) {
    open();
    harness->answer(MachineHarness::stream);
    harness->pass();
    harness->answer(MachineHarness::status(405));
    EXPECT_TRUE(harness->machine.idle());
}

TEST_F(ServerStream, is_given_up_while_it_waits_when_the_session_is_renewed) {
    open();
    harness->answer(MachineHarness::stream);
    harness->send(request(2));
    harness->answer(MachineHarness::status(404));
    harness->answer(MachineHarness::json(result(1, version_11_25), session("s-2")));
    harness->answer(MachineHarness::accepted);
    harness->answer(MachineHarness::status(405));
    harness->pass();
    auto const gets = std::ranges::count(harness->lines(), "GET /mcp");
    EXPECT_EQ(gets, 2);
}

TEST_F(BrokenStream, may_be_cancelled_while_it_waits) {
    harness.answer(id, std::string(MachineHarness::stream) + "id: a-1\ndata:\n\n");
    harness.send(cancelled(2));
    EXPECT_EQ(harness.last().body, cancelled(2)) << "the server knows of the request";
    harness.answer(MachineHarness::accepted);
    EXPECT_TRUE(harness.machine.idle());
}

TEST(ClientSession, requests_that_wait_for_the_session_are_cancelled_without_a_notification) {
    MachineHarness harness;
    harness.send(initialize);
    harness.answer(MachineHarness::json(result(1, version_11_25)));
    harness.send(initialized);
    harness.send(request(2));
    harness.send(R"({"jsonrpc":"2.0","id":"q","result":{}})");
    EXPECT_EQ(harness.last().body, R"({"jsonrpc":"2.0","id":"q","result":{}})")
        << "an answer does not wait";
    harness.send(cancelled(2));
    EXPECT_EQ(harness.calls.size(), 3U);
    harness.answer(harness.calls[1].id, MachineHarness::accepted);
    EXPECT_EQ(harness.last().line, "GET /mcp") << "the request is gone";
}

TEST(ClientSession, a_session_without_a_version_is_open) {
    MachineHarness harness;
    harness.send(initialize);
    harness.answer(MachineHarness::json(result(1, R"({"protocolVersion":7})"), session("s")));
    harness.send(request(2));
    EXPECT_EQ(harness.last()["MCP-Protocol-Version"], "-");
    EXPECT_EQ(harness.last()["Mcp-Session-Id"], "s");
}

}  // namespace
}  // namespace lanyard::http
