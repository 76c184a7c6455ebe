// The effect of signals while a SignalWatch exists, and that it ends with the watch.
#include "runtime/signal_watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>

#include <unistd.h>
#include <boost/asio/io_context.hpp>

namespace lanyard::runtime {
namespace {

using Disposition = void (*)(int);

Disposition disposition_of(int signal) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    return action.sa_handler;
}

class SignalWatchTest : public ::testing::Test {
protected:
    SignalWatchTest() {
        // Resets what the shell may have set for background programs.
        for (int const signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    }

    std::unique_ptr<SignalWatch> watch() {
        SignalWatch::Handlers handlers;
        handlers.stop = [this] { ++stops; };
        handlers.hang_up = [this] { ++hang_ups; };
        return std::make_unique<SignalWatch>(context.get_executor(), std::move(handlers));
    }
    void run() {
        context.restart();
        context.poll();
    }

    boost::asio::io_context context;
    int stops = 0;
    int hang_ups = 0;
};

TEST_F(SignalWatchTest, reports_the_first_signal_and_every_hang_up) {
    for (int const signal : {SIGINT, SIGTERM}) {
        auto const watching = watch();
        std::raise(SIGHUP);
        run();
        EXPECT_EQ(hang_ups, 1);
        EXPECT_EQ(stops, 0);
        std::raise(SIGHUP);
        std::raise(signal);
        run();
        EXPECT_EQ(hang_ups, 2);
        EXPECT_EQ(stops, 1);
        hang_ups = stops = 0;
    }
}

TEST_F(SignalWatchTest, restores_the_previous_signal_handlers) {
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGPIPE, SIG_DFL);
    for (int round = 0; round < 2; ++round) {
        auto const watching = watch();
        auto const second = watch();
        EXPECT_EQ(disposition_of(SIGPIPE), SIG_IGN);
        EXPECT_NE(disposition_of(SIGTERM), SIG_IGN);
        EXPECT_NE(disposition_of(SIGINT), SIG_DFL);
    }
    EXPECT_EQ(disposition_of(SIGTERM), SIG_IGN);
    EXPECT_EQ(disposition_of(SIGPIPE), SIG_DFL);
    EXPECT_EQ(disposition_of(SIGINT), SIG_DFL);
    EXPECT_EQ(disposition_of(SIGHUP), SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

TEST_F(SignalWatchTest, every_watch_is_notified) {
    auto const one = watch();
    auto const other = watch();
    std::raise(SIGTERM);
    run();
    EXPECT_EQ(stops, 2);
}

TEST_F(SignalWatchTest, a_program_that_ignores_hang_ups_continues_to_ignore_them) {
    std::signal(SIGHUP, SIG_IGN);
    {
        auto const watching = watch();
        std::raise(SIGHUP);
        run();
        EXPECT_EQ(hang_ups, 0);
    }
    EXPECT_EQ(disposition_of(SIGHUP), SIG_IGN);
    std::signal(SIGHUP, SIG_DFL);
}

TEST_F(SignalWatchTest, the_second_signal_ends_the_process_without_the_loop) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            auto const watching = watch();
            std::raise(SIGINT);
            std::raise(SIGTERM);
        },
        ::testing::ExitedWithCode(128 + SIGTERM), "");
    EXPECT_EXIT(
        {
            auto const watching = watch();
            std::raise(SIGTERM);
            std::raise(SIGINT);
        },
        ::testing::ExitedWithCode(128 + SIGINT), "");
}

TEST_F(SignalWatchTest, writing_to_a_closed_pipe_does_not_end_the_process) {
    auto const watching = watch();
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    EXPECT_EQ(::write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
    ::close(ends[1]);
}

}  // namespace
}  // namespace lanyard::runtime
