#include "transport/stream_transport.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "harness.hpp"
#include "transport/descriptors.hpp"

namespace lanyard::transport {
namespace {

using test::receive;
using test::run_guarded;
using test::send;

struct Ends {
    std::unique_ptr<StreamTransport> left;
    std::unique_ptr<StreamTransport> right;
};

Ends make_ends(boost::asio::io_context& context, StreamOptions const& options = {}) {
    std::array<int, 2> forth{};
    std::array<int, 2> back{};
    EXPECT_EQ(pipe2(forth.data(), O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(back.data(), O_CLOEXEC), 0);
    auto const executor = context.get_executor();
    return {
        std::make_unique<StreamTransport>(executor, back[0], forth[1], options, TransportInfo{}),
        std::make_unique<StreamTransport>(executor, forth[0], back[1], options, TransportInfo{})};
}

TEST(StreamTransport, a_message_larger_than_the_pipe_arrives_whole) {
    boost::asio::io_context context;
    auto const ends = make_ends(context);
    std::string const large(1'000'000, 'x');
    bool received = false;
    auto const reader = [&]() -> Task<> {
        auto const texts = co_await receive(*ends.right, 2);
        EXPECT_EQ(texts.size(), 2U);
        EXPECT_EQ(texts.at(0), large);
        EXPECT_EQ(texts.at(1), "small");
        received = true;
    };
    auto const writer = [&]() -> Task<> {
        co_await send(*ends.left, large);
        co_await send(*ends.left, "small");
    };
    boost::asio::co_spawn(context, writer(),
                          [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    run_guarded(context, reader());
    EXPECT_TRUE(received);
}

TEST(StreamTransport, speaks_content_length) {
    boost::asio::io_context context;
    StreamOptions options;
    options.framing(Framing::content_length);
    auto const ends = make_ends(context, options);
    auto const talk = [&]() -> Task<> {
        co_await send(*ends.left, R"({"a":1})");
        co_await send(*ends.left, R"({"b":2})");
        auto const texts = co_await receive(*ends.right, 2);
        std::vector<std::string> const expected{R"({"a":1})", R"({"b":2})"};
        EXPECT_EQ(texts, expected);
        EXPECT_EQ(ends.left->info().messages_out, 2U);
    };
    run_guarded(context, talk());
}

TEST(StreamTransport, writing_to_a_peer_that_has_gone_fails) {
    std::signal(SIGPIPE, SIG_IGN);
    boost::asio::io_context context;
    auto ends = make_ends(context);
    ends.right.reset();
    auto const talk = [&]() -> Task<> {
        bool failed = false;
        try {
            co_await send(*ends.left, "lost");
        } catch (Error const& error) {
            failed = error.is(Errc::transport_down);
        }
        EXPECT_TRUE(failed);
        auto const frames = co_await ends.left->read();
        EXPECT_FALSE(frames);
    };
    run_guarded(context, talk());
}

TEST(StreamTransport, closing_ends_a_read_that_waits) {
    boost::asio::io_context context;
    auto const ends = make_ends(context);
    auto const reader = [&]() -> Task<> {
        auto const frames = co_await ends.left->read();
        EXPECT_FALSE(frames);
        bool failed = false;
        try {
            co_await send(*ends.left, "too late");
        } catch (Error const&) {
            failed = true;
        }
        EXPECT_TRUE(failed);
    };
    boost::asio::post(context, [&] { ends.left->close(); });
    run_guarded(context, reader());
}

TEST(StreamTransport, leaves_the_descriptors_as_it_found_them) {
    boost::asio::io_context context;
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    Descriptor const shared = duplicate(ends[0]);
    {
        StreamTransport const transport(context.get_executor(), ends[0], ends[1], {}, {});
        EXPECT_NE(fcntl(shared.get(), F_GETFL) & O_NONBLOCK, 0);
    }
    EXPECT_EQ(fcntl(shared.get(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace lanyard::transport
