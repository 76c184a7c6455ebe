// The limits on the size of pending requests.
#include "server/core/pending_bytes.hpp"

#include <condition_variable>
#include <list>
#include <mutex>

#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

TEST(PendingBytes, a_client_may_reserve_as_much_as_its_limit) {
    PendingBytes pending(100, 1'000);
    std::list<PendingBytes::Reservation> held;
    EXPECT_TRUE(pending.take("a", 60, held.emplace_back()));
    EXPECT_TRUE(pending.take("a", 40, held.emplace_back()));
    EXPECT_FALSE(pending.take("a", 1, held.emplace_back()));
    EXPECT_TRUE(pending.take("b", 1, held.emplace_back()));
    EXPECT_EQ(pending.used(), 101U);
    held.front().release();
    EXPECT_TRUE(pending.take("a", 60, held.emplace_back()));
    held.clear();
    EXPECT_EQ(pending.used(), 0U);
}

TEST(PendingBytes, all_clients_together_may_reserve_as_much_as_the_limit) {
    PendingBytes pending(100, 150);
    PendingBytes::Reservation first;
    PendingBytes::Reservation second;
    PendingBytes::Reservation third;
    EXPECT_TRUE(pending.take("a", 100, first));
    EXPECT_FALSE(pending.take("b", 51, second));
    EXPECT_TRUE(pending.take("b", 50, second));
    EXPECT_FALSE(pending.take("c", 1, third));
    first.release();
    EXPECT_TRUE(pending.take("c", 100, third));
}

TEST(PendingBytes, the_first_request_of_a_client_may_exceed_its_limit) {
    PendingBytes pending(100, 150);
    PendingBytes::Reservation large;
    PendingBytes::Reservation other;
    EXPECT_FALSE(pending.take("a", 151, large));
    EXPECT_TRUE(pending.take("a", 150, large));
    EXPECT_FALSE(pending.take("a", 1, other));
    large.release();
    EXPECT_TRUE(pending.take("a", 1, other));
    EXPECT_FALSE(pending.take("a", 100, large));
}

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, text)

// A gate at which handlers wait until the test opens it.
class Gate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, 20s, [this] { return open_; });
    }
    void open() {
        std::lock_guard const lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
};

class PendingBytesTest : public ::testing::Test {
protected:
    static constexpr std::size_t large = 300'000;

    PendingBytesTest() {
        server.tool(
            "wait", "",
            [this](Text in) {
                gate.pass();
                return std::to_string(in.text.size());
            },
            ToolOptions().blocking());
        server.tool("wait_async", "", [this](Text in, Context&) -> Task<std::string> {
            co_await sleep_for(time, 1h);
            co_return std::to_string(in.text.size());
        });
        server.tool(
            "size", "", [](Text in) { return std::to_string(in.text.size()); },
            ToolOptions().inline_());
    }
    ~PendingBytesTest() override {
        gate.open();
        client.close();
        client.poll();
    }
    static std::string call(int id, std::string_view tool, std::size_t size,
                            std::string const& more = "") {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
               R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
               R"(","arguments":{"text":")" + std::string(size, 'x') + R"("})" + more + "}}";
    }
    void expect_refused(Json const& answer, int id) {
        EXPECT_EQ(at(answer, "id"), id);
        EXPECT_EQ(at(answer, "error", "code"), -32010);
        EXPECT_EQ(server.limit_counts().pending_bytes, ++refused_);
    }

    testing::FakeTime time;
    Gate gate;
    Server server{"s", "1",
                  ServerOptions().time(time).ping(0s, 0s).max_pending_bytes(1'000'000, 1'500'000)};
    boost::asio::io_context context;
    RawClient client{context, server, 16 << 20};

private:
    std::uint64_t refused_ = 0;
};

TEST_F(PendingBytesTest, calls_beyond_the_limit_of_a_client_are_refused) {
    client.initialize();
    for (int id = 1; id <= 3; ++id) client.send(call(id, "wait", large));
    expect_refused(client.ask(call(4, "wait", large)), 4);
    expect_refused(client.ask(call(5, "size", large)), 5);
    // Small calls are served.
    EXPECT_EQ(at(client.ask(call(6, "size", 60'000)), "result", "content", 0, "text"), "60000");
    gate.open();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(at(client.wait_json(), "result", "content", 0, "text"), "300000");
    }
    EXPECT_EQ(at(client.ask(call(7, "wait", large)), "result", "content", 0, "text"), "300000");
}

TEST_F(PendingBytesTest, calls_beyond_the_limit_of_all_clients_are_refused) {
    RawClient other{context, server, 16 << 20};
    client.initialize();
    other.initialize();
    for (int id = 1; id <= 3; ++id) client.send(call(id, "wait", large));
    other.send(call(1, "wait", large));
    expect_refused(other.ask(call(2, "wait", large)), 2);
    // A connection that ends keeps its share until its handlers have returned.
    client.close();
    client.poll();
    expect_refused(other.ask(call(3, "wait", large)), 3);
    gate.open();
    EXPECT_EQ(at(other.wait_json(), "id"), 1);
    other.close();
    other.poll();
}

TEST_F(PendingBytesTest, coroutines_count) {
    client.initialize();
    for (int id = 1; id <= 3; ++id) client.send(call(id, "wait_async", large));
    expect_refused(client.ask(call(4, "wait_async", large)), 4);
    client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    client.send(call(5, "wait_async", large));
    EXPECT_EQ(client.unread(), 0U) << "a cancelled call gives its share back";
}

TEST_F(PendingBytesTest, stateless_calls_count) {
    auto const meta = "," + RawClient::meta();
    for (int id = 1; id <= 3; ++id) client.send(call(id, "wait", large, meta));
    auto const refused = client.ask(call(4, "wait", large, meta));
    EXPECT_EQ(at(refused, "error", "data", "reason"), "too_many_pending");
}

TEST_F(PendingBytesTest, requests_that_wait_for_filters_count) {
    server.filter([](FeatureKind, std::string_view, Context&) { return true; });
    auto const meta = "," + RawClient::meta();
    for (int id = 1; id <= 3; ++id) client.send(call(id, "wait", large, meta));
    auto const padding = R"("padding":")" + std::string(large, 'x') + R"(")";
    auto const refused =
        client.ask(R"({"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{)" +
                   padding + R"(,"notifications":{},)" + RawClient::meta() + "}}");
    EXPECT_EQ(at(refused, "id"), 4);
    EXPECT_EQ(at(refused, "error", "data", "reason"), "too_many_pending");
    EXPECT_EQ(server.limit_counts().pending_bytes, 1U);
}

}  // namespace
}  // namespace lanyard::server
