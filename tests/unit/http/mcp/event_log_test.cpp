// The log of a session's streams: missed events are replayed on their own stream, exactly once.
#include "http/mcp/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "http/message/sse_parser.hpp"
#include "http/message/sse_writer.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Strings = std::vector<std::string>;

constexpr TimePoint start{};

/// Collects the outcome of a resumption: the messages, then "stream 1", "stream 1 finished" or
/// "unknown".
class Collector final : public ResumeSink {
public:
    void on_event(std::string_view id, std::string_view message) override {
        append_event(stream_text, {.id = id}, message);
        found.emplace_back(message);
    }
    void on_resumed(StreamNumber stream, bool finished) override {
        found.push_back("stream " + std::to_string(stream) + (finished ? " finished" : ""));
    }
    void on_unknown() override { found.emplace_back("unknown"); }

    Strings found;
    std::string stream_text;
};

Strings resumed(EventLog& log, std::string_view id) {
    Collector collector;
    log.resume(id, collector);
    return collector.found;
}

std::shared_ptr<EventPool> make_pool() {
    return std::make_shared<EventPool>(EventLimits().max_total);
}

std::string text(EventId const& id) {
    return std::string(id.view());
}

TEST(Rule, H32_a_client_gets_the_events_that_it_has_missed) {
    MemoryEventStore store;
    auto const log = store.open_log("s");
    auto const stream = log->open();
    auto const first = text(log->append(stream, "a", start));
    auto const second = text(log->append(stream, "b", start));
    EXPECT_THAT(resumed(*log, text(log->first_id(stream))), ElementsAre("a", "b", "stream 1"));
    EXPECT_THAT(resumed(*log, first), ElementsAre("b", "stream 1"));
    EXPECT_THAT(resumed(*log, second), ElementsAre("stream 1"));
    log->append(stream, "c", start);
    EXPECT_THAT(resumed(*log, second), ElementsAre("c", "stream 1"));
}

TEST(Rule, H33_a_message_of_another_stream_is_never_replayed) {
    MemoryEventStore store;
    auto const log = store.open_log("s");
    auto const one = log->open();
    auto const two = log->open();
    auto const id = text(log->append(one, "1a", start));
    auto const other = text(log->append(two, "2a", start));
    log->append(one, "1b", start);
    log->append(two, "2b", start);
    EXPECT_THAT(resumed(*log, id), ElementsAre("1b", "stream 1"));
    EXPECT_THAT(resumed(*log, other), ElementsAre("2b", "stream 2"));
}

TEST(Rule, H30_ids_are_unique_across_the_streams_of_a_session) {
    MemoryEventStore store;
    auto const log = store.open_log("s");
    std::set<std::string> ids;
    for (int i = 0; i < 50; ++i) {
        auto const stream = log->open();
        EXPECT_TRUE(ids.insert(text(log->first_id(stream))).second);
        for (int k = 0; k < 50; ++k) {
            EXPECT_TRUE(ids.insert(text(log->append(stream, "x", start))).second);
        }
    }
    for (auto const& id : ids) {
        for (char const c : id) EXPECT_TRUE(c > ' ' && c <= '~');
    }
}

TEST(Rule, H13_a_stream_can_be_resumed_before_its_first_event) {
    MemoryEventStore store;
    auto const log = store.open_log("s");
    auto const stream = log->open();
    auto const primed = text(log->first_id(stream));
    EXPECT_THAT(resumed(*log, primed), ElementsAre("stream 1"));
    log->append(stream, "a", start);
    EXPECT_THAT(resumed(*log, primed), ElementsAre("a", "stream 1"));
}

TEST(EventLog, a_finished_stream_can_still_be_read_to_its_end) {
    MemoryEventStore store;
    auto const log = store.open_log("s");
    auto const stream = log->open();
    auto const id = text(log->append(stream, "a", start));
    auto const last = text(log->append(stream, "answer", start));
    log->finish(stream);
    log->finish(stream);
    EXPECT_THAT(resumed(*log, id), ElementsAre("answer", "stream 1 finished"));
    EXPECT_THAT(resumed(*log, last), ElementsAre("stream 1 finished"));
}

TEST(EventLog, a_finished_stream_without_events_is_removed) {
    MemoryEventLog log("tag", {}, make_pool());
    auto const stream = log.open();
    EXPECT_EQ(log.streams(), 1U);
    log.finish(stream);
    log.finish(99);
    EXPECT_EQ(log.streams(), 0U);
    EXPECT_THAT(resumed(log, text(log.first_id(stream))), ElementsAre("unknown"));
}

TEST(Hardening, S17_ids_of_another_session_are_unknown) {
    MemoryEventStore store;
    auto const mine = store.open_log("same");
    auto const theirs = store.open_log("same");
    auto const my_stream = mine->open();
    auto const their_stream = theirs->open();
    mine->append(my_stream, "mine", start);
    auto const stolen = text(theirs->append(their_stream, "theirs", start));
    theirs->append(their_stream, "more of theirs", start);
    EXPECT_THAT(resumed(*mine, stolen), ElementsAre("unknown"));
    EXPECT_THAT(resumed(*mine, text(theirs->first_id(their_stream))), ElementsAre("unknown"));
}

TEST(Hardening, S17_ids_that_were_never_issued_are_unknown) {
    MemoryEventLog log("tag", {}, make_pool());
    auto const stream = log.open();
    for (int i = 0; i < 40; ++i) log.append(stream, "a", start);
    EXPECT_EQ(text(log.first_id(stream)), "tag.1.0");
    ASSERT_THAT(resumed(log, "tag.1.14"), ElementsAre("stream 1"));
    for (std::string_view const id : {"",          "t",
                                      "tag",       "tag.",
                                      "tag.1",     "tag.1.",
                                      "tag.1.1x!", "tag.1.01",
                                      "tag.01.1",  "tag.1.15",
                                      "tag.2.0",   "tag.0.0",
                                      "tag.1.-1",  "tag.1.1 ",
                                      " tag.1.1",  "TAG.1.1",
                                      "tag-1-1",   "tag.1.A",
                                      "tag.1.1.1", "tag..",
                                      "tagx.1.1",  "tag.1.zzzzzzzzzzzzzzzzzz",
                                      "gat.1.1"}) {
        EXPECT_THAT(resumed(log, id), ElementsAre("unknown")) << id;
    }
    EXPECT_THAT(resumed(log, std::string("tag.1.1\0", 8)), ElementsAre("unknown"));
}

TEST(Hardening, S13_tags_of_sessions_do_not_repeat) {
    MemoryEventStore store;
    std::set<std::string> ids;
    for (int i = 0; i < 1000; ++i) {
        auto const id = text(store.open_log("s")->first_id(1));
        EXPECT_EQ(id.find('.'), 24U);
        EXPECT_TRUE(ids.insert(id).second);
    }
}

TEST(Hardening, R06_the_oldest_events_of_a_session_are_dropped_first) {
    EventLimits limits;
    limits.max_events = 3;
    MemoryEventLog log("tag", limits, make_pool());
    auto const stream = log.open();
    Strings ids;
    for (auto const* message : {"a", "b", "c", "d"}) {
        ids.push_back(text(log.append(stream, message, start)));
    }
    EXPECT_EQ(log.events(), 3U);
    EXPECT_THAT(resumed(log, text(log.first_id(stream))), ElementsAre("unknown"))
        << "a gap is not hidden";
    EXPECT_THAT(resumed(log, ids[0]), ElementsAre("b", "c", "d", "stream 1"));
    log.append(stream, "e", start);
    EXPECT_THAT(resumed(log, ids[0]), ElementsAre("unknown"));
    EXPECT_THAT(resumed(log, ids[1]), ElementsAre("c", "d", "e", "stream 1"));
}

TEST(Hardening, R06_the_bytes_of_a_session_are_limited) {
    EventLimits limits;
    limits.max_bytes = 1000;
    MemoryEventLog log("tag", limits, make_pool());
    auto const stream = log.open();
    for (int i = 0; i < 10'000; ++i) {
        log.append(stream, std::string(100, 'x'), start);
        ASSERT_LE(log.bytes(), 1000U);
    }
    EXPECT_GT(log.events(), 1U);
    auto const id = text(log.append(stream, std::string(2000, 'x'), start));
    EXPECT_EQ(log.events(), 0U);
    EXPECT_THAT(resumed(log, id), ElementsAre("stream 1")) << "nothing came after it";
}

TEST(Hardening, R06_the_bytes_of_all_sessions_are_limited) {
    EventLimits limits;
    limits.max_total = 10'000;
    MemoryEventStore store(limits);
    std::vector<std::unique_ptr<EventLog>> logs;
    for (int i = 0; i < 200; ++i) {
        logs.push_back(store.open_log("s"));
        auto const stream = logs.back()->open();
        for (int k = 0; k < 10; ++k) logs.back()->append(stream, std::string(100, 'x'), start);
        ASSERT_LE(store.bytes(), 10'000U);
    }
    EXPECT_GT(store.bytes(), 5'000U);
    logs.clear();
    EXPECT_EQ(store.bytes(), 0U);
}

// One event that is stored for a client until it reconnects.
struct Waiting {
    Waiting(MemoryEventStore& store, EventOwner owner, std::size_t size, TimePoint now)
        : log(store.open_log("waiting", owner)),
          stream(log->open()),
          before(log->first_id(stream)) {
        log->append(stream, std::string(size, 'a'), now);
        log->finish(stream);
    }
    bool is_answered() const { return resumed(*log, before.view()).size() == 2; }

    std::unique_ptr<EventLog> log;
    StreamNumber stream;
    EventId before;
};

TEST(Hardening, R06_a_client_that_fills_the_store_loses_its_own_events) {
    EventLimits limits;
    limits.max_total = 1'000'000;
    limits.max_bytes = 100'000;
    MemoryEventStore store(limits);
    std::vector<std::unique_ptr<EventLog>> stranger;
    auto const fill = [&](TimePoint now) {
        for (int i = 0; i < 25; ++i) {
            stranger.push_back(store.open_log("stranger", 2));
            auto const stream = stranger.back()->open();
            for (int k = 0; k < 1'000; ++k) {
                stranger.back()->append(stream, std::string(1'000, 'x'), now);
                ASSERT_LE(store.bytes(), limits.max_total);
            }
        }
    };
    // Clients at another and at the same address, before the store is full and afterwards.
    Waiting const early(store, 1, 10'000, start);
    Waiting const early_near(store, 2, 10'000, start);
    fill(start + 1s);
    Waiting const late(store, 1, 10'000, start + 2s);
    Waiting const late_near(store, 2, 10'000, start + 2s);
    fill(start + 3s);
    EXPECT_TRUE(early.is_answered());
    EXPECT_TRUE(early_near.is_answered());
    EXPECT_TRUE(late.is_answered());
    EXPECT_TRUE(late_near.is_answered());
    EXPECT_GT(store.pool().evicted(), 0U);
}

TEST(Hardening, R06_many_small_sessions_cannot_evict_those_of_others) {
    EventLimits limits;
    limits.max_total = 1'000'000;
    MemoryEventStore store(limits);
    Waiting const other(store, 1, 60'000, start);
    std::vector<std::unique_ptr<Waiting>> strangers;
    for (int i = 0; i < 5'000; ++i) {
        auto const now = start + std::chrono::milliseconds(i);
        strangers.push_back(std::make_unique<Waiting>(store, 2, 300, now));
        ASSERT_LE(store.bytes(), limits.max_total);
        ASSERT_TRUE(strangers.back()->is_answered()) << "the newest never gives way";
    }
    EXPECT_TRUE(other.is_answered());
    EXPECT_FALSE(strangers.front()->is_answered()) << "the oldest of the owner gives way";
}

TEST(Hardening, R06_finished_streams_are_removed_with_their_events) {
    EventLimits limits;
    limits.max_events = 10;
    MemoryEventLog log("tag", limits, make_pool());
    for (int i = 0; i < 100'000; ++i) {
        auto const stream = log.open();
        log.append(stream, "answer", start);
        log.finish(stream);
    }
    EXPECT_EQ(log.events(), 10U);
    EXPECT_EQ(log.streams(), 10U);
}

TEST(EventLog, old_events_are_dropped) {
    EventLimits limits;
    limits.max_age = 5min;
    MemoryEventLog log("tag", limits, make_pool());
    auto const stream = log.open();
    auto const id = text(log.append(stream, "a", start));
    log.append(stream, "b", start + 1min);
    log.expire(start + 5min - 1ns);
    EXPECT_EQ(log.events(), 2U);
    log.expire(start + 5min);
    EXPECT_THAT(resumed(log, id), ElementsAre("b", "stream 1"));
    log.expire(start + 6min);
    EXPECT_THAT(resumed(log, id), ElementsAre("unknown"));
    EXPECT_EQ(log.bytes(), 0U);
    EXPECT_EQ(log.streams(), 1U) << "it is not finished";
}

TEST(Hardening, R32_cut_off_at_any_byte_every_event_arrives_exactly_once) {
    MemoryEventStore store;
    auto const log = store.open_log("s");
    auto const noise = log->open();
    auto const stream = log->open();
    std::string sent;
    append_event(sent, {.id = log->first_id(stream).view()}, "");
    Strings const messages = {R"({"progress":1})", "two\nlines", R"({"progress":2})",
                              R"({"result":{}})"};
    for (auto const& message : messages) {
        log->append(noise, "noise", start);
        auto const id = log->append(stream, message, start);
        append_event(sent, {.id = id.view(), .event = "message"}, message);
    }
    log->finish(stream);
    // Before the first id has arrived, the stream cannot be resumed.
    auto const earliest = sent.find("\n\n") + 2;
    for (auto cut = earliest; cut <= sent.size(); ++cut) {
        SseParser parser;
        Strings arrived;
        auto const receive = [&](std::string_view bytes) {
            parser.feed(bytes);
            while (auto const event = parser.next()) {
                if (!event->data.empty()) arrived.emplace_back(event->data);
            }
        };
        receive(std::string_view(sent).substr(0, cut));
        Collector collector;
        log->resume(parser.last_event_id(), collector);
        ASSERT_EQ(collector.found.back(), "stream 2 finished");
        parser.restart();
        receive(collector.stream_text);
        ASSERT_EQ(arrived, messages) << "cut at " << cut;
    }
}

}  // namespace
}  // namespace lanyard::http
