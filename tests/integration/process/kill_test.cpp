// Either side is killed at every point of a conversation, in both eras.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "conversation.hpp"
#include "lanyard/testing/failing_transport.hpp"
#include "lanyard/transport/child_process.hpp"
#include "processes.hpp"
#include "transport/harness.hpp"
#include "transport/spawn.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using test::run_task;
using testing::FaultPlan;

std::string const server_program = LANYARD_CONVERSATION_SERVER;
std::string const client_program = LANYARD_CONVERSATION_CLIENT;

// Starts the server's process and stores its id.
class RememberingConnector final : public Connector {
public:
    explicit RememberingConnector(pid_t& process) : process_(process) {
        ChildProcessOptions options({server_program});
        options.on_stderr([](std::string_view) {});
        inner_ = child_process(options);
    }
    Task<std::unique_ptr<Transport>> open() override {
        auto transport = co_await inner_->open();
        process_ = test::process_of(*transport);
        co_return transport;
    }
    std::string describe() const override { return inner_->describe(); }

private:
    pid_t& process_;
    std::unique_ptr<Connector> inner_;
};

// Runs the conversation; returns false if a call failed. In both cases no process or task is left.
bool converse(std::shared_ptr<FaultPlan> plan, pid_t& process, Version version) {
    boost::asio::io_context context;
    bool succeeded = false;
    auto const talk = [&]() -> Task<> {
        auto connector =
            testing::failing_connector(std::make_unique<RememberingConnector>(process), plan);
        try {
            co_await test::converse(std::move(connector), version);
            succeeded = true;
        } catch (Error const& error) {
            bool const lost = error.is(Errc::transport_down) || error.is(Errc::closed) ||
                              error.is(Errc::unavailable);
            EXPECT_TRUE(lost) << error.what();
        }
    };
    run_task(context, talk());
    EXPECT_TRUE(context.stopped()) << "something still runs";
    EXPECT_FALSE(test::has_children()) << "a child is left";
    return succeeded;
}

std::uint64_t count_operations(Version version) {
    pid_t process = 0;
    auto const count = std::make_shared<FaultPlan>();
    EXPECT_TRUE(converse(count, process, version));
    return count->operations();
}

TEST(Hardening, R24_every_call_ends_when_the_server_is_killed_at_any_point) {
    for (auto const version : {newest_legacy_version, newest_version}) {
        auto const points = count_operations(version);
        EXPECT_GT(points, 12U);
        auto const descriptors = test::open_descriptors();
        std::uint64_t failures = 0;
        for (std::uint64_t point = 2; point <= points; ++point) {
            pid_t process = 0;
            auto const kill_it = [&process] { kill(process, SIGKILL); };
            auto const plan = std::make_shared<FaultPlan>(point, kill_it);
            if (!converse(plan, process, version)) ++failures;
        }
        // If the server is killed at the end, or after it has sent its answer, the call succeeds.
        EXPECT_GT(failures, points / 2);
        EXPECT_EQ(test::open_descriptors(), descriptors);
        std::printf("COUNT: kill -9 of the server, %s: %llu points\n", to_string(version).data(),
                    static_cast<unsigned long long>(points - 1));
    }
}

// Returns the first line that a program prints; empty if there is none.
std::string first_line(int descriptor) {
    std::string line;
    for (char character = 0; ::read(descriptor, &character, 1) == 1 && character != '\n';) {
        line += character;
    }
    return line;
}

TEST(Hardening, R20_the_server_ends_when_its_client_is_killed_at_any_point) {
    test::adopt_orphans();
    for (auto const version : {newest_legacy_version, newest_version}) {
        auto const points = count_operations(version);
        for (std::uint64_t point = 2; point <= points; ++point) {
            transport::SpawnRequest request;
            request.arguments = {client_program, server_program, std::string(to_string(version)),
                                 std::to_string(point)};
            auto const client = transport::spawn(request);
            ASSERT_TRUE(client);
            auto const line = first_line(client->out.get());
            ASSERT_FALSE(line.empty()) << "the client has not started its server";
            auto const status = test::wait_for_exit(client->process);
            ASSERT_TRUE(status) << "the client hangs at operation " << point;
            EXPECT_TRUE(WIFSIGNALED(*status)) << "operation " << point << " did not come";
            auto const server = test::wait_for_exit(static_cast<pid_t>(std::stol(line)));
            ASSERT_TRUE(server) << "the server outlives its client, killed at " << point;
            EXPECT_TRUE(WIFEXITED(*server) && WEXITSTATUS(*server) == 0)
                << "killed at operation " << point << " the server ends with " << *server;
        }
        EXPECT_FALSE(test::has_children());
        std::printf("COUNT: kill -9 of the client, %s: %llu points\n", to_string(version).data(),
                    static_cast<unsigned long long>(points - 1));
    }
}

TEST(Hardening, R23_pending_calls_end_when_a_stopped_server_is_closed) {
    boost::asio::io_context context;
    pid_t process = 0;
    int ended = 0;
    constexpr int calls = 20;
    auto const call = [&ended](Client client) -> Task<> {
        test::Text work;
        // More than the pipe holds.
        work.text.assign(100'000, 'x');
        try {
            co_await client.call<std::string>("echo", work);
        } catch (Error const&) {
            ++ended;
        }
    };
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions options({server_program});
        options.exit_timeout(50ms);
        auto connector = child_process(options);
        auto transport = co_await connector->open();
        process = test::process_of(*transport);
        auto const client = co_await connect(std::move(transport));
        kill(process, SIGSTOP);
        for (int i = 0; i < calls; ++i) {
            boost::asio::co_spawn(context, call(client),
                                  [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
        }
        co_await client.stop(50ms);
    };
    run_task(context, talk());
    EXPECT_EQ(ended, calls);
    EXPECT_FALSE(test::has_children());
}

TEST(Hardening, R21_a_client_that_disconnects_before_the_answer_does_no_harm) {
    bool const is_long = std::getenv("LANYARD_TEST_LONG") != nullptr;
    int const rounds = is_long ? 1000 : 50;
    for (int i = 0; i < rounds; ++i) {
        boost::asio::io_context context;
        auto const talk = [&]() -> Task<> {
            ChildProcessOptions options({server_program, "with hang"});
            auto connector = child_process(options);
            auto transport = co_await connector->open();
            auto const client = co_await connect(std::move(transport));
            auto const call = [](Client held, std::string tool) -> Task<> {
                test::Text work;
                try {
                    co_await held.call<std::string>(tool, work);
                } catch (Error const&) {
                    // Expected, because the client closes in the meantime.
                }
            };
            for (auto const* const tool : {"hang", "echo", "report"}) {
                boost::asio::co_spawn(context, call(client, tool), [](std::exception_ptr) {});
            }
            client.close();
            co_await client.closed();
        };
        run_task(context, talk());
        EXPECT_TRUE(context.stopped());
    }
    EXPECT_FALSE(test::has_children());
}

}  // namespace
}  // namespace lanyard
