// A client whose connections are opened and closed by the test.
#pragma once

#include "client_fixture.hpp"

#include <algorithm>
#include <thread>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "unit/peer/fakes.hpp"

namespace lanyard {

// Opens a connection to a new ServerEnd each time, or fails, or never completes.
class ScriptedConnector final : public Connector {
public:
    struct Script {
        std::function<std::unique_ptr<Transport>()> make;
        int opened = 0;
        char const* throws = nullptr;  // thrown as a char const*, which is no std::exception
        bool refuses = false;
        bool hangs = false;
        bool starts_peer = false;
    };

    explicit ScriptedConnector(std::shared_ptr<Script> script) : script_(std::move(script)) {}

    Task<std::unique_ptr<Transport>> open() override {
        ++script_->opened;
        if (script_->throws) throw script_->throws;
        if (script_->refuses) throw Error(Errc::unavailable, "nobody listens");
        if (script_->hangs) {
            boost::asio::steady_timer forever(co_await boost::asio::this_coro::executor,
                                              boost::asio::steady_timer::time_point::max());
            co_await forever.async_wait(boost::asio::use_awaitable);
        }
        co_return script_->make();
    }
    std::string describe() const override { return "scripted"; }
    bool starts_peer() const noexcept override { return script_->starts_peer; }

private:
    std::shared_ptr<Script> script_;
};

class Recorder final : public ClientObserver {
public:
    void on_request_started(Request const& request) override {
        note("start " + std::string(request.method));
        ids.push_back(request.id);
    }
    void on_request_ended(Request const& request, Duration took) override {
        note("end " + std::string(request.method) + " " + text(took));
    }
    void on_request_failed(Request const& request, Duration took, Error const& error) override {
        note("fail " + std::string(request.method) + " " + text(took) + " " +
             (error.peer_code() ? "peer" : error.code().message()));
        failed.push_back(error);
    }
    void on_state(ConnectionState from, ConnectionState to,
                  std::optional<Error> const& reason) override {
        states.push_back(to);
        if (reason) reasons.push_back(reason->message());
        EXPECT_NE(from, to);
        if (on_state_hook) on_state_hook(to);
    }
    void on_notification(std::string_view method) override { note(std::string(method)); }
    void on_violation(std::string_view what) override { note("violation " + std::string(what)); }
    void on_unknown_response(RequestId const& id) override {
        note("unknown " + std::to_string(*id.integer()));
    }

    std::vector<std::string> events;
    std::vector<ConnectionState> states;
    std::vector<std::string> reasons;
    std::vector<std::int64_t> ids;
    std::vector<Error> failed;
    std::function<void(ConnectionState)> on_state_hook;
    bool throws = false;

private:
    void note(std::string event) {
        events.push_back(std::move(event));
        if (throws) throw std::runtime_error("an observer that throws");
    }
    static std::string text(Duration took) {
        return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
    }
};

class Reconnect : public EachEra {
protected:
    Reconnect() {
        script->make = [this] { return make_transport(); };
    }
    ~Reconnect() override {
        client.close();
        poll();
    }

    ClientOptions watched(ClientOptions options = {}) {
        options.observer(recorder).random(middle);
        return timed(std::move(options));
    }
    std::unique_ptr<Connector> connector() { return std::make_unique<ScriptedConnector>(script); }

    /// The server's side of opening a connection: with the probe first, or directly the handshake.
    void greet(bool probed) {
        if (is_modern()) {
            server->result(server->expect("server/discover"), discovery());
            return;
        }
        if (probed) server->error(server->expect("server/discover"), -32601);
        server->result(server->expect("initialize"), initialization());
        server->expect("notifications/initialized");
    }
    void connect_client(ClientOptions options = {}) {
        auto connecting = start(connect(connector(), watched(std::move(options))));
        greet(true);
        client = connecting.value();
        ASSERT_EQ(client.state(), ConnectionState::ready);
    }
    /// Advances the time past the wait and lets the client connect again.
    void recover(Duration wait = 1s) {
        advance(wait);
        greet(false);
        ASSERT_EQ(client.state(), ConnectionState::ready);
    }
    void acknowledge(Json const& listen) {
        server->notify("notifications/subscriptions/acknowledged",
                       R"({"notifications":)" +
                           boost::json::serialize(listen.at("params").at("notifications")) +
                           R"(,"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                           boost::json::serialize(listen.at("id")) + "}}");
    }
    Error error_of(Task<CallToolResult> call) { return start(std::move(call)).error(); }
    CallOptions patient() { return CallOptions().wait_until_ready(true); }

    std::shared_ptr<ScriptedConnector::Script> script =
        std::make_shared<ScriptedConnector::Script>();
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
    rpc::test::FixedRandom middle{0.5};  // no jitter
};

}  // namespace lanyard
