// Clients of revisions with sessions, at a server without sessions or with optional ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Kind = rpc::Route::Kind;
using State = RecordingReply::State;

McpHttpOptions stateless() {
    return McpHttpOptions().sessions(Sessions::stateless);
}

TEST(StatelessMode, a_handshake_is_answered_without_a_session) {
    McpBench bench(stateless());
    auto const call = bench.post(initialize_text);
    EXPECT_EQ(call->status(), Status::ok);
    EXPECT_TRUE(call->is_json());
    EXPECT_EQ(call->reply.session_id(), "");
    EXPECT_EQ(bench.counters().sessions, 0U) << "nothing is left of it";
    EXPECT_EQ(bench.scripted.last().transport, nullptr);
}

TEST(StatelessMode, a_request_without_a_session_is_served_without_a_handshake) {
    McpBench bench(stateless());
    auto const call = bench.post(request("now"), {{"MCP-Protocol-Version", "2025-06-18"}});
    EXPECT_EQ(call->text(), result());
    EXPECT_EQ(bench.scripted.last().assumed, Version::v2025_06_18);
    auto const& seen = bench.scripted.last().seen;
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0].text, request("now"));
    EXPECT_EQ(bench.counters().sessions_suspended, 0U);
}

TEST(Rule, H48_without_a_version_and_without_a_session_2025_03_26_is_assumed) {
    McpBench bench(stateless());
    bench.post(request("now"));
    EXPECT_EQ(bench.scripted.last().assumed, Version::v2025_03_26);
    auto const batch = bench.post("[" + request("later") + "]");
    EXPECT_EQ(batch->status(), Status::ok);
    EXPECT_EQ(
        bench.post("[" + request("now") + "]", {{"MCP-Protocol-Version", "2025-06-18"}})->status(),
        Status::bad_request);
    EXPECT_EQ(bench.post(request("now"), {{"MCP-Protocol-Version", "2030-01-01"}})->status(),
              Status::bad_request);
}

TEST(StatelessMode, consecutive_requests_share_a_connection_to_the_server) {
    McpBench bench(stateless());
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(bench.post(request("now", 1))->text(), result(1));
    }
    EXPECT_THAT(bench.scripted.connections, SizeIs(1));
    bench.post(request("now"), {{"MCP-Protocol-Version", "2025-11-25"}});
    EXPECT_THAT(bench.scripted.connections, SizeIs(2)) << "another revision";
}

TEST(StatelessMode, a_connection_whose_state_has_changed_is_not_reused) {
    McpBench bench(stateless());
    for (auto const* method :
         {"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}) {
        auto const before = bench.scripted.connections.size();
        auto const call = bench.post(request(method));
        bench.server_sends(result(), bench.last_origin(), Kind::answer);
        EXPECT_EQ(bench.scripted.last().transport, nullptr) << method;
        EXPECT_THAT(bench.scripted.connections, SizeIs(before + 1));
    }
}

TEST(StatelessMode, equal_ids_at_the_same_time_are_independent) {
    McpBench bench(stateless());
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 50; ++i) calls.push_back(bench.post(request("later", 1)));
    ASSERT_THAT(bench.scripted.connections, SizeIs(50));
    for (std::size_t i = calls.size(); i-- > 0;) {
        bench.on_executor([&] {
            bench.scripted.connections[i]->answer(result(1, R"({"n":)" + std::to_string(i) + "}"));
        });
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
        EXPECT_THAT(calls[i]->messages(),
                    ElementsAre(result(1, R"({"n":)" + std::to_string(i) + "}")));
    }
}

TEST(StatelessMode, streams_have_no_ids_since_nothing_can_be_resumed) {
    McpBench bench(stateless());
    auto const call = bench.post(request("later"), {{"MCP-Protocol-Version", "2025-11-25"}});
    bench.server_sends(notification("notifications/progress"), bench.last_origin());
    bench.on_executor([&] { bench.scripted.last().extras->release_stream(bench.last_origin()); });
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_THAT(call->messages(), SizeIs(2));
    EXPECT_EQ(call->last_id(), "");
}

TEST(StatelessMode, the_server_cannot_send_requests_or_notifications_of_its_own) {
    McpBench bench(stateless());
    bench.post(request("now"));
    bench.server_sends(notification("notifications/tools/list_changed"), 0);
    bench.server_sends(R"({"jsonrpc":"2.0","id":3,"method":"ping"})", 0, Kind::request);
    EXPECT_THAT(bench.scripted.last().failures, SizeIs(1));
    EXPECT_EQ(bench.post(request("now"))->text(), result());
}

TEST(StatelessMode, notifications_are_accepted_and_answers_are_not) {
    McpBench bench(stateless());
    EXPECT_EQ(bench.post(notification("notifications/initialized"))->status(), Status::accepted);
    EXPECT_EQ(bench.post(result(1))->status(), Status::bad_request);
    EXPECT_THAT(bench.scripted.connections, SizeIs(0));
}

TEST(Rule, H25_get_is_405_if_no_stream_is_offered) {
    McpBench bench(stateless());
    EXPECT_EQ(bench.get()->status(), Status::method_not_allowed);
    EXPECT_EQ(bench.del()->status(), Status::method_not_allowed);
}

TEST(StatelessMode, a_lost_connection_does_not_cancel) {
    McpBench bench(stateless());
    auto const call = bench.post(request("later"));
    call->reply.disconnect();
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_EQ(bench.post(request("now"))->text(), result());
    EXPECT_THAT(bench.scripted.connections, SizeIs(1)) << "it is free again";
}

TEST(StatelessMode, unused_connections_are_closed) {
    McpBench bench(stateless());
    bench.post(request("now"));
    EXPECT_EQ(bench.counters().sessions, 1U);
    bench.advance(std::chrono::hours(1));
    EXPECT_EQ(bench.counters().sessions, 0U);
    EXPECT_EQ(bench.post(request("now"))->text(), result());
}

TEST(StatelessMode, internal_connections_cannot_be_reached_by_a_session_id) {
    McpBench bench(McpHttpOptions().sessions(Sessions::hybrid));
    bench.post(request("now"));
    for (auto const* name : {"#1", "#2", "1"}) {
        EXPECT_EQ(bench.post(request("now"), {{"Mcp-Session-Id", name}})->status(),
                  Status::not_found);
    }
}

TEST(HybridMode, a_client_that_opens_a_session_has_one) {
    McpBench bench(McpHttpOptions().sessions(Sessions::hybrid));
    auto const session = bench.open();
    EXPECT_NE(session.front().second, "");
    bench.post(request("now"), session);
    EXPECT_THAT(bench.scripted.connections, SizeIs(1));
    EXPECT_EQ(bench.get(session)->status(), Status::ok);
    EXPECT_EQ(bench.del(session)->status(), Status::no_content);
    EXPECT_EQ(bench.post(request("now"), session)->status(), Status::not_found);
}

TEST(HybridMode, a_request_without_a_session_is_served_without_one) {
    McpBench bench(McpHttpOptions().sessions(Sessions::hybrid));
    auto const session = bench.open();
    EXPECT_EQ(bench.post(request("now"))->text(), result());
    EXPECT_THAT(bench.scripted.connections, SizeIs(2)) << "not in the session that is there";
    EXPECT_EQ(bench.get()->status(), Status::bad_request);
}

TEST(Stop, unused_connections_are_closed) {
    McpBench bench(stateless());
    bench.post(request("now"));
    auto const busy = bench.post(request("later"), {{"MCP-Protocol-Version", "2025-11-25"}});
    bench.on_executor([&] { bench.endpoint->stop(std::chrono::seconds(5)); });
    EXPECT_EQ(bench.scripted.connections.front()->transport, nullptr);
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_THAT(busy->messages(), ElementsAre(result()));
    EXPECT_EQ(bench.counters().sessions, 0U);
}

}  // namespace
}  // namespace lanyard::test
