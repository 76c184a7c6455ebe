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

/// lanyard::ClientPool without co_await: every function waits and throws what the coroutine would.
/// All members share one thread, where nothing of this class may be called but close(). Copies
/// share the pool; the last to go closes it and waits for that. Safe to use from any number of
/// threads.
class ClientPool {
public:
    ClientPool(std::shared_ptr<detail::Loop> loop, lanyard::ClientPool pool);

    CallToolResult call_tool(std::string name, Arguments arguments = {},
                             CallOptions const& options = {}) const {
        return loop()->get(async().call_tool(std::move(name), std::move(arguments), options));
    }
    template <class R, class Input>
    R call(std::string name, Input const& arguments, CallOptions const& options = {}) const {
        return loop()->get(async().call<R>(std::move(name), arguments, options));
    }

    /// The first connection, for everything but calls of stateless tools.
    Client first() const { return Client::borrowed(loop(), async().first()); }
    /// A member by its number, from 0.
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
    std::shared_ptr<detail::Loop> const& loop() const noexcept;

    std::shared_ptr<State> state_;
};

/// As lanyard::open_pool(), on a thread of the pool's own.
ClientPool open_pool(std::function<std::unique_ptr<Connector>()> make_connector,
                     PoolOptions const& options = {});

/// lanyard::Connections without co_await. The clients share one thread and live as long as they are
/// held here: one that was removed is closed. Safe to use from any number of threads.
class Connections {
public:
    Connections();
    ~Connections();
    Connections(Connections const&) = delete;
    Connections& operator=(Connections const&) = delete;

    /// connect(), kept under this name. Throws what that throws, and Error (invalid_argument) where
    /// the name is in use.
    Client open(std::string name, std::unique_ptr<Connector> connector,
                ClientOptions const& options = {});

    /// The client of this name, or nothing: also while it is being opened.
    std::optional<Client> find(std::string_view name) const;
    /// The same. Throws Error (unavailable) where there is none.
    Client get(std::string_view name) const;
    /// All names, in order.
    std::vector<std::string> names() const { return clients_.names(); }
    std::size_t size() const { return clients_.size(); }

    /// Closes the client of this name. False where there is none.
    bool remove(std::string_view name);
    /// Closes all clients at once and forgets them.
    void close() noexcept { clients_.close(); }
    /// Stops all clients side by side, as Client::stop() does, and forgets them.
    void stop(Duration grace = std::chrono::seconds(5));

private:
    std::shared_ptr<detail::Loop> loop_;
    lanyard::Connections clients_;
};

}  // namespace lanyard::blocking
