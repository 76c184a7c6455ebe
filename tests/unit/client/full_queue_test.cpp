// More notifications than the client's queue holds: the client stops reading, or drops the oldest.
#include <algorithm>

#include "reconnect_fixture.hpp"

#include "runtime/event.hpp"

namespace lanyard {
namespace {

class FullQueue : public Reconnect {
protected:
    ~FullQueue() override {
        // Ends the handlers that still wait, because they use members of this class.
        client.close();
        for (int i = 0; i < 10; ++i) {
            gate.notify();
            poll();
        }
    }
    void open_client(ClientOptions options = {}) {
        connect_client(std::move(options.max_queued_notifications(4)));
    }
    /// Sends notifications of 100 KB with the next numbers. The client handles one at a time, each
    /// when `gate` is opened.
    void send_notes(int count) {
        std::string const text(100'000, 'x');
        for (int i = 0; i < count; ++i) {
            server->put(R"({"jsonrpc":"2.0","method":"notifications/note","params":{"n":)" +
                        std::to_string(++sent) + R"(,"text":")" + text + "\"}}");
            poll();
        }
    }
    NotificationHandle handle_notes(std::function<Task<>()> also = {}) {
        auto handler = [this, also](std::string, RawJson params) -> Task<> {
            seen.push_back(json_of(params.text()).at("n").as_int64());
            co_await gate.wait();
            if (also) co_await also();
            ++ended;
        };
        return client.on_notification("notifications/note", std::move(handler));
    }
    /// Opens the gate until everything that the server has sent is handled.
    void handle_all() {
        for (int i = 0; i < sent && ended < sent; ++i) {
            server->all_sent();
            poll();
            gate.notify();
            poll();
        }
    }
    std::vector<std::int64_t> all_numbers() const {
        std::vector<std::int64_t> numbers;
        for (int i = 1; i <= sent; ++i) numbers.push_back(i);
        return numbers;
    }

    std::vector<std::int64_t> seen;
    int sent = 0;
    int ended = 0;
    runtime::Event gate{context.get_executor()};
};

TEST_P(FullQueue, the_client_reads_no_more_and_loses_nothing) {
    open_client();
    auto const handle = handle_notes();
    send_notes(100);
    EXPECT_FALSE(server->all_sent());
    EXPECT_EQ(seen.size(), 1U);
    handle_all();
    EXPECT_EQ(seen, all_numbers());
    EXPECT_TRUE(server->all_sent());
    EXPECT_EQ(client.limit_counts().dropped, 0U);
    EXPECT_EQ(client.state(), ConnectionState::ready);
}

TEST_P(FullQueue, it_resumes_when_a_quarter_of_the_queue_is_free) {
    open_client();
    auto const handle = handle_notes();
    send_notes(5);  // one is handled, four wait
    send_notes(1);
    auto const read = [this] { return std::ranges::count(recorder->events, "notifications/note"); };
    EXPECT_EQ(read(), 5);
    gate.notify();
    server->all_sent();
    poll();
    EXPECT_EQ(read(), 6);
    EXPECT_EQ(client.limit_counts().dropped, 0U);
}

TEST_P(FullQueue, a_handler_may_wait_for_an_answer) {
    open_client();
    bool called = false;
    auto const handle = handle_notes([&]() -> Task<> {
        if (std::exchange(called, true)) co_return;
        co_await client.call_tool("x");
    });
    send_notes(100);
    EXPECT_FALSE(server->all_sent());
    gate.notify();
    auto const request = server->expect("tools/call");
    server->put(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) +
                R"(,"result":{"resultType":"complete","content":[]}})");
    for (int i = 0; i < 100 && ended == 0; ++i) {
        server->all_sent();
        poll();
    }
    EXPECT_EQ(ended, 1);
    handle_all();
    EXPECT_EQ(seen, all_numbers());
}

TEST_P(FullQueue, while_a_call_is_pending_the_size_is_limited) {
    open_client();
    auto const handle = handle_notes();
    auto const calling = start(client.call_tool("x", RawJson(), CallOptions().timeout(1h)));
    server->expect("tools/call");
    send_notes(100);
    EXPECT_TRUE(server->all_sent()) << "10 MB are read";
    send_notes(300);
    EXPECT_FALSE(server->all_sent());
    handle_all();
    EXPECT_EQ(seen, all_numbers());
    EXPECT_EQ(client.limit_counts().dropped, 0U);
}

TEST_P(FullQueue, a_server_that_is_not_read_is_not_taken_for_gone) {
    open_client();
    auto const handle = handle_notes();
    auto const options = CallOptions().timeout(2s);
    auto calling = start(client.call_tool("x", RawJson(), options));
    server->expect("tools/call");
    send_notes(300);
    EXPECT_FALSE(server->all_sent());
    advance(2s);
    EXPECT_TRUE(calling.error().is(Errc::timeout));
    advance(10s);
    EXPECT_EQ(client.state(), ConnectionState::ready);
}

TEST_P(FullQueue, by_option_the_oldest_are_dropped_and_counted) {
    ClientOptions options;
    open_client(options.notification_overflow(NotificationOverflow::drop_oldest));
    auto const handle = handle_notes();
    send_notes(100);
    EXPECT_TRUE(server->all_sent());
    EXPECT_EQ(client.limit_counts().dropped, 95U);
    for (int i = 0; i < 5; ++i) {
        gate.notify();
        poll();
    }
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 97, 98, 99, 100}));
}

TEST_P(FullQueue, closing_a_client_that_does_not_read_ends_it) {
    open_client();
    auto const handle = handle_notes();
    send_notes(100);
    client.close();
    poll();
    EXPECT_TRUE(server->ended());
    gate.notify();
    poll();
}

LANYARD_EACH_ERA(FullQueue);

}  // namespace
}  // namespace lanyard
