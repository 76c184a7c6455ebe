// Both ends of a stream, checked by validate_transport().
#include <deque>
#include <filesystem>

#include <boost/asio/detached.hpp>

#include "lanyard/testing/validate_transport.hpp"
#include "lanyard/transport/stream.hpp"
#include "runtime/event.hpp"
#include "support/certificates.hpp"
#include "support/run_task.hpp"

namespace lanyard::stream_test {
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

void validate(std::string const& url, StreamServerOptions options,
              StreamClientOptions client_options = {}) {
    boost::asio::io_context context;
    Desk desk(context.get_executor());
    options.socket(SocketOptions().max_message_bytes(limit));
    client_options.socket(SocketOptions().max_message_bytes(limit));
    auto const listener = listen(url, options);
    boost::asio::co_spawn(context, listener->run(desk), boost::asio::detached);
    auto const connector = stream_connector(listener->url(), client_options);
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
    test::run_task(context, check(), 300s);
}

TEST(ValidateStream, tcp_passes) {
    validate("tcp://127.0.0.1:0", StreamServerOptions());
}

TEST(ValidateStream, unix_passes) {
    test::Certificates const folder;
    validate("unix:" + folder.path("demo.sock"), StreamServerOptions());
}

TEST(ValidateStream, tls_passes) {
    test::Certificates const files;
    auto const server = files.issue("server", "server", "DNS:localhost,IP:127.0.0.1");
    validate("tls://127.0.0.1:0",
             StreamServerOptions().tls(TlsOptions(server.certificate, server.key)),
             StreamClientOptions().ca_file(files.authority()));
}

}  // namespace
}  // namespace lanyard::stream_test
