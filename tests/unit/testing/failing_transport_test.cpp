#include "lanyard/testing/failing_transport.hpp"

#include <gtest/gtest.h>

#include "lanyard/error.hpp"
#include "lanyard/testing/scripted_peer.hpp"
#include "lanyard/transport/memory.hpp"
#include "support/run_task.hpp"

namespace lanyard::testing {
namespace {

using namespace std::chrono_literals;

// A connection whose left end fails as planned and whose right end is scripted.
class FailingTransportTest : public ::testing::Test {
protected:
    void connect(std::shared_ptr<FaultPlan> plan) {
        auto pair = memory_pair(context.get_executor(), context.get_executor());
        left = failing_transport(std::move(pair.first), std::move(plan));
        right.emplace(std::move(pair.second), 5s);
    }
    void connect(std::uint64_t operation, Fault fault) {
        connect(std::make_shared<FaultPlan>(operation, fault));
    }
    void run(Task<> task) { test::run_task(context, std::move(task)); }

    // Returns the texts of one read, or "(end)" or "(error)".
    Task<std::vector<std::string>> read() {
        std::vector<std::string> texts;
        try {
            auto const frames = co_await left->read();
            if (!frames) texts.emplace_back("(end)");
            for (std::size_t i = 0; frames && i < frames->size(); ++i) {
                texts.emplace_back((*frames)[i].text);
            }
        } catch (Error const& error) {
            texts.emplace_back(error.is(Errc::transport_down) ? "(error)" : error.what());
        }
        co_return texts;
    }
    Task<bool> write(std::string first, std::string second) {
        for (auto const& text : {first, second}) {
            outbox.begin().append(text);
            outbox.end();
        }
        try {
            co_await left->write(outbox);
        } catch (Error const& error) {
            EXPECT_TRUE(error.is(Errc::transport_down));
            co_return false;
        }
        co_return true;
    }

    boost::asio::io_context context;
    std::unique_ptr<Transport> left;
    std::optional<ScriptedPeer> right;
    rpc::Outbox outbox;
};

TEST_F(FailingTransportTest, without_faults_counts_operations_and_passes_them_on) {
    auto const plan = std::make_shared<FaultPlan>();
    connect(plan);
    auto const talk = [this]() -> Task<> {
        bool const written = co_await write("1", "2");
        EXPECT_TRUE(written);
        co_await right->expect("1");
        co_await right->expect("2");
        co_await right->send("3");
        auto const texts = co_await read();
        EXPECT_EQ(texts, std::vector<std::string>{"3"});
        EXPECT_EQ(left->info().messages_out, 2U);
        left->close_output();
        co_await right->expect_end();
        right->close();
        auto const end = co_await read();
        EXPECT_EQ(end, std::vector<std::string>{"(end)"});
        left->close();
        co_await left->closed();
        EXPECT_EQ(left->end_reason(), "");
    };
    run(talk());
    EXPECT_EQ(plan->operations(), 4U);
    EXPECT_FALSE(plan->has_fired());
}

TEST_F(FailingTransportTest, a_failing_read_has_the_error_of_its_fault) {
    struct Case {
        Fault fault;
        std::vector<std::string> second;
        std::string third;
    };
    std::vector<Case> const cases = {
        {Fault::error, {"(error)"}, "(error)"},
        {Fault::end_of_stream, {"(end)"}, "(end)"},
        {Fault::truncated, {"2"}, "(end)"},
    };
    for (auto const& [fault, second, third] : cases) {
        connect(2, fault);
        auto const talk = [&, &expected = second, &last = third]() -> Task<> {
            co_await right->send("1");
            co_await left->read();
            co_await right->send("22");
            auto texts = co_await read();
            EXPECT_EQ(texts, expected);
            texts = co_await read();
            EXPECT_EQ(texts, std::vector<std::string>{last});
            bool const written = co_await write("a", "b");
            EXPECT_FALSE(written);
            outbox.clear();
            co_await right->expect_end();
        };
        run(talk());
    }
}

TEST_F(FailingTransportTest, a_function_can_be_called_at_an_operation) {
    int called = 0;
    connect(std::make_shared<FaultPlan>(2, [&called] { ++called; }));
    auto const talk = [&]() -> Task<> {
        bool const written = co_await write("1", "2");
        EXPECT_TRUE(written);
        EXPECT_EQ(called, 1);
        co_await right->expect("1");
        co_await right->expect("2");
    };
    run(talk());
}

TEST_F(FailingTransportTest, messages_before_the_one_that_fails_are_delivered) {
    connect(3, Fault::error);
    auto const talk = [this]() -> Task<> {
        std::vector<std::string> const three = {"1", "2", "3"};
        for (auto const& text : three) co_await right->send(text);
        auto texts = co_await read();
        EXPECT_EQ(texts, (std::vector<std::string>{"1", "2"}));
        texts = co_await read();
        EXPECT_EQ(texts, std::vector<std::string>{"(error)"});
    };
    run(talk());
}

TEST_F(FailingTransportTest, the_end_can_fail_too) {
    connect(1, Fault::error);
    auto const talk = [this]() -> Task<> {
        right->close();
        auto const texts = co_await read();
        EXPECT_EQ(texts, std::vector<std::string>{"(error)"});
    };
    run(talk());
}

TEST_F(FailingTransportTest, a_failing_write_has_the_error_of_its_fault) {
    for (auto const fault : {Fault::error, Fault::end_of_stream, Fault::truncated}) {
        connect(2, fault);
        auto const talk = [&]() -> Task<> {
            bool const written = co_await write("1", "22");
            EXPECT_FALSE(written);
            co_await right->expect("1");
            if (fault == Fault::truncated) co_await right->expect("2");
            co_await right->expect_end();
            auto const texts = co_await read();
            EXPECT_EQ(texts, std::vector<std::string>{"(end)"});
            outbox.clear();
        };
        run(talk());
    }
}

TEST_F(FailingTransportTest, a_stalled_direction_waits_until_it_is_closed) {
    for (bool const reading : {true, false}) {
        connect(1, Fault::stall);
        auto const wait = [&]() -> Task<> {
            if (reading) {
                co_await right->send("1");
                auto const texts = co_await read();
                EXPECT_EQ(texts, std::vector<std::string>{"(end)"});
            } else {
                bool const written = co_await write("1", "2");
                EXPECT_FALSE(written);
                EXPECT_EQ(outbox.count(), 2U);
                outbox.clear();
            }
        };
        bool ended = false;
        boost::asio::co_spawn(context, wait(), [&](std::exception_ptr failure) {
            EXPECT_FALSE(failure);
            ended = true;
        });
        context.restart();
        context.poll();
        EXPECT_FALSE(ended);
        left->close();
        context.restart();
        context.poll();
        EXPECT_TRUE(ended);
    }
}

TEST_F(FailingTransportTest, writing_waits_for_a_slow_reader) {
    auto pair = memory_pair(context.get_executor(), context.get_executor(), 1);
    left = failing_transport(std::move(pair.first), std::make_shared<FaultPlan>());
    right.emplace(std::move(pair.second), 5s);
    auto const sending = [this]() -> Task<> {
        bool const written = co_await write("1", "2");
        EXPECT_TRUE(written);
        bool const more = co_await write("3", "4");
        EXPECT_TRUE(more);
    };
    auto const talk = [this]() -> Task<> {
        std::vector<std::string> const four = {"1", "2", "3", "4"};
        for (auto const& text : four) co_await right->expect(text);
    };
    boost::asio::co_spawn(context, sending(), [](std::exception_ptr e) { EXPECT_FALSE(e); });
    run(talk());
}

// Opens one end of a memory pair and keeps the other.
class PairConnector final : public Connector {
public:
    explicit PairConnector(boost::asio::io_context& context) : context_(context) {}
    Task<std::unique_ptr<Transport>> open() override {
        auto pair = memory_pair(context_.get_executor(), context_.get_executor());
        kept_ = std::move(pair.second);
        co_return std::move(pair.first);
    }
    std::string describe() const override { return "a pair"; }

private:
    boost::asio::io_context& context_;
    std::unique_ptr<Transport> kept_;
};

TEST_F(FailingTransportTest, opening_is_an_operation) {
    auto const plan = std::make_shared<FaultPlan>(2, Fault::error);
    auto const connector = failing_connector(std::make_unique<PairConnector>(context), plan);
    EXPECT_EQ(connector->describe(), "a pair");
    auto const talk = [&]() -> Task<> {
        auto const opened = co_await connector->open();
        EXPECT_TRUE(opened);
        bool refused = false;
        try {
            co_await connector->open();
        } catch (Error const& error) {
            refused = error.is(Errc::unavailable);
        }
        EXPECT_TRUE(refused);
    };
    run(talk());
    EXPECT_TRUE(plan->has_fired());
}

TEST_F(FailingTransportTest, opening_can_stall) {
    auto const connector = failing_connector(std::make_unique<PairConnector>(context),
                                             std::make_shared<FaultPlan>(1, Fault::stall));
    bool ended = false;
    auto const on_end = [&](std::exception_ptr, std::unique_ptr<Transport>) { ended = true; };
    boost::asio::co_spawn(context, connector->open(), on_end);
    context.poll();
    EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace lanyard::testing
