// Requests and replies of a connection.
#include "unit/http/server/connection_fixture.hpp"

namespace lanyard::http {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(ConnectionTest, answers_in_one_buffer) {
    receive(post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 200 OK\r\nDate: "), EndsWith("\r\n\r\nok")));
    EXPECT_EQ(host_.replies, 0) << "whoever receives sends afterwards";
    EXPECT_EQ(shared_->pending, 0u);
    EXPECT_TRUE(connection_->idle());
}

TEST_F(ConnectionTest, the_result_does_not_depend_on_how_the_bytes_are_split) {
    auto const stream = post("first") + post("") + post("third", "Connection: close\r\n");
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        open();
        handler_.bodies.clear();
        for (auto const piece : test::cut_by(stream, seed)) receive(piece);
        EXPECT_THAT(handler_.bodies, ElementsAre("first", "", "third"));
        EXPECT_TRUE(connection_->ending());
    }
}

TEST_F(ConnectionTest, reads_the_next_request_only_after_the_reply) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("a") + post("b"));
    receive(post("c"));
    EXPECT_THAT(handler_.bodies, ElementsAre("a"));
    EXPECT_FALSE(connection_->can_resume());
    EXPECT_EQ(shared_->pending, 1u);
    reply->whole({.status = Status::accepted});
    EXPECT_EQ(host_.replies, 1);
    EXPECT_THAT(handler_.bodies, ElementsAre("a")) << "never from inside of the reply";
    ASSERT_TRUE(connection_->can_resume());
    connection_->resume(time_.now());
    EXPECT_THAT(handler_.bodies, ElementsAre("a", "b", "c"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 202 Accepted\r\n"));
    connection_->resume(time_.now());  // nothing to resume
}

TEST_F(ConnectionTest, stops_reading_when_its_buffer_is_full) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("a"));
    EXPECT_TRUE(connection_->wants_input());
    receive(std::string(Connection::max_backlog, 'x'));
    EXPECT_FALSE(connection_->wants_input());
}

TEST_F(ConnectionTest, stops_answering_a_client_that_does_not_read) {
    limits_.soft_unsent = 1000;
    open();
    std::string many;
    for (int i = 0; i < 20; ++i) many += post("x");
    receive(many);
    auto const answered = handler_.bodies.size();
    EXPECT_LT(answered, 10u);
    EXPECT_FALSE(connection_->can_resume());
    sent();
    ASSERT_TRUE(connection_->can_resume());
    while (connection_->can_resume()) {
        connection_->resume(time_.now());
        sent();
    }
    EXPECT_EQ(handler_.bodies.size(), 20u);
}

TEST_F(ConnectionTest, a_refusal_of_the_gate_keeps_the_connection_open) {
    receive(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        "Content-Length: 5\r\n\r\nhello" +
        post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 415 "), EndsWith("ok")));
    EXPECT_THAT(handler_.bodies, ElementsAre("{}"));
}

// Expects a complete response that consists of a head only.
void expect_head_only(std::string_view answer, std::string_view status) {
    EXPECT_THAT(std::string(answer), StartsWith("HTTP/1.1 " + std::string(status)));
    EXPECT_THAT(std::string(answer), HasSubstr("Content-Length: "));
    EXPECT_EQ(answer.find("\r\n\r\n"), answer.size() - 4) << answer;
}

TEST_F(ConnectionTest, answers_head_without_a_body_and_stays_open) {
    for (auto const& [target, host, status] :
         {std::array{"/mcp", "localhost", "405 "}, std::array{"/none", "localhost", "404 "},
          std::array{"/mcp", "evil.example", "403 "}}) {
        receive("HEAD " + std::string(target) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        expect_head_only(sent(), status);
    }
    receive(post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("ok")));
    // Responses to other methods keep their body.
    receive("PATCH /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 405 "), EndsWith("}")));
}

TEST_F(ConnectionTest, answers_head_without_a_body_before_it_closes) {
    for (std::string const& request :
         {std::string("HEAD /mcp HTTP/1.1\r\n\r\n"), std::string("HEAD /mcp HTTP/3.0\r\n\r\n"),
          std::string("HEAD  /mcp HTTP/1.1\r\n\r\n"), "HEAD /" + std::string(20'000, 'x'),
          "HEAD / HTTP/1.1\r\nX: " + std::string(20'000, 'x')}) {
        open();
        receive(request);
        auto const answer = sent();
        expect_head_only(answer, "");
        EXPECT_THAT(answer, HasSubstr("Connection: close"));
        EXPECT_TRUE(connection_->ending());
    }
}

TEST_F(ConnectionTest, answers_an_http_1_0_client_and_closes) {
    auto request = post("{}", "Connection: keep-alive\r\n");
    request.replace(request.find("HTTP/1.1"), 8, "HTTP/1.0");
    receive(request + post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Connection: close\r\n"),
                              HasSubstr("Content-Length: "), EndsWith("ok")));
    EXPECT_TRUE(connection_->ending());
    EXPECT_EQ(handler_.bodies.size(), 1U) << "nothing is read behind it";
}

TEST_F(ConnectionTest, streams_to_an_http_1_0_client_without_chunks) {
    Reply* stream = nullptr;
    Watcher watcher;
    handler_.script.push_back([&](HttpRequest const&, Reply& reply) {
        stream = &reply;
        reply.watch(&watcher);
        reply.begin_stream({.content = Content::event_stream});
    });
    auto request = post("{}");
    request.replace(request.find("HTTP/1.1"), 8, "HTTP/1.0");
    receive(request);
    auto const head = sent();
    EXPECT_THAT(head, AllOf(HasSubstr("Connection: close\r\n"), EndsWith("\r\n\r\n"),
                            Not(HasSubstr("Transfer-Encoding")), Not(HasSubstr("Content-Length"))));
    stream->begin_chunk().append("data: one\n\n");
    stream->end_chunk();
    EXPECT_EQ(sent(), "data: one\n\n");
    time_.advance(15s);
    EXPECT_EQ(connection_->tick(time_.now()), Connection::Due::output);
    EXPECT_THAT(sent(), StartsWith(":"));
    stream->begin_chunk().append("data: two\n\n");
    stream->end_chunk();
    stream->finish();
    EXPECT_EQ(sent(), "data: two\n\n");
    EXPECT_TRUE(connection_->ending());
}

TEST_F(ConnectionTest, S01_checks_host_and_origin_of_each_request) {
    receive(post("{}"));
    sent();
    for (std::string_view const more : {"Origin: https://evil.example\r\n", "Origin: null\r\n"}) {
        receive(post("{}", more));
        EXPECT_THAT(sent(), StartsWith("HTTP/1.1 403 "));
    }
    auto other = post("{}");
    other.replace(other.find("localhost"), 9, "evil.com");
    receive(other);
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 403 "));
    receive(post("{}"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(handler_.bodies.size(), 2u);
}

TEST_F(ConnectionTest, closes_after_a_malformed_request) {
    receive(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
        "Transfer-Encoding: chunked\r\n\r\n" +
        post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("Connection: close\r\n")));
    EXPECT_TRUE(connection_->ending());
    EXPECT_FALSE(connection_->wants_input());
    receive(post("{}"));
    EXPECT_THAT(handler_.bodies, IsEmpty());
}

TEST_F(ConnectionTest, closes_if_the_client_requests_it) {
    receive("GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("Connection: close\r\n")));
    EXPECT_TRUE(connection_->ending());
    EXPECT_EQ(connection_->tick(time_.now()), Connection::Due::nothing);
}

TEST_F(ConnectionTest, sends_100_continue_to_a_client_that_waits) {
    auto const request = post("{}", "Expect: 100-continue\r\n");
    receive(request.substr(0, request.size() - 2));
    EXPECT_EQ(sent(), "HTTP/1.1 100 Continue\r\n\r\n");
    receive("{}");
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 200 "));
    // A client that sends the body without waiting gets no 100 Continue.
    receive(request);
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ConnectionTest, closes_after_refusing_a_request_that_expects_100_continue) {
    receive(
        "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        "Expect: 100-continue\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("Connection: close")));
    EXPECT_TRUE(connection_->ending());
}

TEST_F(ConnectionTest, answers_preflights) {
    std::string const preflight =
        "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n"
        "Access-Control-Request-Method: POST\r\n";
    receive(preflight + "\r\n" + preflight + "Connection: close\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 204 "),
                              HasSubstr("Access-Control-Allow-Origin: https://app.example")));
    EXPECT_THAT(handler_.bodies, IsEmpty());
    EXPECT_TRUE(connection_->ending());
}

TEST_F(ConnectionTest, lets_a_listed_origin_read_the_answer) {
    receive(post("{}", "Origin: https://app.example\r\n"));
    EXPECT_THAT(sent(), HasSubstr("Access-Control-Allow-Origin: https://app.example\r\n"));
}

TEST_F(ConnectionTest, answers_without_a_body) {
    handler_.script.push_back(
        [](HttpRequest const&, Reply& reply) { reply.whole({.status = Status::no_content}); });
    receive(post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 204 "), Not(HasSubstr("Content-Length"))));
}

TEST_F(ConnectionTest, answers_for_a_handler_that_throws) {
    handler_.script.push_back([](HttpRequest const&, Reply&) { throw std::runtime_error("x"); });
    receive(post("{}"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 500 "));
    EXPECT_EQ(shared_->pending, 0u);
    handler_.script.push_back([](HttpRequest const&, Reply& reply) {
        reply.begin_stream({});
        throw 1;
    });
    receive(post("{}"));
    EXPECT_EQ(host_.broken, 1);
    EXPECT_EQ(connection_->tick(time_.now()), Connection::Due::cut);
    open();
    handler_.script.push_back([](HttpRequest const&, Reply& reply) {
        reply.whole({});
        throw 1;
    });
    receive(post("{}"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace lanyard::http
