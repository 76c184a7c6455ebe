#include "lanyard/testing/validate_server.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/server.hpp"
#include "lanyard/transport/memory.hpp"
#include "support/run_task.hpp"

namespace lanyard::testing {
namespace {

// Counts the connections to a server in this process.
class CountingConnector final : public Connector {
public:
    explicit CountingConnector(Server& server) : server_(server) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto ends = memory_pair(executor, executor);
        boost::asio::co_spawn(executor, server_.serve(std::move(ends.second)),
                              boost::asio::detached);
        ++opened;
        co_return std::move(ends.first);
    }
    std::string describe() const override { return "memory"; }

    int opened = 0;

private:
    Server& server_;
};

int connections_to_validate(Era era) {
    Server server("s", "1", ServerOptions().on_log([](auto, auto) {}));
    server.tool("greet", "", [] { return std::string("hello"); }, ToolOptions().inline_());
    CountingConnector connector(server);
    ServerValidation options;
    options.era(era);
    boost::asio::io_context context;
    auto const validate = [&]() -> Task<> {
        auto const report = co_await validate_server(connector, options);
        EXPECT_EQ(report.count(ServerCheck::Outcome::failed), 0U) << report.to_string();
        EXPECT_EQ(report.count(ServerCheck::Outcome::warning), 0U) << report.to_string();
        EXPECT_GE(report.count(ServerCheck::Outcome::passed), 8U) << report.to_string();
    };
    test::run_task(context, validate());
    return connector.opened;
}

// Starting a server may take seconds. Besides the connection of the checks that can share one,
// there is one to find out the era, one for each check that changes its connection, and three for
// opening it again.
TEST(ValidateServer, checks_that_leave_a_connection_unchanged_share_one) {
    EXPECT_EQ(connections_to_validate(Era::legacy), 1 + 1 + 2 + 3);
    EXPECT_EQ(connections_to_validate(Era::modern), 1 + 1 + 1 + 3);
}

// The server accepts messages of 16 MiB, but the caller of validate_server() says less.
TEST(ValidateServer, a_message_beyond_the_limit_must_not_be_answered_with_a_result) {
    for (auto const era : {Era::legacy, Era::modern}) {
        ServerOptions only;
        only.versions({era == Era::modern ? newest_version : newest_legacy_version});
        Server server("s", "1", only.on_log([](auto, auto) {}));
        CountingConnector connector(server);
        ServerValidation options;
        options.era(era).max_message_bytes(64 * 1024);
        boost::asio::io_context context;
        auto const validate = [&]() -> Task<> {
            auto const report = co_await validate_server(connector, options);
            EXPECT_EQ(report.count(ServerCheck::Outcome::failed), 0U) << report.to_string();
            for (auto const& check : report.checks()) {
                bool const planted =
                    check.name == "refuses a message beyond its limit and continues";
                EXPECT_EQ(check.outcome == ServerCheck::Outcome::warning, planted)
                    << report.to_string();
            }
        };
        test::run_task(context, validate());
    }
}

}  // namespace
}  // namespace lanyard::testing
