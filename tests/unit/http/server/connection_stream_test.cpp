// Event streams of a connection, and how a connection ends.
#include "unit/http/server/connection_fixture.hpp"

namespace lanyard::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST_F(ConnectionTest, streams_in_chunks) {
    Reply* reply = nullptr;
    stream_next(reply);
    ASSERT_NE(reply, nullptr);
    write(*reply, "one");
    reply->begin_chunk();
    reply->end_chunk();  // an empty chunk
    reply->flush();
    EXPECT_EQ(host_.replies, 1);
    EXPECT_EQ(sent(), "0000000b\r\ndata: one\n\n\r\n");
    reply->finish();
    EXPECT_EQ(sent(), "0\r\n\r\n");
    EXPECT_EQ(shared_->pending, 0u);
    receive(post("{}"));
    EXPECT_THAT(sent(), EndsWith("ok"));
}

TEST_F(ConnectionTest, R08_sends_heartbeats_on_idle_streams) {
    Reply* reply = nullptr;
    stream_next(reply);
    EXPECT_EQ(tick_after(14s), Connection::Due::nothing);
    write(*reply, "busy");
    sent();
    EXPECT_EQ(tick_after(14s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    EXPECT_THAT(sent(), HasSubstr("\r\n:"));
    EXPECT_EQ(tick_after(14s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    sent();
    reply->finish();
    sent();
    EXPECT_EQ(tick_after(16s), Connection::Due::nothing) << "none after the end";
    EXPECT_EQ(sent(), "");
}

TEST_F(ConnectionTest, R08_lets_a_reply_without_output_become_a_stream) {
    receive(post("{}"));
    sent();
    time_.advance(1min);
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    watcher_.opens_stream = reply;
    EXPECT_EQ(tick_after(14s), Connection::Due::nothing) << "the time of the reply counts";
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    EXPECT_THAT(sent(), AllOf(HasSubstr("text/event-stream"), HasSubstr("\r\n:")));
    EXPECT_EQ(tick_after(14s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    EXPECT_THAT(sent(), HasSubstr("\r\n:"));
    reply->finish();
    EXPECT_EQ(sent(), "0\r\n\r\n");
}

TEST_F(ConnectionTest, R08_sends_no_heartbeats_for_a_reply_that_cannot_stream) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    EXPECT_EQ(tick_after(16s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(16s), Connection::Due::nothing);
    reply->whole({.content = Content::text}, "late");
    EXPECT_THAT(sent(), EndsWith("late"));
}

TEST_F(ConnectionTest, R08_sends_no_heartbeats_if_they_are_switched_off) {
    limits_.keepalive_interval = 0s;
    open();
    Reply* reply = nullptr;
    stream_next(reply);
    EXPECT_EQ(tick_after(1h), Connection::Due::nothing);
}

TEST_F(ConnectionTest, has_no_time_limit_for_answers) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    EXPECT_EQ(tick_after(10h), Connection::Due::nothing);
}

TEST_F(ConnectionTest, R10_reports_a_slow_client_and_when_it_has_caught_up) {
    limits_.soft_unsent = 1000;
    open();
    Reply* reply = nullptr;
    stream_next(reply);
    EXPECT_FALSE(reply->behind());
    write(*reply, std::string(2000, 'x'));
    EXPECT_TRUE(reply->behind());
    connection_->sent(800, time_.now());
    EXPECT_TRUE(reply->behind());
    EXPECT_EQ(watcher_.drained, 0);
    connection_->sent(800, time_.now());
    EXPECT_FALSE(reply->behind());
    EXPECT_EQ(watcher_.drained, 1);
    connection_->sent(100, time_.now());
    EXPECT_EQ(watcher_.drained, 1);
}

TEST_F(ConnectionTest, R10_frees_the_sent_bytes_of_an_endless_stream) {
    Reply* reply = nullptr;
    stream_next(reply);
    write(*reply, std::string(10'000, 'x'));
    for (int i = 0; i < 100; ++i) {
        write(*reply, std::string(100'000, 'x'));
        connection_->sent(100'000, time_.now());
    }
    EXPECT_GT(reply->unsent(), 10'000u);
    EXPECT_LT(connection_->capacity(), 1'000'000u);
}

TEST_F(ConnectionTest, R10_disconnects_a_client_that_is_far_behind) {
    limits_.soft_unsent = 100;
    limits_.hard_unsent = 1000;
    open();
    Reply* reply = nullptr;
    stream_next(reply);
    write(*reply, std::string(5000, 'x'));
    EXPECT_EQ(host_.broken, 0) << "one message may be large";
    write(*reply, "more");
    EXPECT_EQ(host_.broken, 1);
    EXPECT_FALSE(reply->open());
    EXPECT_EQ(reply->unsent(), 0u);
    write(*reply, "still more");
    reply->flush();
    EXPECT_EQ(reply->unsent(), 0u);
    EXPECT_EQ(watcher_.gone, 0) << "never from inside of the reply";
    connection_->lost();
    EXPECT_EQ(watcher_.gone, 1);
    EXPECT_EQ(shared_->pending, 0u);
}

TEST_F(ConnectionTest, R10_ignores_writes_after_a_cut) {
    limits_.hard_unsent = 10;
    open();
    Reply* reply = nullptr;
    stream_next(reply);
    write(*reply, "more than ten");
    write(*reply, "more");
    reply->finish();
    EXPECT_EQ(connection_->output(), "");
    connection_->lost();
    EXPECT_EQ(watcher_.gone, 0);
}

TEST_F(ConnectionTest, R10_disconnects_a_client_that_reads_nothing) {
    Reply* reply = nullptr;
    stream_next(reply);
    write(*reply, "x");
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
}

TEST_F(ConnectionTest, the_write_timeout_starts_with_the_first_unsent_byte) {
    tick_after(20s);
    receive(post("{}"));
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
}

TEST_F(ConnectionTest, frees_the_sent_part_of_a_long_buffer) {
    Reply* reply = nullptr;
    stream_next(reply);
    std::string expected;
    for (int i = 0; i < 10; ++i) write(*reply, std::string(40'000, static_cast<char>('a' + i)));
    expected = connection_->output();
    std::string read;
    while (!connection_->output().empty()) {
        auto const piece = std::string(connection_->output().substr(0, 70'000));
        read += piece;
        connection_->sent(piece.size(), time_.now());
    }
    EXPECT_EQ(read, expected);
    EXPECT_LT(connection_->capacity(), 100'000u);
}

TEST_F(ConnectionTest, R07_reports_that_the_client_has_disconnected) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    connection_->end_of_input();
    EXPECT_EQ(watcher_.gone, 1);
    EXPECT_EQ(shared_->pending, 0u);
    EXPECT_TRUE(connection_->ending());
    connection_->lost();
    connection_->end_of_input();
    EXPECT_EQ(watcher_.gone, 1);
}

TEST_F(ConnectionTest, R07_answers_requests_that_arrived_before_the_end) {
    receive(post("{}"));
    connection_->end_of_input();
    EXPECT_THAT(sent(), EndsWith("ok"));
    EXPECT_TRUE(connection_->ending());
    connection_->end_of_input();
}

TEST_F(ConnectionTest, cut_does_not_notify_its_own_reply) {
    Reply* reply = nullptr;
    stream_next(reply);
    reply->cut();
    EXPECT_EQ(host_.broken, 1);
    EXPECT_EQ(watcher_.gone, 0);
    EXPECT_EQ(shared_->pending, 0u);
    connection_.reset();
    EXPECT_EQ(watcher_.gone, 0);
}

TEST_F(ConnectionTest, notifies_the_reply_when_destroyed) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    connection_.reset();
    EXPECT_EQ(watcher_.gone, 1);
    EXPECT_EQ(shared_->pending, 0u);
}

TEST_F(ConnectionTest, ends_with_its_reply_once_the_server_stops) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}") + post("{}"));
    handler_.stop({});
    connection_->stop();
    EXPECT_FALSE(connection_->ending());
    reply->whole({});
    EXPECT_THAT(sent(), HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(connection_->ending());
    EXPECT_FALSE(connection_->can_resume());
}

TEST_F(ConnectionTest, closes_after_a_refusal_once_the_server_stops) {
    handler_.stop({});
    receive("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(sent(), HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(connection_->ending());
    open();
    connection_->stop();
    EXPECT_TRUE(connection_->ending());
}

}  // namespace
}  // namespace lanyard::http
