// Drives a ClientMachine: records the calls it makes, answers them with the text of HTTP responses,
// and shows what the session would receive.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "http/client/client_machine.hpp"
#include "http/server/request_reader.hpp"

namespace lanyard::http::test {

/// Random values without jitter.
class MiddleRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override {
        // One half of the range.
        for (auto& byte : bytes) byte = std::byte{0};
        if (!bytes.empty()) bytes.back() = std::byte{0x80};
    }
};

inline constexpr std::string_view initialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})";
inline constexpr std::string_view initialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

inline std::string cancelled(int id) {
    return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
           std::to_string(id) + "}}";
}

struct MadeCall {
    CallId id = 0;
    SlotKind lane = SlotKind::call;
    bool fresh = false;
    std::string line{};  ///< "POST /mcp"
    std::multimap<std::string, std::string> fields{};
    std::string body{};

    /// The value of a field that occurs once; "-" if it is absent.
    std::string operator[](std::string const& name) const {
        auto const count = fields.count(name);
        if (count != 1) return count == 0 ? "-" : "(several)";
        return fields.find(name)->second;
    }
};

class MachineHarness : public CallRunner {
public:
    explicit MachineHarness(ClientMachineOptions options = {},
                            std::string_view url = "http://a.example/mcp")
        : machine(*Url::parse(url), std::move(options), *this, inbox_, random_) {}

    void start(CallId id, HttpCall call) override {
        MadeCall made;
        made.id = id;
        made.lane = call.lane;
        made.fresh = call.fresh;
        auto const end = call.bytes.find("\r\n\r\n");
        made.body = call.bytes.substr(end + 4);
        auto lines = std::string_view(call.bytes).substr(0, end + 2);
        auto const first = lines.find("\r\n");
        made.line = lines.substr(0, first);
        made.line.resize(made.line.size() - std::string_view(" HTTP/1.1").size());
        lines.remove_prefix(first + 2);
        while (!lines.empty()) {
            auto const line = lines.substr(0, lines.find("\r\n"));
            auto const colon = line.find(": ");
            made.fields.emplace(line.substr(0, colon), line.substr(colon + 2));
            lines.remove_prefix(line.size() + 2);
        }
        calls.push_back(std::move(made));
    }
    void abort(CallId id) noexcept override { aborted.push_back(id); }

    MadeCall const& last() const { return calls.at(calls.size() - 1); }
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        for (auto const& call : calls) all.push_back(call.line);
        return all;
    }

    void send(std::string_view message, rpc::Route const& route = {}) {
        machine.send(message, route, now);
    }

    /// Answers a call with these bytes, then ends the connection if the response is incomplete.
    void answer(CallId id, std::string_view response) {
        feed(id, response);
        finish(id);
    }
    void answer(std::string_view response) { answer(last().id, response); }

    /// Delivers the beginning of an answer, or more of it.
    void feed(CallId id, std::string_view bytes) {
        auto& reader = readers_[id];
        reader.feed(bytes);
        for (;;) {
            switch (reader.next()) {
                case ResponseReader::Event::head:
                    machine.on_head(id, reader.head(), now);
                    break;
                case ResponseReader::Event::body:
                    machine.on_body(id, reader.body(), now);
                    break;
                case ResponseReader::Event::done:
                    readers_.erase(id);
                    machine.on_done(id, now);
                    return;
                case ResponseReader::Event::need_more:
                    return;
                case ResponseReader::Event::failed:
                    FAIL() << reader.fault();
            }
        }
    }
    /// Ends the connection of the call.
    void finish(CallId id) {
        auto const reader = readers_.find(id);
        if (reader == readers_.end()) return;
        auto const event = reader->second.finish();
        readers_.erase(reader);
        if (event == ResponseReader::Event::done) {
            machine.on_done(id, now);
        } else {
            lose(id, CallLoss::Stage::answering);
        }
    }
    void lose(CallId id, CallLoss::Stage stage, bool reused = false,
              Error const& error = Error(Errc::transport_down, "gone")) {
        readers_.erase(id);
        machine.on_lost(id, {stage, error, reused}, now);
    }

    void pass(Duration time) {
        now += time;
        machine.on_time(now);
    }
    /// Advances the time until the machine has something to do; returns the duration.
    Duration pass() {
        auto const before = now;
        now = std::max(now, machine.next_deadline());
        machine.on_time(now);
        return now - before;
    }

    /// The frames the session has received since the last call: messages, "failed 1 timeout: why",
    /// "renewed".
    std::vector<std::string> frames() {
        std::vector<std::string> all;
        for (auto const& frame : inbox_.take()) {
            if (frame.kind == rpc::Frame::Kind::message) {
                all.emplace_back(frame.text);
            } else if (frame.kind == rpc::Frame::Kind::failed) {
                auto const& error = frame.failure->error;
                auto const code =
                    error.peer_code()
                        ? std::to_string(*error.peer_code())
                        : std::string(to_string(static_cast<Errc>(error.code().value())));
                all.push_back("failed " + std::to_string(frame.failure->id) + " " + code + ": " +
                              error.message());
            } else {
                all.emplace_back("renewed");
            }
        }
        return all;
    }

    /// Opens a session with the handshake of 2025-11-25; the server's stream is refused.
    void open_session(std::string const& session = "s-1",
                      std::string const& version = "2025-11-25") {
        send(initialize);
        answer(json(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":")" + version + "\"}}",
                    session.empty() ? "" : "Mcp-Session-Id: " + session + "\r\n"));
        send(initialized);
        answer(accepted);
        if (last().line.starts_with("GET")) answer(status(405));
        frames();
        calls.clear();
    }

    static std::string json(std::string_view body, std::string_view fields = {}, int code = 200) {
        return "HTTP/1.1 " + std::to_string(code) + " X\r\nContent-Type: application/json\r\n" +
               std::string(fields) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
               std::string(body);
    }
    static std::string status(int code, std::string_view fields = {}) {
        return "HTTP/1.1 " + std::to_string(code) + " X\r\n" + std::string(fields) +
               "Content-Length: 0\r\n\r\n";
    }
    static constexpr std::string_view accepted = "HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n";
    static constexpr std::string_view stream =
        "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\n";

    std::vector<MadeCall> calls;
    std::vector<CallId> aborted;
    TimePoint now{std::chrono::hours(1)};

private:
    ClientInbox inbox_;
    MiddleRandom random_;
    std::map<CallId, ResponseReader> readers_;

public:
    ClientMachine machine;
};

inline std::string request(int id, std::string const& method = "tools/call",
                           std::string const& params = R"({"name":"t"})") {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method +
           R"(","params":)" + params + "}";
}
/// A request that contains its own protocol version.
inline std::string stateless_request(int id, std::string const& method = "tools/call",
                                     std::string const& params = R"("name":"t")") {
    std::string const meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})";
    return request(id, method, "{" + params + (params.empty() ? "" : ",") + meta + "}");
}
inline std::string result(int id, std::string const& content = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + content + "}";
}

}  // namespace lanyard::http::test
