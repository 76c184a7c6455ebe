#include "transport/stream_transport.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "harness.hpp"
#include "runtime/descriptors.hpp"

namespace lanyard::transport {
namespace {

using test::receive;
using test::run_task;
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
    return {std::make_unique<StreamTransport>(executor, Descriptor(back[0]), Descriptor(forth[1]),
                                              options, TransportInfo{}),
            std::make_unique<StreamTransport>(executor, Descriptor(forth[0]), Descriptor(back[1]),
                                              options, TransportInfo{})};
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
    run_task(context, reader());
    EXPECT_TRUE(received);
}

TEST(StreamTransport, supports_content_length_framing) {
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
    run_task(context, talk());
}

TEST(StreamTransport, a_message_in_parts_survives_a_report_that_follows_it) {
    boost::asio::io_context context;
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    StreamOptions options;
    options.max_message_bytes(100);
    int const writer = ends[1];
    StreamTransport transport(context.get_executor(), Descriptor(ends[0]), duplicate(writer),
                              options, TransportInfo{});
    auto const put = [writer](std::string const& bytes) {
        EXPECT_EQ(::write(writer, bytes.data(), bytes.size()), std::ssize(bytes));
    };
    put("first ");
    auto const reader = [&]() -> Task<> {
        auto const frames = co_await transport.read();
        EXPECT_EQ(frames->size(), 2U);
        EXPECT_EQ(frames->front().text, "first second");
        EXPECT_EQ(frames->back().kind, rpc::Frame::Kind::too_long);
    };
    auto const rest = [&] { put("second\n" + std::string(101, 'x') + "\n"); };
    // The rest is written after the reader has read the first part.
    boost::asio::post(context, [&] { boost::asio::post(context, rest); });
    run_task(context, reader());
    ::close(writer);
}

TEST(StreamTransport, a_length_beyond_the_limit_ends_the_connection) {
    boost::asio::io_context context;
    StreamOptions options;
    options.framing(Framing::content_length).max_message_bytes(10);
    auto const ends = make_ends(context, options);
    auto const talk = [&]() -> Task<> {
        co_await send(*ends.left, "12345678901");
        auto const frames = co_await ends.right->read();
        EXPECT_EQ(frames->front().kind, rpc::Frame::Kind::too_long);
        auto const end = co_await ends.right->read();
        EXPECT_FALSE(end);
    };
    run_task(context, talk());
}

TEST(StreamTransport, can_end_one_direction) {
    boost::asio::io_context context;
    auto const ends = make_ends(context);
    auto const talk = [&]() -> Task<> {
        co_await send(*ends.left, "last");
        ends.left->close_output();
        auto const texts = co_await receive(*ends.right, 2);
        EXPECT_EQ(texts, std::vector<std::string>{"last"});
        bool failed = false;
        try {
            co_await send(*ends.left, "more");
        } catch (Error const& error) {
            failed = error.message() == "the connection is closed";
        }
        EXPECT_TRUE(failed);
        co_await send(*ends.right, "answer");
        auto const answer = co_await receive(*ends.left, 1);
        EXPECT_EQ(answer, std::vector<std::string>{"answer"});
    };
    run_task(context, talk());
}

TEST(StreamTransport, writing_to_a_disconnected_peer_fails) {
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
    run_task(context, talk());
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
    run_task(context, reader());
}

TEST(StreamTransport, restores_the_flags_of_its_descriptors) {
    boost::asio::io_context context;
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    Descriptor const shared = duplicate(ends[0]);
    {
        StreamTransport const transport(context.get_executor(), Descriptor(ends[0]),
                                        Descriptor(ends[1]), {}, {});
        EXPECT_NE(fcntl(shared.get(), F_GETFL) & O_NONBLOCK, 0);
    }
    EXPECT_EQ(fcntl(shared.get(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace lanyard::transport
