// What benchmarks of whole servers over HTTP use: clients with blocking sockets, and the requests
// they send.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "server_child.hpp"

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
