#include "peer/inbound_requests.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/peer/fakes.hpp"

namespace lanyard::rpc {
namespace {

using namespace test;
using Requests = InboundRequests<int>;

TEST(InboundRequests, a_request_is_answered_exactly_once_with_its_id) {
    Requests requests;
    auto const ticket = requests.begin("a", "tools/call", {}, 1).value();
    EXPECT_TRUE(requests.active(ticket));
    auto const finish = requests.finish(ticket);
    EXPECT_TRUE(finish.answer);
    EXPECT_EQ(finish.id, RequestId("a"));
    EXPECT_FALSE(requests.active(ticket));
    EXPECT_FALSE(requests.finish(ticket).answer);
    EXPECT_EQ(requests.in_flight(), 0U);
}

TEST(InboundRequests, a_ticket_of_a_finished_request_does_not_match_a_later_one) {
    Requests requests;
    auto const first = requests.begin(1, "tools/call", {}, 1).value();
    requests.finish(first);
    auto const second = requests.begin(1, "tools/call", {}, 2).value();
    EXPECT_NE(first, second);
    EXPECT_FALSE(requests.finish(first).answer);
    EXPECT_TRUE(requests.active(second));
    EXPECT_TRUE(requests.finish(second).answer);
}

TEST(InboundRequests, a_request_that_ends_with_its_message_needs_no_id) {
    Requests requests;
    ASSERT_TRUE(requests.may_begin_unnamed());
    auto const ticket = requests.begin_unnamed("tools/call", 7);
    EXPECT_TRUE(requests.active(ticket));
    EXPECT_EQ(*requests.work(ticket), 7);
    EXPECT_FALSE(requests.may_begin_unnamed()) << "another one is in progress";
    EXPECT_TRUE(requests.finish_unnamed(ticket));
    EXPECT_FALSE(requests.finish_unnamed(ticket));
    EXPECT_FALSE(requests.finish(ticket).answer);
    EXPECT_EQ(requests.in_flight(), 0U);
    EXPECT_EQ(requests.counters().begun, 1U);
}

TEST(InboundRequests, a_request_that_outlives_its_message_is_found_by_its_id) {
    Requests requests;
    auto const ticket = requests.begin_unnamed("tools/call", 7);
    requests.name(ticket, 5, {});
    EXPECT_FALSE(requests.is_unnamed(ticket));
    EXPECT_FALSE(requests.begin(5, "tools/call", {}, 8)) << "the id is in use";
    EXPECT_EQ(*requests.cancel(RequestId(5)), 7);
    EXPECT_FALSE(requests.finish(ticket).answer);
}

TEST(InboundRequests, a_request_gets_its_progress_with_its_id) {
    Requests requests;
    auto const ticket = requests.begin_unnamed("tools/call", 7);
    EXPECT_EQ(requests.progress(ticket), nullptr);
    requests.name(ticket, 5, ProgressToken("p"));
    ASSERT_NE(requests.progress(ticket), nullptr);
    EXPECT_EQ(requests.progress(ticket)->token(), ProgressToken("p"));
    EXPECT_EQ(requests.finish(ticket).id, RequestId(5));
}

TEST(InboundRequests, a_request_without_its_id_ends_like_any_other) {
    Requests requests;
    auto const failed = requests.begin_unnamed("tools/call", 7);
    EXPECT_TRUE(requests.finish(failed).answer);
    requests.name(failed, 5, {});
    EXPECT_TRUE(requests.may_begin_unnamed());
    auto const cut_off = requests.begin_unnamed("tools/call", 8);
    EXPECT_EQ(requests.cancel_all().size(), 1U);
    EXPECT_FALSE(requests.finish_unnamed(cut_off));
    requests.name(cut_off, 6, {});
    EXPECT_EQ(requests.cancel(RequestId(6)), nullptr) << "cancelled before";
    EXPECT_FALSE(requests.finish(cut_off).answer);
    EXPECT_EQ(requests.in_flight(), 0U);
}

TEST(InboundRequests, with_a_limit_of_zero_no_request_begins_without_an_id) {
    InboundOptions options;
    options.max_in_flight = 0;
    EXPECT_FALSE(Requests(options).may_begin_unnamed());
}

TEST(Hardening, S10_an_id_in_use_is_refused_and_the_first_request_continues) {
    Requests requests;
    auto const first = requests.begin(1, "tools/call", {}, 1).value();
    auto const twin = requests.begin(1, "tools/call", {}, 2);
    ASSERT_FALSE(twin);
    EXPECT_TRUE(twin.error().is(Errc::protocol_violation));
    EXPECT_EQ(requests.counters().duplicate_ids, 1U);
    auto const text = requests.begin("1", "tools/call", {}, 3);
    EXPECT_TRUE(text) << "1 and \"1\" are different ids";
    EXPECT_EQ(requests.finish(*text).id, RequestId("1"));
    EXPECT_TRUE(requests.finish(first).answer);
}

TEST(Rule, C05_a_cancellation_reaches_the_handler_once) {
    Requests requests;
    requests.begin(0, "tools/call", {}, 40).value();
    auto* work = requests.cancel(RequestId(0));
    ASSERT_NE(work, nullptr);
    EXPECT_EQ(*work, 40);
    EXPECT_EQ(requests.cancel(RequestId(0)), nullptr);
    EXPECT_EQ(requests.counters().cancelled, 1U);
    EXPECT_EQ(requests.counters().ignored_cancellations, 1U);
}

TEST(Rule, C07_a_cancelled_request_is_not_answered) {
    Requests requests;
    auto const ticket = requests.begin(1, "tools/call", {}, 1).value();
    requests.cancel(RequestId(1));
    EXPECT_FALSE(requests.active(ticket));
    EXPECT_EQ(requests.in_flight(), 1U) << "until the handler has unwound";
    EXPECT_FALSE(requests.finish(ticket).answer);
    EXPECT_EQ(requests.in_flight(), 0U);
}

TEST(Rule, C12_invalid_cancellations_are_ignored) {
    Requests requests;
    auto const ticket = requests.begin(1, "tools/call", {}, 1).value();
    EXPECT_EQ(requests.cancel(RequestId("1")), nullptr);
    EXPECT_EQ(requests.cancel(RequestId(2)), nullptr);
    EXPECT_EQ(requests.cancel(std::nullopt), nullptr) << "missing or malformed";
    EXPECT_TRUE(requests.finish(ticket).answer);
    EXPECT_EQ(requests.cancel(RequestId(1)), nullptr) << "finished";
    EXPECT_EQ(requests.counters().ignored_cancellations, 4U);
}

TEST(Rule, C02_initialize_cannot_be_cancelled_by_the_peer) {
    Requests requests;
    auto const ticket = requests.begin(1, "initialize", {}, 1).value();
    EXPECT_EQ(requests.cancel(RequestId(1)), nullptr);
    EXPECT_TRUE(requests.finish(ticket).answer);
}

TEST(InboundRequests, the_id_of_a_cancelled_request_is_free_again) {
    Requests requests;
    auto const first = requests.begin(1, "tools/call", {}, 1).value();
    requests.cancel(RequestId(1));
    auto const second = requests.begin(1, "tools/call", {}, 2);
    ASSERT_TRUE(second);
    EXPECT_FALSE(requests.finish(first).answer);
    EXPECT_TRUE(requests.finish(*second).answer);
}

TEST(InboundRequests, the_limit_counts_cancelled_handlers_that_still_run) {
    InboundOptions options;
    options.max_in_flight = 2;
    Requests requests(options);
    auto const first = requests.begin(1, "tools/call", {}, 1).value();
    requests.begin(2, "tools/call", {}, 2).value();
    requests.cancel(RequestId(1));
    auto const refused = requests.begin(3, "tools/call", {}, 3);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::too_many_pending));
    EXPECT_EQ(requests.counters().refused_for_room, 1U);
    requests.finish(first);
    EXPECT_TRUE(requests.begin(3, "tools/call", {}, 3));
}

TEST(InboundRequests, a_lost_connection_cancels_everything) {
    Requests requests;
    std::vector<Requests::Ticket> tickets;
    for (int i = 0; i < 10; ++i) tickets.push_back(requests.begin(i, "initialize", {}, i).value());
    EXPECT_EQ(requests.cancel_all().size(), 10U);
    EXPECT_TRUE(requests.cancel_all().empty());
    for (auto ticket : tickets) EXPECT_FALSE(requests.finish(ticket).answer);
    EXPECT_EQ(requests.in_flight(), 0U);
}

TEST(Rule, G05_progress_needs_a_token_of_a_running_request) {
    Requests requests;
    auto const without = requests.begin(1, "tools/call", {}, 1).value();
    auto const with = requests.begin(2, "tools/call", ProgressToken(0), 1).value();
    auto const cancelled = requests.begin(3, "tools/call", ProgressToken(""), 1).value();
    EXPECT_EQ(requests.progress(without), nullptr);
    ASSERT_NE(requests.progress(with), nullptr);
    EXPECT_EQ(requests.progress(with)->token(), ProgressToken(0));
    ASSERT_NE(requests.progress(cancelled), nullptr);
    requests.cancel(RequestId(3));
    EXPECT_EQ(requests.progress(cancelled), nullptr);
    requests.finish(with);
    EXPECT_EQ(requests.progress(with), nullptr);
    // A reused slot does not keep the progress of its previous request.
    auto const next = requests.begin(4, "tools/call", {}, 1).value();
    EXPECT_EQ(requests.progress(next), nullptr);
}

TEST(InboundRequests, held_progress_is_sent_before_the_answer) {
    InboundOptions options;
    options.progress_rate = {1, 1};
    Requests requests(options);
    auto const ticket = requests.begin(1, "tools/call", ProgressToken("t"), 1).value();
    EXPECT_EQ(requests.progress(ticket)->report({1, {}, {}}, at(0s)), ReportDecision::send);
    EXPECT_EQ(requests.progress(ticket)->report({2, {}, {}}, at(0s)), ReportDecision::held);
    auto const finish = requests.finish(ticket);
    ASSERT_TRUE(finish.last_progress);
    EXPECT_EQ(finish.last_progress->progress, 2);
}

TEST(Rule, G03_progress_of_a_handler_must_increase) {
    ProgressSender sender(ProgressToken(1));
    EXPECT_EQ(sender.report({-3, {}, {}}, at(0s)), ReportDecision::send);
    EXPECT_EQ(sender.report({-3, {}, {}}, at(0s)), ReportDecision::not_increasing);
    EXPECT_EQ(sender.report({-4, {}, {}}, at(0s)), ReportDecision::not_increasing);
    EXPECT_EQ(sender.report({HUGE_VAL, {}, {}}, at(0s)), ReportDecision::not_increasing);
    EXPECT_EQ(sender.report({NAN, {}, {}}, at(0s)), ReportDecision::not_increasing);
    EXPECT_EQ(sender.report({0.5, 1.0, "half"}, at(0s)), ReportDecision::send);
}

TEST(Rule, G10_progress_is_rate_limited_and_keeps_the_newest_value) {
    ProgressSender sender(ProgressToken(1), {10, 2});
    EXPECT_EQ(sender.report({1, {}, {}}, at(0s)), ReportDecision::send);
    EXPECT_EQ(sender.report({2, {}, {}}, at(0s)), ReportDecision::send);
    EXPECT_EQ(sender.next_due(), never);
    EXPECT_EQ(sender.report({3, {}, "three"}, at(0s)), ReportDecision::held);
    EXPECT_EQ(sender.report({4, {}, "four"}, at(10ms)), ReportDecision::held);
    EXPECT_EQ(sender.next_due(), at(100ms));
    EXPECT_FALSE(sender.take_due(at(99ms)));
    auto const due = sender.take_due(at(100ms));
    ASSERT_TRUE(due);
    EXPECT_EQ(*due, (ProgressUpdate{4, {}, "four"}));
    EXPECT_FALSE(sender.take_due(at(1s)));
    EXPECT_EQ(sender.report({5, {}, {}}, at(100ms)), ReportDecision::held);
    EXPECT_EQ(sender.report({6, {}, {}}, at(1s)), ReportDecision::send) << "overtakes the held one";
    EXPECT_FALSE(sender.finish());
}

TEST(InboundRequests, tickets_and_updates_compare_by_all_members) {
    EXPECT_NE((InboundTicket{1, 2}), (InboundTicket{2, 2}));
    EXPECT_NE((InboundTicket{1, 2}), (InboundTicket{1, 3}));
    ProgressUpdate const update{1, 2.0, "m"};
    EXPECT_NE(update, (ProgressUpdate{3, 2.0, "m"}));
    EXPECT_NE(update, (ProgressUpdate{1, 3.0, "m"}));
    EXPECT_NE(update, (ProgressUpdate{1, 2.0, "n"}));
}

TEST(InboundRequests, a_handler_is_found_by_ticket_until_it_has_finished) {
    Requests requests;
    auto const ticket = requests.begin(1, "tools/call", {}, 5).value();
    *requests.work(ticket) = 6;
    EXPECT_EQ(*requests.cancel(RequestId(1)), 6);
    EXPECT_EQ(*requests.work(ticket), 6);
    requests.finish(ticket);
    EXPECT_EQ(requests.work(ticket), nullptr);
    EXPECT_EQ(requests.work({}), nullptr) << "a default ticket names nothing";
}

TEST(Rule, G11_nothing_is_sent_after_completion) {
    ProgressSender sender(ProgressToken(1));
    sender.finish();
    EXPECT_EQ(sender.report({1, {}, {}}, at(0s)), ReportDecision::finished);
}

TEST(Rule, G06_a_copy_of_the_progress_outlives_the_request_for_a_task) {
    Requests requests;
    auto const ticket = requests.begin(1, "tools/call", ProgressToken("t"), 1).value();
    requests.progress(ticket)->report({1, {}, {}}, at(0s));
    ProgressSender task = *requests.progress(ticket);
    requests.finish(ticket);
    EXPECT_EQ(task.report({1, {}, {}}, at(0s)), ReportDecision::not_increasing);
    EXPECT_EQ(task.report({2, {}, {}}, at(0s)), ReportDecision::send);
    EXPECT_EQ(task.token(), ProgressToken("t"));
}

}  // namespace
}  // namespace lanyard::rpc
