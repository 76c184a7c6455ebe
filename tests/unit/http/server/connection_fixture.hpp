// A connection without a socket, with the handler, the host and the verifier that it uses.
#pragma once

#include "http/server/connection.hpp"

#include <array>
#include <deque>
#include <functional>

#include <gmock/gmock.h>

#include "http/message/sse_writer.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "support/http.hpp"

namespace lanyard::http {

using namespace std::chrono_literals;

inline std::string post(std::string_view body, std::string_view more = {}) {
    return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n" + std::string(more) + "\r\n" + std::string(body);
}

// Runs the next function of the script for each request; answers "ok" if there is none.
struct Handler final : RequestHandler {
    void on_request(HttpRequest const& request, Reply& reply) override {
        bodies.emplace_back(request.body);
        principals.push_back(request.principal ? request.principal->subject : "");
        if (script.empty()) {
            reply.whole({.content = Content::text}, "ok");
            return;
        }
        auto const next = script.front();
        script.pop_front();
        next(request, reply);
    }
    void on_stop(Duration) noexcept override {}

    std::deque<std::function<void(HttpRequest const&, Reply&)>> script;
    std::vector<std::string> bodies;
    std::vector<std::string> principals;
};

struct Watcher final : ReplyWatcher {
    void on_gone() noexcept override { ++gone; }
    void on_drained() noexcept override { ++drained; }
    void on_silence() override {
        if (opens_stream != nullptr) opens_stream->begin_stream({.content = Content::event_stream});
    }
    Reply* opens_stream = nullptr;
    int gone = 0;
    int drained = 0;
};

struct Shell final : ConnectionHost {
    void on_reply() noexcept override { ++replies; }
    void on_broken() noexcept override { ++broken; }
    void ask_verifier(Credentials const& credentials) override {
        asked.emplace_back(credentials.bearer);
    }
    int replies = 0;
    int broken = 0;
    std::vector<std::string> asked;
};

// Decides immediately, or leaves the decision to the test.
struct Doorman final : auth::InstantVerifier {
    std::optional<Verification> verify_now(Credentials const& credentials) override {
        if (credentials.bearer == "later") return std::nullopt;
        if (credentials.bearer == "broken") throw std::runtime_error("verifier");
        if (credentials.bearer == "stranger") return Verification::forbid("error=\"scope\"");
        if (credentials.bearer.empty()) return Verification::refuse();
        auto principal = std::make_shared<Principal>();
        principal->subject = credentials.bearer;
        return Verification::accept(principal);
    }
};

class ConnectionTest : public ::testing::Test {
protected:
    ConnectionTest() { open(); }

    void open(Verifier* verifier = nullptr) {
        connection_.reset();
        totals_ = std::make_unique<ListenerTotals>(options_);
        shared_.reset(new ConnectionShared{.gate = gate_,
                                           .handler = handler_,
                                           .verifier = verifier,
                                           .time = time_,
                                           .totals = *totals_,
                                           .limits = limits_});
        connection_.emplace(*shared_, host_, "192.0.2.1:1");
    }
    static AdmissionGate make_gate() {
        AdmissionOptions options;
        options.allowed_origins = {"https://app.example"};
        return AdmissionGate::make(options, Router::make({}).value()).value();
    }

    void receive(std::string_view bytes) { connection_->receive(bytes, time_.now()); }
    // Takes all output as sent.
    std::string sent() {
        std::string const text(connection_->output());
        if (!text.empty()) connection_->sent(text.size(), time_.now());
        return text;
    }
    Connection::Due tick_after(Duration time) {
        time_.advance(time);
        return connection_->tick(time_.now());
    }
    // Hands the next reply to the test.
    void keep_next(Reply*& kept) {
        handler_.script.push_back([&kept, this](HttpRequest const&, Reply& reply) {
            kept = &reply;
            reply.watch(&watcher_);
        });
    }
    // The same for a stream whose head was sent.
    void stream_next(Reply*& kept) {
        handler_.script.push_back([&kept, this](HttpRequest const&, Reply& reply) {
            kept = &reply;
            reply.watch(&watcher_);
            reply.begin_stream({.content = Content::event_stream});
        });
        receive(post("{}"));
        sent();
    }
    void write(Reply& reply, std::string_view data) {
        append_event(reply.begin_chunk(), {}, data);
        reply.end_chunk();
    }

    lanyard::testing::FakeTime time_;
    HttpServerOptions options_;
    ConnectionLimits limits_;
    Handler handler_;
    Shell host_;
    Watcher watcher_;
    AdmissionGate gate_ = make_gate();
    std::unique_ptr<ListenerTotals> totals_;
    std::unique_ptr<ConnectionShared> shared_;
    std::optional<Connection> connection_;
};

}  // namespace lanyard::http
