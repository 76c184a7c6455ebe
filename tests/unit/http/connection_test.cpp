#include "http/connection.hpp"

#include <array>
#include <deque>
#include <functional>

#include <gmock/gmock.h>
#include <lanyard/testing/fake_time.hpp>

#include "http/sse_writer.hpp"
#include "support/http.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string post(std::string_view body, std::string_view more = {}) {
    return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n" + std::string(more) + "\r\n" + std::string(body);
}

// Does what the test says for each request, in turn; answers "ok" without instructions.
struct Handler final : RequestHandler {
    void on_request(Request const& request, Reply& reply) override {
        bodies.emplace_back(request.body);
        principals.push_back(request.principal ? request.principal->subject : "");
        if (script.empty()) {
            reply.whole({.content = Content::text}, "ok");
            return;
        }
        auto const next = script.front();
        script.pop_front();
        next(request, reply);
    }
    void on_stop(Duration) noexcept override {}

    std::deque<std::function<void(Request const&, Reply&)>> script;
    std::vector<std::string> bodies;
    std::vector<std::string> principals;
};

struct Watcher final : ReplyWatcher {
    void on_gone() noexcept override { ++gone; }
    void on_drained() noexcept override { ++drained; }
    void on_silence() override {
        if (opens_stream != nullptr) opens_stream->begin_stream({.content = Content::event_stream});
    }
    Reply* opens_stream = nullptr;
    int gone = 0;
    int drained = 0;
};

struct Shell final : ConnectionShell {
    void on_reply() noexcept override { ++replies; }
    void on_broken() noexcept override { ++broken; }
    void ask_verifier(Credentials const& credentials) override {
        asked.emplace_back(credentials.bearer);
    }
    int replies = 0;
    int broken = 0;
    std::vector<std::string> asked;
};

// Decides at once, or leaves it to the test.
struct Doorman final : auth::InstantVerifier {
    std::optional<Verification> verify_now(Credentials const& credentials) override {
        if (credentials.bearer == "later") return std::nullopt;
        if (credentials.bearer == "broken") throw std::runtime_error("verifier");
        if (credentials.bearer == "stranger") return Verification::forbid("error=\"scope\"");
        if (credentials.bearer.empty()) return Verification::refuse();
        auto principal = std::make_shared<Principal>();
        principal->subject = credentials.bearer;
        return Verification::accept(principal);
    }
};

class ConnectionTest : public ::testing::Test {
protected:
    ConnectionTest() { open(); }

    void open(Verifier* verifier = nullptr) {
        connection_.reset();
        site_.emplace(ConnectionSite{.gate = gate_,
                                     .handler = handler_,
                                     .verifier = verifier,
                                     .time = time_,
                                     .limits = limits_});
        connection_.emplace(*site_, shell_, "192.0.2.1:1");
    }
    static AdmissionGate make_gate() {
        AdmissionOptions options;
        options.allowed_origins = {"https://app.example"};
        return AdmissionGate::make(options, Router::make({}).value()).value();
    }

    void receive(std::string_view bytes) { connection_->receive(bytes, time_.now()); }
    // Everything that is to be sent is.
    std::string sent() {
        std::string const text(connection_->output());
        if (!text.empty()) connection_->sent(text.size(), time_.now());
        return text;
    }
    Connection::Due tick_after(Duration time) {
        time_.advance(time);
        return connection_->tick(time_.now());
    }
    // Leaves the reply to the test.
    void keep_next(Reply*& kept) {
        handler_.script.push_back([&kept, this](Request const&, Reply& reply) {
            kept = &reply;
            reply.watch(&watcher_);
        });
    }
    // The same for a stream, whose head was sent.
    void stream_next(Reply*& kept) {
        handler_.script.push_back([&kept, this](Request const&, Reply& reply) {
            kept = &reply;
            reply.watch(&watcher_);
            reply.begin_stream({.content = Content::event_stream});
        });
        receive(post("{}"));
        sent();
    }
    void write(Reply& reply, std::string_view data) {
        append_event(reply.begin_chunk(), {}, data);
        reply.end_chunk();
    }

    lanyard::testing::FakeTime time_;
    ConnectionLimits limits_;
    Handler handler_;
    Shell shell_;
    Watcher watcher_;
    AdmissionGate gate_ = make_gate();
    std::optional<ConnectionSite> site_;
    std::optional<Connection> connection_;
};

TEST_F(ConnectionTest, AnswersInOneBuffer) {
    receive(post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 200 OK\r\nDate: "), EndsWith("\r\n\r\nok")));
    EXPECT_EQ(shell_.replies, 0) << "whoever receives sends afterwards";
    EXPECT_EQ(site_->pending, 0u);
    EXPECT_TRUE(connection_->idle());
}

TEST_F(ConnectionTest, ReadsTheSameHoweverTheBytesAreCut) {
    auto const stream = post("first") + post("") + post("third", "Connection: close\r\n");
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        open();
        handler_.bodies.clear();
        for (auto const piece : test::cut_by(stream, seed)) receive(piece);
        EXPECT_THAT(handler_.bodies, ElementsAre("first", "", "third"));
        EXPECT_TRUE(connection_->ending());
    }
}

TEST_F(ConnectionTest, TakesTheNextRequestOnlyAfterTheReply) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("a") + post("b"));
    receive(post("c"));
    EXPECT_THAT(handler_.bodies, ElementsAre("a"));
    EXPECT_FALSE(connection_->can_resume());
    EXPECT_EQ(site_->pending, 1u);
    reply->whole({.status = Status::accepted});
    EXPECT_EQ(shell_.replies, 1);
    EXPECT_THAT(handler_.bodies, ElementsAre("a")) << "never from inside of the reply";
    ASSERT_TRUE(connection_->can_resume());
    connection_->resume(time_.now());
    EXPECT_THAT(handler_.bodies, ElementsAre("a", "b", "c"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 202 Accepted\r\n"));
    connection_->resume(time_.now());  // has nothing to resume
}

TEST_F(ConnectionTest, ReadsNoMoreThanItKeeps) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("a"));
    EXPECT_TRUE(connection_->wants_input());
    receive(std::string(Connection::max_backlog, 'x'));
    EXPECT_FALSE(connection_->wants_input());
}

TEST_F(ConnectionTest, StopsAnsweringAClientThatDoesNotRead) {
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

TEST_F(ConnectionTest, RefusesWhatTheGateRefusesAndReadsOn) {
    receive(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        "Content-Length: 5\r\n\r\nhello" +
        post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 415 "), EndsWith("ok")));
    EXPECT_THAT(handler_.bodies, ElementsAre("{}"));
}

// What is said without a body, all of it.
void expect_head_only(std::string_view answer, std::string_view status) {
    EXPECT_THAT(std::string(answer), StartsWith("HTTP/1.1 " + std::string(status)));
    EXPECT_THAT(std::string(answer), HasSubstr("Content-Length: "));
    EXPECT_EQ(answer.find("\r\n\r\n"), answer.size() - 4) << answer;
}

TEST_F(ConnectionTest, AnswersHeadWithoutABodyAndReadsOn) {
    for (auto const& [target, host, status] :
         {std::array{"/mcp", "localhost", "405 "}, std::array{"/none", "localhost", "404 "},
          std::array{"/mcp", "evil.example", "403 "}}) {
        receive("HEAD " + std::string(target) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        expect_head_only(sent(), status);
    }
    receive(post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("ok")));
    // Others keep their body.
    receive("PATCH /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 405 "), EndsWith("}")));
}

TEST_F(ConnectionTest, AnswersHeadWithoutABodyWhereItCloses) {
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

TEST_F(ConnectionTest, AnswersAnOldClientAndCloses) {
    auto request = post("{}", "Connection: keep-alive\r\n");
    request.replace(request.find("HTTP/1.1"), 8, "HTTP/1.0");
    receive(request + post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Connection: close\r\n"),
                              HasSubstr("Content-Length: "), EndsWith("ok")));
    EXPECT_TRUE(connection_->ending());
    EXPECT_EQ(handler_.bodies.size(), 1U) << "nothing is read behind it";
}

TEST_F(ConnectionTest, StreamsToAnOldClientWithoutChunks) {
    Reply* stream = nullptr;
    Watcher watcher;
    handler_.script.push_back([&](Request const&, Reply& reply) {
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

TEST_F(ConnectionTest, S01_JudgesEachHostAndOriginOnItsOwn) {
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

TEST_F(ConnectionTest, ClosesAfterWhatCannotBeRead) {
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

TEST_F(ConnectionTest, ClosesWhereTheClientWantsIt) {
    receive("GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("Connection: close\r\n")));
    EXPECT_TRUE(connection_->ending());
    EXPECT_EQ(connection_->tick(time_.now()), Connection::Due::nothing);
}

TEST_F(ConnectionTest, SaysContinueToAClientThatWaits) {
    auto const request = post("{}", "Expect: 100-continue\r\n");
    receive(request.substr(0, request.size() - 2));
    EXPECT_EQ(sent(), "HTTP/1.1 100 Continue\r\n\r\n");
    receive("{}");
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 200 "));
    // One that does not wait needs no permission.
    receive(request);
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ConnectionTest, ClosesWhereARefusedBodyMayOrMayNotCome) {
    receive(
        "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        "Expect: 100-continue\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("Connection: close")));
    EXPECT_TRUE(connection_->ending());
}

TEST_F(ConnectionTest, AnswersPreflights) {
    std::string const preflight =
        "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n"
        "Access-Control-Request-Method: POST\r\n";
    receive(preflight + "\r\n" + preflight + "Connection: close\r\n\r\n");
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 204 "),
                              HasSubstr("Access-Control-Allow-Origin: https://app.example")));
    EXPECT_THAT(handler_.bodies, IsEmpty());
    EXPECT_TRUE(connection_->ending());
}

TEST_F(ConnectionTest, LetsAListedOriginReadTheAnswer) {
    receive(post("{}", "Origin: https://app.example\r\n"));
    EXPECT_THAT(sent(), HasSubstr("Access-Control-Allow-Origin: https://app.example\r\n"));
}

TEST_F(ConnectionTest, AnswersWithoutABody) {
    handler_.script.push_back(
        [](Request const&, Reply& reply) { reply.whole({.status = Status::no_content}); });
    receive(post("{}"));
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 204 "), Not(HasSubstr("Content-Length"))));
}

TEST_F(ConnectionTest, AnswersForAHandlerThatThrows) {
    handler_.script.push_back([](Request const&, Reply&) { throw std::runtime_error("x"); });
    receive(post("{}"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 500 "));
    EXPECT_EQ(site_->pending, 0u);
    handler_.script.push_back([](Request const&, Reply& reply) {
        reply.begin_stream({});
        throw 1;
    });
    receive(post("{}"));
    EXPECT_EQ(shell_.broken, 1);
    EXPECT_EQ(connection_->tick(time_.now()), Connection::Due::cut);
    open();
    handler_.script.push_back([](Request const&, Reply& reply) {
        reply.whole({});
        throw 1;
    });
    receive(post("{}"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 200 "));
}

// Streams.

TEST_F(ConnectionTest, StreamsInChunks) {
    Reply* reply = nullptr;
    stream_next(reply);
    ASSERT_NE(reply, nullptr);
    write(*reply, "one");
    reply->begin_chunk();
    reply->end_chunk();  // nothing in it
    reply->flush();
    EXPECT_EQ(shell_.replies, 1);
    EXPECT_EQ(sent(), "0000000b\r\ndata: one\n\n\r\n");
    reply->finish();
    EXPECT_EQ(sent(), "0\r\n\r\n");
    EXPECT_EQ(site_->pending, 0u);
    receive(post("{}"));
    EXPECT_THAT(sent(), EndsWith("ok"));
}

TEST_F(ConnectionTest, R08_HeartbeatsOnSilentStreams) {
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

TEST_F(ConnectionTest, R08_LetsASilentReplyBeginAStream) {
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

TEST_F(ConnectionTest, R08_LeavesAReplySilentThatCannotStream) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    EXPECT_EQ(tick_after(16s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(16s), Connection::Due::nothing);
    reply->whole({.content = Content::text}, "late");
    EXPECT_THAT(sent(), EndsWith("late"));
}

TEST_F(ConnectionTest, R08_SendsNoHeartbeatsWhereThatIsSwitchedOff) {
    limits_.heartbeat = 0s;
    open();
    Reply* reply = nullptr;
    stream_next(reply);
    EXPECT_EQ(tick_after(1h), Connection::Due::nothing);
}

TEST_F(ConnectionTest, HasNoTimeLimitForAnswers) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    EXPECT_EQ(tick_after(10h), Connection::Due::nothing);
}

TEST_F(ConnectionTest, R10_TellsWhenAClientIsBehind) {
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

TEST_F(ConnectionTest, R10_ForgetsWhatWasSentOfAStreamThatNeverEnds) {
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

TEST_F(ConnectionTest, R10_CutsOffAClientThatIsFarBehind) {
    limits_.soft_unsent = 100;
    limits_.hard_unsent = 1000;
    open();
    Reply* reply = nullptr;
    stream_next(reply);
    write(*reply, std::string(5000, 'x'));
    EXPECT_EQ(shell_.broken, 0) << "one message may be large";
    write(*reply, "more");
    EXPECT_EQ(shell_.broken, 1);
    EXPECT_FALSE(reply->open());
    EXPECT_EQ(reply->unsent(), 0u);
    write(*reply, "still more");
    reply->flush();
    EXPECT_EQ(reply->unsent(), 0u);
    EXPECT_EQ(watcher_.gone, 0) << "never from inside of the reply";
    connection_->lost();
    EXPECT_EQ(watcher_.gone, 1);
    EXPECT_EQ(site_->pending, 0u);
}

TEST_F(ConnectionTest, R10_EndsQuietlyWhereTheClientIsGoneAlready) {
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

TEST_F(ConnectionTest, R10_CutsOffAClientThatTakesNothing) {
    Reply* reply = nullptr;
    stream_next(reply);
    write(*reply, "x");
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
}

TEST_F(ConnectionTest, MeasuresWaitingFromWhenThereWasSomethingToTake) {
    tick_after(20s);
    receive(post("{}"));
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
}

TEST_F(ConnectionTest, MovesALongBufferNowAndThen) {
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

// Ends.

TEST_F(ConnectionTest, R07_TellsThatTheClientHasGone) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    connection_->end_of_input();
    EXPECT_EQ(watcher_.gone, 1);
    EXPECT_EQ(site_->pending, 0u);
    EXPECT_TRUE(connection_->ending());
    connection_->lost();
    connection_->end_of_input();
    EXPECT_EQ(watcher_.gone, 1);
}

TEST_F(ConnectionTest, R07_AnswersWhatWasAskedBeforeTheEnd) {
    receive(post("{}"));
    connection_->end_of_input();
    EXPECT_THAT(sent(), EndsWith("ok"));
    EXPECT_TRUE(connection_->ending());
    connection_->end_of_input();
}

TEST_F(ConnectionTest, CutsWithoutTellingWhoCut) {
    Reply* reply = nullptr;
    stream_next(reply);
    reply->cut();
    EXPECT_EQ(shell_.broken, 1);
    EXPECT_EQ(watcher_.gone, 0);
    EXPECT_EQ(site_->pending, 0u);
    connection_.reset();
    EXPECT_EQ(watcher_.gone, 0);
}

TEST_F(ConnectionTest, TellsOfItsEndWhenDestroyed) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}"));
    connection_.reset();
    EXPECT_EQ(watcher_.gone, 1);
    EXPECT_EQ(site_->pending, 0u);
}

TEST_F(ConnectionTest, EndsWithItsReplyOnceTheServerStops) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}") + post("{}"));
    site_->stopping = true;
    connection_->stop();
    EXPECT_FALSE(connection_->ending());
    reply->whole({});
    EXPECT_THAT(sent(), HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(connection_->ending());
    EXPECT_FALSE(connection_->can_resume());
}

TEST_F(ConnectionTest, ClosesAfterARefusalOnceTheServerStops) {
    site_->stopping = true;
    receive("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(sent(), HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(connection_->ending());
    open();
    connection_->stop();
    EXPECT_TRUE(connection_->ending());
}

// Time.

TEST_F(ConnectionTest, DropsAClientThatSaysNothing) {
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
    EXPECT_EQ(sent(), "");
}

TEST_F(ConnectionTest, DropsAClientWhoseHeadTakesForEver) {
    receive("POST /mcp HT");
    for (int i = 0; i < 29; ++i) {
        receive("T");
        ASSERT_EQ(tick_after(1s), Connection::Due::nothing);
    }
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    EXPECT_THAT(sent(), AllOf(StartsWith("HTTP/1.1 408 "), HasSubstr("Connection: close")));
    EXPECT_TRUE(connection_->ending());
}

TEST_F(ConnectionTest, GivesEachHeadItsOwnTime) {
    tick_after(20s);
    receive(post("{}"));
    sent();
    tick_after(60s);
    receive("POST");
    EXPECT_EQ(tick_after(29s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
}

TEST_F(ConnectionTest, DropsAClientWhoseBodyTakesForEver) {
    auto const request = post(std::string(4'000'000, 'x'));
    receive(request.substr(0, 1000));
    for (int i = 0; i < 29; ++i) {
        receive("x");
        ASSERT_EQ(tick_after(1s), Connection::Due::nothing);
    }
    EXPECT_EQ(tick_after(1s), Connection::Due::output);
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ConnectionTest, WaitsForABodyThatKeepsComing) {
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

TEST_F(ConnectionTest, GivesTheBodyBackWhileTheReplyIsUnderWay) {
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post(std::string(3'000'000, 'x')));
    ASSERT_NE(reply, nullptr);
    EXPECT_LT(connection_->capacity(), 100'000u);
    reply->whole({}, "late");
    EXPECT_THAT(sent(), EndsWith("late"));
}

// Bodies of all connections together.

class BodyBudgetTest : public ConnectionTest {
protected:
    BodyBudgetTest() {
        limits_.max_body_total = 1'000'000;
        open();
    }
    struct Peer {
        explicit Peer(ConnectionSite& site) : connection(site, shell, "192.0.2.2:1") {}
        Shell shell;
        Connection connection;
    };
    static std::string chunked() {
        auto text = post("");
        auto const at = text.find("Content-Length: 0");
        return text.replace(at, 17, "Transfer-Encoding: chunked");
    }
};

TEST_F(BodyBudgetTest, MemoryGrowsWithWhatHasArrived) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, 10'000));
    EXPECT_LT(connection_->capacity(), 100'000u);
    EXPECT_LT(site_->body_bytes, 100'000u);
    receive(request.substr(10'000));
    EXPECT_THAT(sent(), EndsWith("ok"));
    EXPECT_EQ(site_->body_bytes, 0u) << "given back with the answer";
}

TEST_F(BodyBudgetTest, ARequestThatDoesNotFitIsRefusedBeforeItsBodyIsTaken) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, request.size() - 1));
    Peer other(*site_);
    auto const second = post(std::string(200'000, 'y'));
    other.connection.receive(second.substr(0, second.find("\r\n\r\n") + 4), time_.now());
    EXPECT_THAT(std::string(other.connection.output()),
                AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
    EXPECT_EQ(site_->bodies_refused, 1u);
    other.connection.sent(other.connection.output().size(), time_.now());
    other.connection.receive(second.substr(second.find("\r\n\r\n") + 4), time_.now());
    EXPECT_LT(other.connection.capacity(), 20'000u);
    // A small one always fits, on the same connection.
    other.connection.receive(post(std::string(8'000, 'z')), time_.now());
    EXPECT_THAT(std::string(other.connection.output()), EndsWith("ok"));
    // And so does a large one, once there is room.
    receive(request.substr(request.size() - 1));
    EXPECT_THAT(sent(), EndsWith("ok"));
    Peer third(*site_);
    third.connection.receive(second, time_.now());
    EXPECT_THAT(std::string(third.connection.output()), EndsWith("ok"));
    EXPECT_EQ(site_->bodies_refused, 1u);
}

TEST_F(BodyBudgetTest, BodiesWithoutALengthAreRefusedWhenThereIsNoMoreRoom) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, request.size() - 1));
    Peer other(*site_);
    other.connection.receive(chunked(), time_.now());
    std::string const chunk = "2710\r\n" + std::string(10'000, 'y') + "\r\n";
    for (int i = 0; i < 20; ++i) other.connection.receive(chunk, time_.now());
    EXPECT_THAT(std::string(other.connection.output()), StartsWith("HTTP/1.1 503 "));
    EXPECT_LE(site_->body_bytes, limits_.max_body_total);
    EXPECT_LT(other.connection.capacity(), 20'000u);
    other.connection.receive("0\r\n\r\n", time_.now());
    other.connection.sent(other.connection.output().size(), time_.now());
    other.connection.receive(post("{}"), time_.now());
    EXPECT_THAT(std::string(other.connection.output()), EndsWith("ok"));
}

TEST_F(BodyBudgetTest, AConnectionThatEndsGivesItsShareBack) {
    auto const request = post(std::string(900'000, 'x'));
    receive(request.substr(0, request.size() - 1));
    EXPECT_GT(site_->body_bytes, 800'000u);
    connection_->lost();
    EXPECT_EQ(site_->body_bytes, 0u);
}

TEST_F(ConnectionTest, DropsAnIdleConnection) {
    receive(post("{}"));
    sent();
    EXPECT_EQ(tick_after(74s), Connection::Due::nothing);
    EXPECT_EQ(tick_after(1s), Connection::Due::cut);
}

TEST_F(ConnectionTest, GivesItsMemoryBackWhileIdle) {
    receive(post(std::string(10'000, 'x')));
    connection_->release();
    EXPECT_GT(connection_->capacity(), 10'000u) << "not before the answer is sent";
    sent();
    connection_->release();
    EXPECT_LT(connection_->capacity(), 100u);
    receive(post("{}"));
    EXPECT_THAT(sent(), EndsWith("ok"));
}

// Callers.

TEST_F(ConnectionTest, KnowsWhoCalls) {
    Doorman doorman;
    open(&doorman);
    receive(post("{}", "Authorization: Bearer ada\r\n") +
            post("{}", "Authorization: Bearer bob\r\n"));
    EXPECT_THAT(handler_.principals, ElementsAre("ada", "bob"));
}

TEST_F(ConnectionTest, ChallengesWhoIsNotKnown) {
    Doorman doorman;
    open(&doorman);
    receive(post("{}") + post("{}", "Authorization: Basic ada\r\n") +
            post("{}", "Authorization: Bearer stranger\r\n") +
            post("{}", "Authorization: Bearer ada\r\n"));
    auto const text = sent();
    EXPECT_THAT(text,
                AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("WWW-Authenticate: Bearer\r\n"),
                      HasSubstr("HTTP/1.1 403 "),
                      HasSubstr("WWW-Authenticate: Bearer error=\"scope\"\r\n"), EndsWith("ok")));
    EXPECT_THAT(handler_.principals, ElementsAre("ada"));
}

TEST_F(ConnectionTest, S37_RefusesWhereTheVerifierFails) {
    Doorman doorman;
    open(&doorman);
    receive(post("{}", "Authorization: Bearer broken\r\n"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(handler_.bodies, IsEmpty());
}

TEST_F(ConnectionTest, WaitsForAVerifierThatTakesItsTime) {
    Doorman doorman;
    open(&doorman);
    auto const request = post("first", "Authorization: Bearer later\r\n");
    receive(request.substr(0, request.size() - 2));
    receive("st" + post("second", "Authorization: Bearer ada\r\n"));
    EXPECT_THAT(shell_.asked, ElementsAre("later"));
    EXPECT_THAT(handler_.bodies, IsEmpty());
    EXPECT_EQ(connection_->tick(time_.now()), Connection::Due::nothing);
    auto principal = std::make_shared<Principal>();
    principal->subject = "bob";
    connection_->on_verdict(Verification::accept(principal), time_.now());
    EXPECT_THAT(handler_.bodies, ElementsAre("first", "second"));
    EXPECT_THAT(handler_.principals, ElementsAre("bob", "ada"));
    connection_->on_verdict(Verification::refuse(), time_.now());  // nobody has asked
}

TEST_F(ConnectionTest, RefusesLateToo) {
    Doorman doorman;
    open(&doorman);
    receive(post("x", "Authorization: Bearer later\r\nExpect: 100-continue\r\n"));
    connection_->on_verdict(Verification::refuse("error=\"invalid_token\""), time_.now());
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(handler_.bodies, IsEmpty());
    open(&doorman);
    receive(post("x", "Authorization: Bearer later\r\n"));
    connection_->end_of_input();
    EXPECT_TRUE(connection_->ending());
    connection_->on_verdict(Verification::refuse(), time_.now());
    EXPECT_EQ(sent(), "");
}

TEST_F(ConnectionTest, LimitsWhatOneCallerHasUnderWay) {
    Doorman doorman;
    limits_.max_requests_per_principal = 1;
    open(&doorman);
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}", "Authorization: Bearer ada\r\n"));
    Connection other(*site_, shell_, "192.0.2.1:2");
    other.receive(post("{}", "Authorization: Bearer ada\r\n"), time_.now());
    EXPECT_THAT(std::string(other.output()),
                AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("Retry-After: 1\r\n")));
    reply->whole({});
    other.receive(post("{}", "Authorization: Bearer ada\r\n"), time_.now());
    EXPECT_THAT(std::string(other.output()), EndsWith("ok"));
}

TEST(PrincipalCounts, ForgetThoseWhoHaveGone) {
    PrincipalCounts counts;
    Principal principal;
    principal.subject = "kept";
    auto const kept = counts.slot_of(principal);
    for (int i = 0; i < 10'000; ++i) {
        principal.subject = std::to_string(i);
        counts.slot_of(principal);
    }
    EXPECT_LT(counts.size(), 300u);
    principal.subject = "kept";
    EXPECT_EQ(counts.slot_of(principal), kept);
}

}  // namespace
}  // namespace lanyard::http
