// A server whose answers are given by the test, for sessions and for stateless requests.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jsonrpc/envelope.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "lanyard/transport.hpp"
#include "peer/responder.hpp"
#include "runtime/transport_extras.hpp"

namespace lanyard::test {

/// Takes stateless requests. "now" is answered immediately, all others by the test.
class ScriptedRequestEntry final : public rpc::RequestEntry {
public:
    struct Held final : rpc::InboundWork {
        std::string method;
        std::string id;
        std::shared_ptr<PeerInfo const> info;
        rpc::Responder* responder = nullptr;
        std::string cancelled;

        void on_cancel(std::string_view reason) noexcept override {
            cancelled = reason;
            responder = nullptr;
        }
        void answer(std::string_view result) {
            auto* const out = std::exchange(responder, nullptr);
            if (auto* const text = out->begin_result()) {
                text->append(result);
                out->end_result();
            }
        }
        void fail(wire::WireError const& error) { std::exchange(responder, nullptr)->fail(error); }
    };

    explicit ScriptedRequestEntry(std::vector<std::unique_ptr<Held>>& held) : held_(held) {}

    void handle(rpc::Envelope const& request, std::shared_ptr<PeerInfo const> const& info,
                rpc::Responder& responder, TimePoint) override {
        auto& held = *held_.emplace_back(std::make_unique<Held>());
        held.method = request.method;
        held.id = request.id->raw();
        held.info = info;
        held.responder = &responder;
        responder.attach(held);
        if (request.params->find("now")) held.answer(R"({"resultType":"complete"})");
    }
    void shut_down(Duration) noexcept override { stopped = true; }
    std::size_t in_flight() const noexcept override { return 0; }
    std::unique_ptr<rpc::Suspended> assume_handshake(Version version) override {
        return std::make_unique<Assumed>(version);
    }

    /// The state of a session that begins without a handshake.
    struct Assumed final : rpc::Suspended {
        explicit Assumed(Version agreed) noexcept : version(agreed) {}
        Version version;
    };

    bool stopped = false;

private:
    std::vector<std::unique_ptr<Held>>& held_;
};

class ScriptedEndpoint final : public Endpoint {
public:
    struct Seen {
        std::string text;
        std::uint64_t origin;
    };
    struct Connection {
        Transport* transport = nullptr;              // null once the connection has ended
        runtime::TransportExtras* extras = nullptr;  // of the transport
        std::optional<Version> assumed;              // set if there is no handshake
        rpc::Outbox outbox;
        std::vector<Seen> seen;
        std::vector<std::pair<std::int64_t, std::string>> failures;

        void send(std::string_view text, std::uint64_t origin,
                  rpc::Route::Kind kind = rpc::Route::Kind::notification) {
            if (kind == rpc::Route::Kind::none) {
                outbox.end_origin(origin);
            } else {
                outbox.begin().append(text);
                outbox.end(route_of(text, origin, kind));
            }
            transport->write_now(outbox);
        }
        /// The route contains the method and the id of a request, as a Server sets them.
        static rpc::Route route_of(std::string_view text, std::uint64_t origin,
                                   rpc::Route::Kind kind) {
            rpc::Route route{origin, kind};
            rpc::EnvelopeReader reader;
            auto const item = reader.read(text);
            if (kind == rpc::Route::Kind::request && item && item->id) {
                route.method = "a request";
                route.id = item->id->as_int64();
            }
            return route;
        }
        /// Answers the request that was seen last.
        void answer(std::string_view text) {
            send(text, seen.back().origin, rpc::Route::Kind::answer);
        }
    };

    explicit ScriptedEndpoint(testing::FakeTime& time) : time_(time) {}

    Task<> serve(std::unique_ptr<Transport> transport) override {
        auto connection = std::make_shared<Connection>();
        connection->transport = transport.get();
        connection->extras = dynamic_cast<runtime::TransportExtras*>(transport.get());
        if (auto const state = connection->extras->take_suspended()) {
            connection->assumed = static_cast<ScriptedRequestEntry::Assumed&>(*state).version;
        }
        connections.push_back(connection);
        for (;;) {
            auto const frames = co_await transport->read();
            if (!frames) break;
            for (auto const& frame : *frames) take(*connection, frame);
        }
        connection->transport = nullptr;
        transport->close();
    }
    TimeSource& time() const noexcept override { return time_; }
    std::vector<Version> versions() const override { return served; }

    Connection& last() { return *connections.back(); }

    std::vector<std::shared_ptr<Connection>> connections;
    std::vector<std::unique_ptr<ScriptedRequestEntry::Held>> held;
    ScriptedRequestEntry* entry = nullptr;
    std::vector<Version> served{all_versions.begin(), all_versions.end()};
    bool stateless = true;
    bool accepts = true;  // handshakes

private:
    std::shared_ptr<rpc::RequestEntry> open_entry(boost::asio::any_io_executor) override {
        if (!stateless) return nullptr;
        auto made = std::make_shared<ScriptedRequestEntry>(held);
        entry = made.get();
        return made;
    }
    void take(Connection& connection, rpc::Frame const& frame) {
        if (frame.kind == rpc::Frame::Kind::failed) {
            connection.failures.emplace_back(frame.failure->id, frame.failure->error.message());
            return;
        }
        connection.seen.push_back({std::string(frame.text), frame.origin});
        auto const item = reader_.read(frame.text);
        if (!item || item->kind != rpc::MessageKind::request) return;
        auto const prefix = R"({"jsonrpc":"2.0","id":)" + std::string(item->id->raw());
        if (item->method == "initialize" && !accepts) {
            connection.extras->on_handshake(std::nullopt);
            connection.answer(prefix + R"(,"error":{"code":-32602,"message":"no"}})");
        } else if (item->method == "initialize") {
            auto const version = *item->params->find("protocolVersion")->as_string();
            connection.extras->on_handshake(parse_version(version));
            connection.answer(prefix + R"(,"result":{"protocolVersion":")" + version + "\"}}");
        } else if (item->method == "now") {
            connection.answer(prefix + R"(,"result":{}})");
        }
    }

    rpc::EnvelopeReader reader_;
    testing::FakeTime& time_;
};

}  // namespace lanyard::test
