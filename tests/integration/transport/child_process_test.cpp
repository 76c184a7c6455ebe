#include "lanyard/transport/child_process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include <boost/asio/detached.hpp>

#include <sys/wait.h>

#include "harness.hpp"
#include "lanyard/error.hpp"
#include "lanyard/testing/fake_time.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using test::receive;
using test::run_task;
using test::send;

std::string const program = LANYARD_TEST_CHILD;

std::size_t open_descriptors() {
    auto const folder = std::filesystem::directory_iterator("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

bool is_running(pid_t process) {
    return kill(process, 0) == 0;
}

pid_t process_of(Transport const& transport) {
    auto const peer = transport.info().peer;
    return static_cast<pid_t>(std::stol(peer.substr(peer.rfind("process ") + 8)));
}

Task<> close(Transport& transport) {
    transport.close();
    co_await transport.closed();
}

TEST(ChildProcess, carries_messages_both_ways) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        auto const connector = child_process(program, "echo");
        EXPECT_EQ(connector->describe(), program + " echo");
        auto const transport = co_await connector->open();
        co_await send(*transport, R"({"n":1})");
        auto const texts = co_await receive(*transport, 1);
        EXPECT_EQ(texts, std::vector<std::string>{R"({"n":1})"});
        EXPECT_EQ(transport->info().kind, "child process");
        EXPECT_EQ(transport->info().messages_in, 1U);
        EXPECT_EQ(transport->info().messages_out, 1U);
        co_await close(*transport);
        EXPECT_EQ(transport->end_reason(), program + " exited with code 0");
    };
    run_task(context, talk());
}

TEST(ChildProcess, its_arguments_may_be_in_a_list) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        std::vector<std::string> const arguments{"echo"};
        auto const connector = child_process(program, arguments);
        auto const transport = co_await connector->open();
        co_await send(*transport, "hello");
        auto const texts = co_await receive(*transport, 1);
        EXPECT_EQ(texts, std::vector<std::string>{"hello"});
        co_await close(*transport);
    };
    run_task(context, talk());
}

TEST(ChildProcess, gets_three_descriptors_its_folder_its_variables_and_its_own_group) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions options({program, "tell"});
        options.working_directory("/").variable("LANYARD_TEST_VARIABLE", "seven");
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        auto const texts = co_await receive(*transport, 4);
        std::vector<std::string> const expected{"0 1 2 ", "/", "seven", "own group"};
        EXPECT_EQ(texts, expected);
        co_await close(*transport);
    };
    run_task(context, talk());
}

TEST(ChildProcess, can_start_with_an_empty_environment) {
    boost::asio::io_context context;
    setenv("LANYARD_TEST_VARIABLE", "inherited", 1);
    auto const variable = [&](ChildProcessOptions options) -> Task<> {
        bool const inherits = options.inherit_environment();
        auto const connector = child_process(std::move(options));
        auto const transport = co_await connector->open();
        auto const texts = co_await receive(*transport, 4);
        EXPECT_EQ(texts.at(2), inherits ? "inherited" : "(unset)");
        co_await close(*transport);
    };
    ChildProcessOptions options({program, "tell"});
    run_task(context, variable(options));
    options.clear_environment();
    run_task(context, variable(options));
    unsetenv("LANYARD_TEST_VARIABLE");
}

TEST(ChildProcess, reports_why_it_cannot_start) {
    boost::asio::io_context context;
    auto const attempt = [&](ChildProcessOptions options) -> Task<> {
        auto const connector = child_process(std::move(options));
        std::string what;
        try {
            co_await connector->open();
        } catch (Error const& error) {
            what = error.message();
        }
        EXPECT_NE(what.find("No such file or directory"), std::string::npos) << what;
        EXPECT_NE(what.find("nowhere"), std::string::npos) << what;
    };
    run_task(context, attempt(ChildProcessOptions({"/nowhere/at/all"})));
    run_task(context, attempt(ChildProcessOptions({"nowhere-in-the-path"})));
    ChildProcessOptions options({program, "echo"});
    options.working_directory("/nowhere");
    run_task(context, attempt(options));
    auto const empty = [&]() -> Task<> {
        auto const connector = child_process(ChildProcessOptions(std::vector<std::string>()));
        bool refused = false;
        try {
            co_await connector->open();
        } catch (Error const& error) {
            refused = error.is(Errc::invalid_argument);
        }
        EXPECT_TRUE(refused);
    };
    run_task(context, empty());
}

TEST(ChildProcess, the_error_of_a_child_shows_the_end_of_its_stderr) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        std::string heard;
        ChildProcessOptions options({program, "fail"});
        options.on_stderr([&heard](std::string_view text) { heard += text; });
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        auto const texts = co_await receive(*transport, 1);
        EXPECT_TRUE(texts.empty());
        co_await close(*transport);
        EXPECT_EQ(transport->end_reason(), program +
                                               " exited with code 3; its last lines on stderr: "
                                               "cannot find my configuration");
        EXPECT_EQ(heard, "cannot find my configuration\n");
    };
    run_task(context, talk());
}

TEST(ChildProcess, the_end_of_the_input_waits_for_the_exit_of_a_child_that_crashes) {
    boost::asio::io_context context;
    struct Way {
        std::string name;
        std::string reason;
    };
    Way const segmentation{"crash", " crashed with signal 11 (SIGSEGV)"};
    Way const code{"leave", " exited with code 7"};
    auto const talk = [&](Way way) -> Task<> {
        ChildProcessOptions const options({program, way.name});
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        auto const texts = co_await receive(*transport, 1);
        EXPECT_TRUE(texts.empty());
        // The reason is known before the transport is closed.
        EXPECT_EQ(transport->end_reason(), program + way.reason);
        co_await close(*transport);
    };
    for (int i = 0; i < 20; ++i) {
        run_task(context, talk(segmentation));
        run_task(context, talk(code));
    }
}

TEST(ChildProcess, a_child_that_closes_only_its_output_ends_the_connection) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions const options({program, "mute"});
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        auto const texts = co_await receive(*transport, 1);
        EXPECT_TRUE(texts.empty());
        EXPECT_EQ(transport->end_reason(), program + " closed its output");
        co_await close(*transport);
    };
    run_task(context, talk());
}

TEST(Hardening, R22_a_child_that_writes_much_to_stderr_is_served) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions options({program, "stderr"});
        options.on_stderr([](std::string_view) {});
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        co_await send(*transport, "hello");
        auto const texts = co_await receive(*transport, 1);
        EXPECT_EQ(texts, std::vector<std::string>{"hello"});
        co_await close(*transport);
        auto const reason = transport->end_reason();
        EXPECT_TRUE(reason.ends_with("the last line")) << reason.substr(0, 100);
        EXPECT_LT(reason.size(), 2000U);
    };
    run_task(context, talk());
}

TEST(Hardening, R25_a_tree_of_processes_that_ignores_signals_is_ended) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions options({program, "stubborn"});
        options.exit_timeout(50ms);
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        auto const texts = co_await receive(*transport, 1);
        auto const grandchild = static_cast<pid_t>(std::stol(texts.at(0)));
        EXPECT_TRUE(is_running(grandchild));
        co_await close(*transport);
        EXPECT_EQ(transport->end_reason(), program + " was ended by signal 9 (SIGKILL)");
        // The grandchild is reaped by init and no longer counts as running after that.
        for (int i = 0; i < 6000 && is_running(grandchild); ++i) {
            co_await sleep_for(10ms);
        }
        EXPECT_FALSE(is_running(grandchild));
    };
    run_task(context, talk(), 120s);
}

TEST(ChildProcess, its_time_to_exit_follows_the_clock_of_the_options) {
    boost::asio::io_context context;
    testing::FakeTime time;
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions options({program, "stubborn"});
        options.exit_timeout(1h).time(time);
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        co_await receive(*transport, 1);
        bool closed = false;
        boost::asio::co_spawn(context, close(*transport),
                              [&closed](std::exception_ptr) { closed = true; });
        for (int signals = 0; signals < 2; ++signals) {
            for (int i = 0; i < 6000 && time.next_alarm() == TimePoint::max(); ++i) {
                co_await sleep_for(10ms);
            }
            EXPECT_EQ(time.next_alarm() - time.now(), 1h);
            time.advance(1h);
        }
        for (int i = 0; i < 6000 && !closed; ++i) co_await sleep_for(10ms);
        EXPECT_EQ(transport->end_reason(), program + " was ended by signal 9 (SIGKILL)");
    };
    run_task(context, talk(), 120s);
}

TEST(Hardening, R23_a_stopped_child_with_a_full_pipe_does_not_delay_closing) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        ChildProcessOptions options({program, "echo"});
        options.exit_timeout(50ms);
        auto const connector = child_process(options);
        auto const transport = co_await connector->open();
        kill(process_of(*transport), SIGSTOP);
        rpc::Outbox outbox;
        outbox.begin().append(8 * 1024 * 1024, 'x');
        outbox.end();
        transport->write_now(outbox);
        EXPECT_FALSE(outbox.empty());
        co_await close(*transport);
        EXPECT_EQ(transport->end_reason(), program + " was ended by signal 9 (SIGKILL)");
    };
    run_task(context, talk());
}

TEST(Hardening, R26_many_children_leave_no_descriptors_or_zombies) {
    boost::asio::io_context context;
    auto const talk = [&]() -> Task<> {
        auto const connector = child_process(program, "echo");
        auto const transport = co_await connector->open();
        co_await send(*transport, "hello");
        co_await receive(*transport, 1);
        co_await close(*transport);
    };
    // The event loop opens its own descriptors in the first cycle.
    run_task(context, talk());
    auto const before = open_descriptors();
    constexpr int cycles = 500;
    for (int i = 0; i < cycles; ++i) run_task(context, talk());
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
}

TEST(ChildProcess, an_event_loop_that_is_dropped_leaves_no_zombie) {
    auto const before = open_descriptors();
    pid_t process = 0;
    {
        boost::asio::io_context context;
        auto const talk = [&]() -> Task<> {
            auto const connector = child_process(program, "stubborn");
            auto const transport = co_await connector->open();
            process = process_of(*transport);
            co_await receive(*transport, 1);
            transport->close();
            co_await transport->closed();
        };
        boost::asio::co_spawn(context, talk(), boost::asio::detached);
        // The transport is closing, but the child ignores that.
        while (process == 0) context.run_one();
        EXPECT_TRUE(is_running(process));
    }
    EXPECT_FALSE(is_running(process));
    EXPECT_EQ(waitpid(process, nullptr, WNOHANG), -1) << "it was not reaped";
    EXPECT_EQ(open_descriptors(), before);
}

TEST(ChildProcess, a_transport_that_is_dropped_ends_its_child) {
    boost::asio::io_context context;
    pid_t process = 0;
    auto const talk = [&]() -> Task<> {
        auto const connector = child_process(program, "stubborn");
        auto const transport = co_await connector->open();
        co_await receive(*transport, 1);
        process = process_of(*transport);
    };
    run_task(context, talk());
    EXPECT_GT(process, 0);
    EXPECT_FALSE(is_running(process));
}

}  // namespace
}  // namespace lanyard
