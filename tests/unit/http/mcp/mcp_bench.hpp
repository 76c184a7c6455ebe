// Sends requests to an McpHandler without sockets: each request passes the reader and the gate,
// and its reply is recorded.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "http/mcp/mcp_handler.hpp"
#include "http/mcp/mcp_routes.hpp"
#include "http/message/sse_parser.hpp"
#include "http/server/admission.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "scripted_endpoint.hpp"
#include "support/http.hpp"
#include "unit/http/server/recording_reply.hpp"

namespace lanyard::test {

using Headers = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::string_view initialize_text =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";

/// One request and its reply.
struct Call {
    std::string bytes;
    std::string body;
    http::RequestReader reader;
    http::RequestHead head;
    http::Admission admission;
    std::shared_ptr<Principal const> principal;
    std::shared_ptr<void> attachment;
    RecordingReply reply;

    http::Status status() const { return reply.status(); }
    std::string const& text() const { return reply.body(); }
    bool is_json() const { return reply.content() == http::Content::json; }
    bool is_stream() const { return reply.content() == http::Content::event_stream; }
    /// All events so far, each as "type|data|id".
    std::vector<std::string> events() const { return events_of({reply.body()}); }
    /// The data of the events that have data.
    std::vector<std::string> messages() const {
        std::vector<std::string> data;
        for (auto const& event : parsed()) {
            if (!event.first.empty()) data.push_back(event.first);
        }
        return data;
    }
    std::string last_id() const {
        auto const events = parsed();
        return events.empty() ? "" : events.back().second;
    }

private:
    std::vector<std::pair<std::string, std::string>> parsed() const {
        http::SseParser parser;
        std::vector<std::pair<std::string, std::string>> found;
        parser.feed(reply.body());
        while (auto const event = parser.next()) found.emplace_back(event->data, event->id);
        return found;
    }
};

class McpBench {
public:
    explicit McpBench(McpHttpOptions options = {}, std::vector<Version> served = {})
        : options_(std::move(options)), time(own_time_), scripted(time) {
        if (!served.empty()) scripted.served = std::move(served);
        use(scripted);
    }
    /// Uses the test's own server, which uses this time.
    McpBench(Endpoint& server, testing::FakeTime& server_time, McpHttpOptions options = {})
        : options_(std::move(options)), time(server_time), scripted(time) {
        use(server);
    }

    void use(Endpoint& server) {
        auto router = http::Router::make(http::endpoint_routes(options_)).value();
        gate_ = std::make_unique<http::AdmissionGate>(
            http::AdmissionGate::make({}, std::move(router)).value());
        endpoint = std::make_unique<http::McpHandler>(
            server, io.get_executor(), options_,
            std::make_shared<http::EndpointShared>(options_, server.random()));
    }

    /// Sends a request. The reply may end before this returns or later.
    std::shared_ptr<Call> send(std::string_view method, std::string_view target,
                               std::string_view body, Headers const& headers,
                               std::shared_ptr<Principal const> principal = nullptr,
                               std::shared_ptr<void> attachment = nullptr) {
        // The bench keeps the call, because the reply may be used long after the test has dropped
        // it.
        auto call = calls_.emplace_back(std::make_shared<Call>());
        call->principal = std::move(principal);
        call->attachment = std::move(attachment);
        call->bytes = std::string(method) + " " + std::string(target) +
                      " HTTP/1.1\r\nHost: localhost\r\n"
                      "Accept: application/json, text/event-stream\r\n";
        if (method == "POST") {
            call->bytes +=
                "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n";
        }
        for (auto const& [name, value] : headers) call->bytes += name + ": " + value + "\r\n";
        call->bytes += "\r\n" + std::string(body);
        call->reader.feed(call->bytes);
        for (auto event = call->reader.next(); event != http::RequestReader::Event::done;
             event = call->reader.next()) {
            if (event == http::RequestReader::Event::failed) std::abort();
            if (event == http::RequestReader::Event::body) call->body += call->reader.body();
        }
        call->head = call->reader.head();
        call->head.edition = calls_.size();
        auto const admitted = gate_->admit(call->head);
        if (!admitted) {
            call->reply.whole({.status = admitted.error().status}, admitted.error().reason);
            return call;
        }
        call->admission = *admitted;
        boost::asio::post(io, [this, call] {
            http::HttpRequest const request{call->head,      call->admission, call->body,
                                            call->principal, "192.0.2.1:1",   time.now(),
                                            call->attachment};
            endpoint->on_request(request, call->reply);
            // As a connection does, releases the body while the reply is pending.
            std::string().swap(call->body);
        });
        run();
        return call;
    }
    std::shared_ptr<Call> post(std::string_view body, Headers const& headers = {},
                               std::shared_ptr<Principal const> principal = nullptr) {
        return send("POST", options_.path(), body, headers, std::move(principal));
    }
    std::shared_ptr<Call> get(Headers const& headers = {},
                              std::shared_ptr<Principal const> principal = nullptr) {
        return send("GET", options_.path(), "", headers, std::move(principal));
    }
    std::shared_ptr<Call> del(Headers const& headers = {},
                              std::shared_ptr<Principal const> principal = nullptr) {
        return send("DELETE", options_.path(), "", headers, std::move(principal));
    }

    /// Opens a stream of the session with this reply.
    void stream_to(http::Reply& reply, Headers const& headers) {
        auto const bytes = "GET " + options_.path() +
                           " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" +
                           headers.front().first + ": " + headers.front().second + "\r\n\r\n";
        http::RequestReader reader;
        reader.feed(bytes);
        reader.next();
        auto const admission = gate_->admit(reader.head()).value();
        std::shared_ptr<Principal const> const nobody;
        std::shared_ptr<void> attachment;
        on_executor([&] {
            endpoint->on_request({reader.head(), admission, "", nobody, "", time.now(), attachment},
                                 reply);
        });
    }
    /// Drops the requests that have been answered.
    void forget_calls() {
        std::erase_if(calls_, [](auto const& call) { return call->reply.ended(); });
    }

    /// Opens a session of this revision; returns the headers for all further requests of it.
    Headers open(std::string_view version = "2025-11-25",
                 std::shared_ptr<Principal const> const& principal = nullptr) {
        std::string text(initialize_text);
        text.replace(text.find("2025-11-25"), 10, version);
        auto const opened = post(text, {}, principal);
        Headers headers{{"Mcp-Session-Id", opened->reply.session_id()}};
        post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", headers, principal);
        return headers;
    }

    void run() {
        io.restart();
        io.poll();
    }
    void advance(Duration by) {
        time.advance(by);
        run();
    }
    /// Runs a function on the executor, as the server does.
    template <class F>
    void on_executor(F function) {
        boost::asio::post(io, std::move(function));
        run();
    }
    void server_sends(std::string_view text, std::uint64_t origin,
                      rpc::Route::Kind kind = rpc::Route::Kind::notification) {
        on_executor([&, text = std::string(text)] { scripted.last().send(text, origin, kind); });
    }
    std::uint64_t last_origin() { return scripted.last().seen.back().origin; }

    http::McpCounters const& counters() const { return endpoint->counters(); }

private:
    McpHttpOptions options_;
    std::vector<std::shared_ptr<Call>> calls_;
    testing::FakeTime own_time_;

public:
    testing::FakeTime& time;
    boost::asio::io_context io;
    ScriptedEndpoint scripted;
    std::unique_ptr<http::McpHandler> endpoint;

private:
    std::unique_ptr<http::AdmissionGate> gate_;
};

inline Headers with(Headers headers, std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
    return headers;
}

inline std::string request(std::string_view method, int id = 2) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" +
           std::string(method) + R"("})";
}
inline std::string notification(std::string_view method) {
    return R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"("})";
}
inline std::string result(int id = 2, std::string_view value = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + std::string(value) +
           "}";
}

/// A stateless request; stateless_headers() makes its headers.
inline std::string stateless_request(std::string_view method, std::string_view more = "",
                                     std::string_view version = "2026-07-28") {
    return R"({"jsonrpc":"2.0","id":7,"method":")" + std::string(method) +
           R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":")" +
           std::string(version) + R"(","io.modelcontextprotocol/clientCapabilities":{}})" +
           std::string(more) + "}}";
}
inline Headers stateless_headers(std::string_view method, std::string_view version = "2026-07-28") {
    return {{"MCP-Protocol-Version", std::string(version)}, {"Mcp-Method", std::string(method)}};
}

}  // namespace lanyard::test
