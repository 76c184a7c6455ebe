// Scenarios without sockets and threads: memory runs out while one message or one call is handled,
// and the calls next to it must not notice.
#include <array>
#include <string>

#include "lanyard/server/engine.hpp"
#include "peer/peer.hpp"
#include "torture/stage.hpp"

namespace lanyard::torture {

namespace {

constexpr TimePoint start{std::chrono::hours(1)};

class Quiet final : public rpc::PeerEvents {
public:
    void on_request(rpc::Envelope const&, rpc::Ticket) override {}
    void on_notification(rpc::Envelope const&) override {}
    void on_violation(std::string_view) override {}
    void on_stray_cancellation(RequestId const&) override {}
};

class Waiter final : public rpc::AnswerSink {
public:
    void on_answer(rpc::Answer const&) noexcept override { ++answers; }
    void on_progress(rpc::ProgressUpdate const&) noexcept override {}

    std::optional<std::int64_t> id;
    int answers = 0;
};

void check(bool holds, char const* what) {
    if (!holds) throw Harm{what};
}

std::string answer_to(std::int64_t id) {
    injector::Exempt const own;
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})";
}

std::string handshake() {
    return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
           R"("2025-11-25","capabilities":{},"clientInfo":{"name":"torture","version":"1"}}})";
}

std::string sum_request() {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum",)"
           R"("arguments":{"a":2,"b":3}}})";
}

// A client of a server in the same thread.
class Peer {
public:
    explicit Peer(Server& server) : engine_(server, [this](std::string_view text) { take(text); }) {
        engine_.on_message(handshake());
        engine_.on_message(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
        received_.clear();
    }

    void send(std::string const& text) { engine_.on_message(text); }
    bool has_sum() const { return received_.find("\"5\"") != std::string::npos; }
    /// Whether it was answered or learns that it will not be.
    bool is_settled() const { return !received_.empty() || engine_.closed(); }

private:
    void take(std::string_view text) {
        injector::Exempt const own;
        received_ += text;
    }

    std::string received_;
    ServerEngine engine_;
};

}  // namespace

// One of several calls of a client fails; the others get their answers.
void pending_calls() {
    std::optional<injector::Exempt> setup(std::in_place);
    Quiet events;
    rpc::Outbox outbox;
    rpc::Peer peer(events, outbox, rpc::PeerOptions());
    Waiter other;
    other.id = peer.request("other", "{}", other, start).value();
    std::array<Waiter, 9> waiters;
    setup.reset();
    for (auto& waiter : waiters) {
        try {
            auto const id = peer.request("some", "{}", waiter, start);
            waiter.id = id.value();
        } catch (std::bad_alloc const&) {
            // This call fails.
        }
    }
    auto const& answered = waiters.front();
    if (answered.id) {
        auto const text = answer_to(*answered.id);
        try {
            peer.on_message(text, start);
        } catch (std::bad_alloc const&) {
            // The caller of on_message() closes the connection then.
        }
    }
    setup.emplace();
    injector::disarm();
    peer.on_message(answer_to(*other.id), start);
    check(other.answers == 1, "a call that did not fail was not answered");
    peer.on_closed(rpc::Outcome::connection_lost, start);
    for (auto const& waiter : waiters) {
        check(waiter.answers == (waiter.id ? 1 : 0), "a call did not end exactly once");
    }
    check(other.answers == 1, "a call has ended twice");
}

// Memory runs out while the request of one client is handled; the other client is served.
void two_clients() {
    std::optional<injector::Exempt> setup(std::in_place);
    Server server("torture", "1", server_options());
    ToolOptions options;
    options.inline_();
    server.tool("sum", "Adds", [](Pair in) { return std::to_string(in.a + in.b); }, options);
    Peer one(server);
    Peer other(server);
    auto const request = sum_request();
    setup.reset();
    bool threw = false;
    try {
        one.send(request);
    } catch (std::exception const&) {
        threw = true;
    }
    setup.emplace();
    bool const fired = injector::fired();
    injector::disarm();
    check(threw || one.is_settled(), "a client waits for an answer that does not come");
    check(fired || one.has_sum(), "a client was not answered, although nothing failed");
    other.send(request);
    check(other.has_sum(), "another client was not answered");
}

}  // namespace lanyard::torture
