// Starts a server that listens on a port, and stops it again.
#pragma once

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace example {

/// A server program that prints its port as the first line. The destructor stops it with SIGTERM.
class StartedServer {
public:
    explicit StartedServer(std::string const& program) {
        int output[2];
        if (::pipe(output) != 0) throw std::runtime_error("no pipe");
        process_ = ::fork();
        if (process_ == 0) {
            ::dup2(output[1], STDOUT_FILENO);
            ::execl(program.c_str(), program.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(output[1]);
        auto* const file = ::fdopen(output[0], "r");
        if (std::fscanf(file, "%d", &port_) != 1) port_ = 0;
        std::fclose(file);
    }
    ~StartedServer() {
        ::kill(process_, SIGTERM);
        ::waitpid(process_, nullptr, 0);
    }
    StartedServer(StartedServer const&) = delete;
    StartedServer& operator=(StartedServer const&) = delete;

    std::string url(std::string const& path) const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }

private:
    pid_t process_ = -1;
    int port_ = 0;
};

}  // namespace example
