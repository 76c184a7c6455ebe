// Tests of the hardening list for the endpoint as a whole, named after the ids of the list. Floods
// are longer with LANYARD_TEST_LONG.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/reflect.hpp"
#include "lanyard/server/server.hpp"
#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

using http::Status;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using Kind = rpc::Route::Kind;

int times(int few, int many) {
    return std::getenv("LANYARD_TEST_LONG") != nullptr ? many : few;
}

// Every route is checked by the gate first; the router cannot be reached in another way.
TEST(Hardening, S02_every_route_is_protected_by_the_gate) {
    std::size_t routes = 0;
    for (auto const mode : {Sessions::stateful, Sessions::stateless, Sessions::hybrid}) {
        auto router =
            http::Router::make(http::endpoint_routes(McpHttpOptions().sessions(mode).sse()));
        ASSERT_TRUE(router);
        auto const gate = http::AdmissionGate::make({}, *std::move(router)).value();
        for (auto const& path : gate.router().paths()) {
            for (auto const& rule : path.rules) {
                ++routes;
                for (auto const* const foreign :
                     {"Host: evil.com\r\n", "Host: localhost\r\nOrigin: http://evil.com\r\n"}) {
                    auto const text = std::string(to_string(rule.method)) + " " + path.path +
                                      " HTTP/1.1\r\n" + foreign +
                                      "Content-Type: application/json\r\n"
                                      "Accept: application/json, text/event-stream\r\n\r\n";
                    http::RequestReader reader;
                    reader.feed(text);
                    ASSERT_EQ(reader.next(), http::RequestReader::Event::head) << text;
                    auto const admitted = gate.admit(reader.head());
                    ASSERT_FALSE(admitted) << text;
                    EXPECT_EQ(admitted.error().status, Status::forbidden) << text;
                }
            }
        }
    }
    EXPECT_GE(routes, 10U);
}

TEST(Hardening, S14_a_request_without_a_session_never_reaches_the_only_one) {
    McpBench bench;
    bench.open();
    auto const before = bench.scripted.last().seen.size();
    for (auto const& headers :
         {Headers{}, Headers{{"Mcp-Session-Id", "BBBBBBBBBBBBBBBBBBBBBBBB"}}}) {
        for (auto const& call :
             {bench.post(request("now"), headers), bench.get(headers), bench.del(headers)}) {
            EXPECT_THAT(call->status(), ::testing::AnyOf(Status::bad_request, Status::not_found));
        }
    }
    EXPECT_THAT(bench.scripted.connections, SizeIs(1));
    EXPECT_EQ(bench.scripted.last().seen.size(), before);
    EXPECT_EQ(bench.counters().sessions, 1U);
}

struct Agreed {
    bool yes = false;
};
LANYARD_STRUCT(Agreed, (yes, "Whether"))

struct Amount {
    int amount = 0;
};
LANYARD_STRUCT(Amount, (amount, "How much"))

// A tool that asks for confirmation before it pays.
class Paying : public ::testing::Test {
protected:
    Paying() {
        server.tool("pay", "", [this](Amount in, Context& ctx) -> Task<std::string> {
            auto const agreed = co_await ctx.elicit<Agreed>("agreed", "Really?");
            if (agreed && agreed->yes) paid += in.amount;
            co_return "done";
        });
    }

    static std::shared_ptr<Principal const> who(std::string name) {
        auto made = std::make_shared<Principal>();
        made->subject = std::move(name);
        return made;
    }
    std::shared_ptr<Call> pay(std::string_view amount, std::string const& state,
                              std::shared_ptr<Principal const> const& principal) {
        std::string answer;
        if (!state.empty()) {
            answer = R"(,"requestState":")" + state +
                     R"(","inputResponses":{"agreed":{"action":"accept","content":{"yes":true}}})";
        }
        auto const text =
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay",)"
            R"("arguments":{"amount":)" +
            std::string(amount) + "}" + answer +
            R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}})";
        auto headers = stateless_headers("tools/call");
        headers.emplace_back("Mcp-Name", "pay");
        auto call = bench.post(text, headers, principal);
        bench.forget_calls();
        return call;
    }
    static std::string state_in(std::string const& text) {
        constexpr std::string_view key = R"("requestState":")";
        auto const begin = text.find(key);
        if (begin == text.npos) return {};
        auto const value = text.substr(begin + key.size());
        return value.substr(0, value.find('"'));
    }

    testing::FakeTime time;
    Server server{Implementation{.name = "s", .version = "1"},
                  ServerOptions().time(time).on_log([](auto, auto) {})};
    McpBench bench{server, time};
    int paid = 0;
};

TEST_F(Paying, S16_a_request_state_is_valid_only_for_its_own_request) {
    auto const ada = who("ada");
    auto const state = state_in(pay("10", "", ada)->text());
    ASSERT_THAT(state, Not(IsEmpty()));
    for (std::size_t i = 0; i < state.size(); ++i) {
        auto forged = state;
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        if (forged != state) pay("10", forged, ada);
    }
    EXPECT_EQ(paid, 0) << "a changed state";
    pay("10", state.substr(0, state.size() - 1), ada);
    pay("10", state, who("eve"));
    pay("10", state, nullptr);
    EXPECT_EQ(paid, 0) << "of somebody else";
    pay("1000", state, ada);
    EXPECT_EQ(paid, 0) << "with other arguments";
    EXPECT_THAT(pay("10", state, ada)->text(), HasSubstr("done"));
    EXPECT_EQ(paid, 10);
    auto const late = state_in(pay("10", "", ada)->text());
    bench.advance(24h);
    pay("10", late, ada);
    EXPECT_EQ(paid, 10) << "too late";
}

// Bodies that parsers could read differently are refused in both eras and reach no handler.
class Bodies : public ::testing::Test {
protected:
    void expect_refused(std::string const& body, std::string_view method = "tools/list") {
        auto const session = bench.open();
        auto const before = bench.scripted.last().seen.size();
        for (auto const& headers : {session, stateless_headers(method)}) {
            auto const call = bench.post(body, headers);
            EXPECT_EQ(call->status(), Status::bad_request) << body.substr(0, 200);
        }
        EXPECT_EQ(bench.scripted.last().seen.size(), before) << body.substr(0, 200);
        EXPECT_THAT(bench.scripted.held, IsEmpty()) << body.substr(0, 200);
        bench.forget_calls();
    }

    McpBench bench;
    std::string const good = stateless_request("tools/list");
};

TEST_F(Bodies, S20_names_are_not_folded) {
    for (std::string const name : {"Method", "METHOD", "m\xC4\x97thod"}) {
        auto body = good;
        expect_refused(body.replace(body.find("method"), 6, name));
    }
    // U+017F (long s), which some case foldings map to s. Without folding, the metadata is missing.
    auto odd_params = good;
    odd_params.replace(odd_params.find("params"), 6, "param\xC5\xBF");
    auto odd_meta = good;
    odd_meta.replace(odd_meta.find("_meta"), 5, "_Meta");
    for (auto const& body : {odd_params, odd_meta}) {
        auto const call = bench.post(body, stateless_headers("tools/list"));
        EXPECT_EQ(call->status(), Status::bad_request) << body;
    }
    EXPECT_THAT(bench.scripted.held, IsEmpty());
}

TEST_F(Bodies, S21_a_name_with_nul_is_another_name) {
    auto body = good;
    expect_refused(body.replace(body.find("method"), 6, R"(method\u0000)"));
}

TEST_F(Bodies, S22_a_duplicate_name_is_refused_at_every_depth) {
    for (std::string const place : {R"("jsonrpc":"2.0")", R"("id":7)", R"("method":"tools/list")",
                                    R"("io.modelcontextprotocol/clientCapabilities":{})"}) {
        auto body = good;
        ASSERT_NE(body.find(place), body.npos) << place;
        expect_refused(body.insert(body.find(place), place + ","));
    }
    expect_refused(stateless_request("tools/list", R"(,"a":{"b":[{"c":1,"c":1}]})"));
}

TEST_F(Bodies, S23_a_nul_byte_is_refused_at_every_offset) {
    for (std::size_t i = 0; i <= good.size(); ++i) {
        auto body = good;
        body.insert(i, 1, '\0');
        expect_refused(body);
    }
}

TEST_F(Bodies, S24_depth_and_size_are_limited) {
    auto const nested = [](std::size_t depth) {
        return stateless_request("tools/list",
                                 R"(,"a":)" + std::string(depth, '[') + std::string(depth, ']'));
    };
    expect_refused(nested(64));
    expect_refused(nested(1'000'000));
    expect_refused(std::string(1'000'000, '['));
    auto const call = bench.post(nested(50), stateless_headers("tools/list"));
    EXPECT_EQ(call->reply.state(), RecordingReply::State::pending) << "it is served";
    EXPECT_THAT(bench.scripted.held, SizeIs(1));
}

// Floods.

TEST(Hardening, R04_abandoned_sessions_stay_within_the_limit) {
    McpBench bench(McpHttpOptions().max_sessions(1'000).session_expiry(10min));
    int const all = times(5'000, 100'000);
    for (int i = 0; i < all; ++i) {
        bench.post(initialize_text);
        if (i % 100 == 0) {
            bench.forget_calls();
            bench.advance(1min);
        }
        ASSERT_LE(bench.counters().sessions, 1'000U);
    }
    bench.advance(1h);
    bench.advance(1h);
    EXPECT_EQ(bench.counters().sessions, 0U);
    std::erase_if(bench.scripted.connections,
                  [](auto const& connection) { return connection->transport == nullptr; });
    EXPECT_THAT(bench.scripted.connections, IsEmpty());
}

TEST(Hardening, websockets_beyond_the_limit_are_refused_and_counted) {
    auto const options = McpHttpOptions().websocket().max_websockets(0);
    McpBench bench(options);
    auto const call = bench.send("GET", options.websocket_path(), "",
                                 {{"Connection", "Upgrade"},
                                  {"Upgrade", "websocket"},
                                  {"Sec-WebSocket-Version", "13"},
                                  {"Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="},
                                  {"Sec-WebSocket-Protocol", "mcp"}});
    EXPECT_EQ(call->status(), Status::service_unavailable);
    EXPECT_EQ(bench.endpoint->websockets()->counters().refused, 1U);
}

TEST(Hardening, R05_sessions_leave_nothing_behind_however_they_end) {
    McpBench bench(McpHttpOptions().sessions(Sessions::hybrid).session_expiry(10min));
    int const cycles = times(2'000, 1'000'000);
    for (int i = 0; i < cycles; ++i) {
        switch (i % 5) {
            case 0:  // ended
                bench.del(bench.open());
                break;
            case 1:  // left alone
                bench.open();
                break;
            case 2:  // left with a call and a stream in progress
            {
                auto const session = bench.open();
                auto const stream = bench.get(session);
                auto const call = bench.post(request("later"), session);
                stream->reply.disconnect();
                call->reply.disconnect();
                bench.server_sends(result(), bench.last_origin(), Kind::answer);
                break;
            }
            case 3:  // refused
                bench.scripted.accepts = false;
                bench.post(initialize_text);
                bench.scripted.accepts = true;
                break;
            default:  // without a session
                bench.post(request("now"));
                break;
        }
        if (i % 100 == 99) {
            bench.advance(1min);
            bench.forget_calls();
            std::erase_if(bench.scripted.connections,
                          [](auto const& connection) { return connection->transport == nullptr; });
            ASSERT_LE(bench.counters().sessions, 600U);
        }
    }
    for (int i = 0; i < 3; ++i) bench.advance(1h);
    EXPECT_EQ(bench.counters().sessions, 0U);
    EXPECT_EQ(bench.counters().streams, 0U);
    EXPECT_EQ(bench.time.next_alarm(), TimePoint::max()) << "nothing to sweep, no alarm";
}

TEST(Hardening, R06_a_session_may_have_any_number_of_calls) {
    McpBench bench(McpHttpOptions().max_kept_events(50));
    auto const session = bench.open();
    int const calls = times(5'000, 1'000'000);
    for (int i = 0; i < calls; ++i) {
        bench.post(request("later", i), session);
        bench.server_sends(result(i), bench.last_origin(), Kind::answer);
        if (i % 100 == 99) {
            bench.forget_calls();
            bench.scripted.last().seen.clear();
        }
    }
    EXPECT_EQ(bench.counters().streams, 0U);
    EXPECT_EQ(bench.counters().events_sent, static_cast<std::uint64_t>(calls));
}

}  // namespace
}  // namespace lanyard::test
