// Time limits of a connection, and the memory used by bodies.
#include "unit/http/server/connection_fixture.hpp"

namespace lanyard::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(ConnectionTest, closes_a_connection_without_a_request) {
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
    EXPECT_EQ(sent(), "");
}

TEST_F(ConnectionTest, closes_a_connection_whose_head_takes_too_long) {
    receive("POST /mcp HT");
    for (int i = 0; i < 29; ++i) {
        receive("T");
        ASSERT_EQ(tick_after(1s), Connection::Due::nothing);
    }
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 408 "), HasSubstr("Connection: close")));
    EXPECT_TRUE(connection_->ending());
}

TEST_F(ConnectionTest, gives_each_head_its_own_time) {
    tick_after(20s);
    receive(post("{}"));
    sent();
    tick_after(60s);
    receive("POST");
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
}

TEST_F(ConnectionTest, closes_a_connection_whose_body_takes_too_long) {
    auto const request = post(std::string(4'000'000, 'x'));
    receive(request.substr(0, 1000));
    for (int i = 0; i < 29; ++i) {
        receive("x");
        ASSERT_EQ(tick_after(1s), Connection::Due::nothing);
    }
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ConnectionTest, waits_for_a_body_that_keeps_arriving) {
    std::string const body(3'000'000, 'x');
    auto const request = post(body);
    for (auto const piece : test::cut_every(request, 30'000)) {
        receive(piece);
        ASSERT_NE(tick_after(1s), Connection::Due::cut);
    }
    EXPECT_THAT(sent(), EndsWith("ok"));
    EXPECT_EQ(handler_.bodies.back(), body);
    EXPECT_LT(connection_->capacity(), 200'000u) << "large memory is given back";
}

TEST_F(ConnectionTest, frees_the_body_while_the_reply_is_pending) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post(std::string(3'000'000, 'x')));
    ASSERT_NE(reply, nullptr);
    EXPECT_LT(connection_->capacity(), 100'000u);
    reply->whole({}, "late");
    EXPECT_THAT(sent(), EndsWith("late"));
}

// The limit on the bodies of all connections together.

class BodyBudgetTest : public ConnectionTest {
protected:
    static constexpr std::size_t max_bytes = 1'000'000;

    BodyBudgetTest() {
        options_.max_body_bytes_total(max_bytes);
        open();
    }
    struct Peer {
        explicit Peer(ConnectionShared& shared) : connection(shared, shell, "192.0.2.2:1") {}
        Shell shell;
        Connection connection;
    };
    static std::string chunked() {
        auto text = post("");
        auto const at = text.find("Content-Length: 0");
        return text.replace(at, 17, "Transfer-Encoding: chunked");
    }
};

TEST_F(BodyBudgetTest, memory_grows_with_the_received_bytes) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, 10'000));
    EXPECT_LT(connection_->capacity(), 100'000u);
    EXPECT_LT(totals_->bodies.used(), 100'000u);
    receive(request.substr(10'000));
    EXPECT_THAT(sent(), EndsWith("ok"));
    EXPECT_EQ(totals_->bodies.used(), 0u) << "given back with the answer";
}

TEST_F(BodyBudgetTest, a_request_that_does_not_fit_is_refused_before_its_body_is_read) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, request.size() - 1));
    Peer other(*shared_);
    auto const second = post(std::string(200'000, 'y'));
    other.connection.receive(second.substr(0, second.find("\r\n\r\n") + 4), time_.now());
    EXPECT_THAT(std::string(other.connection.output()),
                AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
    EXPECT_EQ(totals_->bodies.refused(), 1u);
    other.connection.sent(other.connection.output().size(), time_.now());
    other.connection.receive(second.substr(second.find("\r\n\r\n") + 4), time_.now());
    EXPECT_LT(other.connection.capacity(), 20'000u);
    // A small body always fits, on the same connection.
    other.connection.receive(post(std::string(8'000, 'z')), time_.now());
    EXPECT_THAT(std::string(other.connection.output()), EndsWith("ok"));
    // So does a large one once there is room.
    receive(request.substr(request.size() - 1));
    EXPECT_THAT(sent(), EndsWith("ok"));
    Peer third(*shared_);
    third.connection.receive(second, time_.now());
    EXPECT_THAT(std::string(third.connection.output()), EndsWith("ok"));
    EXPECT_EQ(totals_->bodies.refused(), 1u);
}

TEST_F(BodyBudgetTest, bodies_without_a_length_are_refused_when_there_is_no_more_room) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, request.size() - 1));
    Peer other(*shared_);
    other.connection.receive(chunked(), time_.now());
    std::string const chunk = "2710\r\n" + std::string(10'000, 'y') + "\r\n";
    for (int i = 0; i < 20; ++i) other.connection.receive(chunk, time_.now());
    EXPECT_THAT(std::string(other.connection.output()), StartsWith("HTTP/1.1 503 "));
    EXPECT_LE(totals_->bodies.used(), max_bytes);
    EXPECT_LT(other.connection.capacity(), 20'000u);
    other.connection.receive("0\r\n\r\n", time_.now());
    other.connection.sent(other.connection.output().size(), time_.now());
    other.connection.receive(post("{}"), time_.now());
    EXPECT_THAT(std::string(other.connection.output()), EndsWith("ok"));
}

TEST_F(BodyBudgetTest, a_connection_that_ends_releases_its_share) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, request.size() - 1));
    EXPECT_GT(totals_->bodies.used(), 800'000u);
    connection_->lost();
    EXPECT_EQ(totals_->bodies.used(), 0u);
}

TEST_F(ConnectionTest, closes_an_idle_connection) {
    receive(post("{}"));
    sent();
    EXPECT_EQ(tick_after(74s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
}

TEST_F(ConnectionTest, frees_its_buffers_while_idle) {
    receive(post(std::string(10'000, 'x')));
    connection_->release();
    EXPECT_GT(connection_->capacity(), 10'000u) << "not before the answer is sent";
    sent();
    connection_->release();
    EXPECT_LT(connection_->capacity(), 100u);
    receive(post("{}"));
    EXPECT_THAT(sent(), EndsWith("ok"));
}

}  // namespace
}  // namespace lanyard::http
