// For benchmarks of whole servers over HTTP: clients with blocking sockets, and the requests they
// send.
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

#include "floor.hpp"
#include "samples.hpp"
#include "server_child.hpp"

namespace lanyard::bench {

inline std::string post(std::string_view body, std::string_view headers) {
    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n" +
           std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string(body);
}

/// Metadata that requests progress, and so a stream.
constexpr std::string_view with_progress = R"("progressToken":1)";

// A stateless call (2026-07-28); `meta` is an optional further member of the metadata.
inline std::string single_call(std::string_view tool = "echo",
                               std::string_view arguments = text_arguments,
                               std::string_view meta = {}) {
    return post(call_of(tool, arguments,
                        R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
                        R"("io.modelcontextprotocol/clientCapabilities":{})" +
                            std::string(meta.empty() ? "" : ",") + std::string(meta) + "}"),
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
                    std::string(tool) + "\r\n");
}

// The headers of a request of 2025-11-25, in a session or without one.
inline std::string session_headers(std::string const& session) {
    std::string headers = "MCP-Protocol-Version: 2025-11-25\r\n";
    if (!session.empty()) headers += "Mcp-Session-Id: " + session + "\r\n";
    return headers;
}

// A call in a session.
inline std::string session_call(std::string const& session, std::string_view tool = "echo",
                                std::string_view arguments = text_arguments,
                                std::string_view meta = {}) {
    return post(call_of(tool, arguments,
                        meta.empty() ? std::string() : R"(,"_meta":{)" + std::string(meta) + "}"),
                session_headers(session));
}

class HttpClient {
public:
    explicit HttpClient(std::uint16_t port,
                        std::chrono::microseconds pause = std::chrono::milliseconds(10))
        : descriptor_(connect_to(port, pause)) {}
    ~HttpClient() { close(descriptor_); }
    HttpClient(HttpClient const&) = delete;
    HttpClient& operator=(HttpClient const&) = delete;

    void send(std::string_view bytes) const {
        if (!write_all(descriptor_, bytes)) throw std::runtime_error("the server is gone");
    }
    /// Reads the beginning of a response that has no end.
    void receive_begin() {
        std::array<char, 4096> begin;
        auto const got = read(descriptor_, begin.data(), begin.size());
        if (got <= 0 || !std::string_view(begin.data(), 12).starts_with("HTTP/1.1 200")) {
            throw std::runtime_error("the server has refused a stream");
        }
    }
    /// Reads the next response, up to its end.
    std::string_view receive() {
        size_ = 0;
        for (;;) {
            if (size_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
            auto const got = read(descriptor_, buffer_.data() + size_, buffer_.size() - size_);
            if (got <= 0) throw std::runtime_error("the server has ended the connection");
            size_ += static_cast<std::size_t>(got);
            std::string_view const text(buffer_.data(), size_);
            auto const head = text.find("\r\n\r\n");
            if (head == text.npos) continue;
            auto const length = text.substr(0, head).find("Content-Length:");
            if (length == text.npos) {
                if (text.substr(0, head).find(" 202 ") != text.npos) return text;
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
    int descriptor_;
    std::vector<char> buffer_ = std::vector<char>(65536);
    std::size_t size_ = 0;
};

// Several connections, each with one call at a time.
struct Load {
    Load(std::uint16_t port, std::string const& request, int connections) {
        for (int i = 0; i < connections; ++i) {
            clients.push_back(std::make_unique<HttpClient>(port));
            requests.push_back(request);
            // Concurrent requests in a session need different ids and progress tokens.
            for (std::string_view const mark : {R"("id":1)", R"("progressToken":1)"}) {
                auto const at = request.find(mark);
                if (at != request.npos) {
                    requests.back()[at + mark.size() - 1] = static_cast<char>('1' + i % 9);
                }
            }
        }
    }
    void run(int rounds) {
        for (int i = 0; i < rounds; ++i) {
            for (std::size_t c = 0; c < clients.size(); ++c) clients[c]->send(requests[c]);
            for (auto const& client : clients) client->receive();
        }
    }

    std::vector<std::string> requests;
    std::vector<std::unique_ptr<HttpClient>> clients;
};

inline std::string open_session(HttpClient& client) {
    auto const answer = std::string(client.call(post(initialize_message, "")));
    auto const at = answer.find("Mcp-Session-Id: ");
    if (at == answer.npos) throw std::runtime_error("no session");
    auto session = answer.substr(at + 16, answer.find("\r\n", at) - at - 16);
    client.call(post(initialized_message, session_headers(session)));
    return session;
}

}  // namespace lanyard::bench
