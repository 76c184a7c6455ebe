// What benchmarks of whole servers over HTTP use: a server in a process of its own, clients with
// blocking sockets, and the requests they send.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanyard::bench {

inline std::string post(std::string_view body, std::string_view headers) {
    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n" +
           std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string(body);
}

constexpr std::string_view some_text = R"({"text":"the quick brown fox jumps over the lazy dog"})";
constexpr std::string_view two_numbers = R"({"a":1,"b":2})";

inline std::string call_of(std::string_view tool, std::string_view arguments,
                           std::string_view meta) {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
           std::string(tool) + R"(","arguments":)" + std::string(arguments) + std::string(meta) +
           "}}";
}

// A call that stands alone (2026-07-28).
inline std::string single_call(std::string_view tool = "echo",
                               std::string_view arguments = some_text) {
    return post(call_of(tool, arguments,
                        R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
                        R"("io.modelcontextprotocol/clientCapabilities":{}})"),
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
                    std::string(tool) + "\r\n");
}

// A call in a session (2025-11-25).
inline std::string session_call(std::string const& session, std::string_view tool = "echo",
                                std::string_view arguments = some_text) {
    return post(call_of(tool, arguments, ""),
                "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n");
}

inline void pin_to_one_core() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof set, &set);
}

inline int open_socket(std::uint16_t& port, bool listens) {
    auto const descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int const on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (!listens) {
        if (connect(descriptor, name, sizeof address) == 0) return descriptor;
        close(descriptor);
        return -1;
    }
    socklen_t size = sizeof address;
    if (bind(descriptor, name, sizeof address) != 0 || listen(descriptor, 100) != 0) return -1;
    getsockname(descriptor, name, &size);
    port = ntohs(address.sin_port);
    return descriptor;
}

// A server in a process of its own.
class Child {
public:
    /// What stands in front of the program runs it (valgrind).
    explicit Child(std::string const& program, std::vector<std::string> prefix = {}) {
        close(open_socket(port_, true));
        pid_ = fork();
        if (pid_ == 0) {
            auto arguments = std::move(prefix);
            arguments.insert(arguments.end(), {program, "--port", std::to_string(port_)});
            std::vector<char*> pointers;
            for (auto& argument : arguments) pointers.push_back(argument.data());
            pointers.push_back(nullptr);
            execvp(pointers[0], pointers.data());
            _exit(127);
        }
    }
    /// A function that is given a socket that listens.
    explicit Child(void (*serve)(int listening)) {
        auto const listening = open_socket(port_, true);
        pid_ = fork();
        if (pid_ == 0) {
            serve(listening);
            _exit(0);
        }
        close(listening);
    }
    ~Child() { end(); }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    void end() {
        if (pid_ < 0) return;
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    std::uint16_t port() const { return port_; }
    double resident_kib() const {
        std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmRSS:")) return std::stod(line.substr(6));
        }
        return 0;
    }
    double cpu_seconds() const {
        clockid_t clock{};
        timespec spent{};
        clock_getcpuclockid(pid_, &clock);
        clock_gettime(clock, &spent);
        return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
    }

private:
    pid_t pid_ = -1;
    std::uint16_t port_ = 0;
};

class Client {
public:
    /// The server may need a moment to start, under valgrind several: tries again after the pause.
    explicit Client(std::uint16_t port,
                    std::chrono::microseconds pause = std::chrono::milliseconds(10)) {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (descriptor_ < 0 && std::chrono::steady_clock::now() < end) {
            descriptor_ = open_socket(port, false);
            if (descriptor_ < 0) usleep(static_cast<useconds_t>(pause.count()));
        }
        if (descriptor_ < 0) throw std::runtime_error("the server does not listen");
    }
    ~Client() { close(descriptor_); }
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    void send(std::string_view bytes) const {
        if (write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("the server is gone");
        }
    }
    /// What comes first of a response that has no end.
    void receive_begin() {
        std::array<char, 4096> begin;
        auto const got = read(descriptor_, begin.data(), begin.size());
        if (got <= 0 || !std::string_view(begin.data(), 12).starts_with("HTTP/1.1 200")) {
            throw std::runtime_error("the server has refused a stream");
        }
    }
    /// The next response, up to its end.
    std::string_view receive() {
        buffer_.resize(65536);
        size_ = 0;
        for (;;) {
            auto const got = read(descriptor_, buffer_.data() + size_, buffer_.size() - size_);
            if (got <= 0) throw std::runtime_error("the server has ended the connection");
            size_ += static_cast<std::size_t>(got);
            std::string_view const text(buffer_.data(), size_);
            auto const head = text.find("\r\n\r\n");
            if (head == text.npos) continue;
            auto const length = text.find("Content-Length:");
            if (length == text.npos || length > head) {
                if (text.find(" 202 ") < head) return text;
                if (text.ends_with("0\r\n\r\n")) return text;
                continue;
            }
            auto const body = std::strtoul(buffer_.data() + length + 15, nullptr, 10);
            if (size_ >= head + 4 + body) return text;
        }
    }
    std::string_view call(std::string_view request) {
        send(request);
        auto const answer = receive();
        if (!answer.starts_with("HTTP/1.1 20")) {
            throw std::runtime_error("refused: " + std::string(answer));
        }
        return answer;
    }

private:
    int descriptor_ = -1;
    std::vector<char> buffer_;
    std::size_t size_ = 0;
};

inline std::string server_path() {
    std::array<char, 4096> path{};
    auto const size = readlink("/proc/self/exe", path.data(), path.size() - 1);
    std::string const self(path.data(), static_cast<std::size_t>(size));
    return self.substr(0, self.rfind("/bench/")) + "/bin/bench-server";
}

inline std::string open_session(Client& client) {
    auto const answer = std::string(client.call(
        post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})",
             "")));
    auto const at = answer.find("Mcp-Session-Id: ");
    if (at == answer.npos) throw std::runtime_error("no session");
    auto session = answer.substr(at + 16, answer.find("\r\n", at) - at - 16);
    client.call(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                     "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n"));
    return session;
}

}  // namespace lanyard::bench
