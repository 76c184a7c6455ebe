// Starts the server with one end of a socket pair, and communicates over the other.
#include <iostream>

#include <boost/asio/this_coro.hpp>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netstring_transport.hpp"
#include "support/example.hpp"

// A transport that waits for its server process when it is destroyed.
class ChildTransport final : public netstring::Transport {
public:
    ChildTransport(netstring::Socket socket, pid_t child)
        : Transport(std::move(socket)), child_(child) {}
    ~ChildTransport() override {
        close();
        ::waitpid(child_, nullptr, 0);
    }

private:
    pid_t child_;
};

class StartedServer final : public lanyard::Connector {
public:
    explicit StartedServer(std::string program) : program_(std::move(program)) {}

    lanyard::Task<std::unique_ptr<lanyard::Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("no sockets");

        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
        char* const arguments[] = {program_.data(), nullptr};
        pid_t child = 0;
        int const error =
            ::posix_spawn(&child, program_.c_str(), &actions, nullptr, arguments, environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        netstring::Socket socket(executor, boost::asio::local::stream_protocol(), ends[0]);
        if (error != 0) fail("cannot start " + program_);
        co_return std::make_unique<ChildTransport>(std::move(socket), child);
    }
    std::string describe() const override { return program_; }

private:
    [[noreturn]] static void fail(std::string const& why) {
        throw lanyard::Error(lanyard::Errc::unavailable, why);
    }

    std::string program_;
};

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, text)

lanyard::Task<> talk(std::string server, lanyard::ClientOptions options) {
    auto client = co_await lanyard::connect(std::make_unique<StartedServer>(server), options);
    Echo small{"netstrings need no escaping"};
    auto const text = co_await client.call<std::string>("echo", small);
    std::cout << text << '\n';
    example::expect(text == small.text, text);

    // More than any buffer on the way can hold.
    Echo large{std::string(5'000'000, 'x')};
    auto const back = co_await client.call<std::string>("echo", large);
    example::expect(back == large.text, "a large message comes back whole");
}

int main(int argc, char** argv) {
    return lanyard::run(talk(example::server(argc, argv), example::options(argc, argv)));
}
