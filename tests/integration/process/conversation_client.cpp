// A client that kills itself: conversation_client SERVER VERSION OPERATION. It prints the id of the
// server's process.
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "conversation.hpp"
#include "lanyard/testing/failing_transport.hpp"
#include "lanyard/transport/child_process.hpp"

namespace {

// Starts a child process and prints its id.
class TellingConnector final : public lanyard::Connector {
public:
    explicit TellingConnector(std::string program) : inner_(lanyard::child_process(program)) {}

    lanyard::Task<std::unique_ptr<lanyard::Transport>> open() override {
        auto transport = co_await inner_->open();
        auto const peer = transport->info().peer;
        std::cout << peer.substr(peer.rfind("process ") + 8) << std::endl;
        co_return transport;
    }
    std::string describe() const override { return inner_->describe(); }

private:
    std::unique_ptr<lanyard::Connector> inner_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 64;
    auto const version = lanyard::parse_version(argv[2]);
    if (!version) return 64;
    auto const plan = std::make_shared<lanyard::testing::FaultPlan>(
        std::strtoull(argv[3], nullptr, 10), [] { std::raise(SIGKILL); });
    auto connector =
        lanyard::testing::failing_connector(std::make_unique<TellingConnector>(argv[1]), plan);
    return lanyard::run(lanyard::test::converse(std::move(connector), *version));
}
