// Sessions (rules H-* of 2025-11-25 for servers): ids, which callers may use them, how they end,
// versions, batches, statuses, the form of answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Kind = rpc::Route::Kind;
using State = RecordingReply::State;
using namespace std::chrono_literals;

std::shared_ptr<Principal const> principal(std::string subject, std::string issuer = "",
                                           std::string client = "") {
    auto made = std::make_shared<Principal>();
    made->subject = std::move(subject);
    made->issuer = std::move(issuer);
    made->client_id = std::move(client);
    return made;
}

TEST(Rule, H01_one_path_serves_post_get_and_delete) {
    McpBench bench;
    auto const session = bench.open();
    EXPECT_EQ(bench.post(request("now"), session)->status(), Status::ok);
    EXPECT_EQ(bench.get(session)->status(), Status::ok);
    EXPECT_EQ(bench.del(session)->status(), Status::no_content);
}

TEST(Rule, H09_notifications_and_answers_are_accepted_without_a_body) {
    McpBench bench;
    auto const session = bench.open();
    for (auto const& body :
         {notification("notifications/roots/list_changed"), result(5),
          std::string(R"({"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}})")}) {
        auto const call = bench.post(body, session);
        EXPECT_EQ(call->status(), Status::accepted);
        EXPECT_EQ(call->text(), "");
        EXPECT_EQ(call->reply.state(), State::whole);
        EXPECT_EQ(bench.scripted.last().seen.back().text, body);
        EXPECT_EQ(bench.last_origin(), 0U);
    }
    EXPECT_EQ(bench.counters().messages_accepted, 4U);
}

TEST(Rule, H10_a_notification_that_cannot_be_read_is_an_http_error) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(R"({"jsonrpc":"2.0","method":"x","params":1})", session);
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(call->text(), HasSubstr("-32600"));
}

TEST(Rule, H08_a_body_is_one_message) {
    McpBench bench;
    auto const session = bench.open();
    auto const seen = bench.scripted.last().seen.size();
    for (auto const* body : {"", "{}{}", "[]", "1", "null"}) {
        EXPECT_EQ(bench.post(body, session)->status(), Status::bad_request) << body;
    }
    EXPECT_THAT(bench.scripted.last().seen, SizeIs(seen));
}

TEST(Rule, H11_an_immediate_answer_is_json) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("now"), session);
    EXPECT_EQ(call->status(), Status::ok);
    EXPECT_TRUE(call->is_json());
    EXPECT_EQ(call->text(), result());
    EXPECT_EQ(call->reply.session_id(), "") << "it was told with the handshake";
}

TEST(Rule, H11_an_answer_that_takes_longer_is_a_stream) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    EXPECT_TRUE(call->is_stream());
    EXPECT_EQ(call->reply.state(), State::streaming);
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_EQ(call->messages(), std::vector<std::string>{result()});
    EXPECT_EQ(call->reply.misuses(), 0U);
}

TEST(Rule, H11_answers_can_be_forced_into_one_form) {
    McpBench json(McpHttpOptions().answers(HttpAnswers::json));
    auto session = json.open();
    auto const plain = json.post(request("later"), session);
    EXPECT_EQ(plain->reply.state(), State::pending);
    auto const origin = json.last_origin();
    json.server_sends(notification("notifications/progress"), origin);
    json.server_sends(R"({"jsonrpc":"2.0","id":3,"method":"roots/list"})", origin, Kind::request);
    json.server_sends(result(), origin, Kind::answer);
    EXPECT_TRUE(plain->is_json());
    EXPECT_EQ(plain->text(), result());
    ASSERT_THAT(json.scripted.last().failures, SizeIs(1)) << "a question that cannot be asked";
    EXPECT_EQ(json.scripted.last().failures.front().first, 3);
    EXPECT_EQ(json.counters().messages_dropped, 2U);

    McpBench stream(McpHttpOptions().answers(HttpAnswers::stream));
    session = stream.open();
    auto const streamed = stream.post(request("now"), session);
    EXPECT_TRUE(streamed->is_stream());
    EXPECT_EQ(streamed->messages(), std::vector<std::string>{result()});
    auto const opened = stream.post(initialize_text);
    EXPECT_TRUE(opened->is_stream());
    EXPECT_NE(opened->reply.session_id(), "");
    EXPECT_THAT(opened->events(), SizeIs(2)) << "the revision is known when the stream begins";
}

TEST(Rule, H34_session_ids_are_unique_and_random) {
    McpBench bench(McpHttpOptions().max_sessions(20'000));
    std::set<std::string> ids;
    std::size_t ones = 0;
    constexpr std::size_t count = 2'000;
    for (std::size_t i = 0; i < count; ++i) {
        auto const id = bench.post(initialize_text)->reply.session_id();
        ASSERT_EQ(id.size(), 24U);
        ids.insert(id);
        for (char const c : id) ones += static_cast<std::size_t>(c & 1);
    }
    EXPECT_EQ(ids.size(), count);
    // The lowest bit is set in 33 of the 64 base64url characters.
    EXPECT_NEAR(static_cast<double>(ones) / (count * 24), 0.5, 0.05);
}

TEST(Rule, H35_session_ids_are_visible_ascii) {
    McpBench bench;
    auto const id = bench.post(initialize_text)->reply.session_id();
    EXPECT_TRUE(std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; }));
}

TEST(Rule, H38_a_request_without_a_session_is_refused_with_400) {
    McpBench bench;
    bench.open();
    for (auto const& call :
         {bench.post(request("now")), bench.get(), bench.del(),
          bench.post(notification("notifications/initialized")), bench.post(result(1))}) {
        EXPECT_EQ(call->status(), Status::bad_request);
        EXPECT_THAT(call->text(), HasSubstr("session id is required"));
    }
    EXPECT_THAT(bench.scripted.last().seen, SizeIs(2)) << "no fallback to the only session";
}

TEST(Rule, H39_a_session_that_has_ended_or_never_existed_is_404) {
    McpBench bench;
    auto const session = bench.open();
    EXPECT_EQ(bench.del(session)->status(), Status::no_content);
    Headers const never{{"Mcp-Session-Id", "AAAAAAAAAAAAAAAAAAAAAAAA"}};
    for (auto const& headers : {session, never}) {
        EXPECT_EQ(bench.post(request("now"), headers)->status(), Status::not_found);
        EXPECT_EQ(bench.post(initialize_text, headers)->status(), Status::not_found);
        EXPECT_EQ(bench.post(result(1), headers)->status(), Status::not_found);
        EXPECT_EQ(bench.get(headers)->status(), Status::not_found);
        EXPECT_EQ(bench.del(headers)->status(), Status::not_found);
    }
    EXPECT_EQ(bench.counters().sessions_deleted, 1U);
}

TEST(Rule, H41_delete_ends_everything_of_the_session) {
    McpBench bench;
    auto const session = bench.open();
    auto const stream = bench.get(session);
    auto const call = bench.post(request("later"), session);
    bench.del(session);
    EXPECT_EQ(stream->reply.state(), State::finished);
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_EQ(bench.scripted.last().transport, nullptr) << "the server has heard of it";
    EXPECT_EQ(bench.counters().sessions, 0U);
    EXPECT_EQ(bench.counters().streams, 0U);
}

TEST(Rule, H39_ending_a_session_ends_its_requests) {
    McpBench bench(McpHttpOptions().answers(HttpAnswers::json));
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    bench.on_executor([&] { bench.scripted.last().transport->close(); });
    EXPECT_EQ(call->status(), Status::not_found);
    EXPECT_EQ(call->reply.state(), State::whole);
    EXPECT_EQ(bench.post(request("now"), session)->status(), Status::not_found);
}

TEST(Rule, H46_a_version_that_is_not_served_is_400) {
    McpBench bench({}, {Version::v2025_11_25, Version::v2025_03_26});
    auto const session = bench.open();
    for (auto const* version : {"2025-06-18", "2024-11-05", "2030-01-01", "latest"}) {
        auto const headers = with(session, "MCP-Protocol-Version", version);
        auto const call = bench.post(request("now"), headers);
        EXPECT_EQ(call->status(), Status::bad_request) << version;
        EXPECT_THAT(call->text(), HasSubstr("2025-11-25"));
        EXPECT_THAT(call->text(), HasSubstr(R"("id":2)"));
        EXPECT_EQ(bench.get(headers)->status(), Status::bad_request) << version;
    }
    EXPECT_EQ(
        bench.post(request("now"), with(session, "MCP-Protocol-Version", "2025-11-25"))->status(),
        Status::ok);
}

TEST(Rule, H49_the_handshake_may_carry_any_version_in_its_header) {
    McpBench bench;
    for (auto const* version : {"2025-11-25", "2030-01-01"}) {
        auto const call = bench.post(initialize_text, {{"MCP-Protocol-Version", version}});
        EXPECT_EQ(call->status(), Status::ok) << version;
        EXPECT_NE(call->reply.session_id(), "");
    }
}

TEST(Rule, H48_without_a_version_the_one_of_the_session_counts) {
    McpBench bench;
    auto const batch = "[" + request("now", 2) + "," + request("now", 3) + "]";
    EXPECT_EQ(bench.post(batch, bench.open("2025-11-25"))->status(), Status::bad_request);
    EXPECT_NE(bench.post(batch, bench.open("2025-03-26"))->status(), Status::bad_request);
}

TEST(Rule, J14_batches_are_accepted_in_2025_03_26_only) {
    McpBench bench;
    auto const old_session = bench.open("2025-03-26");
    auto const batch = "[" + request("later", 2) + "," + request("later", 3) + "]";
    auto const call = bench.post(batch, old_session);
    EXPECT_EQ(bench.scripted.last().seen.back().text, batch);
    bench.server_sends("[" + result(2) + "," + result(3) + "]", bench.last_origin(), Kind::answer);
    EXPECT_EQ(call->messages(), std::vector<std::string>{"[" + result(2) + "," + result(3) + "]"});
    auto const quiet = bench.post("[" + notification("a") + "," + result(9) + "]", old_session);
    EXPECT_EQ(quiet->status(), Status::accepted);
    for (auto const* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
        auto const session = bench.open(version);
        auto const refused = bench.post(batch, session);
        EXPECT_EQ(refused->status(), Status::bad_request) << version;
        EXPECT_THAT(refused->text(), HasSubstr("2025-03-26"));
    }
}

TEST(Rule, J15_a_handshake_is_never_part_of_a_batch) {
    McpBench bench;
    auto const call = bench.post("[" + std::string(initialize_text) + "]");
    EXPECT_EQ(call->status(), Status::bad_request);
    EXPECT_THAT(bench.scripted.connections, SizeIs(0));
}

TEST(Hardening, R11_a_batch_without_end_is_refused) {
    McpBench bench;
    auto const session = bench.open("2025-03-26");
    std::string batch = "[" + request("now");
    for (int i = 0; i < 100; ++i) batch += "," + request("now", i + 3);
    EXPECT_EQ(bench.post(batch + "]", session)->status(), Status::bad_request);
}

TEST(Session, a_handshake_that_fails_leaves_no_session) {
    McpBench bench;
    bench.scripted.accepts = false;
    auto const call = bench.post(initialize_text);
    EXPECT_EQ(call->status(), Status::ok) << "the error is in the answer";
    EXPECT_THAT(call->text(), HasSubstr("-32602"));
    EXPECT_EQ(call->reply.session_id(), "");
    EXPECT_EQ(bench.counters().sessions, 0U);
    EXPECT_EQ(bench.scripted.last().transport, nullptr);
}

TEST(Hardening, S18_a_second_handshake_changes_nothing) {
    McpBench bench;
    auto const session = bench.open("2025-11-25");
    bench.scripted.accepts = false;
    auto const again = bench.post(initialize_text, session);
    EXPECT_THAT(again->text(), HasSubstr("-32602"));
    auto const call = bench.post(request("later"), session);
    EXPECT_THAT(call->events(), SizeIs(1)) << "the session lives and its version is known";
}

TEST(Hardening, S12_a_session_belongs_to_its_principal) {
    McpBench bench;
    auto const owner = principal("ada", "https://issuer", "app");
    auto const session = bench.open("2025-11-25", owner);
    Headers const unknown{{"Mcp-Session-Id", "BBBBBBBBBBBBBBBBBBBBBBBB"}};
    for (auto const& other :
         {principal("eve", "https://issuer", "app"), principal("ada", "https://other", "app"),
          principal("ada", "https://issuer", "tool"), std::shared_ptr<Principal const>()}) {
        EXPECT_EQ(bench.post(request("now"), session, other)->text(),
                  bench.post(request("now"), unknown, other)->text());
        EXPECT_EQ(bench.post(request("now"), session, other)->status(), Status::not_found);
        EXPECT_EQ(bench.get(session, other)->status(), Status::not_found);
        EXPECT_EQ(bench.get(session, other)->text(), bench.get(unknown, other)->text());
        EXPECT_EQ(bench.del(session, other)->status(), Status::not_found);
    }
    // The same caller with a new token.
    auto renewed = std::make_shared<Principal>(*owner);
    renewed->scopes = {"more"};
    EXPECT_EQ(bench.post(request("now"), session, renewed)->status(), Status::ok);
}

TEST(Hardening, R04_a_flood_of_sessions_is_refused_and_expires) {
    McpBench bench(McpHttpOptions().max_sessions(100).session_expiry(10min));
    std::size_t refused = 0;
    for (int i = 0; i < 300; ++i) {
        auto const call = bench.post(initialize_text);
        if (call->status() == Status::service_unavailable) {
            ++refused;
            EXPECT_EQ(call->reply.more(), "Retry-After: 10\r\n");
        }
        ASSERT_LE(bench.counters().sessions, 100U);
    }
    EXPECT_EQ(refused, 200U);
    EXPECT_EQ(bench.counters().sessions_refused, 200U);
    // Expired sessions make room even before the next sweep.
    bench.time.advance(10min);
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::ok);
    bench.run();
    EXPECT_LE(bench.counters().sessions, 1U);
    EXPECT_EQ(bench.counters().sessions_expired, 100U);
}

TEST(Hardening, R04_a_session_that_is_not_in_use_makes_room_for_another) {
    McpBench bench(McpHttpOptions().max_sessions(3).session_expiry(10min).evict_expiry(30s));
    auto const used = bench.open();
    bench.post(request("now"), used);
    auto const streaming = bench.open();
    auto const stream = bench.get(streaming);
    bench.advance(1s);
    auto const unused = bench.open();
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::service_unavailable);
    // The session that was never used is evicted first, after a third of the time.
    bench.advance(10s - 1ns);
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::service_unavailable);
    bench.advance(1s);
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::ok);
    EXPECT_EQ(bench.counters().sessions_evicted, 1U);
    EXPECT_EQ(bench.post(request("now"), unused)->status(), Status::not_found);
    // Then sessions that were used are evicted, but never one with an open stream.
    bench.advance(18s);
    bench.advance(1s);
    bench.post(initialize_text);
    bench.advance(1s);
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::ok);
    EXPECT_EQ(bench.post(request("now"), used)->status(), Status::not_found);
    EXPECT_FALSE(stream->reply.ended());
    EXPECT_EQ(bench.post(request("now"), streaming)->status(), Status::ok);
    EXPECT_LE(bench.counters().sessions, 3U);
}

TEST(Hardening, R04_anonymous_sessions_do_not_evict_those_of_principals) {
    McpBench bench(McpHttpOptions().max_sessions(3).evict_expiry(30s));
    auto const ada = principal("ada");
    auto const bob = principal("bob");
    auto const first = bench.open("2025-11-25", ada);
    bench.advance(1s);
    auto const second = bench.open("2025-11-25", ada);
    bench.advance(1s);
    auto const anonymous = bench.open();
    bench.advance(31s);
    // An anonymous client replaces the session of an anonymous client.
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::ok);
    EXPECT_EQ(bench.post(request("now"), anonymous)->status(), Status::not_found);
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::service_unavailable);
    // A principal replaces an anonymous session, then one of a principal that has more sessions.
    bench.advance(31s);
    EXPECT_EQ(bench.post(initialize_text, {}, bob)->status(), Status::ok);
    EXPECT_EQ(bench.post(request("now"), first, ada)->status(), Status::ok);
    bench.advance(31s);
    EXPECT_EQ(bench.post(initialize_text, {}, principal("cy"))->status(), Status::ok);
    EXPECT_EQ(bench.post(request("now"), second, ada)->status(), Status::not_found);
    // Three sessions were replaced.
    EXPECT_EQ(bench.counters().sessions_evicted, 3U);
}

TEST(Hardening, R04_a_flood_of_handshakes_does_not_keep_clients_out_for_long) {
    McpBench bench(McpHttpOptions().max_sessions(500));
    int served = 0;
    for (int second = 0; second < 60; ++second) {
        for (int i = 0; i < 200; ++i) bench.post(initialize_text);
        bench.forget_calls();
        ASSERT_LE(bench.counters().sessions, 500U);
        // During the flood, a new client gets a session now and then.
        auto const opened = bench.post(initialize_text);
        if (opened->status() == Status::ok) ++served;
        bench.advance(1s);
    }
    EXPECT_GT(served, 0);
    EXPECT_GT(bench.counters().sessions_evicted, 1'000U);
}

TEST(Hardening, R04_one_principal_cannot_take_all_sessions) {
    McpBench bench(McpHttpOptions().max_sessions_per_principal(3));
    auto const ada = principal("ada");
    Headers first;
    for (int i = 0; i < 3; ++i) first = bench.open("2025-11-25", ada);
    auto const refused = bench.post(initialize_text, {}, ada);
    EXPECT_EQ(refused->status(), Status::too_many_requests);
    EXPECT_EQ(bench.post(initialize_text, {}, principal("bob"))->status(), Status::ok);
    EXPECT_EQ(bench.post(initialize_text)->status(), Status::ok);
    bench.del(first, ada);
    EXPECT_EQ(bench.post(initialize_text, {}, ada)->status(), Status::ok);
}

TEST(Hardening, R05_sessions_leave_nothing_behind) {
    McpBench bench;
    for (int i = 0; i < 200; ++i) bench.del(bench.open());
    bench.run();
    EXPECT_EQ(bench.counters().sessions, 0U);
    for (auto const& connection : bench.scripted.connections) {
        EXPECT_EQ(connection->transport, nullptr);
    }
    EXPECT_EQ(bench.time.next_alarm(), bench.time.next_alarm());
    bench.advance(1h);
    EXPECT_EQ(bench.time.next_alarm(), TimePoint::max()) << "nothing to sweep, no alarm";
}

TEST(Session, an_idle_session_expires) {
    McpBench bench(McpHttpOptions().session_expiry(10min));
    auto const session = bench.open();
    bench.advance(9min);
    EXPECT_EQ(bench.post(request("now"), session)->status(), Status::ok);
    bench.advance(9min);
    EXPECT_EQ(bench.post(request("now"), session)->status(), Status::ok);
    bench.advance(11min);
    EXPECT_EQ(bench.post(request("now"), session)->status(), Status::not_found);
    EXPECT_EQ(bench.counters().sessions_expired, 1U);
}

TEST(Session, a_session_with_a_pending_request_or_stream_does_not_expire) {
    McpBench bench(McpHttpOptions().session_expiry(10min));
    auto const listening = bench.open();
    auto const stream = bench.get(listening);
    auto const waiting = bench.open();
    auto const call = bench.post(request("later"), waiting);
    for (int i = 0; i < 10; ++i) bench.advance(5min);
    EXPECT_EQ(bench.counters().sessions, 2U);
    stream->reply.disconnect();
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    for (int i = 0; i < 4; ++i) bench.advance(3min);
    EXPECT_EQ(bench.counters().sessions, 0U);
}

TEST(Hardening, S10_equal_ids_of_different_sessions_are_independent) {
    McpBench bench;
    std::vector<std::pair<std::shared_ptr<Call>, std::uint64_t>> calls;
    for (int i = 0; i < 20; ++i) {
        auto const session = bench.open();
        auto const call = bench.post(request("later", 1), session);
        calls.emplace_back(call, bench.last_origin());
    }
    for (std::size_t i = calls.size(); i-- > 0;) {
        bench.on_executor([&] {
            bench.scripted.connections[i]->send(result(1, R"({"nonce":)" + std::to_string(i) + "}"),
                                                calls[i].second, Kind::answer);
        });
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
        EXPECT_EQ(calls[i].first->messages(),
                  std::vector<std::string>{result(1, R"({"nonce":)" + std::to_string(i) + "}")});
    }
}

TEST(Session, peer_information_belongs_to_the_request) {
    McpBench bench;
    auto const ada = principal("ada");
    auto const session = bench.open("2025-11-25", ada);
    bench.post(request("later"), with(session, "X-Own", "1"), ada);
    auto const& transport = *bench.scripted.last().transport;
    auto const& extras = *bench.scripted.last().extras;
    auto const info = extras.peer_info(bench.last_origin());
    EXPECT_EQ(info->headers.back().name, "X-Own");
    EXPECT_EQ(info->identity, "ada");
    EXPECT_EQ(info->session_id, session.front().second);
    auto const whole = extras.peer_info(0);
    EXPECT_EQ(whole->identity, "ada");
    EXPECT_EQ(whole->session_id, session.front().second);
    EXPECT_EQ(whole->transport, "http");
    EXPECT_TRUE(whole->headers.empty());
    EXPECT_TRUE(transport.traits().watches_peer);
    EXPECT_EQ(transport.info().kind, "http");
    EXPECT_EQ(transport.info().messages_out, 1U);
}

TEST(Stop, new_requests_are_refused_and_pending_ones_are_answered) {
    McpBench bench;
    auto const session = bench.open();
    auto const idle = bench.open();
    auto const stream = bench.get(session);
    auto const call = bench.post(request("later"), session);
    auto& connection = *bench.scripted.connections.front();
    bench.on_executor([&] { bench.endpoint->stop(5s); });
    EXPECT_TRUE(bench.scripted.entry->stopped);
    EXPECT_EQ(stream->reply.state(), State::finished);
    EXPECT_THAT(stream->text(), HasSubstr("retry: 1000\n\n"));
    EXPECT_EQ(bench.scripted.connections.back()->transport, nullptr) << "it had nothing to do";
    for (auto const& refused :
         {bench.post(request("now"), session), bench.post(initialize_text), bench.get(session),
          bench.post(stateless_request("tools/list"), stateless_headers("tools/list"))}) {
        EXPECT_EQ(refused->status(), Status::service_unavailable);
        EXPECT_EQ(refused->reply.more(), "Retry-After: 1\r\n");
    }
    EXPECT_EQ(bench.post(result(9), session)->status(), Status::accepted)
        << "the call under way may wait for it";
    bench.on_executor([&] {
        connection.send(result(), connection.seen[2].origin, Kind::answer);
        bench.endpoint->stop(5s);
    });
    EXPECT_EQ(call->messages(), std::vector<std::string>{result()});
    EXPECT_EQ(connection.transport, nullptr);
    EXPECT_EQ(bench.counters().sessions, 0U);
}

TEST(Stop, requests_that_outlast_the_grace_are_ended) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    bench.on_executor([&] { bench.endpoint->stop(5s); });
    EXPECT_NE(call->reply.state(), State::finished);
    bench.on_executor([&] { bench.endpoint->end_replies(); });
    EXPECT_EQ(call->reply.state(), State::finished)
        << "it is a stream, which has no status any more";
    EXPECT_EQ(bench.counters().sessions, 0U);
}

TEST(Stop, ended_waits_until_the_server_has_released_every_session) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    bool ended = false;
    bench.on_executor([&] {
        bench.endpoint->stop(5s);
        boost::asio::co_spawn(
            bench.io,
            [](http::McpHandler& endpoint, bool& done) -> Task<> {
                co_await endpoint.ended();
                done = true;
            }(*bench.endpoint, ended),
            boost::asio::detached);
    });
    EXPECT_TRUE(ended);
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_EQ(bench.scripted.last().transport, nullptr);
}

TEST(Stop, an_endpoint_may_be_destroyed_with_open_sessions) {
    McpBench bench(McpHttpOptions().answers(HttpAnswers::json));
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    auto const connection = bench.scripted.connections.back();
    bench.endpoint.reset();
    EXPECT_EQ(call->status(), Status::service_unavailable);
    EXPECT_EQ(call->reply.more(), "") << "a call that may have run is not repeated";
    bench.run();
    EXPECT_EQ(connection->transport, nullptr);
}

TEST(Session, an_unknown_route_is_not_found) {
    McpBench bench;
    http::RequestReader reader;
    std::string const bytes = "GET /mcp HTTP/1.1\r\nHost: a\r\n\r\n";
    reader.feed(bytes);
    reader.next();
    http::Admission admission;
    admission.route.kind = http::RouteTarget::Kind::extra;
    std::shared_ptr<Principal const> nobody;
    std::shared_ptr<void> attachment;
    RecordingReply reply;
    bench.endpoint->on_request(
        {reader.head(), admission, "", nobody, "", bench.time.now(), attachment}, reply);
    EXPECT_EQ(reply.status(), Status::not_found);
}

}  // namespace
}  // namespace lanyard::test
