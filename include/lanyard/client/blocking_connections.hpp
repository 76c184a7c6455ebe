// blocking::ClientPool and blocking::Connections: many connections for programs without coroutines.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanyard/client/blocking.hpp>
#include <lanyard/client/connections.hpp>
#include <lanyard/client/pool.hpp>

namespace lanyard::blocking {

/// lanyard::ClientPool without co_await: every function blocks and throws what the coroutine would
/// throw. All clients of the pool share one event loop. On the threads of that loop, close() is the
/// only function of this class that may be called. Copies share the pool; the destructor of the
/// last copy closes the pool and waits until it is closed. Thread-safe.
class ClientPool {
public:
    ClientPool(std::shared_ptr<detail::BlockingLoop> loop, lanyard::ClientPool pool);

    CallToolResult call_tool(std::string name, Arguments arguments = {},
                             CallOptions const& options = {}) const {
        return loop()->get(async().call_tool(std::move(name), std::move(arguments), options));
    }
    template <class R, class Input>
    R call(std::string name, Input const& arguments, CallOptions const& options = {}) const {
        return loop()->get(async().call<R>(std::move(name), arguments, options));
    }

    /// Returns the first client of the pool. Use it for everything except calls of stateless tools.
    Client first() const { return Client::borrowed(loop(), async().first()); }
    /// Returns a client of the pool by its index, starting at 0.
    Client member(std::size_t number) const {
        return Client::borrowed(loop(), async().member(number));
    }
    std::size_t size() const noexcept { return async().size(); }
    std::vector<lanyard::ClientPool::Member> members() const { return async().members(); }

    void close() const noexcept { async().close(); }
    void stop(Duration grace = std::chrono::seconds(5)) const { loop()->run(async().stop(grace)); }

    lanyard::ClientPool const& async() const noexcept;

private:
    struct State;
    std::shared_ptr<detail::BlockingLoop> const& loop() const noexcept;

    std::shared_ptr<State> state_;
};

/// Same as lanyard::open_pool(), on the pool's own threads.
ClientPool open_pool(std::function<std::unique_ptr<Connector>()> make_connector,
                     PoolOptions const& options = {});

/// lanyard::Connections without co_await. All clients share one event loop. Removing a client
/// closes it. Thread-safe.
class Connections {
public:
    Connections();
    ~Connections();
    Connections(Connections const&) = delete;
    Connections& operator=(Connections const&) = delete;

    /// Connects and stores the client under this name. Throws what connect() throws, and Error
    /// (invalid_argument) if the name is in use.
    Client open(std::string name, std::unique_ptr<Connector> connector,
                ClientOptions const& options = {});

    /// Returns the client of this name, or nullopt if there is no such client or it is still being
    /// opened.
    std::optional<Client> find(std::string_view name) const;
    /// Same as find(), but throws Error (unavailable) where find() returns nullopt.
    Client get(std::string_view name) const;
    /// Returns all names, sorted.
    std::vector<std::string> names() const { return clients_.names(); }
    std::size_t size() const { return clients_.size(); }

    /// Closes the client of this name. Returns false if there is no such client.
    bool remove(std::string_view name);
    /// Closes all clients immediately and removes them.
    void close() noexcept { clients_.close(); }
    /// Stops all clients concurrently, as Client::stop() does, and removes them.
    void stop(Duration grace = std::chrono::seconds(5));

private:
    std::shared_ptr<detail::BlockingLoop> loop_;
    lanyard::Connections clients_;
};

}  // namespace lanyard::blocking
