// The transports of this library, checked by validate_transport().
#include "lanyard/testing/validate_transport.hpp"

#include <gtest/gtest.h>

#include <array>

#include "harness.hpp"
#include "lanyard/transport/child_process.hpp"
#include "runtime/descriptors.hpp"
#include "transport/stream_transport.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using test::run_task;
using testing::TransportPair;
using testing::TransportPromises;

constexpr std::size_t limit = 300'000;

TEST(ValidateTransport, pipes_pass_with_either_framing) {
    for (auto const framing : {Framing::newline, Framing::content_length}) {
        boost::asio::io_context context;
        auto const make = [&]() -> Task<TransportPair> {
            std::array<int, 2> forth{};
            std::array<int, 2> back{};
            EXPECT_EQ(pipe2(forth.data(), O_CLOEXEC), 0);
            EXPECT_EQ(pipe2(back.data(), O_CLOEXEC), 0);
            StreamOptions options;
            options.framing(framing).max_message_bytes(limit);
            TransportInfo info;
            info.kind = "pipes";
            TransportPair pair;
            pair.first = std::make_unique<transport::StreamTransport>(
                context.get_executor(), transport::Descriptor(back[0]),
                transport::Descriptor(forth[1]), options, info);
            pair.second = std::make_unique<transport::StreamTransport>(
                context.get_executor(), transport::Descriptor(forth[0]),
                transport::Descriptor(back[1]), options, info);
            co_return pair;
        };
        auto const validate = [&]() -> Task<> {
            std::function<Task<TransportPair>()> const maker = make;
            TransportPromises promises;
            promises.timeout(30s).max_message_bytes(limit);
            auto const report = co_await testing::validate_transport(maker, promises);
            EXPECT_TRUE(report.passed()) << report.to_string();
        };
        run_task(context, validate(), 300s);
    }
}

TEST(ValidateTransport, children_pass) {
    // A child that does not use this library, and a server on stdio.
    for (std::string const mode : {"echo", "serve"}) {
        boost::asio::io_context context;
        auto const validate = [&]() -> Task<> {
            ChildProcessOptions options({LANYARD_TEST_CHILD, mode});
            StreamOptions stream;
            stream.max_message_bytes(limit);
            options.stream(stream).on_stderr([](std::string_view) {});
            auto const connector = child_process(options);
            TransportPromises promises;
            promises.timeout(30s).max_message_bytes(limit);
            auto const report = co_await testing::validate_transport(*connector, promises);
            EXPECT_TRUE(report.passed()) << mode << "\n" << report.to_string();
        };
        run_task(context, validate(), 300s);
    }
}

}  // namespace
}  // namespace lanyard
