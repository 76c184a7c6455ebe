#include "peer/correlator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <memory>

#include "unit/peer/fakes.hpp"

namespace lanyard::rpc {
namespace {

using namespace test;
using Requests = Correlator<int>;

std::int64_t begin(Requests& requests, TimePoint now, RequestSettings const& call = {},
                   std::string_view method = "tools/call", int tag = 7) {
    return requests.begin(method, std::move(tag), now, call).value().id;
}

TEST(Correlator, assigns_ids_from_one_up_and_returns_the_continuation) {
    Requests requests;
    EXPECT_EQ(begin(requests, at(0s), {}, "ping", 11), 1);
    EXPECT_EQ(begin(requests, at(0s), {}, "ping", 12), 2);
    auto const answer = requests.answer(2, Outcome::answered, at(1s));
    EXPECT_EQ(answer.result, AnswerMatch::matched);
    EXPECT_EQ(answer.ended.id, 2);
    EXPECT_EQ(answer.ended.continuation, 12);
    EXPECT_EQ(answer.ended.outcome, Outcome::answered);
    EXPECT_FALSE(answer.ended.notify_peer);
    EXPECT_EQ(requests.pending_count(), 1U);
    EXPECT_EQ(requests.counters().with(Outcome::answered), 1U);
}

TEST(Correlator, an_error_of_the_peer_ends_the_request_as_failed) {
    Requests requests;
    begin(requests, at(0s));
    EXPECT_EQ(requests.answer(1, Outcome::failed, at(1s)).ended.outcome, Outcome::failed);
    EXPECT_EQ(requests.counters().with(Outcome::failed), 1U);
}

TEST(Correlator, a_move_only_continuation_is_released_when_the_request_ends) {
    Correlator<std::shared_ptr<int>> requests;
    auto watched = std::make_shared<int>(1);
    std::weak_ptr<int> const watch = watched;
    ASSERT_TRUE(requests.begin("ping", std::move(watched), at(0s)));
    requests.end(1, Outcome::cancelled, at(0s));
    EXPECT_TRUE(watch.expired());
}

TEST(Correlator, an_id_of_the_other_type_matches_nothing) {
    Requests requests;
    begin(requests, at(0s));
    EXPECT_EQ(requests.answer("1", Outcome::answered, at(0s)).result, AnswerMatch::unknown);
    EXPECT_EQ(requests.answer(0, Outcome::answered, at(0s)).result, AnswerMatch::unknown);
    EXPECT_EQ(requests.answer(-1, Outcome::answered, at(0s)).result, AnswerMatch::unknown);
    EXPECT_EQ(requests.counters().unknown_answers, 3U);
    EXPECT_EQ(requests.pending_count(), 1U);
}

TEST(Correlator, a_second_answer_is_unknown) {
    Requests requests;
    begin(requests, at(0s));
    requests.answer(1, Outcome::answered, at(0s));
    EXPECT_EQ(requests.answer(1, Outcome::answered, at(0s)).result, AnswerMatch::unknown);
}

TEST(Correlator, refuses_more_than_the_limit_of_pending_requests_and_keeps_the_continuation) {
    CorrelatorOptions options;
    options.max_pending = 2;
    Correlator<std::unique_ptr<int>> requests(options);
    ASSERT_TRUE(requests.begin("a", nullptr, at(0s)));
    ASSERT_TRUE(requests.begin("b", nullptr, at(0s)));
    auto continuation = std::make_unique<int>(5);
    auto const refused = requests.begin("c", std::move(continuation), at(0s));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::too_many_pending));
    EXPECT_NE(continuation, nullptr);
    EXPECT_EQ(requests.counters().refused, 1U);
    requests.answer(1, Outcome::answered, at(0s));
    EXPECT_TRUE(requests.begin("c", std::move(continuation), at(0s)));
}

TEST(Correlator, the_default_limit_is_a_thousand) {
    Requests requests;
    for (int i = 0; i < 1'000; ++i) begin(requests, at(0s));
    EXPECT_FALSE(requests.begin("ping", 0, at(0s)));
}

TEST(Rule, L18_a_request_ends_when_its_time_is_over) {
    Requests requests;
    begin(requests, at(0s));
    EXPECT_EQ(requests.next_deadline(), at(30s));
    EXPECT_FALSE(requests.expire(at(30s) - 1ns));
    auto const ended = requests.expire(at(30s));
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->outcome, Outcome::timed_out);
    EXPECT_EQ(ended->continuation, 7);
    EXPECT_FALSE(requests.expire(at(30s)));
    EXPECT_EQ(requests.pending_count(), 0U);
}

TEST(Rule, L19_a_timeout_notifies_the_peer_once) {
    Requests requests;
    begin(requests, at(0s));
    EXPECT_TRUE(requests.expire(at(30s))->notify_peer);
    EXPECT_FALSE(requests.expire(at(31s)));
}

TEST(Rule, L20_the_timeout_can_be_set_per_request) {
    Requests requests;
    begin(requests, at(0s), {.timeout = 2s});
    begin(requests, at(0s), {.timeout = no_limit});
    begin(requests, at(0s), {.timeout = 1s});
    EXPECT_EQ(requests.next_deadline(), at(1s));
    EXPECT_EQ(requests.expire(at(10s))->id, 3);
    EXPECT_EQ(requests.expire(at(10s))->id, 1);
    EXPECT_FALSE(requests.expire(at(10s)));
    EXPECT_EQ(requests.pending_count(), 1U) << "a request without a limit stays open";
}

TEST(Rule, L21_progress_restarts_the_timeout_under_an_absolute_maximum) {
    Requests requests;
    begin(requests, at(0s), {.timeout = 10s, .max_total = 25s, .progress = true});
    EXPECT_EQ(requests.progress(1, 0.1, at(9s)).result, ProgressMatch::accepted);
    EXPECT_FALSE(requests.expire(at(10s)));
    EXPECT_EQ(requests.next_deadline(), at(19s));
    EXPECT_EQ(requests.progress(1, 0.2, at(18s)).result, ProgressMatch::accepted);
    EXPECT_EQ(requests.pending().front().deadline, at(25s));
    EXPECT_FALSE(requests.expire(at(25s) - 1ns));
    EXPECT_TRUE(requests.expire(at(25s)));
}

TEST(Correlator, the_absolute_maximum_is_never_below_the_timeout) {
    CorrelatorOptions options;
    options.max_total = 5s;
    Requests requests(options);
    begin(requests, at(0s), {.timeout = 60s, .progress = true});
    EXPECT_FALSE(requests.expire(at(59s)));
    EXPECT_TRUE(requests.expire(at(60s)));
}

TEST(Rule, C02_initialize_is_never_cancelled_on_the_wire) {
    Requests requests;
    begin(requests, at(0s), {}, "initialize");
    begin(requests, at(0s), {}, "initialize");
    EXPECT_FALSE(requests.expire(at(30s))->notify_peer);
    auto const cancelled = requests.end(2, Outcome::cancelled, at(30s));
    ASSERT_TRUE(cancelled);
    EXPECT_FALSE(cancelled->notify_peer);
}

TEST(Rule, C01_only_a_pending_request_is_cancelled_and_only_once) {
    Requests requests;
    begin(requests, at(0s));
    auto const cancelled = requests.end(1, Outcome::cancelled, at(0s));
    ASSERT_TRUE(cancelled);
    EXPECT_TRUE(cancelled->notify_peer);
    EXPECT_FALSE(requests.end(1, Outcome::cancelled, at(0s)));
    EXPECT_FALSE(requests.end(99, Outcome::cancelled, at(0s)));
    EXPECT_EQ(requests.counters().with(Outcome::cancelled), 1U);
}

TEST(Rule, C08_an_answer_after_the_cancellation_is_late_and_dropped) {
    Requests requests;
    begin(requests, at(0s));
    requests.end(1, Outcome::cancelled, at(1s));
    EXPECT_EQ(requests.answer(1, Outcome::answered, at(2s)).result, AnswerMatch::late);
    EXPECT_EQ(requests.counters().late_answers, 1U);
}

TEST(Correlator, an_expired_tombstone_does_not_count_even_before_the_sweep) {
    Requests requests;
    begin(requests, at(0s));
    requests.end(1, Outcome::cancelled, at(0s));
    EXPECT_EQ(requests.answer(1, Outcome::answered, at(81s) - 1ns).result, AnswerMatch::late);
    EXPECT_EQ(requests.tombstones().size(), 1U);
    EXPECT_EQ(requests.answer(1, Outcome::answered, at(81s)).result, AnswerMatch::unknown);
}

TEST(Correlator, tombstones_are_swept_every_minute) {
    Requests requests;
    begin(requests, at(0s));
    requests.end(1, Outcome::cancelled, at(0s));
    EXPECT_EQ(requests.next_deadline(), at(60s));
    requests.expire(at(60s));
    EXPECT_EQ(requests.tombstones().size(), 1U) << "81 s are not over";
    EXPECT_EQ(requests.next_deadline(), at(120s));
    requests.expire(at(119s));
    EXPECT_EQ(requests.tombstones().size(), 1U) << "too early for a sweep";
    requests.expire(at(120s));
    EXPECT_EQ(requests.tombstones().size(), 0U);
    EXPECT_EQ(requests.next_deadline(), never);
}

TEST(Correlator, tombstones_are_swept_in_the_interval_of_the_options) {
    CorrelatorOptions options;
    options.tombstone_sweep_interval = 10s;
    Requests requests(options);
    begin(requests, at(0s));
    requests.end(1, Outcome::cancelled, at(0s));
    EXPECT_EQ(requests.next_deadline(), at(10s));
}

TEST(Correlator, the_life_of_a_tombstone_covers_timeout_backoff_and_handshake) {
    CorrelatorOptions options;
    EXPECT_EQ(tombstone_ttl(options), 81s);
    options.timeout = 5s;
    EXPECT_EQ(tombstone_ttl(options), 56s);
    Requests requests(options);
    begin(requests, at(0s));
    requests.end(1, Outcome::cancelled, at(0s));
    EXPECT_EQ(requests.answer(1, Outcome::answered, at(56s) - 1ns).result, AnswerMatch::late);
    EXPECT_EQ(requests.answer(1, Outcome::answered, at(56s)).result, AnswerMatch::unknown);
    options.timeout = no_limit;
    EXPECT_EQ(tombstone_ttl(options), no_limit);
}

TEST(Correlator, a_lost_connection_ends_everything_once_oldest_first) {
    Requests requests;
    for (int i = 0; i < 20; ++i) begin(requests, at(0s), {}, "tools/call", i);
    auto const ended = requests.end_all(Outcome::connection_lost, at(1s));
    ASSERT_EQ(ended.size(), 20U);
    for (std::size_t i = 0; i < ended.size(); ++i) {
        EXPECT_EQ(ended[i].id, static_cast<std::int64_t>(i + 1));
        EXPECT_EQ(ended[i].continuation, static_cast<int>(i));
        EXPECT_EQ(ended[i].outcome, Outcome::connection_lost);
        EXPECT_FALSE(ended[i].notify_peer);
    }
    EXPECT_TRUE(requests.end_all(Outcome::shutdown, at(1s)).empty());
    EXPECT_EQ(requests.answer(3, Outcome::answered, at(2s)).result, AnswerMatch::late);
    EXPECT_FALSE(requests.expire(at(1h)));
}

TEST(Correlator, the_counter_continues_across_a_reconnect) {
    Requests requests;
    begin(requests, at(0s));
    requests.reconnected();
    EXPECT_EQ(begin(requests, at(0s)), 2);
}

TEST(Correlator, continuing_another_correlator_keeps_ids_tombstones_and_counters) {
    Requests former;
    begin(former, at(0s));
    begin(former, at(0s));
    former.end_all(Outcome::connection_lost, at(1s));
    Requests requests;
    requests.resume(former);
    EXPECT_EQ(begin(requests, at(2s)), 3);
    EXPECT_EQ(requests.answer(2, Outcome::answered, at(2s)).result, AnswerMatch::late);
    EXPECT_EQ(requests.answer(9, Outcome::answered, at(2s)).result, AnswerMatch::unknown);
    EXPECT_EQ(requests.pending_count(), 1u);
    EXPECT_EQ(requests.counters().begun, 3u);
    EXPECT_EQ(former.tombstones().size(), 0u);
}

TEST(Correlator, pending_requests_can_be_listed) {
    Requests requests;
    begin(requests, at(0s), {}, "tools/list");
    begin(requests, at(1s), {.timeout = 5s}, std::string(500, 'x'));
    begin(requests, at(2s));
    requests.answer(3, Outcome::answered, at(2s));
    auto const list = requests.pending();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].id, 1);
    EXPECT_EQ(list[0].method, "tools/list");
    EXPECT_EQ(list[0].started, at(0s));
    EXPECT_EQ(list[0].deadline, at(30s));
    EXPECT_EQ(list[1].method.size(), 64U) << "a huge method name is cut";
    EXPECT_EQ(list[1].deadline, at(6s));
}

TEST(Rule, G01_zero_and_the_empty_string_are_progress_tokens) {
    Requests requests;
    begin(requests, at(0s), {.progress_token = 0}, "a", 1);
    begin(requests, at(0s), {.progress_token = ""}, "b", 2);
    auto const zero = requests.progress(0, 1, at(0s));
    ASSERT_EQ(zero.result, ProgressMatch::accepted);
    EXPECT_EQ(*zero.continuation, 1);
    auto const empty = requests.progress("", 1, at(0s));
    ASSERT_EQ(empty.result, ProgressMatch::accepted);
    EXPECT_EQ(empty.id, 2);
}

TEST(Rule, G02_a_token_is_unique_among_pending_requests) {
    Requests requests;
    RequestSettings const by_id{.progress = true};
    auto const with = [](ProgressToken token) {
        return RequestSettings{.progress_token = std::move(token)};
    };
    begin(requests, at(0s), by_id);        // id and token 1
    begin(requests, at(0s));               // id 2, no token
    begin(requests, at(0s), with("own"));  // id 3, its token is not its id
    EXPECT_TRUE(requests.begin("x", 0, at(0s), with(1)).error().is(Errc::invalid_argument));
    EXPECT_TRUE(requests.begin("x", 0, at(0s), with("own")).error().is(Errc::invalid_argument));
    EXPECT_TRUE(requests.begin("x", 0, at(0s), with(2)));  // id 4
    EXPECT_TRUE(requests.begin("x", 0, at(0s), with(3)));  // id 5
    EXPECT_TRUE(requests.begin("x", 0, at(0s), with(7)));  // id 6
    EXPECT_EQ(begin(requests, at(0s), by_id), 8) << "7 is a token already";
    requests.answer(3, Outcome::answered, at(0s));
    EXPECT_TRUE(requests.begin("x", 0, at(0s), with("own"))) << "free again";
}

TEST(Rule, G03_progress_that_does_not_increase_is_dropped_and_restarts_nothing) {
    Requests requests;
    begin(requests, at(0s), {.timeout = 10s, .progress = true});
    EXPECT_EQ(requests.progress(1, 5, at(1s)).result, ProgressMatch::accepted);
    EXPECT_EQ(requests.progress(1, 5, at(2s)).result, ProgressMatch::not_increasing);
    EXPECT_EQ(requests.progress(1, 4, at(2s)).result, ProgressMatch::not_increasing);
    EXPECT_EQ(requests.progress(1, NAN, at(2s)).result, ProgressMatch::not_increasing);
    EXPECT_EQ(requests.pending().front().deadline, at(11s));
    EXPECT_EQ(requests.counters().dropped_progress, 3U);
}

TEST(Rule, G05_progress_is_accepted_only_for_tokens_of_pending_requests) {
    Requests requests;
    begin(requests, at(0s));  // requested no progress
    begin(requests, at(0s), {.progress_token = "own"});
    begin(requests, at(0s), {.progress = true});
    for (ProgressToken const& token : {ProgressToken(1), ProgressToken(2), ProgressToken(9),
                                       ProgressToken("3"), ProgressToken("")}) {
        EXPECT_EQ(requests.progress(token, 1, at(0s)).result, ProgressMatch::unknown_token);
    }
    EXPECT_EQ(requests.progress("own", 1, at(0s)).id, 2);
    EXPECT_EQ(requests.progress(3, 1, at(0s)).id, 3);
}

TEST(Rule, G11_progress_after_completion_is_dropped) {
    Requests requests;
    begin(requests, at(0s), {.progress_token = "own"});
    requests.answer(1, Outcome::answered, at(0s));
    EXPECT_EQ(requests.progress("own", 1, at(0s)).result, ProgressMatch::unknown_token);
}

TEST(Correlator, many_requests_time_out_in_the_order_of_their_deadlines) {
    Requests requests;
    for (int i = 0; i < 200; ++i) {
        begin(requests, at(0s), {.timeout = 1s * ((i * 37) % 101 + 1)});
    }
    for (std::int64_t id = 1; id <= 200; id += 3) requests.answer(id, Outcome::answered, at(0s));
    auto last = at(0s);
    std::size_t count = 0;
    while (requests.pending_count() > 0) {
        auto const due = requests.next_deadline();
        EXPECT_GE(due, last);
        while (requests.expire(due)) ++count;
        last = due;
    }
    EXPECT_EQ(count, 133U);
}

TEST(Correlator, running_out_of_ids_is_an_error) {
    CorrelatorOptions options;
    options.first_id = IdCounter::limit;
    Requests requests(options);
    EXPECT_EQ(begin(requests, at(0s)), IdCounter::limit);
    EXPECT_TRUE(requests.reconnect_needed());
    auto const refused = requests.begin("ping", 0, at(0s));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::unavailable));
    requests.reconnected();
    EXPECT_EQ(begin(requests, at(0s)), 1);
}

TEST(Correlator, the_last_id_is_not_assigned_if_a_token_has_its_number) {
    CorrelatorOptions options;
    options.first_id = IdCounter::limit - 1;
    Requests requests(options);
    begin(requests, at(0s), {.progress_token = IdCounter::limit});
    EXPECT_TRUE(requests.begin("ping", 0, at(0s)).error().is(Errc::unavailable));
}

TEST(Correlator, a_skipped_id_passes_its_notice_on) {
    CorrelatorOptions options;
    options.first_id = 799;
    options.last_id = 1000;
    Requests requests(options);
    begin(requests, at(0s), {.progress_token = 800});
    auto const begun = requests.begin("ping", 0, at(0s));
    EXPECT_EQ(begun->id, 801);
    EXPECT_EQ(begun->notice, IdNotice::used_80_percent);
}

TEST(Correlator, outcomes_have_names) {
    EXPECT_EQ(to_string(Outcome::answered), "answered");
    EXPECT_EQ(to_string(Outcome::shutdown), "shutdown");
}

TEST(IdCounter, warns_at_80_and_90_percent_and_asks_for_a_reconnect_at_96) {
    auto const notice_at = [](std::int64_t id) { return IdCounter(id).take()->notice; };
    EXPECT_EQ(notice_at(1), IdNotice::none);
    EXPECT_EQ(notice_at(IdCounter::warn_80 - 1), IdNotice::none);
    EXPECT_EQ(notice_at(IdCounter::warn_80), IdNotice::used_80_percent);
    EXPECT_EQ(notice_at(IdCounter::warn_80 + 1), IdNotice::none);
    EXPECT_EQ(notice_at(IdCounter::warn_90), IdNotice::used_90_percent);
    EXPECT_EQ(notice_at(IdCounter::reconnect_at), IdNotice::reconnect_needed);
    EXPECT_EQ(notice_at(IdCounter::limit), IdNotice::none);
    EXPECT_NEAR(static_cast<double>(IdCounter::reconnect_at), 0.96 * 0x1.0p53, 100);
}

TEST(IdCounter, the_thresholds_depend_on_the_largest_id) {
    IdCounter ids(1, 1000);
    std::vector<std::int64_t> noticed;
    std::int64_t last = 0;
    while (auto const taken = ids.take()) {
        last = taken->id;
        if (taken->notice != IdNotice::none) noticed.push_back(taken->id);
        EXPECT_EQ(ids.reconnect_needed(), taken->id >= 960);
    }
    EXPECT_EQ(noticed, (std::vector<std::int64_t>{800, 900, 960}));
    EXPECT_EQ(last, 1000);
    ids.reconnected();
    noticed.clear();
    for (int i = 0; i < 800; ++i) {
        if (ids.take()->notice == IdNotice::used_80_percent) noticed.push_back(ids.next() - 1);
    }
    EXPECT_EQ(noticed, std::vector<std::int64_t>{800});
}

TEST(IdCounter, starts_again_only_after_a_reconnect_that_was_needed) {
    IdCounter ids(IdCounter::reconnect_at - 1);
    ids.take();
    EXPECT_FALSE(ids.reconnect_needed());
    ids.reconnected();
    EXPECT_EQ(ids.take()->id, IdCounter::reconnect_at);
    EXPECT_TRUE(ids.reconnect_needed());
    ids.reconnected();
    EXPECT_EQ(ids.take()->id, 1);
}

TEST(Tombstones, make_room_by_dropping_the_oldest) {
    Tombstones tombstones({.ttl = 10s, .sweep_interval = 1s, .capacity = 2});
    tombstones.add(1, at(0s));
    tombstones.add(2, at(0s));
    tombstones.add(3, at(0s));
    EXPECT_FALSE(tombstones.contains(1, at(0s)));
    EXPECT_TRUE(tombstones.contains(2, at(0s)));
    EXPECT_TRUE(tombstones.contains(3, at(0s)));
    EXPECT_EQ(tombstones.evicted(), 1U);
}

TEST(Tombstones, an_id_that_ends_again_has_a_new_expiry) {
    Tombstones tombstones({.ttl = 10s, .sweep_interval = 1s, .capacity = 2});
    tombstones.add(1, at(0s));
    tombstones.add(1, at(5s));
    EXPECT_EQ(tombstones.size(), 1U);
    EXPECT_TRUE(tombstones.contains(1, at(14s)));
    tombstones.sweep(at(15s));
    EXPECT_EQ(tombstones.size(), 0U);
}

TEST(Tombstones, can_be_switched_off) {
    Tombstones tombstones({.ttl = 10s, .sweep_interval = 1s, .capacity = 0});
    tombstones.add(1, at(0s));
    EXPECT_FALSE(tombstones.contains(1, at(0s)));
    EXPECT_EQ(tombstones.next_sweep(), never);
}

TEST(Deadline, beyond_the_range_of_time_is_never) {
    EXPECT_EQ(after(at(0s), no_limit), never);
    EXPECT_EQ(after(TimePoint{}, no_limit), never);
    EXPECT_EQ(after(TimePoint(-1h), 2h), TimePoint(1h));
}

TEST(DeadlineHeap, ignores_the_removal_of_an_absent_entry) {
    DeadlineHeap heap;
    heap.remove(3);
    heap.add(3, at(0s));
    heap.remove(1);
    EXPECT_EQ(heap.top(), 3U);
    heap.remove(3);
    heap.remove(3);
    EXPECT_TRUE(heap.empty());
    EXPECT_EQ(heap.next(), never);
}

}  // namespace
}  // namespace lanyard::rpc
