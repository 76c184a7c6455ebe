// A server on TCP that is killed repeatedly, and connections to it that break in every way.
#include <csignal>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "kill_cycles.hpp"
#include "lanyard/transport/stream.hpp"
#include "process/processes.hpp"
#include "process/server_process.hpp"
#include "support/fault_proxy.hpp"
#include "support/run_task.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;
using test::Faults;

// A server in a separate process, which prints its port.
class TcpServer {
public:
    explicit TcpServer(std::string const& port = "0")
        : process_({LANYARD_CHAOS_SERVER, "tcp://127.0.0.1:" + port}),
          port_(std::to_string(process_.receive().as_int64())) {}

    std::string const& port() const noexcept { return port_; }
    void kill() {
        process_.kill(SIGKILL);
        process_.wait();
    }

private:
    test::ServerProcess process_;
    std::string port_;
};

class ChaosOnTcp : public ::testing::TestWithParam<Version> {
protected:
    ClientOptions options(std::shared_ptr<ClientObserver> observer) {
        ClientOptions options("chaos", "1");
        std::vector<Version> const only = {GetParam()};
        options.versions(only).observer(std::move(observer));
        options.reconnect(ReconnectOptions().interval(chaos::backoff, chaos::backoff));
        return options;
    }

    Task<> kill_again_and_again() {
        auto const watch = std::make_shared<chaos::Watch>(context.get_executor());
        auto server = std::make_unique<TcpServer>();
        auto const port = server->port();
        auto connector = stream_connector("tcp://127.0.0.1:" + port);
        auto const client = co_await connect(std::move(connector), options(watch));
        auto const kill_server = [&server]() -> Task<> {
            server->kill();
            co_return;
        };
        auto const replace = [&] { server = std::make_unique<TcpServer>(port); };
        chaos::Killing const killing{"tcp", kill_server, replace};
        co_await chaos::kill_again_and_again(context, client, *watch, killing);
        co_await client.stop();
    }

    // Breaks each connection in a different way, until enough have been broken.
    Faults faults_of(std::size_t connection) {
        Faults faults;
        if (proxy->broken() >= static_cast<std::size_t>(chaos::cycles())) return faults;
        // At any position: in the handshake, in an answer, between two messages.
        faults.breaks_after = 40 + connection * 397 % 6000;
        switch (connection % 6) {
            case 0:
                faults.how = Faults::Break::reset;
                break;
            case 1:
                faults.how = Faults::Break::half_close;
                break;
            case 2:
                faults.delay = 1ms;
                break;
            case 3:
                faults.piece = 7;
                break;
            case 4:
                faults.duplicates = 3;
                break;
            default:
                break;
        }
        // Only one connection stalls: it takes seconds until a stall is detected.
        if (connection == 9) faults.how = Faults::Break::stall;
        return faults;
    }

    Task<> break_again_and_again() {
        auto const watch = std::make_shared<chaos::Watch>(context.get_executor());
        TcpServer const server;
        test::FaultProxy::Tcp::endpoint const address(
            boost::asio::ip::address_v4::loopback(),
            static_cast<unsigned short>(std::stoul(server.port())));
        proxy.emplace(context, address,
                      [this](std::size_t connection) { return faults_of(connection); });
        auto connector = stream_connector("tcp://127.0.0.1:" + std::to_string(proxy->port()));
        auto const client = co_await start_client(std::move(connector), options(watch));
        chaos::Load load(context, client, chaos::workers, 1s);
        describe = [this, client, &load] { return state_of(client, load); };
        std::size_t memory = 0;
        while (proxy->broken() < static_cast<std::size_t>(chaos::cycles())) {
            co_await load.answers(1);
            // One-time allocations are done by now.
            if (memory == 0 && proxy->broken() > 10) memory = chaos::resident_memory();
        }
        // The client may not have detected yet that the last connection is broken.
        co_await load.answers(100);
        co_await client.await_ready(chaos::guard);
        co_await load.finish();
        chaos::expect_one_outcome_each(load);
        if (!test::sanitized) {
            EXPECT_LT(chaos::resident_memory(), memory + std::size_t{4} * 1024 * 1024);
        }
        std::printf("COUNT: chaos proxy %zu breaks, %zu calls, %zu lost\n", proxy->broken(),
                    load.begun(), load.lost());
        co_await client.stop();
        proxy->stop();
        describe = nullptr;
    }

    std::string state_of(Client const& client, chaos::Load const& load) const {
        return "client " + std::string(to_string(client.state())) + ", connected " +
               std::to_string(client.connect_count()) + " times; proxy " +
               std::to_string(proxy->accepted()) + " connections, " +
               std::to_string(proxy->broken()) + " breaks; calls " + std::to_string(load.begun()) +
               " begun, " + std::to_string(load.answered()) + " answered, " +
               std::to_string(load.lost()) + " lost";
    }

    boost::asio::io_context context;
    std::optional<test::FaultProxy> proxy;
    std::function<std::string()> describe;
};

TEST_P(ChaosOnTcp, killing_the_server_repeatedly_fails_only_pending_calls) {
    test::run_task(context, kill_again_and_again(), chaos::guard_of_all());
    EXPECT_FALSE(test::has_children());
}

TEST_P(ChaosOnTcp, connections_that_break_in_any_way_fail_only_pending_calls) {
    // The event loop opens its descriptors on first use.
    boost::asio::steady_timer const first_use(context);
    auto const before = test::open_descriptors();
    test::run_task(context, break_again_and_again(), chaos::guard_of_all(),
                   [this] { return describe ? describe() : "before or after the load"; });
    EXPECT_EQ(test::open_descriptors(), before);
    EXPECT_FALSE(test::has_children());
}

INSTANTIATE_TEST_SUITE_P(Versions, ChaosOnTcp,
                         ::testing::Values(Version::v2025_11_25, Version::v2026_07_28));

}  // namespace
}  // namespace lanyard
