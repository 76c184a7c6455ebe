// Log messages of fast tools: all of them reach the client.
#include "runtime/event.hpp"
#include "support/over_carriers.hpp"
#include "support/talker.hpp"

namespace lanyard {
namespace {

class LogMessages : public test::OverCarriers {
protected:
    LogMessages() { test::add_talker(server_); }

    // Each call logs 64 messages. All calls together log more than one call may log at once (200).
    Task<> talk() {
        constexpr int calls = 8;
        auto& seen = seen_;
        runtime::Event changed(context_.get_executor());
        ClientOptions options;
        options.on_log([&](LoggingMessageParams const& message) {
            seen.push_back(static_cast<int>(message.data.as_int64()));
            changed.notify();
        });
        auto const client = co_await carrier_->connect(era(), options);
        for (int call = 1; call <= calls; ++call) {
            auto const text = co_await client.call<std::string>("talk");
            EXPECT_EQ(text, "done");
            auto const expected = static_cast<std::size_t>(call) * test::messages_of_talker;
            while (seen.size() < expected) co_await changed.wait();
        }
        for (std::size_t i = 0; i < seen.size(); ++i) {
            EXPECT_EQ(seen[i], static_cast<int>(i) % test::messages_of_talker);
        }
        co_await client.stop();
    }

    Server server_{"talker", "1"};
    std::vector<int> seen_;
    std::unique_ptr<test::Carrier> carrier_ = make(server_, LANYARD_CHAOS_SERVER);
};

TEST_P(LogMessages, of_a_tool_that_logs_64_messages_in_every_call_all_arrive) {
    test::run_task(context_, talk(), std::chrono::seconds(20),
                   [this] { return std::to_string(seen_.size()) + " log messages handled"; });
}

INSTANTIATE_TEST_SUITE_P(Carriers, LogMessages, test::all_carriers(), test::carrier_and_era);

}  // namespace
}  // namespace lanyard
