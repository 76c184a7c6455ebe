// Listening: a whole server that serves over HTTP on a separate thread, and requests for it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "integration/http/raw_client.hpp"
#include "lanyard/listen.hpp"
#include "lanyard/server.hpp"

namespace lanyard::test {

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, text)

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, really)

inline std::string stateless_call(std::string_view tool = "echo") {
    return post_request(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
                            std::string(tool) +
                            R"(","arguments":{"text":"hello"},"_meta":)"
                            R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                            R"("io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},)"
                            R"("io.modelcontextprotocol/clientCapabilities":{}}}})",
                        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
                            std::string(tool) + "\r\n");
}

inline std::string const initialize = post_request(
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})");

// The header fields of requests in the session that this response has opened.
inline std::string session_fields(std::string const& head) {
    auto const at = head.find("Mcp-Session-Id: ");
    EXPECT_NE(at, head.npos) << head;
    auto const end = head.find("\r\n", at);
    return head.substr(std::min(at, end), end + 2 - at) + "MCP-Protocol-Version: 2025-11-25\r\n";
}

inline void add_tools(Server& server) {
    server.tool("echo", "Says it back", [](Echo in) { return in.text; });
    server.tool("whoami", "Who calls", [](Echo, Context& context) {
        return "you are " + std::string(context.identity());
    });
    server.tool(
        "slow", "Takes a while",
        [](Echo in, Context& context) {
            while (!context.stop_token().stop_requested() && in.text != "") {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                in.text.pop_back();
            }
            return std::string("done");
        },
        ToolOptions().blocking());
}

// Serves on a separate thread.
class Listening {
public:
    explicit Listening(HttpServerOptions options = {},
                       std::string const& url = "http://127.0.0.1:0/mcp")
        : listener_(listen(url, std::move(options))) {
        add_tools(server_);
        boost::asio::co_spawn(context_, server_.run_async(*listener_),
                              [this](std::exception_ptr failure) { failed = failure != nullptr; });
        thread_ = std::thread([this] { context_.run(); });
    }
    ~Listening() { end(); }

    void end() {
        server_.stop(std::chrono::seconds(5));
        if (thread_.joinable()) thread_.join();
    }
    std::uint16_t port() const { return listener_->port(); }
    Server& server() { return server_; }

    std::atomic<bool> failed = false;

private:
    Server server_{"test", "1"};
    std::unique_ptr<UrlListener> listener_;
    boost::asio::io_context context_{1};
    std::thread thread_;
};

}  // namespace lanyard::test
