// A server on stdin and stdout, as seen by the client that started it.
#include <gtest/gtest.h>

#include <csignal>

#include "harness.hpp"
#include "lanyard/transport/child_process.hpp"

namespace lanyard {
namespace {

using test::receive;
using test::run_task;
using test::send;

std::string const program = LANYARD_TEST_CHILD;

TEST(Stdio, serves_until_its_input_ends_and_keeps_stdout_pure) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        std::string heard;
        ChildProcessOptions options({program, "serve"});
        options.on_stderr([&heard](std::string_view text) { heard += text; });
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        co_await send(*transport, R"({"a":1})");
        co_await send(*transport, "");
        co_await send(*transport, R"({"b":2})");
        auto const texts = co_await receive(*transport, 2);
        std::vector<std::string> const expected{R"({"a":1})", R"({"b":2})"};
        EXPECT_EQ(texts, expected);
        transport->close();
        co_await transport->closed();
        EXPECT_EQ(heard, "a stray print\n");
        EXPECT_TRUE(transport->end_reason().starts_with(program + " exited with code 0"))
            << transport->end_reason();
    };
    run_task(context, talk());
}

TEST(Stdio, a_line_that_is_too_long_is_skipped_and_the_next_is_served) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions options({program, "echo"});
        StreamOptions stream;
        stream.max_message_bytes(16);
        options.stream(stream);
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        rpc::Outbox outbox;
        for (auto const& text : {std::string(16, 'a'), std::string(17, 'b'), std::string("c")}) {
            outbox.begin().append(text);
            outbox.end();
        }
        co_await transport->write(outbox);
        std::vector<rpc::Frame::Kind> kinds;
        while (kinds.size() < 3) {
            auto const frames = co_await transport->read();
            if (!frames) break;
            for (auto const& frame : *frames) kinds.push_back(frame.kind);
        }
        std::vector<rpc::Frame::Kind> const expected{
            rpc::Frame::Kind::message, rpc::Frame::Kind::too_long, rpc::Frame::Kind::message};
        EXPECT_EQ(kinds, expected);
        transport->close();
        co_await transport->closed();
    };
    run_task(context, talk());
}

}  // namespace
}  // namespace lanyard
