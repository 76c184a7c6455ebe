// A server whose client dies without closing the pipes, and systems that cannot watch processes.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "lanyard/error.hpp"
#include "lanyard/transport/child_process.hpp"
#include "processes.hpp"
#include "transport/harness.hpp"

namespace lanyard {
namespace {

std::string const server_program = LANYARD_CONVERSATION_SERVER;

TEST(Hardening, R20_a_server_ends_with_its_client_although_its_input_stays_open) {
    test::adopt_orphans();
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    std::array<int, 2> told{};
    // This process holds both ends, so that the server does not see the end of its input.
    ASSERT_EQ(pipe2(input.data(), O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(output.data(), O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(told.data(), O_CLOEXEC), 0);
    pid_t const client = fork();
    ASSERT_GE(client, 0);
    if (client == 0) {
        pid_t const server = fork();
        if (server == 0) {
            dup2(input[0], STDIN_FILENO);
            dup2(output[1], STDOUT_FILENO);
            execl(server_program.c_str(), server_program.c_str(), nullptr);
            _exit(127);
        }
        [[maybe_unused]] auto const written = ::write(told[1], &server, sizeof server);
        for (;;) pause();
    }
    pid_t server = 0;
    ASSERT_EQ(::read(told[0], &server, sizeof server), static_cast<ssize_t>(sizeof server));
    // An answer before the client dies shows that the server is running and watches its client.
    std::string_view const ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    ASSERT_EQ(::write(input[1], ping.data(), ping.size()), std::ssize(ping));
    char character = 0;
    ASSERT_EQ(::read(output[0], &character, 1), 1);

    kill(client, SIGKILL);
    EXPECT_TRUE(test::wait_for_exit(client));
    auto const status = test::wait_for_exit(server);
    ASSERT_TRUE(status) << "the server outlives its client";
    EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 0) << *status;
    for (int const descriptor : {input[0], input[1], output[0], output[1], told[0], told[1]}) {
        ::close(descriptor);
    }
}

// Disables watching processes (pidfd_open) for this process.
bool forbid_watching() {
    std::array<sock_filter, 4> code{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    sock_fprog const program{static_cast<unsigned short>(code.size()), code.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Tries to start a child without support for watching processes; exits with 0 if that is refused.
[[noreturn]] void start_unwatched() {
    if (!forbid_watching()) _exit(77);
    boost::asio::io_context context;
    std::string what;
    auto const attempt = [&]() -> Task<> {
        auto const connector = child_process(server_program);
        try {
            co_await connector->open();
        } catch (Error const& error) {
            what = error.message();
        }
    };
    test::run_task(context, attempt());
    bool const refused = what.find("cannot watch the process") != std::string::npos;
    _exit(refused && !test::has_children() ? 0 : 1);
}

TEST(Hardening, a_child_that_cannot_be_watched_is_refused_and_not_left_behind) {
    pid_t const process = fork();
    ASSERT_GE(process, 0);
    if (process == 0) start_unwatched();
    auto const status = test::wait_for_exit(process);
    ASSERT_TRUE(status);
    ASSERT_TRUE(WIFEXITED(*status));
    if (WEXITSTATUS(*status) == 77) GTEST_SKIP() << "the system allows no filter";
    EXPECT_EQ(WEXITSTATUS(*status), 0);
}

}  // namespace
}  // namespace lanyard
