// Target: the server that hostile clients attack, in a separate process, and clients for each
// transport.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "hostile/process_memory.hpp"
#include "integration/process/server_process.hpp"
#include "integration/websocket/raw_websocket.hpp"

namespace lanyard::test {

inline bool long_run() {
    return std::getenv("LANYARD_TEST_LONG") != nullptr;
}

/// Serves TCP and HTTP (with SSE and WebSockets) on free ports of the loopback interface.
class Target {
public:
    Target() : process_({LANYARD_HOSTILE_TARGET, "ports"}) {
        auto const ports = process_.receive();
        tcp_ = static_cast<std::uint16_t>(ports.at("tcp").as_int64());
        http_ = static_cast<std::uint16_t>(ports.at("http").as_int64());
        before_ = resident_memory(process_.id());
    }

    std::uint16_t tcp() const noexcept { return tcp_; }
    std::uint16_t http() const noexcept { return http_; }
    pid_t id() const noexcept { return process_.id(); }
    /// The growth of its resident memory since the process was ready: now, and at its peak.
    std::size_t grown() const { return beyond(resident_memory(id())); }
    std::size_t peak_growth() const { return beyond(peak_resident_memory(id())); }

private:
    std::size_t beyond(std::size_t memory) const { return memory > before_ ? memory - before_ : 0; }

    ServerProcess process_;
    std::uint16_t tcp_ = 0;
    std::uint16_t http_ = 0;
    std::size_t before_ = 0;
};

inline std::string initialize_request(std::string_view client_name = "hostile") {
    return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
           R"("2025-11-25","capabilities":{},"clientInfo":{"name":")" +
           std::string(client_name) + R"(","version":"1"}}})";
}

inline constexpr std::string_view initialized_notification =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

/// A request of a revision with sessions.
inline std::string request(std::string_view method, std::string_view params, int id = 1) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" +
           std::string(method) + R"(","params":)" + std::string(params) + "}";
}

inline std::string echo_request(std::string_view text, int id = 1) {
    return request("tools/call",
                   R"({"name":"echo","arguments":{"text":")" + std::string(text) + R"("}})", id);
}

/// A session over HTTP.
class HttpPeer {
public:
    explicit HttpPeer(std::uint16_t port) : client(port) {}

    std::string post(std::string_view body) {
        client.send(post_request(
            body, session_.empty() ? std::string() : "Mcp-Session-Id: " + session_ + "\r\n"));
        auto answer = client.read_response();
        // An answer that takes longer arrives as an event stream.
        if (answer.find("Transfer-Encoding: chunked") != answer.npos) {
            answer += client.read_until("\r\n0\r\n\r\n");
        }
        return answer;
    }
    /// Opens a session; returns the answer to the handshake.
    std::string open(std::string_view client_name = "hostile") {
        auto answer = post(initialize_request(client_name));
        constexpr std::string_view field = "Mcp-Session-Id: ";
        auto const at = answer.find(field);
        if (at != answer.npos) {
            auto const begin = at + field.size();
            session_ = answer.substr(begin, answer.find('\r', begin) - begin);
            post(initialized_notification);
        }
        return answer;
    }
    std::string const& session() const noexcept { return session_; }

    RawClient client;

private:
    std::string session_;
};

/// Messages as lines over TCP.
class LinePeer {
public:
    explicit LinePeer(std::uint16_t port) : client(port) {}

    /// The answer; a ping of the server, which comes if the test takes long, is passed over.
    std::string ask(std::string_view line) {
        client.send(std::string(line) + "\n");
        auto answer = client.read_until("\n");
        while (answer.find(R"("method":"ping")") != answer.npos) answer = client.read_until("\n");
        return answer;
    }
    std::string open(std::string_view client_name = "hostile") {
        auto answer = ask(initialize_request(client_name));
        client.send(std::string(initialized_notification) + "\n");
        return answer;
    }

    RawClient client;
};

}  // namespace lanyard::test
