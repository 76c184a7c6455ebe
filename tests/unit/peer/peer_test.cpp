#include "peer/peer.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace lanyard::rpc {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start{std::chrono::hours(1)};

// Records the events of a peer and answers nothing by itself.
class Recorder : public PeerEvents, public InboundWork {
public:
    void on_request(Envelope const& request, Ticket ticket) override {
        methods.emplace_back(request.method);
        tickets.push_back(ticket);
        if (peer != nullptr) peer->attach(ticket, *this);
        if (at_once) at_once(ticket);
    }
    void on_notification(Envelope const& notification) override {
        notifications.emplace_back(notification.method);
    }
    void on_violation(std::string_view what) override { violations.emplace_back(what); }
    void on_stray_cancellation(RequestId const& id) override { strays.push_back(id); }
    void on_cancel(std::string_view reason) noexcept override { cancels.emplace_back(reason); }

    Peer* peer = nullptr;
    std::function<void(Ticket)> at_once;  // called from on_request()
    std::vector<std::string> methods;
    std::vector<Ticket> tickets;
    std::vector<std::string> notifications;
    std::vector<std::string> violations;
    std::vector<std::string> cancels;
    std::vector<RequestId> strays;
};

class Waiter : public AnswerSink {
public:
    void on_answer(Answer const& answer) noexcept override {
        ++answers;
        outcome = answer.outcome;
        result = answer.result ? std::string(answer.result->raw()) : "";
        error = answer.error;
    }
    void on_progress(ProgressUpdate const& update) noexcept override { progress.push_back(update); }

    int answers = 0;
    Outcome outcome = Outcome::answered;
    std::string result;
    std::optional<Error> error;
    std::vector<ProgressUpdate> progress;
};

class PeerTest : public testing::Test {
protected:
    PeerTest() { events.peer = &peer; }

    void receive(std::string_view text) { peer.on_message(text, now); }

    // Returns the messages sent since the last call, one per line.
    std::vector<std::string> sent() {
        std::vector<std::string> messages;
        for (; !outbox.empty(); outbox.pop()) messages.emplace_back(outbox.front());
        return messages;
    }

    void answer(Ticket ticket, std::string_view result) {
        if (auto* out = peer.begin_result(ticket)) {
            out->append(result);
            peer.end_result();
        }
    }

    TimePoint now = start;
    Recorder events;
    Outbox outbox;
    Peer peer{events, outbox};
};

using Sent = std::vector<std::string>;

TEST_F(PeerTest, answers_a_request_once) {
    receive(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}})");
    ASSERT_EQ(events.methods, Sent{"tools/call"});
    answer(events.tickets[0], R"({"ok":true})");
    EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","id":"a","result":{"ok":true}})"});
    answer(events.tickets[0], R"({"again":true})");
    peer.fail(events.tickets[0], {code::internal_error, "again", {}});
    peer.abandon(events.tickets[0]);
    EXPECT_EQ(sent(), Sent{});
    EXPECT_EQ(peer.in_flight(), 0U);
}

TEST_F(PeerTest, a_request_answered_during_delivery_gets_its_id_as_it_was_written) {
    events.at_once = [&](Ticket ticket) { answer(ticket, "{}"); };
    for (std::string const id : {"0", "-7", "9223372036854775807", R"("a")", R"("\u0061\"")",
                                 R"("longer than most ids")"}) {
        receive(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call"})");
        EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})"});
        EXPECT_EQ(peer.begin_result(events.tickets.back()), nullptr) << "only once";
        EXPECT_EQ(peer.in_flight(), 0U);
    }
    events.at_once = [&](Ticket ticket) { peer.fail(ticket, {-1, "no", {}}); };
    receive(R"({"jsonrpc":"2.0","id":3,"method":"tools/call"})");
    EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no"}})"});
}

TEST_F(PeerTest, reports_progress_of_a_request_during_delivery) {
    events.at_once = [&](Ticket ticket) {
        peer.progress(ticket, {1, {}, {}}, now);
        answer(ticket, "{}");
    };
    receive(R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":"p"}}})");
    auto const messages = sent();
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_NE(messages[0].find(R"("progressToken":"p")"), std::string::npos);
    EXPECT_EQ(messages[1], R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(PeerTest, a_request_next_to_a_pending_one_is_answered_with_its_own_id) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
    events.at_once = [&](Ticket ticket) { answer(ticket, "{}"); };
    receive(R"({"jsonrpc":"2.0","id":2,"method":"tools/call"})");
    EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","id":2,"result":{}})"});
    events.at_once = [&](Ticket) { answer(events.tickets.front(), "{}"); };
    receive(R"({"jsonrpc":"2.0","id":"3","method":"tools/call"})");
    EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","id":1,"result":{}})"});
    answer(events.tickets.back(), "{}");
    EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","id":"3","result":{}})"});
}

TEST_F(PeerTest, a_request_can_fail) {
    receive(R"({"jsonrpc":"2.0","id":7,"method":"x"})");
    peer.fail(events.tickets[0], {-32601, "no such method", R"({"method":"x"})"});
    EXPECT_EQ(sent(),
              Sent{R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no such method",)"
                   R"("data":{"method":"x"}}})"});
}

TEST_F(PeerTest, a_second_request_with_an_id_in_use_is_refused_and_the_first_continues) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"first"})");
    receive(R"({"jsonrpc":"2.0","id":1,"method":"second"})");
    EXPECT_EQ(events.methods, Sent{"first"});
    auto const refused = sent();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_NE(refused[0].find("-32600"), std::string::npos) << refused[0];
    answer(events.tickets[0], "{}");
    EXPECT_EQ(sent().size(), 1U);
}

TEST_F(PeerTest, a_cancelled_request_is_never_answered) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"slow"})");
    auto const cancel =
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}})";
    receive(cancel);
    receive(cancel);
    EXPECT_EQ(events.cancels, Sent{"enough"});
    EXPECT_FALSE(peer.active(events.tickets[0]));
    answer(events.tickets[0], "{}");
    EXPECT_EQ(sent(), Sent{});
    EXPECT_EQ(peer.in_flight(), 0U);
}

TEST_F(PeerTest, malformed_cancellations_are_ignored) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"slow"})");
    receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
    receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}})");
    receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
    EXPECT_TRUE(events.cancels.empty());
    EXPECT_TRUE(peer.active(events.tickets[0]));
}

TEST_F(PeerTest, an_answer_reaches_the_caller_of_its_request) {
    Waiter first;
    Waiter second;
    auto const a = peer.request("ping", "{}", first, now);
    auto const b = peer.request("ping", "", second, now);
    EXPECT_EQ(sent(), (Sent{R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{}})",
                            R"({"jsonrpc":"2.0","id":2,"method":"ping"})"}));
    receive(R"({"jsonrpc":"2.0","id":2,"result":{"n":2}})");
    receive(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken","data":{"x":1}}})");
    EXPECT_EQ(second.result, R"({"n":2})");
    ASSERT_TRUE(first.error);
    EXPECT_EQ(first.outcome, Outcome::failed);
    EXPECT_EQ(first.error->message(), "broken");
    EXPECT_EQ(first.error->data(), R"({"x":1})");
    EXPECT_EQ(first.answers + second.answers, 2);
    EXPECT_TRUE(a && b);
    EXPECT_EQ(peer.pending_count(), 0U);
}

TEST_F(PeerTest, unknown_and_idless_answers_are_reported_and_dropped) {
    receive(R"({"jsonrpc":"2.0","id":99,"result":{}})");
    receive(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}})");
    EXPECT_EQ(events.violations.size(), 2U);
    EXPECT_EQ(sent(), Sent{});
}

TEST_F(PeerTest, a_timeout_notifies_the_peer_once_and_a_late_answer_is_dropped) {
    Waiter waiter;
    RequestSettings call;
    call.timeout = 5s;
    ASSERT_TRUE(peer.request("tools/call", "{}", waiter, now, call));
    sent();
    EXPECT_EQ(peer.next_deadline(), now + 5s);
    now += 5s;
    peer.on_time(now);
    EXPECT_EQ(waiter.outcome, Outcome::timed_out);
    EXPECT_TRUE(waiter.error->is(Errc::timeout));
    EXPECT_EQ(
        sent(),
        Sent{
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"timeout"}})"});
    receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(waiter.answers, 1);
    EXPECT_TRUE(events.violations.empty());
}

TEST_F(PeerTest, cancelling_a_request_notifies_the_peer_once) {
    Waiter waiter;
    auto const id = peer.request("tools/call", "{}", waiter, now);
    sent();
    EXPECT_TRUE(peer.cancel(*id, "", now));
    EXPECT_FALSE(peer.cancel(*id, "", now));
    EXPECT_EQ(
        sent(),
        Sent{R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"});
    EXPECT_TRUE(waiter.error->is(Errc::cancelled));
    EXPECT_EQ(waiter.answers, 1);
}

TEST_F(PeerTest, a_request_that_the_carrier_lost_fails_without_a_notification) {
    Waiter lost;
    Waiter other;
    auto const id = peer.request("tools/call", "{}", lost, now).value();
    peer.request("tools/call", "{}", other, now).value();
    sent();
    EXPECT_TRUE(peer.fail_request(id, Error(Errc::unavailable, "no server"), now));
    EXPECT_EQ(lost.answers, 1);
    EXPECT_EQ(lost.outcome, Outcome::failed);
    EXPECT_TRUE(lost.error->is(Errc::unavailable));
    EXPECT_EQ(other.answers, 0);
    EXPECT_TRUE(sent().empty()) << "there is nobody to tell";
    EXPECT_FALSE(peer.fail_request(id, Error(Errc::unavailable, "no server"), now));
    receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})");
    EXPECT_EQ(lost.answers, 1);
    EXPECT_TRUE(events.violations.empty()) << "an answer after that is merely late";
}

TEST_F(PeerTest, progress_reaches_the_caller_of_its_request) {
    Waiter waiter;
    RequestSettings call;
    call.progress_token = ProgressToken("p");
    ASSERT_TRUE(peer.request("tools/call", "{}", waiter, now, call));
    auto const progress = [&](std::string_view params) {
        receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":)" +
                std::string(params) + "}");
    };
    progress(R"({"progressToken":"p","progress":1,"total":4,"message":"one"})");
    progress(R"({"progressToken":"p","progress":1})");
    progress(R"({"progressToken":"other","progress":2})");
    progress(R"({"progressToken":"p","progress":"2"})");
    progress(R"({"progressToken":"p","progress":2.5})");
    receive(R"({"jsonrpc":"2.0","method":"notifications/progress"})");
    ASSERT_EQ(waiter.progress.size(), 2U);
    EXPECT_EQ(waiter.progress[0], (ProgressUpdate{1, 4, "one"}));
    EXPECT_EQ(waiter.progress[1], (ProgressUpdate{2.5, {}, {}}));
    EXPECT_EQ(events.violations.size(), 1U);
}

TEST_F(PeerTest, reports_progress_if_the_peer_requested_it) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":0}}})");
    receive(R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"_meta":{}}})");
    peer.progress(events.tickets[0], {1, 2, "half"}, now);
    peer.progress(events.tickets[1], {1, 2, "half"}, now);
    EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                           R"({"progressToken":0,"progress":1,"total":2,"message":"half"}})"});
    peer.set_version(Version::v2024_11_05);
    peer.progress(events.tickets[0], {1.5, {}, "not in this version"}, now);
    EXPECT_EQ(sent(), Sent{R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                           R"({"progressToken":0,"progress":1.5}})"});
}

TEST_F(PeerTest, rate_limited_progress_keeps_its_last_value) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":"t"}}})");
    for (int i = 1; i <= 100; ++i) peer.progress(events.tickets[0], {double(i), {}, {}}, now);
    auto const early = sent();
    EXPECT_LT(early.size(), 100U);
    EXPECT_LT(peer.next_deadline(), now + 1s);
    now += 1s;
    peer.on_time(now);
    auto const due = sent();
    ASSERT_EQ(due.size(), 1U);
    EXPECT_NE(due[0].find("\"progress\":100"), std::string::npos);
    for (int i = 101; i <= 200; ++i) peer.progress(events.tickets[0], {double(i), {}, {}}, now);
    sent();
    answer(events.tickets[0], "{}");
    auto const last = sent();
    ASSERT_EQ(last.size(), 2U);
    EXPECT_NE(last[0].find("\"progress\":200"), std::string::npos);
    EXPECT_NE(last[1].find("\"result\""), std::string::npos);
    peer.on_time(now + 1h);
    EXPECT_EQ(sent(), Sent{});
}

TEST_F(PeerTest, the_error_for_an_invalid_message_depends_on_the_version) {
    receive("{nonsense");
    peer.set_version(Version::v2025_06_18);
    receive(R"({"jsonrpc":"2.0","id":null,"method":"x"})");
    receive(R"({"jsonrpc":"1.0","id":5,"method":"x"})");
    receive(R"({"jsonrpc":"2.0","id":5,"result":1})");
    auto const answers = sent();
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_EQ(answers[0].find("\"id\""), std::string::npos) << answers[0];
    EXPECT_NE(answers[0].find("-32700"), std::string::npos);
    EXPECT_NE(answers[1].find("\"id\":null"), std::string::npos) << answers[1];
    EXPECT_NE(answers[2].find("\"id\":5"), std::string::npos) << answers[2];
    EXPECT_EQ(events.violations.size(), 4U);
}

TEST_F(PeerTest, an_over_long_message_is_reported) {
    peer.on_dropped({.kind = Frame::Kind::too_long, .text = "longer than 16 bytes"}, now);
    auto const answers = sent();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_NE(answers[0].find("longer than 16 bytes"), std::string::npos);
}

TEST_F(PeerTest, a_message_for_which_there_is_no_room_is_refused) {
    Remains remains;
    remains.intent = Intent::request;
    remains.id = RequestId(9);
    peer.on_dropped({.kind = Frame::Kind::no_room, .text = "too many bytes", .remains = &remains},
                    now);
    auto const answers = sent();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_NE(answers[0].find("\"id\":9"), std::string::npos);
    EXPECT_NE(answers[0].find("-32603"), std::string::npos) << answers[0];
    EXPECT_NE(answers[0].find("overloaded"), std::string::npos) << answers[0];
}

TEST_F(PeerTest, batches_are_answered_together_if_the_version_has_them) {
    auto const batch = R"([{"jsonrpc":"2.0","id":1,"method":"a"},)"
                       R"({"jsonrpc":"2.0","method":"n"},)"
                       R"({"jsonrpc":"2.0","id":2,"method":"b"},)"
                       R"({"jsonrpc":"2.0","id":3,"method":"c"},)"
                       R"({"jsonrpc":"2.0","id":4}])";
    receive(batch);
    EXPECT_TRUE(events.methods.empty());
    EXPECT_EQ(sent().size(), 1U);

    peer.set_version(Version::v2025_03_26);
    receive(batch);
    EXPECT_EQ(events.methods, (Sent{"a", "b", "c"}));
    EXPECT_EQ(events.notifications, Sent{"n"});
    answer(events.tickets[1], R"({"b":1})");
    receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})");
    answer(events.tickets[2], "{}");
    EXPECT_EQ(sent(), Sent{});
    peer.fail(events.tickets[0], {-1, "no", {}});
    auto const answers = sent();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].front(), '[');
    EXPECT_NE(answers[0].find(R"({"jsonrpc":"2.0","id":2,"result":{"b":1}})"), std::string::npos);
    EXPECT_NE(answers[0].find(R"("id":1,"error")"), std::string::npos);
    EXPECT_EQ(answers[0].find(R"("id":3)"), std::string::npos);
}

TEST_F(PeerTest, requests_of_a_batch_may_be_answered_during_delivery) {
    peer.set_version(Version::v2025_03_26);
    events.at_once = [&](Ticket ticket) { answer(ticket, "{}"); };
    receive(R"([{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":"x","method":"b"}])");
    EXPECT_EQ(sent(), std::vector<std::string>{R"([{"jsonrpc":"2.0","id":1,"result":{}},)"
                                               R"({"jsonrpc":"2.0","id":"x","result":{}}])"});
}

TEST_F(PeerTest, a_batch_without_requests_is_not_answered) {
    peer.set_version(Version::v2025_03_26);
    receive(R"([{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","method":"m"}])");
    EXPECT_EQ(events.notifications.size(), 2U);
    EXPECT_EQ(sent(), Sent{});
    receive(R"([{"jsonrpc":"2.0","id":1,"method":"a"}])");
    peer.abandon(events.tickets[0]);
    EXPECT_EQ(sent(), Sent{});
}

TEST_F(PeerTest, requests_of_a_batch_are_sent_together) {
    peer.set_version(Version::v2025_03_26);
    Waiter first;
    Waiter second;
    peer.begin_batch();
    peer.end_batch();
    EXPECT_TRUE(sent().empty());
    peer.begin_batch();
    ASSERT_TRUE(peer.request("a", "", first, now));
    ASSERT_TRUE(peer.request("b", "{}", second, now));
    EXPECT_TRUE(sent().empty());
    peer.end_batch();
    EXPECT_EQ(sent(), std::vector<std::string>{R"([{"jsonrpc":"2.0","id":1,"method":"a"},)"
                                               R"({"jsonrpc":"2.0","id":2,"method":"b",)"
                                               R"("params":{}}])"});
    receive(R"([{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}])");
    EXPECT_EQ(first.answers, 1);
    EXPECT_EQ(second.answers, 1);
}

TEST_F(PeerTest, a_side_that_sends_no_responses_does_not_answer) {
    peer.set_answering(false);
    receive("garbage");
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})");
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})");
    peer.on_dropped({.kind = Frame::Kind::too_long, .text = "too long"}, now);
    EXPECT_TRUE(sent().empty());
    EXPECT_EQ(events.violations.size(), 3U);
}

TEST_F(PeerTest, a_cancellation_of_an_unknown_request_is_reported) {
    receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
    EXPECT_EQ(events.strays, std::vector<RequestId>{RequestId(5)});
}

TEST_F(PeerTest, closing_ends_everything_once) {
    Waiter waiter;
    ASSERT_TRUE(peer.request("ping", "", waiter, now));
    receive(R"({"jsonrpc":"2.0","id":1,"method":"slow"})");
    receive(R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"_meta":{"progressToken":"t"}}})");
    sent();
    peer.on_closed(Outcome::connection_lost, now);
    peer.on_closed(Outcome::shutdown, now);
    EXPECT_EQ(waiter.answers, 1);
    EXPECT_TRUE(waiter.error->is(Errc::transport_down));
    EXPECT_EQ(events.cancels.size(), 2U);
    answer(events.tickets[0], "{}");
    peer.abandon(events.tickets[1]);
    EXPECT_EQ(sent(), Sent{});
    EXPECT_EQ(peer.in_flight(), 0U);
    EXPECT_EQ(peer.next_deadline() == TimePoint::max(), false);  // the tombstone is removed later
    Waiter second;
    ASSERT_TRUE(peer.request("ping", "", second, now));
    peer.on_closed(Outcome::shutdown, now);
    EXPECT_TRUE(second.error->is(Errc::shutdown));
}

TEST_F(PeerTest, too_many_requests_are_refused) {
    PeerOptions options;
    options.inbound.max_in_flight = 1;
    options.requests.max_pending = 1;
    Peer small(events, outbox, options);
    events.peer = &small;
    small.on_message(R"({"jsonrpc":"2.0","id":1,"method":"a"})", now);
    small.on_message(R"({"jsonrpc":"2.0","id":2,"method":"b"})", now);
    EXPECT_EQ(sent().size(), 1U);
    Waiter waiter;
    EXPECT_TRUE(small.request("ping", "", waiter, now));
    EXPECT_TRUE(small.request("ping", "", waiter, now).error().is(Errc::too_many_pending));
    EXPECT_EQ(small.pending().size(), 1U);
    small.on_closed(Outcome::shutdown, now);
}

// Tests of the routes of the messages that a peer sends.
class OriginTest : public PeerTest {
protected:
    void receive(std::string_view text, std::uint64_t origin) {
        peer.on_message(text, now, origin);
    }
    std::vector<Route> routes() {
        std::vector<Route> all;
        for (; !outbox.empty(); outbox.pop()) all.push_back(outbox.front_route());
        return all;
    }
    using Kind = Route::Kind;
    using Routes = std::vector<Route>;
};

TEST_F(OriginTest, all_messages_of_a_request_have_its_origin) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":"t"}}})", 7);
    auto const ticket = events.tickets[0];
    EXPECT_EQ(peer.origin(ticket), 7u);
    peer.notify("notifications/message", "{}", peer.origin(ticket));
    peer.notify("notifications/message", "{}");
    peer.progress(ticket, {1, {}, {}}, now);
    Waiter waiter;
    auto const asked = peer.request("roots/list", {}, waiter, now, {}, peer.origin(ticket));
    ASSERT_TRUE(asked);
    peer.cancel(*asked, "why", now);
    answer(ticket, "{}");
    EXPECT_EQ(routes(), (Routes{{7}, {0}, {7}, {7, Kind::request}, {7}, {7, Kind::answer}}));
    EXPECT_EQ(peer.origin(ticket), 0u);
}

TEST_F(OriginTest, progress_that_was_held_back_keeps_its_origin) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":"t"}}})", 7);
    for (int i = 1; i <= 20; ++i) peer.progress(events.tickets[0], {double(i), {}, {}}, now);
    auto const at_once = routes();
    now = peer.next_deadline();
    peer.on_time(now);
    EXPECT_EQ(routes(), Routes{{7}});
    peer.progress(events.tickets[0], {30, {}, {}}, now);
    peer.fail(events.tickets[0], {1, "no", ""});
    EXPECT_EQ(routes(), (Routes{{7}, {7, Kind::answer}}));
    EXPECT_LT(at_once.size(), 20u);
}

TEST_F(OriginTest, refusals_have_the_origin_of_the_refused_message) {
    receive("[", 5);
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})", 6);
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})", 7);
    peer.on_dropped({.kind = Frame::Kind::too_long, .text = "too long", .origin = 8}, now);
    EXPECT_EQ(routes(), (Routes{{5, Kind::answer}, {7, Kind::answer}, {8, Kind::answer}}));
}

TEST_F(OriginTest, a_request_that_ends_without_an_answer_ends_its_origin) {
    receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})", 5);
    receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", 6);
    EXPECT_EQ(routes(), Routes{});
    answer(events.tickets[0], "{}");
    EXPECT_EQ(routes(), (Routes{{5, Kind::none}}));
    receive(R"({"jsonrpc":"2.0","id":2,"method":"m"})", 9);
    peer.abandon(events.tickets[1]);
    peer.abandon(events.tickets[1]);
    EXPECT_EQ(routes(), (Routes{{9, Kind::none}}));
}

TEST_F(OriginTest, a_batch_has_one_origin_and_ends_it_once) {
    peer.set_version(Version::v2025_03_26);
    auto const two =
        R"([{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}])";
    receive(two, 5);
    answer(events.tickets[0], "{}");
    EXPECT_EQ(routes(), Routes{});
    peer.abandon(events.tickets[1]);
    EXPECT_EQ(routes(), (Routes{{5, Kind::answer}}));
    receive(two, 6);
    peer.abandon(events.tickets[2]);
    peer.abandon(events.tickets[3]);
    EXPECT_EQ(routes(), (Routes{{6, Kind::none}}));
}

TEST_F(OriginTest, only_a_transport_that_needs_them_gets_parts_of_a_request) {
    RequestSettings call;
    call.name = "greet";
    Waiter waiter;
    ASSERT_TRUE(peer.request("tools/call", "{}", waiter, now, call));
    EXPECT_EQ(routes(), (Routes{{0, Kind::request}}));

    PeerOptions options;
    options.detailed_routes = true;
    Peer detailed(events, outbox, options);
    auto const id = detailed.request("tools/call", "{}", waiter, now, call);
    ASSERT_TRUE(id);
    EXPECT_EQ(outbox.front_route(), (Route{0, Kind::request, "tools/call", *id, "greet"}));
    outbox.pop();
    detailed.cancel(*id, "", now);
    EXPECT_EQ(outbox.front_route(), (Route{0, Kind::notification, "notifications/cancelled", *id}));
    outbox.pop();
    detailed.set_version(Version::v2026_07_28);
    call.name = "";
    auto const modern = detailed.request("tools/list", "{}", waiter, now, call);
    ASSERT_TRUE(modern);
    EXPECT_EQ(outbox.front_route(),
              (Route{0, Kind::request, "tools/list", *modern, "", Version::v2026_07_28}));
    outbox.pop();
    ASSERT_TRUE(detailed.request("tools/call", "{}", waiter, now)) << "the name is not known";
    EXPECT_EQ(routes(), (Routes{{0, Kind::request}}));
    peer.on_closed(Outcome::shutdown, now);
    detailed.on_closed(Outcome::shutdown, now);
}

}  // namespace
}  // namespace lanyard::rpc
