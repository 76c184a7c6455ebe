// A session whose transport has several routes to its peer, as HTTP has.
#include <deque>
#include <map>

#include "peer/responder.hpp"
#include "runtime/event.hpp"
#include "runtime/transport_extras.hpp"
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;
using Kind = rpc::Route::Kind;

struct Sure {
    bool really = false;
};
LANYARD_STRUCT(Sure, really)

// Delivers the messages of the test with their origins, and records what the session sends.
class RoutedTransport final : public Transport, public runtime::TransportExtras {
public:
    struct Sent {
        std::string text;
        rpc::Route route;  // without the method
        std::string method;
    };

    explicit RoutedTransport(boost::asio::any_io_executor executor)
        : executor_(std::move(executor)), changed_(executor_) {}

    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        while (waiting.empty() && !closed) co_await changed_.wait();
        if (waiting.empty()) co_return std::nullopt;
        current_ = std::move(waiting.front());
        waiting.pop_front();
        frame_ = {rpc::Frame::Kind::message, current_.first, current_.second};
        co_return std::span<rpc::Frame const>(&frame_, 1);
    }
    void write_now(rpc::Outbox& outbox) noexcept override {
        for (; !outbox.empty(); outbox.pop()) {
            auto route = outbox.front_route();
            std::string method(std::exchange(route.method, {}));
            sent.push_back({std::string(outbox.front()), route, std::move(method)});
        }
    }
    Task<> write(rpc::Outbox& outbox) override {
        write_now(outbox);
        co_return;
    }
    void close() noexcept override {
        closed = true;
        changed_.notify();
    }
    TransportInfo info() const override {
        TransportInfo info;
        info.kind = "http";
        return info;
    }
    std::shared_ptr<PeerInfo const> peer_info(std::uint64_t origin) const override {
        auto info = std::make_shared<PeerInfo>();
        info->transport = "http";
        info->session_id = "the-session";
        info->identity = origin == 0 ? "ada" : "ada/" + std::to_string(origin);
        info->headers = {{"X-Origin", std::to_string(origin)}};
        return info;
    }
    TransportTraits traits() const noexcept override {
        return {.watches_peer = true, .speaks_http = true};
    }
    std::unique_ptr<rpc::Suspended> take_suspended() noexcept override {
        return std::move(suspended);
    }
    void on_handshake(std::optional<Version> version) noexcept override {
        handshakes.emplace_back(version, sent.size());
    }
    void release_stream(std::uint64_t origin) noexcept override {
        released.emplace_back(origin, sent.size());
    }

    void give(std::string text, std::uint64_t origin) {
        waiting.emplace_back(std::move(text), origin);
        changed_.notify();
    }

    std::deque<std::pair<std::string, std::uint64_t>> waiting;
    std::deque<Sent> sent;
    std::vector<std::pair<std::uint64_t, std::size_t>> released;  // origin, messages sent before
    std::unique_ptr<rpc::Suspended> suspended;
    // The negotiated revisions, and the number of messages sent before they were reported.
    std::vector<std::pair<std::optional<Version>, std::size_t>> handshakes;
    bool closed = false;

private:
    boost::asio::any_io_executor executor_;
    runtime::Event changed_;
    std::pair<std::string, std::uint64_t> current_;
    rpc::Frame frame_{};
};

constexpr auto handshake =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
    R"("2025-11-25","capabilities":{"elicitation":{"form":{}}},)"
    R"("clientInfo":{"name":"r","version":"1"}}})";

class RoutedSessionTest : public ::testing::Test {
protected:
    RoutedSessionTest() {
        server.tool(
            "who", "",
            [](Context& ctx) {
                return std::string(ctx.identity()) + " " + ctx.headers().front().value + " " +
                       std::string(ctx.session_id());
            },
            ToolOptions().inline_());
        server.tool("talk", "", [](Context& ctx) -> Task<std::string> {
            ctx.log(LoggingLevel::info, "hm");
            ctx.report_progress(1);
            auto const sure = co_await ctx.elicit<Sure>("sure", "Really?");
            co_return sure ? "yes" : "no";
        });
        server.tool(
            "part", "",
            [](Context& ctx) {
                ctx.log(LoggingLevel::info, "before");
                ctx.release_stream();
                return "after";
            },
            ToolOptions().inline_());
        server.tool("hang", "",
                    [this]() -> Task<> { co_await sleep_until(time, TimePoint::max() - 1h); });
        connect(nullptr);
        give(handshake, 1);
        give(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", 0);
        EXPECT_EQ(next().route, (rpc::Route{1, Kind::answer}));
    }
    ~RoutedSessionTest() override {
        carrier->close();
        poll();
    }
    void connect(std::unique_ptr<rpc::Suspended> suspended) {
        auto transport = std::make_unique<RoutedTransport>(context.get_executor());
        carrier = transport.get();
        carrier->suspended = std::move(suspended);
        boost::asio::co_spawn(context, server.serve(std::move(transport)), boost::asio::detached);
    }
    void poll() {
        context.restart();
        context.poll();
    }
    void give(std::string text, std::uint64_t origin) {
        carrier->give(std::move(text), origin);
        poll();
    }
    void call(std::string const& tool, std::uint64_t origin, std::string const& more = "") {
        give(R"({"jsonrpc":"2.0","id":)" + std::to_string(origin) +
                 R"(,"method":"tools/call","params":{"name":")" + tool + '"' + more + "}}",
             origin);
    }
    RoutedTransport::Sent next() {
        if (carrier->sent.empty()) return {};
        auto sent = std::move(carrier->sent.front());
        carrier->sent.pop_front();
        return sent;
    }

    testing::FakeTime time;
    Server server{"s", "1", ServerOptions().time(time).on_log([](auto, auto) {})};
    boost::asio::io_context context;
    RoutedTransport* carrier = nullptr;
};

TEST_F(RoutedSessionTest, a_request_has_the_identity_and_the_headers_it_came_with) {
    EXPECT_EQ(server.sessions().front().id, "the-session");
    for (std::uint64_t const origin : {7u, 8u}) {
        call("who", origin);
        auto const answer = next();
        EXPECT_EQ(answer.route, (rpc::Route{origin, Kind::answer}));
        auto const number = std::to_string(origin);
        EXPECT_NE(answer.text.find("ada/" + number + " " + number + " the-session"),
                  std::string::npos)
            << answer.text;
    }
}

TEST_F(RoutedSessionTest, all_messages_of_a_request_have_its_route) {
    call("talk", 7, R"(,"_meta":{"progressToken":1})");
    auto const log = next();
    EXPECT_NE(log.text.find("notifications/message"), std::string::npos);
    EXPECT_EQ(log.route, rpc::Route{7});
    auto const progress = next();
    EXPECT_NE(progress.text.find("notifications/progress"), std::string::npos);
    EXPECT_EQ(progress.route, rpc::Route{7});
    auto const question = next();
    EXPECT_NE(question.text.find("elicitation/create"), std::string::npos);
    EXPECT_EQ(question.method, "elicitation/create");
    EXPECT_EQ(question.route.origin, 7u);
    EXPECT_EQ(question.route.kind, Kind::request);
    ASSERT_TRUE(question.route.id);
    EXPECT_EQ(question.route.id, at(*json::parse(question.text), "id"));
    auto const id = json::serialize(at(*json::parse(question.text), "id"));
    give(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"action":"decline"}})", 0);
    EXPECT_EQ(next().route, (rpc::Route{7, Kind::answer}));
}

TEST_F(RoutedSessionTest, the_transport_gets_the_negotiated_revision_before_the_answer) {
    using Handshakes = std::vector<std::pair<std::optional<Version>, std::size_t>>;
    EXPECT_EQ(carrier->handshakes, (Handshakes{{Version::v2025_11_25, 0}}));
    give(handshake, 2);
    EXPECT_NE(next().text.find("already_initialized"), std::string::npos);
    EXPECT_EQ(carrier->handshakes.size(), 1u) << "the second handshake has changed nothing";

    carrier->close();
    poll();
    connect(nullptr);
    give(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})", 1);
    EXPECT_EQ(carrier->handshakes, (Handshakes{{std::nullopt, 0}})) << "it was refused";
}

TEST_F(RoutedSessionTest, a_session_can_begin_without_a_handshake) {
    carrier->close();
    poll();
    auto const entry = rpc::RequestEntry::open(server, context.get_executor());
    connect(entry->assume_handshake(Version::v2025_06_18));
    call("talk", 1);
    EXPECT_NE(next().text.find("notifications/message"), std::string::npos)
        << "messages of the level info are sent, as after a handshake";
    auto const refused = next();
    EXPECT_EQ(refused.route, (rpc::Route{1, Kind::answer}));
    EXPECT_NE(refused.text.find("elicitation"), std::string::npos)
        << "the client has not declared that it can be asked";
    auto const session = server.sessions().front();
    EXPECT_EQ(session.client.name, "unknown");
    EXPECT_EQ(session.version, "2025-06-18");
    EXPECT_EQ(session.requests, 1u);
    EXPECT_TRUE(carrier->handshakes.empty());
}

TEST_F(RoutedSessionTest, messages_of_no_request_have_no_route) {
    server.log(LoggingLevel::error, "to all");
    server.remove_tool("who");
    poll();
    EXPECT_EQ(next().route, rpc::Route{0});
    EXPECT_EQ(next().route, rpc::Route{0});
}

TEST_F(RoutedSessionTest, a_cancelled_request_ends_its_route_without_an_answer) {
    call("hang", 7);
    give(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})", 0);
    poll();
    auto const end = next();
    EXPECT_EQ(end.text, "");
    EXPECT_EQ(end.route, (rpc::Route{7, Kind::none}));
}

TEST_F(RoutedSessionTest, releasing_a_stream_follows_the_earlier_messages_of_the_handler) {
    call("part", 9);
    ASSERT_EQ(carrier->released.size(), 1U);
    EXPECT_EQ(carrier->released[0], std::pair(std::uint64_t(9), std::size_t(1)));
    EXPECT_NE(next().text.find("before"), std::string::npos);
    EXPECT_EQ(next().route, (rpc::Route{9, Kind::answer}));
}

TEST_F(RoutedSessionTest, a_carrier_that_watches_its_peer_needs_no_pings) {
    time.advance(10min);
    poll();
    EXPECT_TRUE(carrier->sent.empty());
    EXPECT_FALSE(carrier->closed);
}

// A transport as users write them: it knows its peer, and implements Transport only.
class IdentifiedTransport final : public Transport {
public:
    IdentifiedTransport(std::unique_ptr<Transport> inner, std::shared_ptr<PeerInfo const> sender)
        : inner_(std::move(inner)), sender_(std::move(sender)) {}

    boost::asio::any_io_executor executor() const override { return inner_->executor(); }
    Task<std::optional<std::span<rpc::Frame const>>> read() override { return inner_->read(); }
    Task<> write(rpc::Outbox& outbox) override { return inner_->write(outbox); }
    void close() noexcept override { inner_->close(); }
    TransportInfo info() const override {
        auto info = inner_->info();
        info.sender = sender_;
        return info;
    }

private:
    std::unique_ptr<Transport> inner_;
    std::shared_ptr<PeerInfo const> sender_;
};

TEST(IdentifiedTransportTest, handlers_get_the_identity_of_the_transport) {
    testing::FakeTime time;
    Server server{"s", "1", ServerOptions().time(time).on_log([](auto, auto) {})};
    server.tool(
        "who", "",
        [](Context& ctx) {
            return std::string(ctx.identity()) + " by " + std::string(ctx.transport()) +
                   (ctx.session_id().empty() ? " without" : " with") + " an id";
        },
        ToolOptions().inline_());
    for (bool const known : {true, false}) {
        boost::asio::io_context context;
        PeerInfo ada;
        ada.identity = "ada";
        auto [here, there] = memory_pair(context.get_executor(), context.get_executor());
        auto transport = std::make_unique<IdentifiedTransport>(
            std::move(there), known ? std::make_shared<PeerInfo const>(ada) : nullptr);
        boost::asio::co_spawn(context, server.serve(std::move(transport)), boost::asio::detached);
        RawClient client(context, std::move(here));
        client.initialize();
        client.send(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"who"}})");
        auto const answer = client.next();
        EXPECT_NE(answer.find(known ? "\"ada by memory with an id" : "\" by memory with an id"),
                  std::string::npos)
            << answer;
    }
}

}  // namespace
}  // namespace lanyard::server
