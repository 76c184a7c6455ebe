// What scenarios are made of: a server with features of every kind, clients that use all of them,
// and the rule that a failure harms only what depends on it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "lanyard/client.hpp"
#include "lanyard/client/blocking_connections.hpp"
#include "lanyard/connect.hpp"
#include "lanyard/listen.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/server.hpp"
#include "torture/injector.hpp"
#include "torture/scenario.hpp"

namespace lanyard::torture {

using namespace std::chrono_literals;

struct Pair {
    int a = 0;
    int b = 0;
};
LANYARD_STRUCT(Pair, a, b)

struct Name {
    std::string name;
};
LANYARD_STRUCT(Name, name)

/// Adds tools, resources and a prompt.
void add_features(Server& server);

/// Options with short timeouts, so that a lost message delays a run only a little.
ServerOptions server_options();
/// The same for a client of this version that answers questions.
ClientOptions client_options(Version version);

/// Throws Harm if the texts differ: a failure may end a call, but not change its result.
void expect(std::string const& got, std::string_view expected);

/// Uses all features, and expects that whatever is answered is answered correctly.
void talk(blocking::Client const& client);
Task<> talk(Client client);

/// Makes a client.
using Connect = std::function<blocking::Client()>;

/// A server on its own thread.
class Serving {
public:
    explicit Serving(std::unique_ptr<UrlListener> listener);
    ~Serving();
    Serving(Serving const&) = delete;
    Serving& operator=(Serving const&) = delete;

    Server& server() noexcept { return server_; }
    std::string const& url() const noexcept { return url_; }
    /// Whether Server::run() has returned or thrown.
    bool ended() const noexcept { return ended_; }
    void stop() noexcept;

private:
    Server server_;
    std::string url_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

/// Two clients use the server, the first one before and after the second. Checks that a failure
/// harms at most one of them, and that the server still serves a new client, or, if memory ran out,
/// has ended.
void use(Serving const& serving, Connect const& connect);

// Scenarios of bookkeeping.cpp.
void pending_calls();
void two_clients();

}  // namespace lanyard::torture
