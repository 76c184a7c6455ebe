// Unreadable messages: which of them are answered, and which call each of them ends.
#include <gtest/gtest.h>

#include <deque>

#include "peer/peer.hpp"

namespace lanyard::rpc {
namespace {

using namespace std::chrono_literals;

class Sink : public AnswerSink {
public:
    void on_answer(Answer const& answer) noexcept override {
        ++answers;
        outcome = answer.outcome;
        result = answer.result ? std::string(answer.result->raw()) : "";
        error = answer.error;
    }

    int answers = 0;
    Outcome outcome = Outcome::answered;
    std::string result;
    std::optional<Error> error;
};

// One side of a connection, which answers every request it can read with {}.
class Side : public PeerEvents {
public:
    explicit Side(bool is_server) : peer(*this, outbox, options(is_server)) {}

    void on_request(Envelope const& request, Ticket ticket) override {
        methods.emplace_back(request.method);
        peer.begin_result(ticket)->append("{}");
        peer.end_result();
    }
    void on_notification(Envelope const&) override {}
    void on_violation(std::string_view what) override { violations.emplace_back(what); }
    void on_unknown_answer(RequestId const& id) override { unknown.push_back(id); }

    static PeerOptions options(bool is_server) {
        PeerOptions all;
        all.answers_unreadable = is_server;
        return all;
    }

    void receive(std::string_view text) { peer.on_message(text, now); }
    std::deque<std::string> sent() {
        std::deque<std::string> messages;
        for (; !outbox.empty(); outbox.pop()) messages.emplace_back(outbox.front());
        return messages;
    }
    /// Sends a request; ids are assigned from 1 upwards.
    void ask(Sink& sink) {
        ASSERT_TRUE(peer.request("m", "", sink, now));
        sent();
    }

    TimePoint now{1h};
    Outbox outbox;
    std::vector<std::string> methods;
    std::vector<std::string> violations;
    std::vector<RequestId> unknown;
    Peer peer;
};

std::string const lines_without_method[] = {
    "Listening on port 3000",
    "{}",
    "[]",
    "[1]",
    "null",
    "{",
    R"({"jsonrpc":"2.0"})",
    R"({"jsonrpc":"2.0","id":99})",
    R"({"jsonrpc":"2.0","id":99,"result":{}})",
    R"({"jsonrpc":"2.0","id":99,"result":7})",
    R"({"jsonrpc":"2.0","id":99,"error":{}})",
    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}})",
    R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})",
    R"({"jsonrpc":"2.0","id":99,"result":{"a":NaN}})",
    R"({"jsonrpc":"2.0","id":99,"result":{"a":1,"a":2}})",
    "\xff\xfe",
};

TEST(Unreadable, a_client_never_answers_a_line_without_a_method) {
    for (auto const version : {Version::v2024_11_05, Version::v2025_03_26, Version::v2025_11_25}) {
        Side client(false);
        client.peer.set_version(version);
        for (auto const& line : lines_without_method) {
            client.receive(line);
            EXPECT_TRUE(client.sent().empty()) << line;
        }
        client.peer.on_dropped({.kind = Frame::Kind::too_long, .text = "too long"}, client.now);
        EXPECT_TRUE(client.sent().empty());
        EXPECT_EQ(client.violations.size(), std::size(lines_without_method) + 1);
    }
}

TEST(Unreadable, a_client_answers_bad_requests_that_have_an_id) {
    Side client(false);
    client.receive(R"({"jsonrpc":"1.0","id":5,"method":"ping"})");
    client.receive(R"({"jsonrpc":"2.0","id":6,"method":"ping","params":{"a":NaN}})");
    auto const answers = client.sent();
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_NE(answers[0].find(R"("id":5,"error")"), std::string::npos) << answers[0];
    EXPECT_NE(answers[1].find(R"("id":6,"error")"), std::string::npos) << answers[1];
    client.receive(R"({"jsonrpc":"2.0","id":null,"method":"ping"})");
    client.receive(R"({"jsonrpc":"1.0","method":"n"})");
    EXPECT_TRUE(client.sent().empty()) << "nobody waits for that";
}

TEST(Unreadable, a_server_answers_garbage_but_never_a_response) {
    Side server(true);
    for (auto const& line : lines_without_method) {
        server.receive(line);
        bool const is_response =
            line.find("result") != std::string::npos || line.find("error") != std::string::npos;
        EXPECT_EQ(server.sent().size(), is_response ? 0U : 1U) << line;
    }
    server.receive(R"({"error":{"message":"\q)");
    EXPECT_TRUE(server.sent().empty());
}

TEST(Unreadable, two_peers_do_not_send_each_other_errors_for_ever) {
    for (bool const left_is_server : {false, true}) {
        for (bool const right_is_server : {false, true}) {
            Side left(left_is_server);
            Side right(right_is_server);
            for (auto const& line : lines_without_method) left.receive(line);
            std::size_t sent = 0;
            for (int round = 0; round < 10; ++round) {
                auto const there = left.sent();
                for (auto const& line : there) right.receive(line);
                auto const back = right.sent();
                for (auto const& line : back) left.receive(line);
                sent += there.size() + back.size();
            }
            EXPECT_LE(sent, std::size(lines_without_method));
        }
    }
}

TEST(Unreadable, a_server_that_answers_every_line_with_noise_gets_no_answers) {
    for (auto const* noise : {"{}", "unknown message"}) {
        Side client(false);
        Sink sink;
        ASSERT_TRUE(client.peer.request("ping", "", sink, client.now));
        std::size_t lines = 0;
        for (int round = 0; round < 100; ++round) {
            auto const sent = client.sent();
            lines += sent.size();
            for (std::size_t i = 0; i < sent.size(); ++i) client.receive(noise);
        }
        EXPECT_EQ(lines, 1U);
        EXPECT_EQ(sink.answers, 0) << "noise is no answer";
    }
}

TEST(Unreadable, a_request_is_refused_with_its_id) {
    Side server(true);
    std::string deep = R"({"jsonrpc":"2.0","id":"q","method":"m","params":{"a":)";
    deep.append(100, '[').append(100, ']').append("}}");
    for (std::string const& line :
         {std::string(R"({"jsonrpc":"2.0","id":"q","method":"m","params":{"a":1e400}})"),
          std::string(
              "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"m\",\"params\":{\"a\":\"\xff\"}}"),
          std::string(R"({"params":{"a":1,"a":2},"method":"m","jsonrpc":"2.0","id":"q"})"),
          std::string(R"({"method":"m","params":{"a":"\q"},"jsonrpc":"2.0","id":"q"})"),
          std::string(R"({"method":"m","params":{"\ud83d":1},"jsonrpc":"2.0","id":"q"})"),
          std::string(R"({"method":"m","params":{"cursor":"\ud83d"},"jsonrpc":"2.0","id":"q"})"),
          deep}) {
        server.receive(line);
        auto const answers = server.sent();
        ASSERT_EQ(answers.size(), 1U) << line;
        EXPECT_NE(answers[0].find(R"("id":"q","error")"), std::string::npos) << answers[0];
    }
    Remains const remains{Intent::request, RequestId("q")};
    server.peer.on_dropped({.kind = Frame::Kind::too_long, .text = "too long", .remains = &remains},
                           server.now);
    auto const answers = server.sent();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_NE(answers[0].find(R"("id":"q","error")"), std::string::npos) << answers[0];
    EXPECT_TRUE(server.methods.empty());
}

// Each of these answers immediately ends its call with an error that contains the reason.
TEST(Unreadable, an_answer_ends_its_call_with_the_reason) {
    struct Case {
        std::string answer;
        std::string reason;
    };
    auto const with_id = [](std::string const& members) {
        return R"({"jsonrpc":"2.0","id":1,)" + members + "}";
    };
    std::vector<Case> const cases{
        {with_id(R"("result":{},"error":{"code":1,"message":"m"})"), "both result and error"},
        {with_id(R"("result":[])"), "result must be an object, found an array"},
        {with_id(R"("error":null)"), "error must be an object"},
        {with_id(R"("error":{"message":"the disk is full"})"), "the disk is full"},
        {with_id(R"("error":{"code":"x","message":"m"})"), "error.code must be a 64-bit integer"},
        {with_id(R"("x":1)"), "a message needs method, result or error"},
        {R"({"id":1,"result":{}})", "jsonrpc is missing"},
        {with_id(R"("result":{"a":1,"a":2})"), "duplicate key \"a\""},
        {with_id(R"("id":1,"result":{})"), "duplicate key \"id\""},
        {with_id(R"("result":{"a":NaN})"), "expected a value, found 'N'"},
        {with_id("\"result\":{\"a\":\"\xff\"}"), "invalid UTF-8"},
        {with_id(R"("result":{"a":1e400})"), "number out of range"},
        {with_id(R"("result":{"a":"\q"})"), "invalid escape"},
        {with_id(R"("result":{"\ud83d":1})"), "invalid escape"},
        {with_id(R"("error":{"code":1,"message":"\ud83d"})"), "invalid escape"},
        {with_id(R"("result":{"a":)" + std::string(100, '[') + std::string(100, ']') + "}"),
         "nested deeper than 64 levels"},
        {with_id(R"("result":{"a":[1,2}})"), "expected"},
    };
    for (bool const is_server : {false, true}) {
        for (auto const& [answer, reason] : cases) {
            Side side(is_server);
            Sink sink;
            side.ask(sink);
            side.receive(answer);
            ASSERT_EQ(sink.answers, 1) << answer;
            EXPECT_EQ(sink.outcome, Outcome::failed);
            ASSERT_TRUE(sink.error);
            EXPECT_TRUE(sink.error->is(Errc::protocol_violation));
            EXPECT_NE(sink.error->message().find(reason), std::string::npos)
                << sink.error->message();
            EXPECT_EQ(side.violations.size(), 1U);
            EXPECT_TRUE(side.sent().empty());
            EXPECT_EQ(side.peer.pending_count(), 0U);
        }
    }
}

TEST(Unreadable, an_answer_that_is_too_long_ends_its_call_with_the_reason) {
    Side client(false);
    Sink sink;
    client.ask(sink);
    Remains const remains{Intent::response, RequestId(1)};
    client.peer.on_dropped({.kind = Frame::Kind::too_long,
                            .text = "the message exceeds the size limit",
                            .remains = &remains},
                           client.now);
    ASSERT_EQ(sink.answers, 1);
    EXPECT_TRUE(sink.error->is(Errc::too_large));
    EXPECT_NE(sink.error->message().find("exceeds the size limit"), std::string::npos);
}

TEST(Unreadable, harmless_deviations_of_answers_are_accepted) {
    struct Case {
        std::string answer;
        std::string result;
        std::string error;
    };
    for (auto const& [answer, result, error] : std::vector<Case>{
             {R"({"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null})", R"({"a":1})", ""},
             {R"({"jsonrpc":"2.0","id":1,"result":null})", "{}", ""},
             {R"({"jsonrpc":"2.0","id":"1","result":{"a":1}})", R"({"a":1})", ""},
             {R"({"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d"}})", R"({"a":"\ufffd"})", ""},
             {R"({"jsonrpc":"2.0","id":1,"result":{"a":18446744073709551616}})",
              R"({"a":18446744073709551616.0})", ""},
             {R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000}})", "", "the peer gave no reason"},
             {R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000.0,"message":"no"}})", "", "no"},
             {R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"no"}})", "",
              "no"},
         }) {
        Side client(false);
        Sink sink;
        client.ask(sink);
        client.receive(answer);
        ASSERT_EQ(sink.answers, 1) << answer;
        EXPECT_EQ(sink.result, result) << answer;
        EXPECT_EQ(sink.error.has_value(), !error.empty());
        if (sink.error) {
            EXPECT_NE(sink.error->message().find(error), std::string::npos)
                << sink.error->message();
        }
    }
}

TEST(Unreadable, a_call_is_not_ended_by_other_invalid_messages) {
    Side client(false);
    Sink sink;
    client.ask(sink);
    for (auto const* line : {
             R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}})",
             R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})",
             R"({"jsonrpc":"2.0","id":1,"method":"ping","result":{}})",
             R"({"jsonrpc":"2.0","id":2,"result":NaN})",
             R"({"jsonrpc":"2.0","id":1,"id":2,"result":{}})",
             R"({"jsonrpc":"2.0","id":"01","result":{}})",
             R"({"jsonrpc":"2.0","id":"x","result":{}})",
             R"({"jsonrpc":"2.0","result":{"id":1,"a":NaN}})",
         }) {
        client.receive(line);
        EXPECT_EQ(sink.answers, 0) << line;
    }
    client.receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(sink.answers, 1);
}

TEST(Unreadable, an_answer_inside_a_batch_ends_its_call) {
    Side client(false);
    client.peer.set_version(Version::v2025_03_26);
    Sink first;
    Sink second;
    client.ask(first);
    client.ask(second);
    client.receive(
        R"([{"jsonrpc":"2.0","id":1,"result":7},{"jsonrpc":"2.0","id":2,"result":{"a":"\ud83d"}}])");
    EXPECT_TRUE(first.error);
    EXPECT_EQ(second.result, R"({"a":"\ufffd"})");
    EXPECT_TRUE(client.sent().empty());
}

}  // namespace
}  // namespace lanyard::rpc
