// The ids of requests: warnings when most are used, and a new connection before they are used up.
#include "reconnect_fixture.hpp"

namespace lanyard {
namespace {

using enum ConnectionState;

class RequestIds : public Reconnect {
protected:
    ClientOptions few_ids() { return ClientOptions().max_request_id(1000); }
    /// Makes calls, one after the other, until a request has this id.
    void call_until(std::int64_t last) {
        for (;;) {
            auto calling = start(client.call_tool("a"));
            auto const request = server->expect("tools/call");
            server->result(request, complete(R"("content":[])"));
            EXPECT_FALSE(calling.value().is_error);
            if (request.at("id").as_int64() >= last) return;
        }
    }
    bool diagnosed(std::string_view text) const {
        return std::ranges::any_of(
            diagnostics, [&](auto const& line) { return line.find(text) != std::string::npos; });
    }
};

TEST_P(RequestIds, the_use_of_80_and_90_percent_is_reported) {
    connect_client(few_ids());
    call_until(799);
    EXPECT_FALSE(diagnosed("80 % of the request ids"));
    call_until(800);
    EXPECT_TRUE(diagnosed("80 % of the request ids"));
    call_until(899);
    EXPECT_FALSE(diagnosed("90 % of the request ids"));
    call_until(900);
    EXPECT_TRUE(diagnosed("90 % of the request ids"));
    call_until(959);
    EXPECT_EQ(script->opened, 1);
    EXPECT_EQ(client.limit_counts().renewed, 0U);
}

TEST_P(RequestIds, at_96_percent_the_client_reconnects_and_the_ids_begin_again) {
    connect_client(few_ids().reconnect(ReconnectOptions().max_attempts(1)));
    auto const failed = recorder->failed.size();
    call_until(960);
    poll();
    greet(false);
    ASSERT_EQ(client.state(), ready) << "no wait before the new connection";
    EXPECT_EQ(script->opened, 2);
    EXPECT_EQ(client.connect_count(), 2U);
    EXPECT_EQ(client.limit_counts().renewed, 1U);
    EXPECT_EQ(recorder->failed.size(), failed);
    auto calling = start(client.call_tool("a"));
    auto const request = server->expect("tools/call");
    EXPECT_LT(request.at("id").as_int64(), 10);
    server->result(request, complete(R"("content":[])"));
    EXPECT_FALSE(calling.value().is_error);
    call_until(960);
    poll();
    greet(false);
    EXPECT_EQ(client.limit_counts().renewed, 2U) << "a renewal uses up no attempt";
}

TEST_P(RequestIds, a_pending_call_is_not_lost_by_the_renewal) {
    connect_client(few_ids());
    auto pending = start(client.call_tool("slow"));
    auto const slow = server->expect("tools/call");
    call_until(965);
    EXPECT_EQ(script->opened, 1);
    server->result(slow, complete(R"("content":[])"));
    EXPECT_FALSE(pending.value().is_error);
    greet(false);
    EXPECT_EQ(client.state(), ready);
    EXPECT_EQ(script->opened, 2);
}

TEST_P(RequestIds, a_subscription_does_not_delay_the_renewal_and_is_restored) {
    connect_client(few_ids().on_list_changed([](ListKind) {}));
    if (is_modern()) acknowledge(server->expect("subscriptions/listen"));
    call_until(960);
    greet(false);
    ASSERT_EQ(client.state(), ready);
    if (is_modern()) acknowledge(server->expect("subscriptions/listen"));
    EXPECT_TRUE(server->silent());
}

TEST_P(RequestIds, the_client_reconnects_at_the_last_id_even_if_a_call_is_pending) {
    connect_client(few_ids());
    auto pending = start(client.call_tool("slow"));
    server->expect("tools/call");
    call_until(1000);
    EXPECT_TRUE(error_of(client.call_tool("a")).is(Errc::unavailable));
    greet(false);
    EXPECT_TRUE(pending.error().is(Errc::transport_down)) << pending.error().what();
    EXPECT_EQ(client.state(), ready);
    call_until(10);
}

TEST_P(RequestIds, a_client_of_an_open_transport_reports_that_it_cannot_reconnect) {
    open(GetParam(), few_ids());
    call_until(1000);
    EXPECT_TRUE(diagnosed("cannot reconnect"));
    auto const error = error_of(client.call_tool("a"));
    EXPECT_TRUE(error.is(Errc::unavailable));
    EXPECT_EQ(error.message(), "all request ids are used; reconnect");
    EXPECT_EQ(client.state(), ready);
}

TEST_P(RequestIds, a_client_that_stops_is_not_renewed) {
    connect_client(few_ids());
    auto pending = start(client.call_tool("slow"));
    auto const slow = server->expect("tools/call");
    call_until(960);
    auto stopping = start(client.stop(10s));
    server->result(slow, complete(R"("content":[])"));
    EXPECT_FALSE(pending.value().is_error);
    EXPECT_TRUE(stopping.value());
    EXPECT_EQ(client.state(), closed);
    EXPECT_EQ(script->opened, 1);
}

TEST_P(RequestIds, the_largest_id_is_at_least_1000_and_at_most_2_to_the_53) {
    constexpr auto most = std::int64_t{1} << 53;
    EXPECT_EQ(ClientOptions().max_request_id(), most);
    for (auto const wrong : {std::int64_t{999}, most + 1}) {
        auto const options = timed(ClientOptions().max_request_id(wrong));
        auto const error = start(connect(make_transport(), options)).error();
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        EXPECT_EQ(error.message(),
                  "ClientOptions::max_request_id: must be between 1000 and 2^53, "
                  "got " +
                      std::to_string(wrong));
    }
    open(GetParam(), ClientOptions().max_request_id(most));
    EXPECT_EQ(client.state(), ready);
}

// Answers that come too late, and limit_counts().
class LateAnswers : public Reconnect {};

TEST_P(LateAnswers, late_unknown_and_forgotten_answers_are_counted) {
    connect_client(ClientOptions().max_tombstones(1));
    std::vector<Json> requests;
    std::vector<Running<CallToolResult>> calls;
    for (int i = 0; i < 3; ++i) {
        auto const options = CallOptions().timeout(1s + i * 1ms);
        calls.push_back(start(client.call_tool("a", RawJson(), options)));
        requests.push_back(server->expect("tools/call"));
    }
    advance(2s);
    for (auto& call : calls) EXPECT_TRUE(call.error().is(Errc::timeout));
    EXPECT_EQ(client.limit_counts().evicted, 2U);
    EXPECT_EQ(client.limit_counts().late, 0U);
    server->result(requests[2], complete(R"("content":[])"));
    EXPECT_EQ(client.limit_counts().late, 1U);
    EXPECT_EQ(client.limit_counts().unknown, 0U);
    auto const violations = client.limit_counts().violations;
    server->result(requests[0], complete(R"("content":[])"));
    EXPECT_EQ(client.limit_counts().late, 1U);
    EXPECT_EQ(client.limit_counts().unknown, 1U);
    EXPECT_EQ(client.limit_counts().violations, violations + 1);
}

LANYARD_EACH_ERA(RequestIds);
LANYARD_EACH_ERA(LateAnswers);

}  // namespace
}  // namespace lanyard
