// Options of a client: bad values are refused, and limits are those of the options.
#include "reconnect_fixture.hpp"

namespace lanyard {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

class OptionsOfClient : public ClientTest {
protected:
    std::string refusal_of(ClientOptions const& options) {
        auto const error = start(connect(make_transport(), timed(options))).error();
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        return error.message();
    }
    /// Makes calls whose requests of 2 MiB are not read: the connection has room for the first.
    std::vector<Running<CallToolResult>> call_unread() {
        server->stall();
        std::string const text(2 * mebibyte, 'x');
        auto const arguments = RawJson(Json(JsonObject{{"text", text}}));
        std::vector<Running<CallToolResult>> calls;
        for (int i = 0; i < 3; ++i) calls.push_back(start(client.call_tool("a", arguments)));
        return calls;
    }
    static bool has_unknown(Recorder const& recorder) {
        return std::ranges::any_of(recorder.events,
                                   [](auto const& event) { return event.starts_with("unknown"); });
    }
};

TEST_F(OptionsOfClient, errors_name_the_option) {
    EXPECT_EQ(refusal_of(ClientOptions().max_unsent_bytes(10).hard_unsent_bytes(9)),
              "ClientOptions::hard_unsent_bytes: must be at least max_unsent_bytes (10), got 9");
    EXPECT_EQ(refusal_of(ClientOptions().write_timeout(0s)),
              "ClientOptions::write_timeout: must be more than zero, got 0 ms");
    EXPECT_EQ(refusal_of(ClientOptions().slow_reader_timeout(0s)),
              "ClientOptions::slow_reader_timeout: must be more than zero, got 0 ms");
    EXPECT_EQ(refusal_of(ClientOptions().busy_retries(2, 0s)),
              "ClientOptions::busy_retries: must be more than zero, got 0 ms");
    EXPECT_EQ(refusal_of(ClientOptions().ping_timeout(-1s)),
              "ClientOptions::ping_timeout: must not be negative, got -1000 ms");
    EXPECT_EQ(refusal_of(ClientOptions().reconnect(ReconnectOptions().jitter(1.5))),
              "ReconnectOptions::jitter: must be between 0 and 1, got 1.500000");
    EXPECT_EQ(refusal_of(ClientOptions().tombstone_sweep_interval(0s)),
              "ClientOptions::tombstone_sweep_interval: must be more than zero, got 0 ms");
}

TEST_F(OptionsOfClient, the_hard_limit_of_unsent_data_is_eight_times_max_unsent_bytes) {
    EXPECT_EQ(ClientOptions().hard_unsent_bytes(), 64 * mebibyte);
    EXPECT_EQ(ClientOptions().max_unsent_bytes(3).hard_unsent_bytes(), 24U);
    EXPECT_EQ(ClientOptions().max_unsent_bytes(SIZE_MAX / 2).hard_unsent_bytes(), SIZE_MAX);
}

TEST_F(OptionsOfClient, a_call_on_a_busy_transport_is_tried_as_often_as_the_option_allows) {
    open(
        Version::v2025_11_25,
        ClientOptions().max_unsent_bytes(mebibyte).hard_unsent_bytes(mebibyte).busy_retries(1, 1s));
    auto const calls = call_unread();
    auto refused = start(client.call_tool("b"));
    advance(499ms);
    EXPECT_FALSE(refused.done());
    advance(1001ms);
    EXPECT_TRUE(refused.error().is(Errc::busy));
}

TEST_F(OptionsOfClient, without_retries_a_call_on_a_busy_transport_fails_at_once) {
    open(
        Version::v2025_11_25,
        ClientOptions().max_unsent_bytes(mebibyte).hard_unsent_bytes(mebibyte).busy_retries(0, 1s));
    auto const calls = call_unread();
    EXPECT_TRUE(start(client.call_tool("b")).error().is(Errc::busy));
}

TEST_F(OptionsOfClient, as_many_late_answers_are_recognized_as_there_are_tombstones) {
    auto const recorder = std::make_shared<Recorder>();
    open(Version::v2025_11_25, ClientOptions().max_tombstones(1).observer(recorder));
    auto first = start(client.call_tool("a", RawJson(), CallOptions().timeout(1s)));
    auto const older = server->expect("tools/call");
    auto second = start(client.call_tool("b", RawJson(), CallOptions().timeout(1s)));
    auto const newer = server->expect("tools/call");
    advance(1s);
    EXPECT_TRUE(first.error().is(Errc::timeout));
    EXPECT_TRUE(second.error().is(Errc::timeout));
    server->result(newer, "{}");
    poll();
    EXPECT_FALSE(has_unknown(*recorder));
    server->result(older, "{}");
    poll();
    EXPECT_TRUE(has_unknown(*recorder));
}

TEST_F(OptionsOfClient, the_client_looks_for_old_tombstones_in_the_interval_of_the_option) {
    open(Version::v2025_11_25, ClientOptions().tombstone_sweep_interval(2s));
    auto calling = start(client.call_tool("a", RawJson(), CallOptions().timeout(1s)));
    server->expect("tools/call");
    advance(1s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    EXPECT_EQ(time.next_alarm(), time.now() + 2s);
    advance(2s);
    EXPECT_EQ(time.next_alarm(), time.now() + 2s);
}

}  // namespace
}  // namespace lanyard
