// ClientPool: many connections to the same server, used like one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/client/client.hpp>

namespace lanyard {

/// Which member gets the next call of a stateless tool, among those that are ready.
enum class PoolPolicy : std::uint8_t {
    round_robin,
    least_loaded,  ///< the one with the fewest calls under way
    random,
};

/// How many connections, and how calls are spread over them.
class PoolOptions {
public:
    PoolOptions() = default;

    /// 1 to 1,000; 10 where not set.
    PoolOptions& size(std::size_t members) {
        size_ = members;
        return *this;
    }
    PoolOptions& policy(PoolPolicy policy) {
        policy_ = policy;
        return *this;
    }
    /// Tools that keep nothing between two calls, whatever the server says.
    PoolOptions& stateless(std::vector<std::string> tools) {
        stateless_ = std::move(tools);
        return *this;
    }
    /// Tools that do, whatever the server says.
    PoolOptions& stateful(std::vector<std::string> tools) {
        stateful_ = std::move(tools);
        return *this;
    }
    /// The member of a tool's `_meta` that says `true` where the tool is stateless.
    PoolOptions& stateless_key(std::string key) {
        stateless_key_ = std::move(key);
        return *this;
    }
    /// The options of every member.
    PoolOptions& client(ClientOptions options) {
        client_ = std::move(options);
        return *this;
    }

    std::size_t size() const noexcept { return size_; }
    PoolPolicy policy() const noexcept { return policy_; }
    std::vector<std::string> const& stateless() const noexcept { return stateless_; }
    std::vector<std::string> const& stateful() const noexcept { return stateful_; }
    std::string const& stateless_key() const noexcept { return stateless_key_; }
    ClientOptions const& client() const noexcept { return client_; }

private:
    std::size_t size_ = 10;
    PoolPolicy policy_ = PoolPolicy::round_robin;
    std::vector<std::string> stateless_;
    std::vector<std::string> stateful_;
    std::string stateless_key_ = "lanyard/stateless";
    ClientOptions client_;
};

namespace client {
class PoolState;
}  // namespace client

/// Connections to one server. Calls of stateless tools are spread over those that are ready; all
/// other calls go to the first connection, so that what the server keeps for it stays together.
///
/// Members reconnect by themselves as their options say; one that has failed for good is replaced
/// at once (again no sooner than after the longest wait of its reconnecting). Which tools are
/// stateless is read from the server's list, again after every `list_changed` and reconnect. Copies
/// share the pool; when the last is gone everything is closed. Safe to use from any thread.
class ClientPool {
public:
    ClientPool() noexcept = default;
    explicit ClientPool(std::shared_ptr<client::PoolState> state) noexcept
        : state_(std::move(state)) {}

    /// As Client::call_tool(), on a member of the pool's choice.
    Task<CallToolResult> call_tool(std::string name, Arguments arguments = {},
                                   CallOptions const& options = {}) const;
    /// As Client::call().
    template <class R, class Input>
    Task<R> call(std::string name, Input const& arguments, CallOptions const& options = {}) const {
        return client::read_output<R>(call_tool(std::move(name), to_raw_json(arguments), options));
    }
    template <class R>
    Task<R> call(std::string name, Arguments arguments = {},
                 CallOptions const& options = {}) const {
        return client::read_output<R>(call_tool(std::move(name), std::move(arguments), options));
    }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
    template <class R, codec::UnsafeTemporary Input>
    Task<R> call(std::string name, Input const&& arguments,
                 CallOptions const& options = {}) const = delete;
#endif

    /// The first connection, for everything but calls of stateless tools.
    Client first() const;
    /// A member by its number, from 0.
    Client member(std::size_t number) const;
    std::size_t size() const noexcept;

    struct Member {
        ConnectionState state;
        std::size_t under_way;  ///< calls
        std::uint64_t begun;    ///< calls, ever
    };
    std::vector<Member> members() const;

    void close() const noexcept;
    /// Stops all members side by side, as Client::stop() does.
    Task<> stop(Duration grace = std::chrono::seconds(5)) const;

private:
    std::shared_ptr<client::PoolState> state_;
};

/// Opens the first connection and begins to open the others. Completes when calls can be made;
/// throws what connect() throws, and Error (invalid_argument) for a size that is not possible. The
/// function makes the connector of each member, and is kept for members to be replaced.
Task<ClientPool> open_pool(std::function<std::unique_ptr<Connector>()> make_connector,
                           PoolOptions const& options = {});

}  // namespace lanyard
