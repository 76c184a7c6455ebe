// A call that the server refuses because of its headers: the client lists the tools again, once,
// and repeats the call. (2026-07-28 over HTTP, "Custom headers".)
#include "client_fixture.hpp"

namespace lanyard {
namespace {

// A memory connection that reports HTTP as its transport.
class HttpInName final : public Transport {
public:
    explicit HttpInName(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}
    boost::asio::any_io_executor executor() const override { return inner_->executor(); }
    Task<std::optional<std::span<rpc::Frame const>>> read() override { return inner_->read(); }
    void write_now(rpc::Outbox& outbox) noexcept override {
        if (!outbox.empty()) {
            auto const route = outbox.front_route();
            last_route = std::string(route.method) + " " + std::string(route.name);
            if (route.version) last_route.append(" ").append(to_string(*route.version));
        }
        inner_->write_now(outbox);
    }
    Task<> write(rpc::Outbox& outbox) override { return inner_->write(outbox); }
    void close() noexcept override { inner_->close(); }
    TransportInfo info() const override { return inner_->info(); }
    TransportTraits traits() const noexcept override { return {.speaks_http = true}; }

    std::string last_route;  // method, name and version of the message that was sent last

private:
    std::unique_ptr<Transport> inner_;
};

class ToolHeaders : public ClientTest {
protected:
    void SetUp() override {
        auto transport = std::make_unique<HttpInName>(make_transport());
        http = transport.get();
        auto connecting = start(connect(std::move(transport), timed({})));
        server->result(server->expect("server/discover"), discovery());
        client = connecting.value();
    }

    /// Starts a call, which the server refuses because of its headers.
    Running<CallToolResult> refused_call(CallOptions const& options = {}) {
        auto calling = start(client.call_tool("t", RawJson::trusted("{}"), options));
        server->error(server->expect("tools/call"), -32020);
        return calling;
    }
    void answer_page(int number) {
        auto const cursor = R"(,"nextCursor":")" + std::to_string(number) + "\"";
        server->result(server->expect("tools/list"),
                       R"({"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[])" +
                           cursor + "}");
    }

    HttpInName* http = nullptr;
};

TEST_F(ToolHeaders, the_transport_gets_the_name_without_parsing) {
    auto calling = start(client.call_tool("t", RawJson::trusted("{}")));
    EXPECT_EQ(http->last_route, "tools/call t 2026-07-28");
    auto listing = start(client.list_tools());
    EXPECT_EQ(http->last_route, "tools/list  2026-07-28");
    auto asking = start(client.request("tools/call", RawJson::trusted(R"({"name":"t"})")));
    EXPECT_EQ(http->last_route, " ") << "the transport has to read the name in raw params";
}

TEST_F(ToolHeaders, the_call_is_repeated_once) {
    auto calling = refused_call();
    answer_page(1);
    server->result(server->expect("tools/list"),
                   R"({"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]})");
    server->error(server->expect("tools/call"), -32020);
    EXPECT_EQ(calling.error().peer_code(), -32020);
    EXPECT_TRUE(server->silent());
}

TEST_F(ToolHeaders, a_list_without_an_end_ends_the_call) {
    auto calling = refused_call();
    for (int page = 0; page < 10'000; ++page) answer_page(page);
    EXPECT_TRUE(calling.error().is(Errc::protocol_violation));
    EXPECT_TRUE(server->silent());
}

TEST_F(ToolHeaders, a_list_that_repeats_a_cursor_ends_the_call) {
    auto calling = refused_call();
    answer_page(1);
    answer_page(1);
    EXPECT_TRUE(calling.error().is(Errc::protocol_violation));
    EXPECT_TRUE(server->silent());
}

TEST_F(ToolHeaders, the_timeout_of_the_call_covers_the_whole_list) {
    auto calling = refused_call(CallOptions().timeout(5s));
    for (int page = 0; page < 4; ++page) {
        advance(1s);
        answer_page(page);
    }
    EXPECT_FALSE(calling.done());
    advance(999ms);
    EXPECT_FALSE(calling.done());
    advance(1ms);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
}

TEST_F(ToolHeaders, the_total_timeout_of_the_call_covers_all_its_requests) {
    auto calling = start(
        client.call_tool("t", RawJson::trusted("{}"), CallOptions().timeout(4s).max_total(9s)));
    auto const request = server->expect("tools/call");
    advance(3s);
    server->error(request, -32020);
    advance(3s);
    server->result(server->expect("tools/list"),
                   R"({"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]})");
    server->expect("tools/call");
    advance(2999ms);
    EXPECT_FALSE(calling.done());
    advance(1ms);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
}

TEST_F(ToolHeaders, a_stop_request_ends_the_list) {
    std::stop_source stop;
    auto calling = refused_call(CallOptions().stop_token(stop.get_token()));
    answer_page(1);
    stop.request_stop();
    EXPECT_TRUE(calling.error().is(Errc::cancelled));
}

}  // namespace
}  // namespace lanyard
