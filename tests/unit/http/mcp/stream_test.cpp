// Streams of sessions (rules H-* of 2025-11-25 for servers): which stream carries a message, events
// and their ids, resumption of interrupted streams, released streams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Kind = rpc::Route::Kind;
using State = RecordingReply::State;
using namespace std::chrono_literals;

std::string const progress = notification("notifications/progress");
std::string const changed = notification("notifications/tools/list_changed");
std::string const roots = R"({"jsonrpc":"2.0","id":3,"method":"roots/list"})";

TEST(Rule, H13_a_stream_of_2025_11_25_opens_with_an_event_without_data) {
    McpBench bench;
    auto const session = bench.open();
    for (auto const& call : {bench.post(request("later"), session), bench.get(session)}) {
        EXPECT_THAT(call->text(), StartsWith("id: "));
        EXPECT_THAT(call->text(), HasSubstr("\nretry: 1000\ndata: \n\n"));
        EXPECT_EQ(call->reply.flushed(), call->text());
        EXPECT_NE(call->last_id(), "");
    }
}

TEST(Rule, H13_a_stream_of_older_clients_opens_without_that_event) {
    McpBench bench;
    for (auto const* version : {"2025-06-18", "2025-03-26"}) {
        auto const session = bench.open(version);
        auto const stream = bench.get(session);
        auto const call = bench.post(request("later"), session);
        EXPECT_EQ(stream->text(), "") << version;
        EXPECT_EQ(call->text(), "") << version;
        EXPECT_GT(call->reply.flushes(), 0U) << "the head goes out at once";
        bench.server_sends(progress, bench.last_origin());
        EXPECT_THAT(call->text(), StartsWith("event: message\nid: "));
    }
}

TEST(Rule, H16_retry_is_set_by_the_options) {
    McpBench bench(McpHttpOptions().stream_retry_interval(250ms));
    EXPECT_THAT(bench.get(bench.open())->text(), HasSubstr("retry: 250\n"));
}

TEST(Rule, H18_the_stream_of_a_request_carries_its_answer_and_then_ends) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    bench.server_sends(progress, bench.last_origin());
    EXPECT_EQ(call->reply.state(), State::streaming);
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_THAT(call->messages(), ElementsAre(progress, result()));
    EXPECT_EQ(call->reply.state(), State::finished);
}

TEST(Rule, H19_messages_of_a_request_are_sent_on_its_stream) {
    McpBench bench;
    auto const session = bench.open();
    auto const stream = bench.get(session);
    auto const first = bench.post(request("later", 2), session);
    auto const first_origin = bench.last_origin();
    auto const second = bench.post(request("later", 3), session);
    auto const second_origin = bench.last_origin();
    bench.server_sends(progress, second_origin);
    bench.server_sends(roots, first_origin, Kind::request);
    bench.server_sends(result(3), second_origin, Kind::answer);
    bench.server_sends(result(2), first_origin, Kind::answer);
    EXPECT_THAT(first->messages(), ElementsAre(roots, result(2)));
    EXPECT_THAT(second->messages(), ElementsAre(progress, result(3)));
    EXPECT_THAT(stream->messages(), IsEmpty());
}

TEST(Rule, H22_a_lost_connection_does_not_cancel) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    auto const seen = bench.scripted.last().seen.size();
    call->reply.disconnect();
    bench.run();
    EXPECT_THAT(bench.scripted.last().seen, SizeIs(seen)) << "the server hears nothing of it";
    bench.server_sends(progress, bench.last_origin());
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    auto const again = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_THAT(again->messages(), ElementsAre(progress, result()));
    EXPECT_EQ(again->reply.state(), State::finished);
}

TEST(Rule, H25_get_answers_with_a_stream) {
    McpBench bench;
    auto const call = bench.get(bench.open());
    EXPECT_EQ(call->status(), Status::ok);
    EXPECT_TRUE(call->is_stream());
    EXPECT_EQ(call->reply.state(), State::streaming);
    EXPECT_TRUE(call->reply.watched());
}

TEST(Rule, H26_messages_of_no_request_are_sent_on_the_stream_of_get) {
    McpBench bench;
    auto const session = bench.open();
    auto const stream = bench.get(session);
    auto const call = bench.post(request("later"), session);
    bench.server_sends(changed, 0);
    EXPECT_THAT(stream->messages(), ElementsAre(changed));
    EXPECT_EQ(stream->reply.flushed(), stream->text());
    EXPECT_THAT(call->messages(), IsEmpty());
}

TEST(Rule, H27_no_answer_is_sent_on_the_stream_of_get) {
    McpBench bench(McpHttpOptions().answers(HttpAnswers::json));
    auto const session = bench.open();
    auto const stream = bench.get(session);
    auto const call = bench.post(request("later"), session);
    auto const origin = bench.last_origin();
    call->reply.disconnect();
    bench.server_sends(result(), origin, Kind::answer);
    EXPECT_THAT(stream->messages(), IsEmpty());
    bench.server_sends(progress, origin);
    EXPECT_THAT(stream->messages(), IsEmpty()) << "nor what comes late";
}

TEST(Rule, H29_a_message_is_sent_on_exactly_one_stream) {
    McpBench bench;
    auto const session = bench.open();
    auto const first = bench.get(session);
    auto const second = bench.get(session);
    bench.server_sends(changed, 0);
    EXPECT_EQ(first->messages().size() + second->messages().size(), 1U);
    EXPECT_THAT(second->messages(), ElementsAre(changed)) << "the one opened last";
    second->reply.disconnect();
    bench.server_sends(changed, 0);
    EXPECT_THAT(first->messages(), ElementsAre(changed));
}

TEST(Rule, H30_event_ids_are_unique_in_the_session) {
    McpBench bench;
    auto const session = bench.open();
    std::set<std::string> ids;
    std::size_t events = 0;
    std::vector<std::shared_ptr<Call>> calls{bench.get(session), bench.get(session)};
    for (int i = 0; i < 5; ++i) {
        calls.push_back(bench.post(request("later", i + 2), session));
        for (int n = 0; n < 3; ++n) bench.server_sends(progress, bench.last_origin());
        bench.server_sends(changed, 0);
    }
    for (auto const& call : calls) {
        http::SseParser parser;
        parser.feed(call->text());
        while (auto const event = parser.next()) {
            ids.insert(std::string(event->id));
            ++events;
        }
    }
    EXPECT_EQ(ids.size(), events);
    EXPECT_EQ(events, 7U + 15U + 5U);
}

TEST(Rule, H31_event_ids_name_their_stream) {
    McpBench bench;
    auto const session = bench.open();
    auto const first = bench.post(request("later", 2), session);
    auto const first_origin = bench.last_origin();
    auto const second = bench.post(request("later", 3), session);
    bench.server_sends(progress, first_origin);
    bench.server_sends(progress, bench.last_origin());
    auto const stream_of = [](std::string const& id) { return id.substr(0, id.rfind('.')); };
    EXPECT_NE(stream_of(first->last_id()), stream_of(second->last_id()));
    EXPECT_EQ(stream_of(first->events().front().substr(9)), stream_of(first->last_id()));
}

TEST(Rule, H32_a_resumed_stream_of_get_carries_the_missed_messages) {
    McpBench bench;
    auto const session = bench.open();
    auto const stream = bench.get(session);
    bench.server_sends(changed, 0);
    stream->reply.disconnect();
    bench.server_sends(progress, 0);
    auto const again = bench.get(with(session, "Last-Event-ID", stream->last_id()));
    EXPECT_THAT(again->messages(), ElementsAre(progress));
    bench.server_sends(changed, 0);
    EXPECT_THAT(again->messages(), ElementsAre(progress, changed));
    EXPECT_EQ(bench.counters().streams_resumed, 1U);
    EXPECT_EQ(bench.counters().streams, 1U);
}

TEST(Rule, H32_a_resumed_stream_of_a_request_carries_the_rest) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    auto const origin = bench.last_origin();
    auto const primed = call->last_id();
    bench.server_sends(progress, origin);
    call->reply.disconnect();
    auto const again = bench.get(with(session, "Last-Event-ID", primed));
    EXPECT_THAT(again->messages(), ElementsAre(progress));
    EXPECT_EQ(again->reply.state(), State::streaming);
    bench.server_sends(result(), origin, Kind::answer);
    EXPECT_THAT(again->messages(), ElementsAre(progress, result()));
    EXPECT_EQ(again->reply.state(), State::finished);
}

TEST(Rule, H32_resuming_a_stream_detaches_it_from_its_previous_connection) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    auto const again = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_EQ(call->reply.state(), State::finished);
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_THAT(call->messages(), IsEmpty());
    EXPECT_THAT(again->messages(), ElementsAre(result()));
    EXPECT_EQ(bench.counters().streams, 0U);
}

TEST(Rule, H33_nothing_of_another_stream_is_replayed) {
    McpBench bench;
    auto const session = bench.open();
    auto const stream = bench.get(session);
    auto const first = bench.post(request("later", 2), session);
    auto const first_origin = bench.last_origin();
    auto const second = bench.post(request("later", 3), session);
    auto const second_origin = bench.last_origin();
    for (auto const& call : {first, second, stream}) call->reply.disconnect();
    bench.server_sends(progress, first_origin);
    bench.server_sends(changed, 0);
    bench.server_sends(result(3), second_origin, Kind::answer);
    bench.server_sends(result(2), first_origin, Kind::answer);
    auto const resumed = [&](Call const& call) {
        return bench.get(with(session, "Last-Event-ID", call.last_id()))->messages();
    };
    EXPECT_THAT(resumed(*first), ElementsAre(progress, result(2)));
    EXPECT_THAT(resumed(*second), ElementsAre(result(3)));
    EXPECT_THAT(resumed(*stream), ElementsAre(changed));
}

TEST(Hardening, S17_foreign_forged_and_expired_event_ids_open_a_new_stream) {
    McpBench bench(McpHttpOptions().max_kept_events(4));
    auto const session = bench.open();
    auto const other = bench.open();
    auto const foreign = bench.post(request("later"), other);
    auto const foreign_origin = bench.last_origin();
    foreign->reply.disconnect();
    bench.on_executor(
        [&] { bench.scripted.connections[1]->send(result(), foreign_origin, Kind::answer); });
    auto const call = bench.post(request("later"), session);
    auto const origin = bench.scripted.connections[0]->seen.back().origin;
    auto const forgotten = call->last_id();
    for (int i = 0; i < 6; ++i) {
        bench.on_executor([&] { bench.scripted.connections[0]->send(progress, origin); });
    }
    auto const known = call->last_id();
    call->reply.disconnect();
    for (auto const& id : {foreign->last_id(), forgotten, known + "0", known.substr(1),
                           std::string("nonsense"), std::string("*")}) {
        auto const answer = bench.get(with(session, "Last-Event-ID", id));
        EXPECT_EQ(answer->status(), Status::ok) << "404 would make the client drop its session";
        EXPECT_THAT(answer->messages(), IsEmpty());
        EXPECT_EQ(answer->reply.state(), State::streaming);
    }
    EXPECT_EQ(bench.counters().resumes_unknown, 6U);
    EXPECT_EQ(bench.counters().events_replayed, 0U);
}

TEST(Hardening, R06_the_events_of_a_session_are_limited) {
    McpBench bench(McpHttpOptions().max_kept_events(50));
    auto const session = bench.open();
    for (int i = 0; i < 500; ++i) {
        bench.post(request("later", i), session);
        bench.server_sends(progress, bench.last_origin());
        bench.server_sends(result(i), bench.last_origin(), Kind::answer);
    }
    EXPECT_EQ(bench.counters().events_sent, 1000U);
    EXPECT_EQ(bench.counters().streams, 0U);
}

TEST(Hardening, R06_a_client_that_fills_the_store_cannot_evict_the_answers_of_others) {
    McpBench bench(McpHttpOptions().max_kept_bytes(100'000, 1'000'000));
    auto const fill = [&bench] {
        auto const long_result = R"({"x":")" + std::string(10'000, 'x') + R"("})";
        for (int i = 0; i < 25; ++i) {
            auto const stranger = bench.open();
            for (int k = 0; k < 10; ++k) {
                bench.post(request("later", k), stranger);
                bench.server_sends(result(k, long_result), bench.last_origin(), Kind::answer);
            }
        }
        bench.forget_calls();
    };
    fill();
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    auto& connection = bench.scripted.last();
    auto const origin = bench.last_origin();
    call->reply.disconnect();
    bench.on_executor([&] { connection.send(result(), origin, Kind::answer); });
    bench.advance(1s);
    fill();
    auto const again = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_THAT(again->messages(), ElementsAre(result()));
    EXPECT_GT(bench.counters().events_evicted, 0U);
}

TEST(Hardening, R06_events_expire) {
    McpBench bench(McpHttpOptions().event_expiry(5min).session_expiry(1h));
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    call->reply.disconnect();
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    bench.advance(6min);
    auto const again = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_THAT(again->messages(), IsEmpty());
    EXPECT_EQ(again->reply.state(), State::streaming);
}

// Cuts the connection after every byte of an answer with several events; the client reconnects with
// the last id it has read completely.
TEST(Hardening, R32_after_a_cut_at_any_byte_every_event_arrives_exactly_once) {
    std::vector<std::string> const expected{notification("a"), notification("b"), roots, result()};
    std::size_t cuts = 0;
    for (std::size_t cut = 0;; ++cut) {
        McpBench bench;
        auto const session = bench.open();
        auto const call = bench.post(request("later"), session);
        auto const origin = bench.last_origin();
        std::size_t sent = 0;
        bool lost = false;
        auto const step = [&] {
            if (!lost && call->text().size() > cut) {
                // The bytes past the cut never arrive.
                lost = true;
                if (!call->reply.ended()) call->reply.disconnect();
            }
        };
        step();
        for (; sent < expected.size(); ++sent) {
            bench.server_sends(expected[sent], origin,
                               sent == 3   ? Kind::answer
                               : sent == 2 ? Kind::request
                                           : Kind::notification);
            step();
        }
        if (!lost) break;
        ++cuts;
        http::SseParser parser;
        parser.feed(std::string_view(call->text()).substr(0, cut));
        std::vector<std::string> got;
        std::string last_id;
        while (auto const event = parser.next()) {
            if (!event->data.empty()) got.emplace_back(event->data);
            last_id = event->id;
        }
        if (last_id.empty()) continue;  // no id arrived: the stream cannot be resumed
        auto const again = bench.get(with(session, "Last-Event-ID", last_id));
        for (auto const& message : again->messages()) got.push_back(message);
        ASSERT_EQ(got, expected) << "cut at byte " << cut;
        ASSERT_EQ(again->reply.state(), State::finished);
    }
    EXPECT_GT(cuts, 300U);
}

TEST(Stream, a_released_stream_is_closed_and_can_be_resumed) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    auto const origin = bench.last_origin();
    bench.on_executor([&] { bench.scripted.last().extras->release_stream(origin); });
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_THAT(call->text(), ::testing::EndsWith("retry: 1000\n\n"));
    bench.server_sends(progress, origin);
    auto const polled = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_THAT(polled->messages(), ElementsAre(progress));
    bench.on_executor([&] { bench.scripted.last().extras->release_stream(origin); });
    EXPECT_EQ(polled->reply.state(), State::finished);
    bench.server_sends(result(), origin, Kind::answer);
    auto const last = bench.get(with(session, "Last-Event-ID", polled->last_id()));
    EXPECT_THAT(last->messages(), ElementsAre(result()));
    EXPECT_EQ(last->reply.state(), State::finished);
}

TEST(Rule, H21_streams_of_older_clients_are_not_closed_before_the_answer) {
    McpBench bench;
    auto const session = bench.open("2025-06-18");
    auto const call = bench.post(request("later"), session);
    bench.on_executor([&] { bench.scripted.last().extras->release_stream(bench.last_origin()); });
    EXPECT_EQ(call->reply.state(), State::streaming);
}

TEST(Stream, releasing_an_answer_that_is_no_stream_has_no_effect) {
    McpBench bench(McpHttpOptions().answers(HttpAnswers::json));
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    bench.on_executor([&] {
        bench.scripted.last().extras->release_stream(bench.last_origin());
        bench.scripted.last().extras->release_stream(77);
    });
    EXPECT_EQ(call->reply.state(), State::pending);
    call->reply.disconnect();
    bench.on_executor([&] { bench.scripted.last().extras->release_stream(bench.last_origin()); });
}

TEST(Hardening, R30_the_reply_to_a_cancelled_request_ends) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    bench.server_sends("", bench.last_origin(), Kind::none);
    EXPECT_EQ(call->reply.state(), State::finished);
    EXPECT_THAT(call->messages(), IsEmpty());
    auto const again = bench.get(with(session, "Last-Event-ID", call->last_id()));
    EXPECT_EQ(again->reply.state(), State::streaming) << "there is nothing to come back for";
}

TEST(Hardening, R30_the_reply_to_a_request_cancelled_before_its_stream_began_ends) {
    McpBench json(McpHttpOptions().answers(HttpAnswers::json));
    auto const plain = json.post(request("later"), json.open());
    json.server_sends("", json.last_origin(), Kind::none);
    EXPECT_EQ(plain->status(), Status::accepted);
    json.server_sends("", json.last_origin(), Kind::none);
    EXPECT_EQ(json.counters().messages_dropped, 0U);
}

TEST(Stream, messages_without_a_stream_wait_for_the_first_one) {
    McpBench bench;
    auto const session = bench.open();
    bench.server_sends(changed, 0);
    bench.server_sends(progress, 0);
    EXPECT_THAT(bench.get(session)->messages(), ElementsAre(changed, progress));
    EXPECT_THAT(bench.get(session)->messages(), IsEmpty());
}

TEST(Stream, messages_without_a_stream_are_limited) {
    McpBench bench;
    auto const session = bench.open();
    for (int i = 0; i < 500; ++i) bench.server_sends(changed, 0);
    auto const kept = bench.get(session)->messages().size();
    EXPECT_GT(kept, 10U);
    EXPECT_LE(kept, 100U);
    EXPECT_EQ(bench.counters().messages_dropped, 500U - kept);
}

TEST(Stream, a_request_of_the_server_fails_without_a_stream) {
    McpBench bench;
    auto const session = bench.open();
    bench.server_sends(roots, 0, Kind::request);
    ASSERT_THAT(bench.scripted.last().failures, SizeIs(1));
    EXPECT_EQ(bench.scripted.last().failures.front().first, 3);
    EXPECT_THAT(bench.scripted.last().failures.front().second, HasSubstr("no stream"));
    auto const stream = bench.get(session);
    bench.server_sends(roots, 0, Kind::request);
    EXPECT_THAT(stream->messages(), ElementsAre(roots));
}

TEST(Stream, a_session_has_a_limited_number_of_streams_of_get) {
    McpBench bench(McpHttpOptions().max_streams_per_session(2));
    auto const session = bench.open();
    auto const first = bench.get(session);
    auto const second = bench.get(session);
    EXPECT_EQ(bench.get(session)->status(), Status::conflict);
    first->reply.disconnect();
    EXPECT_EQ(bench.get(session)->status(), Status::ok);
}

TEST(Stream, messages_are_kept_only_for_the_stream_that_was_lost_last) {
    McpBench bench;
    auto const session = bench.open();
    auto const first = bench.get(session);
    auto const second = bench.get(session);
    second->reply.disconnect();
    first->reply.disconnect();
    bench.server_sends(changed, 0);
    auto const of_second = bench.get(with(session, "Last-Event-ID", second->last_id()));
    EXPECT_TRUE(of_second->messages().empty());
    auto const of_first = bench.get(with(session, "Last-Event-ID", first->last_id()));
    EXPECT_THAT(of_first->messages(), ElementsAre(changed));
}

TEST(Hardening, R10_a_client_that_does_not_read_gets_answers_but_no_notifications) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    call->reply.set_unsent(2'000'000, true);
    bench.server_sends(progress, bench.last_origin());
    bench.server_sends(roots, bench.last_origin(), Kind::request);
    bench.server_sends(result(), bench.last_origin(), Kind::answer);
    EXPECT_THAT(call->messages(), ElementsAre(roots, result()));
    EXPECT_EQ(bench.counters().messages_dropped, 1U);
}

TEST(Stream, messages_after_the_end_of_a_session_are_dropped) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    bench.on_executor([&] {
        auto& connection = bench.scripted.last();
        auto* const transport = connection.transport;
        transport->close();
        transport->close();
        connection.send(result(), connection.seen.back().origin, Kind::answer);
        connection.send(changed, 0);
    });
    EXPECT_THAT(call->messages(), IsEmpty());
}

TEST(Hardening, S29_any_message_is_exactly_one_event) {
    McpBench bench;
    auto const session = bench.open();
    auto const call = bench.post(request("later"), session);
    auto const text = notification("a\\n\\r\\u0000\xE2\x80\xA8 data: x\\n\\nid: y");
    bench.server_sends(text, bench.last_origin());
    EXPECT_THAT(call->messages(), ElementsAre(text));
}

}  // namespace
}  // namespace lanyard::test
