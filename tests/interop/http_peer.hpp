// Servers of other SDKs that are reached by URL.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace lanyard::interop {

/// Returns a port that is not in use.
inline int free_port() {
    int const probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address);
    socklen_t size = sizeof address;
    ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(probe);
    return ntohs(address.sin_port);
}

/// A server of an npm package, run by the Node of tests/interop/npm. It listens on the port in the
/// variable PORT and is stopped by the destructor.
class HttpPeer {
public:
    HttpPeer(std::string const& script, std::string const& argument) : port_(free_port()) {
        std::filesystem::path const folder(LANYARD_INTEROP_NPM);
        auto const node = (folder / "bin/node").string();
        auto const file = (folder / "node_modules" / script).string();
        auto const variable = "PORT=" + std::to_string(port_);
        std::vector<char*> arguments{const_cast<char*>(node.c_str()),
                                     const_cast<char*>(file.c_str()),
                                     const_cast<char*>(argument.c_str()), nullptr};
        std::string const path = "PATH=/usr/bin:/bin";
        std::vector<char*> environment{const_cast<char*>(variable.c_str()),
                                       const_cast<char*>(path.c_str()), nullptr};
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
        ::posix_spawn(&process_, node.c_str(), &files, nullptr, arguments.data(),
                      environment.data());
        posix_spawn_file_actions_destroy(&files);
        wait_until_it_listens();
    }
    ~HttpPeer() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    HttpPeer(HttpPeer const&) = delete;
    HttpPeer& operator=(HttpPeer const&) = delete;

    std::string url(std::string const& path) const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }

private:
    void wait_until_it_listens() const {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!listens() && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    bool listens() const {
        int const probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        bool const connected =
            ::connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
        ::close(probe);
        return connected;
    }

    int port_;
    pid_t process_ = 0;
};

}  // namespace lanyard::interop
