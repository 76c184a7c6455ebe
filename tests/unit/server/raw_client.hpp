// A client that sends and receives plain JSON text, so that tests see every byte of the server.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/json.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "lanyard/transport/memory.hpp"

namespace lanyard::server {

/// The other end of a connection to a server, on an event loop that the test runs.
class RawClient {
public:
    RawClient(boost::asio::io_context& context, Server& server, std::size_t max_bytes = 1 << 20)
        : context_(context) {
        auto [here, there] = memory_pair(context.get_executor(), context.get_executor(), max_bytes);
        transport_ = std::move(here);
        boost::asio::co_spawn(context, server.serve(std::move(there)),
                              [served = served_](std::exception_ptr failure) {
                                  EXPECT_FALSE(failure);
                                  *served = true;
                              });
    }

    /// A client whose server the test serves itself.
    RawClient(boost::asio::io_context& context, std::unique_ptr<Transport> transport)
        : context_(context), transport_(std::move(transport)) {}

    /// Whether serve() has returned: the connection and everything that belongs to it have ended.
    bool served() const { return *served_; }
    bool closed() const { return *closed_; }

    void write(std::string_view text) {
        outbox_.begin().append(text);
        outbox_.end();
        transport_->write_now(outbox_);
    }
    /// Starts reading, until the connection ends.
    void listen() {
        if (listening_) return;
        listening_ = true;
        boost::asio::co_spawn(context_, read_all(), boost::asio::detached);
    }
    /// Sends the text and runs the loop until it is idle.
    void send(std::string_view text) {
        write(text);
        poll();
    }
    void poll() {
        listen();
        context_.restart();
        context_.poll();
    }
    /// Runs the loop until the server has sent a message; also waits for other threads.
    std::string wait() {
        listen();
        auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (received_.empty() && !*closed_ && std::chrono::steady_clock::now() < until) {
            context_.restart();
            context_.run_one_for(std::chrono::milliseconds(50));
        }
        return next();
    }
    /// Returns the next message of the server; empty if there is none.
    std::string next() {
        if (received_.empty()) return {};
        auto text = std::move(received_.front());
        received_.pop_front();
        return text;
    }
    Json next_json() { return parsed(next()); }
    Json wait_json() { return parsed(wait()); }
    std::size_t unread() const { return received_.size(); }
    /// Sends a request and returns the answer.
    Json ask(std::string_view text) {
        write(text);
        return wait_json();
    }
    /// The same, skipping notifications.
    Json answer(std::string_view text) {
        auto message = ask(text);
        while (message.is_object() && message.as_object().contains("method")) message = wait_json();
        return message;
    }
    void close() { transport_->close(); }
    /// Closes the output; the client still reads.
    void end_input() { transport_->close_output(); }

    /// Performs the handshake of a revision that has one.
    Json initialize(std::string_view version = "2025-11-25", std::string_view capabilities = "{}") {
        auto result =
            ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
                R"("protocolVersion":")" +
                std::string(version) + R"(","capabilities":)" + std::string(capabilities) +
                R"(,"clientInfo":{"name":"raw","version":"1"}}})");
        send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
        return result;
    }
    /// The metadata of a revision that requires it in every request.
    static std::string meta(std::string_view capabilities = "{}", std::string_view more = "") {
        return R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
               R"("io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},)"
               R"("io.modelcontextprotocol/clientCapabilities":)" +
               std::string(capabilities) + std::string(more) + "}";
    }

private:
    static Json parsed(std::string const& text) {
        if (text.empty()) return nullptr;
        auto json = json::parse(text);
        EXPECT_TRUE(json) << text;
        return json ? *json : Json(nullptr);
    }

    Task<> read_all() {
        auto const closed = closed_;
        while (auto const frames = co_await transport_->read()) {
            for (auto const& frame : *frames) received_.emplace_back(frame.text);
        }
        *closed = true;
    }

    boost::asio::io_context& context_;
    std::unique_ptr<Transport> transport_;
    rpc::Outbox outbox_;
    std::deque<std::string> received_;
    std::shared_ptr<bool> served_ = std::make_shared<bool>(false);
    std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
    bool listening_ = false;
};

inline Json step(Json const& json, std::string_view key) {
    auto const* object = json.if_object();
    auto const* member = object != nullptr ? object->if_contains(key) : nullptr;
    return member != nullptr ? *member : Json(nullptr);
}
inline Json step(Json const& json, int index) {
    auto const* array = json.if_array();
    if (array == nullptr || static_cast<std::size_t>(index) >= array->size()) return nullptr;
    return (*array)[static_cast<std::size_t>(index)];
}
/// Returns the value at the end of a path: at(json, "result", "content", 0, "text"); null if the
/// path does not exist.
template <class... Steps>
Json at(Json json, Steps... steps) {
    ((json = Json(step(json, steps))), ...);
    return json;
}

}  // namespace lanyard::server
