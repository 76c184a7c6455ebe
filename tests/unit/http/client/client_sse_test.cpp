// The transport of 2024-11-05 in a client: an event stream and a second URL for messages.
#include "unit/http/client/client_machine_harness.hpp"

namespace lanyard::http {
namespace {

using test::cancelled;
using test::initialize;
using test::initialized;
using test::MachineHarness;
using test::request;
using test::result;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using Stage = CallLoss::Stage;

class HttpWithSse : public ::testing::Test {
protected:
    void fall_back(std::string const& refusal = MachineHarness::status(405)) {
        harness.send(initialize);
        harness.answer(refusal);
        stream = harness.last().id;
    }
    void open(std::string const& endpoint = "/messages?id=7") {
        fall_back();
        event("event: endpoint\ndata: " + endpoint + "\n\n", true);
        harness.answer(MachineHarness::accepted);
        event("data: " + result(1, R"({"protocolVersion":"2024-11-05"})") + "\n\n");
        harness.send(initialized);
        harness.answer(MachineHarness::accepted);
        harness.frames();
    }
    void event(std::string const& text, bool first = false) {
        harness.feed(stream, (first ? std::string(MachineHarness::stream) : "") + text);
    }
    MachineHarness harness;
    CallId stream = 0;
};

TEST_F(HttpWithSse, is_tried_if_the_handshake_cannot_be_posted) {
    for (int const status : {400, 404, 405}) {
        MachineHarness each;
        each.send(initialize);
        each.answer(MachineHarness::status(status));
        EXPECT_EQ(each.last().line, "GET /mcp") << status;
        EXPECT_EQ(each.last()["Accept"], "text/event-stream");
    }
    for (int const status : {401, 406, 500}) {
        MachineHarness each;
        each.send(initialize);
        each.answer(MachineHarness::status(status));
        EXPECT_EQ(each.calls.size(), 1U) << status;
    }
}

TEST_F(HttpWithSse, is_not_tried_with_a_server_that_names_its_versions) {
    fall_back(MachineHarness::json(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{}}})", "", 400));
    EXPECT_EQ(harness.calls.size(), 1U);
    EXPECT_THAT(harness.frames(), ElementsAre(HasSubstr("-32022")));
}

TEST_F(HttpWithSse, posts_to_the_endpoint_and_reads_answers_from_the_stream) {
    fall_back();
    event("event: endpoint\ndata: /messages?id=7\n\n", true);
    EXPECT_EQ(harness.last().line, "POST /messages?id=7");
    EXPECT_EQ(harness.last().body, initialize);
    harness.answer(MachineHarness::accepted);
    EXPECT_THAT(harness.frames(), IsEmpty());
    event("event: message\ndata: " + result(1, R"({"protocolVersion":"2024-11-05"})") + "\n\n");
    EXPECT_EQ(harness.frames().size(), 1U);
    harness.send(initialized);
    harness.answer(MachineHarness::accepted);
    harness.send(request(2));
    auto const id = harness.last().id;
    event("data: " + result(2) + "\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre(result(2))) << "the answer may overtake the 202";
    harness.answer(id, MachineHarness::accepted);
    harness.send(request(3));
    harness.answer(MachineHarness::status(500));
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 3 unavailable")));
    EXPECT_EQ(harness.calls.back()["Mcp-Session-Id"], "-");
    harness.machine.close(harness.now);
    EXPECT_TRUE(harness.machine.idle()) << "there is nothing to delete";
}

TEST_F(HttpWithSse, an_endpoint_of_another_origin_is_refused) {
    for (std::string const other :
         {"http://b.example/messages", "https://a.example/m", "http://%"}) {
        MachineHarness each;
        each.send(initialize);
        each.answer(MachineHarness::status(404));
        each.feed(each.last().id,
                  std::string(MachineHarness::stream) + "event: endpoint\ndata: " + other + "\n\n");
        EXPECT_THAT(each.frames(), ElementsAre(StartsWith("failed 1 protocol_violation"))) << other;
        EXPECT_EQ(each.aborted.size(), 1U);
        EXPECT_TRUE(each.machine.idle());
    }
}

TEST_F(HttpWithSse, if_it_is_refused_too_the_first_refusal_is_reported) {
    fall_back("HTTP/1.1 404 X\r\nContent-Type: text/plain\r\n\r\nnothing here");
    harness.answer(MachineHarness::status(404));
    EXPECT_THAT(harness.frames(),
                ElementsAre("failed 1 failed: the server answered HTTP 404: nothing here"));
    EXPECT_TRUE(harness.machine.idle());
}

TEST_F(HttpWithSse, if_it_is_refused_too_the_first_json_rpc_error_is_reported) {
    fall_back(MachineHarness::json(
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"go away"}})", "", 400));
    harness.lose(stream, Stage::unanswered);
    EXPECT_THAT(harness.frames(), ElementsAre("failed 1 -32000: go away"));
}

TEST_F(HttpWithSse, requests_that_wait_for_an_endpoint_fail_if_the_stream_is_refused) {
    harness.send(initialize);
    auto const first = harness.last().id;
    harness.send(R"({"jsonrpc":"2.0","id":2,"method":"initialize","params":{}})");
    auto const second = harness.last().id;
    harness.answer(first, MachineHarness::status(404));
    stream = harness.last().id;
    harness.answer(second, MachineHarness::accepted);
    harness.send(initialized);
    harness.send(request(3));
    EXPECT_EQ(harness.last().id, stream) << "both wait for an endpoint";
    harness.answer(stream, MachineHarness::status(404));
    EXPECT_THAT(harness.frames(),
                UnorderedElementsAre(StartsWith("failed 1 "), StartsWith("failed 2 "),
                                     StartsWith("failed 3 ")));
    harness.send(request(4));
    EXPECT_EQ(harness.last().body, request(4));
}

TEST_F(HttpWithSse, a_lost_stream_fails_pending_requests_and_opens_a_new_session) {
    open();
    harness.send(request(2));
    harness.answer(MachineHarness::accepted);
    harness.send(request(3));
    auto const running = harness.last().id;
    harness.finish(stream);
    EXPECT_THAT(harness.frames(), ElementsAre(StartsWith("failed 2 transport_down"),
                                              StartsWith("failed 3 transport_down")));
    EXPECT_THAT(harness.aborted, ElementsAre(running));
    harness.send(request(4));
    auto const before = harness.calls.size();
    EXPECT_EQ(harness.pass(), std::chrono::seconds(5));
    ASSERT_EQ(harness.calls.size(), before + 1) << "what is asked meanwhile waits";
    EXPECT_EQ(harness.last().line, "GET /mcp");
    stream = harness.last().id;
    event("event: endpoint\ndata: /messages?id=8\n\n", true);
    EXPECT_EQ(harness.last().line, "POST /messages?id=8");
    EXPECT_EQ(harness.last().body, initialize);
    harness.answer(MachineHarness::accepted);
    event("data: " + result(1, R"({"protocolVersion":"2024-11-05"})") + "\n\n");
    EXPECT_THAT(harness.frames(), ElementsAre("renewed"));
    EXPECT_EQ(harness.last().body, initialized);
    harness.answer(MachineHarness::accepted);
    EXPECT_EQ(harness.last().body, request(4));
    EXPECT_EQ(harness.last().line, "POST /messages?id=8");
}

TEST_F(HttpWithSse, a_request_that_was_accepted_may_be_cancelled) {
    open();
    harness.send(request(2));
    harness.answer(MachineHarness::accepted);
    harness.send(cancelled(2));
    EXPECT_EQ(harness.last().body, cancelled(2));
    EXPECT_EQ(harness.last().line, "POST /messages?id=7");
}

TEST_F(HttpWithSse, messages_may_be_in_transit_when_the_stream_is_lost) {
    open();
    harness.send(R"({"jsonrpc":"2.0","method":"notifications/x"})");
    auto const under_way = harness.last().id;
    harness.finish(stream);
    EXPECT_THAT(harness.aborted, IsEmpty());
    harness.answer(under_way, MachineHarness::status(404));
    EXPECT_THAT(harness.frames(), IsEmpty());
}

TEST_F(HttpWithSse, a_server_that_names_the_same_endpoint_again_has_kept_the_session) {
    open();
    event("id: 41\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n");
    harness.finish(stream);
    harness.pass();
    EXPECT_EQ(harness.last()["Last-Event-ID"], "41");
    stream = harness.last().id;
    event("event: endpoint\ndata: /messages?id=7\n\n", true);
    harness.send(request(2));
    EXPECT_EQ(harness.last().body, request(2));
}

TEST_F(HttpWithSse, a_new_session_may_be_lost_before_it_is_open) {
    open();
    harness.finish(stream);
    harness.pass();
    stream = harness.last().id;
    event("event: endpoint\ndata: /messages?id=8\n\n", true);
    EXPECT_EQ(harness.last().body, initialize);
    harness.finish(stream);
    EXPECT_THAT(harness.frames(), IsEmpty()) << "the session's own handshake has not failed";
    harness.pass();
    stream = harness.last().id;
    event("event: endpoint\ndata: /messages?id=8\n\n", true);
    EXPECT_EQ(harness.pass(), std::chrono::seconds(1)) << "not at once for the second time";
    EXPECT_EQ(harness.last().body, initialize);
    event("data: " + result(1, R"({"protocolVersion":"2024-11-05"})") + "\n\n");
    harness.answer(harness.last().id, MachineHarness::accepted);
    EXPECT_EQ(harness.last().body, initialized) << "the answer may overtake the 202";
}

}  // namespace
}  // namespace lanyard::http
