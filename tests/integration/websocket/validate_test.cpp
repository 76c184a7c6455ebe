// Both ends of a WebSocket, checked by validate_transport(). Without compression, because the
// checks count the bytes of messages before they are compressed.
#include "lanyard/testing/validate_transport.hpp"

#include <deque>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/http/client.hpp"
#include "lanyard/http/listen.hpp"
#include "runtime/event.hpp"
#include "support/certificates.hpp"
#include "support/run_task.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t limit = 300'000;

// Queues its connections for next().
class Desk final : public Endpoint {
public:
    explicit Desk(boost::asio::any_io_executor const& executor) : arrived_(executor) {}

    Task<> serve(std::unique_ptr<Transport> transport) override {
        waiting_.push_back(std::move(transport));
        arrived_.notify();
        co_return;
    }
    Task<std::unique_ptr<Transport>> next() {
        while (waiting_.empty()) co_await arrived_.wait();
        auto transport = std::move(waiting_.front());
        waiting_.pop_front();
        co_return transport;
    }

private:
    runtime::Event arrived_;
    std::deque<std::unique_ptr<Transport>> waiting_;
};

void validate(HttpServerOptions options, HttpClientOptions client_options) {
    boost::asio::io_context context;
    Desk desk(context.get_executor());
    auto const socket = WebSocketOptions().max_message_bytes(limit);
    bool const secure = options.tls().has_value();
    auto const listener = listen(secure ? "https://localhost:0/mcp" : "http://127.0.0.1:0/mcp",
                                 options.mcp(McpHttpOptions().websocket(socket)));
    boost::asio::co_spawn(context, listener->run(desk), boost::asio::detached);
    auto const connector = http_connector(
        (secure ? "wss://localhost:" : "ws://127.0.0.1:") + std::to_string(listener->port()),
        client_options.websocket(socket));
    auto const make = [&]() -> Task<testing::TransportPair> {
        testing::TransportPair pair;
        pair.first = co_await connector->open();
        pair.second = co_await desk.next();
        co_return pair;
    };
    auto const check = [&]() -> Task<> {
        std::function<Task<testing::TransportPair>()> const maker = make;
        testing::TransportPromises promises;
        promises.timeout(30s).max_message_bytes(limit);
        auto const report = co_await testing::validate_transport(maker, promises);
        EXPECT_TRUE(report.passed()) << report.to_string();
        listener->stop();
    };
    run_task(context, check(), 300s);
}

TEST(ValidateWebSocket, without_tls_passes) {
    validate(HttpServerOptions(), HttpClientOptions());
}

TEST(ValidateWebSocket, with_tls_passes) {
    Certificates const files;
    auto const server = files.issue("server", "server", "DNS:localhost");
    validate(HttpServerOptions().tls(TlsOptions(server.certificate, server.key)),
             HttpClientOptions().ca_file(files.authority()));
}

}  // namespace
}  // namespace lanyard::test
