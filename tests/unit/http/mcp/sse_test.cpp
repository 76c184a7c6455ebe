// HTTP+SSE of 2024-11-05: one stream for all messages of the server, and POST requests for messages
// of the client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Kind = rpc::Route::Kind;
using State = RecordingReply::State;
using namespace std::chrono_literals;

struct SseBench : McpBench {
    explicit SseBench(McpHttpOptions options = McpHttpOptions().sse())
        : McpBench(std::move(options)) {}

    std::shared_ptr<Call> stream(Headers const& headers = {},
                                 std::shared_ptr<Principal const> principal = nullptr) {
        return send("GET", "/sse", "", headers, std::move(principal));
    }
    std::shared_ptr<Call> message(std::string const& target, std::string_view body,
                                  std::shared_ptr<Principal const> principal = nullptr) {
        return send("POST", target, body, {}, std::move(principal));
    }
};

std::string target_of(Call const& stream) {
    auto const event = stream.events().front();
    EXPECT_THAT(event, StartsWith("endpoint|/messages?sessionId="));
    return event.substr(9, event.rfind('|') - 9);
}

std::string initialize_2024() {
    std::string text(initialize_text);
    text.replace(text.find("2025-11-25"), 10, "2024-11-05");
    return text;
}

TEST(Rule, H43_http_with_sse_is_off_by_default) {
    SseBench bench{McpHttpOptions()};
    EXPECT_EQ(bench.stream()->status(), Status::not_found);
    EXPECT_EQ(bench.message("/messages", request("now"))->status(), Status::not_found);
}

TEST(Rule, H44_the_first_event_has_a_retry) {
    SseBench bench{McpHttpOptions().sse().sse_retry_interval(250ms)};
    EXPECT_THAT(bench.stream()->text(), HasSubstr("retry: 250\n"));
}

TEST(Rule, H44_the_first_event_names_the_endpoint_and_the_others_are_messages) {
    SseBench bench;
    auto const stream = bench.stream();
    EXPECT_EQ(stream->status(), Status::ok);
    EXPECT_TRUE(stream->is_stream());
    EXPECT_THAT(stream->text(), HasSubstr("retry: 5000\n"));
    auto const target = target_of(*stream);
    auto const opened = bench.message(target, initialize_2024());
    EXPECT_EQ(opened->status(), Status::accepted);
    EXPECT_EQ(opened->text(), "");
    auto const call = bench.message(target, request("now"));
    EXPECT_EQ(call->status(), Status::accepted);
    auto const events = stream->events();
    ASSERT_THAT(events, SizeIs(3));
    EXPECT_THAT(events[1], StartsWith("message|"));
    EXPECT_THAT(events[1], HasSubstr("2024-11-05"));
    EXPECT_THAT(events[2], StartsWith("message|" + result()));
}

TEST(Rule, H44_all_messages_of_the_server_are_sent_on_the_stream) {
    SseBench bench;
    auto const stream = bench.stream();
    auto const target = target_of(*stream);
    bench.message(target, initialize_2024());
    bench.message(target, request("later"));
    bench.server_sends(notification("notifications/progress"), bench.last_origin());
    bench.server_sends(R"({"jsonrpc":"2.0","id":3,"method":"roots/list"})", 0, Kind::request);
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_THAT(stream->messages(), SizeIs(5));
    EXPECT_EQ(stream->reply.state(), State::streaming);
}

TEST(Sse, messages_reach_only_the_session_they_name) {
    SseBench bench;
    auto const first = bench.stream();
    auto const second = bench.stream();
    bench.message(target_of(*first), initialize_2024());
    EXPECT_THAT(first->events(), SizeIs(2));
    EXPECT_THAT(second->events(), SizeIs(1));
    for (auto const* target : {"/messages", "/messages?sessionId=", "/messages?sessionId=nonsense",
                               "/messages?other=1&sessionId=nonsense&x"}) {
        EXPECT_EQ(bench.message(target, request("now"))->status(), Status::not_found) << target;
    }
    EXPECT_EQ(bench.message(target_of(*first) + "&x=1", request("now"))->status(),
              Status::accepted);
}

TEST(Sse, a_session_of_one_transport_is_unknown_to_the_other) {
    SseBench bench;
    auto const target = target_of(*bench.stream());
    auto const id = target.substr(target.find('=') + 1);
    EXPECT_EQ(bench.post(request("now"), {{"Mcp-Session-Id", id}})->status(), Status::not_found);
    auto const session = bench.open();
    EXPECT_EQ(
        bench.message("/messages?sessionId=" + session.front().second, request("now"))->status(),
        Status::not_found);
}

TEST(Hardening, S12_the_stream_of_http_with_sse_belongs_to_its_principal) {
    SseBench bench;
    auto const ada = std::make_shared<Principal>();
    ada->subject = "ada";
    auto const stream = bench.stream({}, ada);
    auto const target = target_of(*stream);
    EXPECT_EQ(bench.message(target, initialize_2024())->status(), Status::not_found);
    EXPECT_EQ(bench.message(target, initialize_2024(), ada)->status(), Status::accepted);
    stream->reply.disconnect();
    auto const stolen = bench.stream({{"Last-Event-ID", stream->last_id()}});
    EXPECT_NE(target_of(*stolen), target);
    auto const own = bench.stream({{"Last-Event-ID", stream->last_id()}}, ada);
    EXPECT_EQ(target_of(*own), target);
}

TEST(Sse, bad_bodies_are_refused) {
    SseBench bench;
    auto const target = target_of(*bench.stream());
    EXPECT_EQ(bench.message(target, "{")->status(), Status::bad_request);
    EXPECT_EQ(bench.message(target, "[" + request("now") + "]")->status(), Status::bad_request);
}

TEST(Sse, a_lost_stream_can_be_resumed_until_it_expires) {
    SseBench bench;
    auto const stream = bench.stream();
    auto const target = target_of(*stream);
    bench.message(target, initialize_2024());
    bench.message(target, request("later"));
    auto const origin = bench.last_origin();
    auto const last = stream->last_id();
    stream->reply.disconnect();
    bench.server_sends(result(), origin, Kind::answer);
    auto const again = bench.stream({{"Last-Event-ID", last}});
    EXPECT_EQ(target_of(*again), target);
    EXPECT_THAT(again->messages(), ElementsAre(target, result()));
    again->reply.disconnect();
    bench.advance(2min);
    EXPECT_EQ(bench.counters().sessions, 0U);
    EXPECT_EQ(bench.message(target, request("now"))->status(), Status::not_found);
    EXPECT_NE(target_of(*bench.stream({{"Last-Event-ID", last}})), target);
}

TEST(Sse, sessions_are_limited_together_with_all_others) {
    SseBench bench(McpHttpOptions().sse("/sse", "/messages").max_sessions(2));
    bench.open();
    auto const stream = bench.stream();
    EXPECT_EQ(bench.stream()->status(), Status::service_unavailable);
}

TEST(Stop, streams_of_http_with_sse_end) {
    SseBench bench;
    auto const stream = bench.stream();
    auto const target = target_of(*stream);
    bench.on_executor([&] { bench.endpoint->stop(5s); });
    EXPECT_EQ(stream->reply.state(), State::finished);
    EXPECT_EQ(bench.stream()->status(), Status::service_unavailable);
    EXPECT_EQ(bench.message(target, request("now"))->status(), Status::not_found);
}

}  // namespace
}  // namespace lanyard::test
