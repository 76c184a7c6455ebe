// ClientPool: several connections to the same server, used like one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/client/client.hpp>

namespace lanyard {

/// How the pool chooses one of its clients (its members) for a call of a stateless tool, which is a
/// tool that keeps no state between calls. The pool chooses among the members that are ready. If no
/// member is ready, the pool chooses any member, and the call fails or waits, as
/// CallOptions::wait_until_ready specifies.
enum class PoolPolicy : std::uint8_t {
    round_robin,
    least_loaded,  ///< the member with the fewest calls in progress
    random,
};

/// The number of connections, and how calls are spread over them.
class PoolOptions {
public:
    PoolOptions() = default;

    /// The minimum and the maximum number of connections, 1 to 1,000. Default: 1 and 10. At first,
    /// the pool opens the minimum number of connections. It opens another one when a stateless tool
    /// is called while every member has at least grow_at() pending calls.
    PoolOptions& size(std::size_t least, std::size_t most) {
        min_size_ = least;
        max_size_ = most;
        return *this;
    }
    /// Sets the minimum and the maximum to the same number: the size of the pool does not change.
    PoolOptions& size(std::size_t members) { return size(members, members); }
    /// The pool grows when every member has at least this number of pending calls. Default: 4.
    PoolOptions& grow_at(std::size_t calls) {
        grow_at_ = calls;
        return *this;
    }
    /// How long a member beyond the minimum is kept while it has no calls; then it is closed.
    /// Default: 60 s.
    PoolOptions& idle_expiry(Duration expiry) {
        idle_expiry_ = expiry;
        return *this;
    }
    /// How a member is chosen for a call of a stateless tool. Default: round_robin.
    PoolOptions& policy(PoolPolicy policy) {
        policy_ = policy;
        return *this;
    }
    /// Names of tools that keep no state between calls, although the server does not declare them
    /// stateless. Default: none.
    PoolOptions& stateless(std::vector<std::string> tools) {
        stateless_ = std::move(tools);
        return *this;
    }
    /// Names of tools that keep state between calls, although the server declares them stateless.
    /// Default: none.
    PoolOptions& stateful(std::vector<std::string> tools) {
        stateful_ = std::move(tools);
        return *this;
    }
    /// The key in a tool's `_meta` whose value is `true` if the tool is stateless. Default:
    /// "lanyard/stateless".
    PoolOptions& stateless_key(std::string key) {
        stateless_key_ = std::move(key);
        return *this;
    }
    /// The options of every client in the pool. Default: ClientOptions().
    PoolOptions& client(ClientOptions options) {
        client_ = std::move(options);
        return *this;
    }

    std::size_t min_size() const noexcept { return min_size_; }
    /// The maximum number of connections.
    std::size_t size() const noexcept { return max_size_; }
    std::size_t grow_at() const noexcept { return grow_at_; }
    Duration idle_expiry() const noexcept { return idle_expiry_; }
    PoolPolicy policy() const noexcept { return policy_; }
    std::vector<std::string> const& stateless() const noexcept { return stateless_; }
    std::vector<std::string> const& stateful() const noexcept { return stateful_; }
    std::string const& stateless_key() const noexcept { return stateless_key_; }
    ClientOptions const& client() const noexcept { return client_; }

private:
    std::size_t min_size_ = 1;
    std::size_t max_size_ = 10;
    std::size_t grow_at_ = 4;
    Duration idle_expiry_ = std::chrono::seconds(60);
    PoolPolicy policy_ = PoolPolicy::round_robin;
    std::vector<std::string> stateless_;
    std::vector<std::string> stateful_;
    std::string stateless_key_ = "lanyard/stateless";
    ClientOptions client_;
};

namespace detail {
class PoolState;
}

/// Connections to one server. Calls of stateless tools are spread over the connections that are
/// ready. All other calls go to the first connection, because the server may keep state for that
/// connection. The number of connections follows the load (PoolOptions::size).
///
/// The clients of the pool (its members) reconnect as their options specify. A member that has
/// failed is replaced at once. If the replacement fails too, the next replacement is made only
/// after ReconnectOptions::longest_interval() has passed. The pool finds the stateless tools in the
/// server's tool list, which it reads again after every `list_changed` and every reconnect. Copies
/// share the pool; the destructor of the last copy closes everything. Thread-safe.
class ClientPool {
public:
    ClientPool() noexcept = default;

    /// Same as Client::call_tool(), on a member chosen by the pool.
    Task<CallToolResult> call_tool(std::string name, Arguments arguments = {},
                                   CallOptions const& options = {}) const;
    template <std::same_as<CallOptions> Options>
    Task<CallToolResult> call_tool(std::string name, Options const& options) const {
        return call_tool(std::move(name), Arguments(), options);
    }
    /// Same as Client::call().
    template <class R, class Input>
        requires(!std::same_as<Input, CallOptions>)
    Task<R> call(std::string name, Input const& arguments, CallOptions const& options = {}) const {
        return detail::read_output<R>(call_tool(std::move(name), to_raw_json(arguments), options));
    }
    template <class R>
    Task<R> call(std::string name, Arguments arguments = {},
                 CallOptions const& options = {}) const {
        return detail::read_output<R>(call_tool(std::move(name), std::move(arguments), options));
    }
    template <class R, std::same_as<CallOptions> Options>
    Task<R> call(std::string name, Options const& options) const {
        return detail::read_output<R>(call_tool(std::move(name), Arguments(), options));
    }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
    template <class R, codec::UnsafeTemporary Input>
    Task<R> call(std::string name, Input const&& arguments,
                 CallOptions const& options = {}) const = delete;
#endif

    /// Returns the first client of the pool. Use it for everything except calls of stateless tools.
    Client first() const;
    /// Returns a member by its index, starting at 0. Throws Error (invalid_argument) if there is no
    /// such member. A member beyond the minimum may be closed later.
    Client member(std::size_t number) const;
    /// The number of members now.
    std::size_t size() const noexcept;

    struct Member {
        ConnectionState state;
        std::size_t under_way;  ///< calls in progress
        std::uint64_t begun;    ///< calls started so far
    };
    std::vector<Member> members() const;

    /// Closes all members, as Client::close() does.
    void close() const noexcept;
    /// Stops all members concurrently, as Client::stop() does.
    Task<> stop(Duration grace = std::chrono::seconds(5)) const;

private:
    friend class detail::PoolState;
    explicit ClientPool(std::shared_ptr<detail::PoolState> state) noexcept
        : state_(std::move(state)) {}

    std::shared_ptr<detail::PoolState> state_;
};

/// Opens the first connection, and starts to open the other connections up to the minimum of
/// PoolOptions::size. Completes when calls can be made. Throws what connect() throws, and Error
/// (invalid_argument) for invalid options. `make_connector` is called once for each member of the
/// pool, and again when a member is replaced.
Task<ClientPool> open_pool(std::function<std::unique_ptr<Connector>()> make_connector,
                           PoolOptions const& options = {});

}  // namespace lanyard
