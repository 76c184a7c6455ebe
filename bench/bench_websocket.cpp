// WebSockets of a whole server in a process of its own: memory of thousands that are open, and
// calls.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

std::uint16_t free_port() {
    int const probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(0);
    ::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address);
    socklen_t size = sizeof address;
    ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(probe);
    return ntohs(address.sin_port);
}

// bench-server, which lies beside the other programs.
class ServerProcess {
public:
    ServerProcess() : port_(free_port()) {
        std::string self(4096, '\0');
        auto const size = ::readlink("/proc/self/exe", self.data(), self.size());
        self.resize(static_cast<std::size_t>(size));
        auto program = self.substr(0, self.rfind("/bench/")) + "/bin/bench-server";
        std::string option = "--port";
        auto port = std::to_string(port_);
        char* const arguments[] = {program.data(), option.data(), port.data(), nullptr};
        if (::posix_spawn(&pid_, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
            throw std::runtime_error("cannot start " + program);
        }
    }
    ~ServerProcess() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ServerProcess(ServerProcess const&) = delete;
    ServerProcess& operator=(ServerProcess const&) = delete;

    std::uint16_t port() const { return port_; }
    double resident_kib() const {
        std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
        long total = 0;
        long resident = 0;
        file >> total >> resident;
        return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024;
    }

private:
    std::uint16_t port_;
    pid_t pid_ = -1;
};

std::string text_frame(std::string_view text) {
    std::string out = "\x81";
    if (text.size() < 126) {
        out.push_back(static_cast<char>(0x80U | text.size()));
    } else {
        out.push_back('\xFE');
        out.push_back(static_cast<char>(text.size() >> 8));
        out.push_back(static_cast<char>(text.size() & 0xFF));
    }
    // A key of zeros leaves the text as it is.
    return out.append(4, '\0').append(text);
}

class WebSocket {
public:
    explicit WebSocket(std::uint16_t port) {
        auto const address = loopback(port);
        // The server may need a moment to start.
        for (int i = 0; i < 500; ++i) {
            socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (socket_ < 0) throw std::runtime_error("no descriptors left");
            if (::connect(socket_, reinterpret_cast<sockaddr const*>(&address), sizeof address) ==
                0) {
                break;
            }
            ::close(socket_);
            socket_ = -1;
            ::usleep(10'000);
        }
        int const on = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        send(
            "GET /mcp/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: "
            "websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        if (!receive("\r\n\r\n").starts_with("HTTP/1.1 101 ")) {
            throw std::runtime_error("no WebSocket");
        }
        send(text_frame(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                        R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                        R"("clientInfo":{"name":"bench","version":"1"}}})"));
        receive("\"id\":0");
        send(text_frame(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
    }
    ~WebSocket() {
        if (socket_ >= 0) ::close(socket_);
    }
    WebSocket(WebSocket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    WebSocket& operator=(WebSocket&&) = delete;

    void send(std::string_view bytes) const {
        if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("the server is gone");
        }
    }
    // Reads until the text has come so often.
    std::string receive(std::string_view text, int times = 1) {
        std::string all;
        char buffer[65536];
        std::size_t from = 0;
        for (;;) {
            auto const got = ::recv(socket_, buffer, sizeof buffer, 0);
            if (got <= 0) throw std::runtime_error("the server has ended the connection");
            all.append(buffer, static_cast<std::size_t>(got));
            for (std::size_t at = 0; (at = all.find(text, from)) != all.npos; --times) {
                from = at + text.size();
            }
            if (times <= 0) return all;
        }
    }

private:
    int socket_ = -1;
};

void raise_descriptor_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string const echo = text_frame(
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":)"
    R"({"text":"hello"}}})");

void websocket_open(benchmark::State& state) {
    raise_descriptor_limit();
    auto const count = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        ServerProcess server;
        // Buffers that all share are not counted.
        WebSocket first(server.port());
        first.send(echo);
        first.receive("hello");
        auto const before = server.resident_kib();
        std::vector<WebSocket> open;
        open.reserve(count);
        for (std::size_t i = 0; i < count; ++i) open.emplace_back(server.port());
        // All have been served when the last one is answered.
        open.back().send(echo);
        open.back().receive("hello");
        state.counters["kib_each"] = (server.resident_kib() - before) / static_cast<double>(count);
        state.counters["resident_mib"] = server.resident_kib() / 1024;
    }
}
BENCHMARK(websocket_open)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);

void websocket_call(benchmark::State& state) {
    ServerProcess server;
    WebSocket client(server.port());
    auto const in_flight = static_cast<int>(state.range(0));
    std::string batch;
    for (int id = 1; id <= in_flight; ++id) {
        batch += text_frame(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                            R"(,"method":"tools/call","params":{"name":"echo","arguments":)"
                            R"({"text":"hello"}}})");
    }
    for (int i = 0; i < 100; ++i) {
        client.send(batch);
        client.receive("hello", in_flight);
    }
    for (auto _ : state) {
        client.send(batch);
        client.receive("hello", in_flight);
    }
    state.SetItemsProcessed(state.iterations() * in_flight);
}
BENCHMARK(websocket_call)->Arg(1)->Arg(64)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
