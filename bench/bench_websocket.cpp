// WebSockets of a server in a separate process: the memory of thousands of open ones, and calls.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "beside_floor.hpp"
#include "floor.hpp"
#include "samples.hpp"
#include "server_child.hpp"

namespace {

using namespace lanyard::bench;

std::string text_frame(std::string_view text) {
    std::string out = "\x81";
    if (text.size() < 126) {
        out.push_back(static_cast<char>(0x80U | text.size()));
    } else {
        out.push_back('\xFE');
        out.push_back(static_cast<char>(text.size() >> 8));
        out.push_back(static_cast<char>(text.size() & 0xFF));
    }
    // A masking key of zeros leaves the text unchanged.
    return out.append(4, '\0').append(text);
}

std::string call_frame(int id) {
    return text_frame(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                      R"(,"method":"tools/call","params":{"name":"echo","arguments":)"
                      R"({"text":"hello"}}})");
}

class Socket {
public:
    explicit Socket(std::uint16_t port) : socket_(connect_to(port)) {}
    Socket(Socket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    Socket& operator=(Socket&&) = delete;
    ~Socket() {
        if (socket_ >= 0) ::close(socket_);
    }

    void send(std::string_view bytes) const {
        if (!write_all(socket_, bytes)) throw std::runtime_error("the server is gone");
    }
    // Reads until the text has arrived this many times.
    std::string receive(std::string_view text, int times = 1) const {
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

// Opens a WebSocket with a session.
Socket open_websocket(std::uint16_t port) {
    Socket socket(port);
    socket.send(
        "GET /mcp/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    if (!socket.receive("\r\n\r\n").starts_with("HTTP/1.1 101 ")) {
        throw std::runtime_error("no WebSocket");
    }
    socket.send(text_frame(initialize_message));
    socket.receive("\"id\":0");
    socket.send(text_frame(initialized_message));
    return socket;
}

void websocket_open(benchmark::State& state) {
    raise_descriptor_limit();
    auto const count = static_cast<std::size_t>(state.range(0));
    auto const call = [](Socket const& socket) {
        socket.send(call_frame(1));
        socket.receive("hello");
    };
    for (auto _ : state) {
        PortServer const server("--port");
        // Opens one first, so that shared buffers are not counted.
        auto const first = open_websocket(server.port());
        call(first);
        auto const before = server.resident_kib();
        std::vector<Socket> open;
        open.reserve(count);
        for (std::size_t i = 0; i < count; ++i) open.push_back(open_websocket(server.port()));
        // When the last one is answered, all have been served.
        call(open.back());
        state.counters["kib_each"] = (server.resident_kib() - before) / static_cast<double>(count);
        state.counters["resident_mib"] = server.resident_kib() / 1024;
    }
}

double cpu_per_call(PortServer const& server, Socket const& socket, std::string_view many,
                    int count) {
    auto const rounds = 2000 / count + 1;
    auto const before = server.cpu_seconds();
    for (int i = 0; i < rounds; ++i) {
        socket.send(many);
        socket.receive("hello", count);
    }
    return (server.cpu_seconds() - before) * 1e6 / (rounds * count);
}

// Compared with a process that only echoes bytes, in the same run and on one core.
void websocket_call(benchmark::State& state) {
    pin_to_one_core();
    auto const count = static_cast<int>(state.range(0));
    PortServer const echo(echo_forever);
    PortServer const server("--port");
    Socket const to_echo(echo.port());
    auto const to_server = open_websocket(server.port());
    std::string many;
    for (int id = 1; id <= count; ++id) many += call_frame(id);
    cpu_per_call(server, to_server, many, count);
    measure_beside_floor(
        state, [&] { return cpu_per_call(server, to_server, many, count); },
        [&] { return cpu_per_call(echo, to_echo, many, count); });
}

BENCHMARK(websocket_open)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(websocket_call)->Arg(1)->Arg(64)->Iterations(20)->Unit(benchmark::kMillisecond);

}  // namespace
