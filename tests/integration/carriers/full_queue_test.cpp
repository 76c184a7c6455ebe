// A client whose handlers of notifications are slower than the server: it stops reading, and
// nothing is lost.
#include "runtime/event.hpp"
#include "support/over_carriers.hpp"

namespace lanyard {
namespace {

// More than the queue of the client holds, and fewer than the server sends at once (200).
constexpr int notes = 150;

class SlowHandlers : public test::OverCarriers {
protected:
    SlowHandlers() {
        server_.tool("flood", "Logs much", [](Context& context) {
            std::string const text(2'000, 'x');
            for (int i = 1; i <= notes; ++i) {
                context.log(LoggingLevel::info, Json(std::to_string(i) + text));
            }
            return "done";
        });
    }

    Task<> talk() {
        auto& seen = seen_;
        bool& answered = answered_;
        runtime::Event changed(context_.get_executor());
        bool waited_for_answer = false;
        ClientOptions options;
        options.max_queued_notifications(10).on_log([&](LoggingMessageParams message) -> Task<> {
            seen.push_back(std::stoi(std::string(message.data.as_string())));
            // The first handler runs until the answer is there.
            while (!answered && seen.size() == 1) {
                waited_for_answer = true;
                co_await changed.wait();
            }
            changed.notify();
        });
        auto const client = co_await carrier_->connect(era(), options);
        auto const text = co_await client.call<std::string>("flood");
        EXPECT_EQ(text, "done");
        answered = true;
        changed.notify();
        while (seen.size() < notes) co_await changed.wait();
        for (int i = 0; i < notes; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i + 1);
        EXPECT_TRUE(waited_for_answer);
        EXPECT_EQ(client.limit_counts().dropped, 0U);
        co_await client.stop();
    }

    std::string state() const {
        return std::to_string(seen_.size()) + " notifications handled, the call " +
               (answered_ ? "is" : "is not") + " answered";
    }

    Server server_{"flood", "1"};
    std::vector<int> seen_;
    bool answered_ = false;
    std::unique_ptr<test::Carrier> carrier_ = make(server_, "");
};

TEST_P(SlowHandlers, lose_no_notification_over_any_carrier) {
    test::run_task(context_, talk(), std::chrono::seconds(60), [this] { return state(); });
}

INSTANTIATE_TEST_SUITE_P(Carriers, SlowHandlers,
                         ::testing::Combine(::testing::Values("memory", "tcp", "unix", "tls",
                                                              "http", "websocket"),
                                            ::testing::Values(Era::legacy, Era::modern)),
                         test::carrier_and_era);

}  // namespace
}  // namespace lanyard
