// proxy_provider(): a server offers the features of another server as its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <lanyard/client/client.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/server/provider.hpp>

namespace lanyard {

/// The options of a proxy. The defaults suit a proxy of one server.
class ProxyOptions {
public:
    ProxyOptions() = default;

    /// Text to put before the name of every tool and prompt, to distinguish several servers.
    /// Default: none.
    ProxyOptions& prefix(std::string text) {
        prefix_ = std::move(text);
        return *this;
    }
    /// How long to wait for the answer of the other server. Default: 10 minutes. The default is
    /// long, because usually the client's own timeout ends the call: the client then cancels its
    /// request, and the proxy passes the cancellation on. Each progress notification restarts the
    /// timeout, as for CallOptions::timeout.
    ProxyOptions& timeout(Duration wait) {
        timeout_ = wait;
        return *this;
    }
    /// How long a call waits for a client of protocol revision 2026-07-28 to send its request
    /// again, with the answers to the other server's questions (see proxy_provider()). Default: 10
    /// minutes. After this time, the call is cancelled.
    ProxyOptions& answer_timeout(Duration wait) {
        answer_timeout_ = wait;
        return *this;
    }
    /// The maximum number of calls that wait for a client to send its request again (see
    /// answer_timeout). Default: 1,000. If the limit is reached, further questions of the other
    /// server fail.
    ProxyOptions& max_waiting(std::size_t calls) {
        max_waiting_ = calls;
        return *this;
    }

    std::string const& prefix() const noexcept { return prefix_; }
    Duration timeout() const noexcept { return timeout_; }
    Duration answer_timeout() const noexcept { return answer_timeout_; }
    std::size_t max_waiting() const noexcept { return max_waiting_; }

private:
    std::string prefix_;
    Duration timeout_ = std::chrono::minutes(10);
    Duration answer_timeout_ = std::chrono::minutes(10);
    std::size_t max_waiting_ = 1'000;
};

/// Offers the tools, resources, resource templates and prompts of the server that the client is
/// connected to:
///
///     auto client = co_await lanyard::connect(url, ClientOptions().declare_questions(true));
///     lanyard::Server server{"proxy", "1.0.0"};
///     server.add_provider(lanyard::proxy_provider(client));
///
/// Both connections may use any protocol revision. Results, progress, cancellation, errors, changes
/// of the lists, subscriptions to resources and completion are passed on. Questions of the other
/// server (elicitation, sampling, roots) go to the client whose request caused them. The other
/// server asks them only if `client` declared the capabilities when it connected: set
/// ClientOptions::declare_questions() as in the example. If the client that sent the request to the
/// proxy cannot answer, the question fails.
///
/// Each request of a client causes exactly one request to the other server, even if a client of
/// protocol revision 2026-07-28 sends its request again to answer questions. Until the answers
/// arrive, the call to the other server waits in this process (see ProxyOptions::answer_timeout()),
/// so the repeated request must reach the same process as the first one.
///
/// If the other server cannot be reached, requests fail with Error (unavailable), and so do lists,
/// unless the server has features of other sources to list.
///
/// Not passed on: log messages (use ClientOptions::on_log with Server::log) and tasks.
///
/// The provider holds a copy of the client. Throws Error (invalid_argument) if the prefix is not
/// valid in a tool name, and Error (closed) if the client was never connected.
std::shared_ptr<Provider> proxy_provider(Client client, ProxyOptions options = {});

}  // namespace lanyard
