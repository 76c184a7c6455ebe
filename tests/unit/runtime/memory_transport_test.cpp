#include "lanyard/transport/memory.hpp"

#include <gtest/gtest.h>

#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/error.hpp"

namespace lanyard {
namespace {

void put(rpc::Outbox& outbox, std::string_view text) {
    outbox.begin().append(text);
    outbox.end();
}

Task<> collect(Transport& transport, std::vector<std::string>& texts) {
    while (auto const frames = co_await transport.read()) {
        for (auto const& frame : *frames) texts.emplace_back(frame.text);
    }
    texts.emplace_back("(end)");
}

TEST(MemoryPair, carries_messages_in_order_and_ends) {
    boost::asio::io_context context;
    auto const executor = context.get_executor();
    auto const [a, b] = memory_pair(executor, executor);
    std::vector<std::string> texts;
    boost::asio::co_spawn(context, collect(*b, texts), boost::asio::detached);
    rpc::Outbox outbox;
    put(outbox, "one");
    put(outbox, "two");
    a->write_now(outbox);
    EXPECT_TRUE(outbox.empty());
    context.poll();
    put(outbox, "three");
    a->write_now(outbox);
    a->close();
    a->close();
    context.run();
    EXPECT_EQ(texts, (std::vector<std::string>{"one", "two", "three", "(end)"}));
    EXPECT_EQ(a->info().messages_out, 3U);
    EXPECT_EQ(b->info().messages_in, 3U);
    EXPECT_EQ(b->info().bytes_in, 14U);
    EXPECT_EQ(b->info().kind, "memory");
}

TEST(MemoryPair, a_writer_waits_while_the_reader_is_behind) {
    boost::asio::io_context context;
    auto const executor = context.get_executor();
    auto const [a, b] = memory_pair(executor, executor, 10);
    rpc::Outbox outbox;
    for (int i = 0; i < 5; ++i) put(outbox, "12345678");
    a->write_now(outbox);
    EXPECT_EQ(outbox.count(), 3U);
    bool written = false;
    auto const write = [&, &transport = a]() -> Task<> {
        co_await transport->write(outbox);
        written = true;
    };
    boost::asio::co_spawn(context, write(), boost::asio::detached);
    context.poll();
    EXPECT_FALSE(written);
    std::vector<std::string> texts;
    boost::asio::co_spawn(context, collect(*b, texts), boost::asio::detached);
    context.poll();
    EXPECT_TRUE(written);
    EXPECT_EQ(texts.size(), 5U);
    b->close();
    context.poll();
}

TEST(MemoryPair, writing_to_a_closed_end_fails) {
    boost::asio::io_context context;
    auto const executor = context.get_executor();
    auto [a, b] = memory_pair(executor, executor);
    b.reset();
    rpc::Outbox outbox;
    put(outbox, "lost");
    std::exception_ptr failure;
    boost::asio::co_spawn(context, a->write(outbox), [&](std::exception_ptr e) { failure = e; });
    context.run();
    ASSERT_TRUE(failure);
    try {
        std::rethrow_exception(failure);
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::transport_down));
    }
}

TEST(MemoryPair, works_between_threads) {
    boost::asio::io_context one;
    boost::asio::io_context two;
    auto const pair = memory_pair(one.get_executor(), two.get_executor(), 100);
    std::vector<std::string> texts;
    constexpr std::size_t count = 1000;
    rpc::Outbox outbox;
    for (std::size_t i = 0; i < count; ++i) put(outbox, std::to_string(i));
    auto const write = [&, &transport = *pair.first]() -> Task<> {
        co_await transport.write(outbox);
        transport.close();
    };
    boost::asio::co_spawn(one, write(), boost::asio::detached);
    boost::asio::co_spawn(two, collect(*pair.second, texts), boost::asio::detached);
    std::thread other([&] { two.run(); });
    one.run();
    other.join();
    ASSERT_EQ(texts.size(), count + 1);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(texts[i], std::to_string(i));
}

TEST(MemoryPair, an_end_may_outlive_the_event_loop_of_the_other) {
    boost::asio::io_context two;
    std::unique_ptr<Transport> second;
    {
        boost::asio::io_context one;
        auto pair = memory_pair(one.get_executor(), two.get_executor());
        second = std::move(pair.second);
    }
    std::vector<std::string> texts;
    boost::asio::co_spawn(two, collect(*second, texts), boost::asio::detached);
    rpc::Outbox outbox;
    put(outbox, "nobody reads this");
    second->write_now(outbox);
    two.run();
    EXPECT_EQ(texts, std::vector<std::string>{"(end)"});
    second->close();
}

}  // namespace
}  // namespace lanyard
