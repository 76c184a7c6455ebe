#include "lanyard/client/pool.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/open_session.hpp"
#include "client/stop_all.hpp"

namespace lanyard {

namespace detail {

class PoolState : public std::enable_shared_from_this<PoolState> {
public:
    PoolState(boost::asio::any_io_executor executor,
              std::function<std::unique_ptr<Connector>()> make_connector,
              PoolOptions const& options)
        : executor_(std::move(executor)),
          make_connector_(std::move(make_connector)),
          options_(options),
          configured_stateless_(options.stateless().begin(), options.stateless().end()),
          configured_stateful_(options.stateful().begin(), options.stateful().end()),
          members_(options.size()) {}

    ~PoolState() {
        // The alarm is destroyed on its executor, because its callback may be running there now.
        if (alarm_) boost::asio::post(executor_, [alarm = std::move(alarm_)] {});
    }
    PoolState(PoolState const&) = delete;
    PoolState& operator=(PoolState const&) = delete;

    /// Returns a handle that shares the pool.
    ClientPool handle() { return ClientPool(shared_from_this()); }

    /// Opens the first connection, then starts to open the others.
    Task<> open() {
        auto const self = shared_from_this();
        alarm_ = options_.client().time().make_alarm(executor_, replacing());
        auto opening = connect(make_connector_(), options_of(0));
        auto first = co_await std::move(opening);
        put(0, std::move(first));
        for (std::size_t i = 1; i < members_.size(); ++i) put(i, start_member(i));
        auto reading = read_tools(self);
        co_await std::move(reading);
    }

    std::size_t size() const noexcept { return members_.size(); }
    Client member(std::size_t number) const {
        std::scoped_lock const lock(mutex_);
        return members_.at(number).client;
    }
    std::vector<ClientPool::Member> describe() const {
        std::scoped_lock const lock(mutex_);
        std::vector<ClientPool::Member> described;
        for (auto const& member : members_) {
            described.push_back({member.client.state(), member.under_way, member.begun});
        }
        return described;
    }
    std::vector<Client> clients() const {
        std::scoped_lock const lock(mutex_);
        std::vector<Client> all;
        for (auto const& member : members_) all.push_back(member.client);
        return all;
    }

    /// Returns true if the caller must read the list of tools before it chooses a client of the
    /// pool. If the list is outdated, only one of several callers gets true.
    bool begin_reading() {
        std::scoped_lock const lock(mutex_);
        auto const connections = members_[0].client.connect_count();
        if (reading_ || (!stale_ && connections == read_on_)) return false;
        if (!members_[0].client.is_open()) return false;
        reading_ = true;
        stale_ = false;
        read_on_ = connections;
        return true;
    }
    static Task<> read_tools(std::shared_ptr<PoolState> self) {
        CallOptions options;
        options.bypass_cache(true);
        auto listing = attempt(self->member(0).list_tools(options));
        auto const tools = co_await std::move(listing);
        self->learn(tools);
    }

    /// Replaces the pool's clients that have ended: at once, or later if the client at the same
    /// index was replaced recently.
    void replace_dead() {
        auto next = TimePoint::max();
        auto const now = options_.client().time().now();
        std::vector<std::size_t> dead;
        {
            std::scoped_lock const lock(mutex_);
            if (closed_) return;
            for (std::size_t i = 0; i < members_.size(); ++i) {
                auto& member = members_[i];
                bool const ended = member.client.state() == ConnectionState::failed ||
                                   member.client.state() == ConnectionState::closed;
                if (!ended) continue;
                if (now < member.replaceable) {
                    next = std::min(next, member.replaceable);
                    continue;
                }
                member.replaceable = after(now, options_.client().reconnect().longest_interval());
                dead.push_back(i);
            }
        }
        // The lock is not held here, because the connector is user code.
        for (auto const i : dead) put(i, start_member(i));
        alarm_->set(next);
    }

    /// Chooses the client of the pool for a call of this tool and counts the call as started.
    /// Returns the index of the client.
    std::size_t begin(std::string const& tool) {
        std::scoped_lock const lock(mutex_);
        auto const number = is_stateless(tool) ? choose() : 0;
        ++members_[number].under_way;
        ++members_[number].begun;
        return number;
    }
    void end(std::size_t number) noexcept {
        std::scoped_lock const lock(mutex_);
        --members_[number].under_way;
    }

    /// Stops replacing members.
    void end_replacing() {
        {
            std::scoped_lock const lock(mutex_);
            closed_ = true;
        }
        boost::asio::post(executor_,
                          [self = shared_from_this()] { self->alarm_->set(TimePoint::max()); });
    }

private:
    struct Member {
        Client client{};
        std::size_t under_way = 0;
        std::uint64_t begun = 0;
        TimePoint replaceable{};
    };

    ClientOptions options_of(std::size_t number) {
        auto options = options_.client();
        if (number > 0) {
            // Only the first client of the pool reports list changes. The other clients would
            // report the same changes again.
            options.on_list_changed({});
            return options;
        }
        options.on_list_changed(
            [pool = weak_from_this(), wanted = options.on_list_changed()](ListKind kind) -> Task<> {
                auto const self = pool.lock();
                if (self && kind == ListKind::tools) self->note_change();
                if (wanted) co_await wanted(kind);
            });
        return options;
    }

    Client start_member(std::size_t number) {
        return client::start_client_on(executor_, make_connector_(), options_of(number));
    }

    void put(std::size_t number, Client client) {
        auto ended = [replace = replacing()](std::exception_ptr const&) { replace(); };
        boost::asio::co_spawn(executor_, client.closed(), std::move(ended));
        std::scoped_lock const lock(mutex_);
        std::swap(members_[number].client, client);
        if (closed_) members_[number].client.close();
    }

    // Returns a callback that calls replace_dead() if the pool still exists.
    std::function<void()> replacing() {
        return [pool = weak_from_this()] {
            if (auto const self = pool.lock()) self->replace_dead();
        };
    }

    void note_change() {
        std::scoped_lock const lock(mutex_);
        stale_ = true;
    }

    void learn(Result<std::vector<Tool>> const& tools) {
        std::scoped_lock const lock(mutex_);
        reading_ = false;
        if (!tools) {
            stale_ = true;
            return;
        }
        declared_stateless_.clear();
        for (auto const& tool : *tools) {
            auto const* const mark = tool.meta.members().if_contains(options_.stateless_key());
            if (mark != nullptr && *mark == true) declared_stateless_.insert(tool.name);
        }
    }

    bool is_stateless(std::string const& tool) const {
        if (configured_stateful_.contains(tool)) return false;
        return configured_stateless_.contains(tool) || declared_stateless_.contains(tool);
    }

    // Chooses an open client of the pool by the policy and returns its index. If no client is open,
    // returns the index at which the search started. A call with that client then fails or waits.
    std::size_t choose() {
        auto const count = members_.size();
        auto const start = options_.policy() == PoolPolicy::random
                               ? static_cast<std::size_t>(options_.client().random().bits() % count)
                               : next_++ % count;
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < count; ++i) {
            auto const number = (start + i) % count;
            if (!members_[number].client.is_open()) continue;
            if (options_.policy() != PoolPolicy::least_loaded) return number;
            if (!best || members_[number].under_way < members_[*best].under_way) best = number;
        }
        return best.value_or(start);
    }

    boost::asio::any_io_executor executor_;
    std::function<std::unique_ptr<Connector>()> make_connector_;
    PoolOptions options_;
    std::set<std::string> configured_stateless_;
    std::set<std::string> configured_stateful_;
    std::unique_ptr<Alarm> alarm_;  // used on the executor
    mutable std::mutex mutex_;      // protects all data members below
    std::vector<Member> members_;
    std::set<std::string> declared_stateless_;
    std::size_t next_ = 0;
    // The connect_count() of the pool's first client when the list of tools was last read.
    std::uint64_t read_on_ = 0;
    bool stale_ = false;
    bool reading_ = false;
    bool closed_ = false;
};

}  // namespace detail

namespace {

using detail::PoolState;

// Removes a call from the count of pending calls when the call ends. Refers to the pool weakly, so
// that a pending call does not keep an abandoned pool alive.
class Count {
public:
    Count(std::shared_ptr<PoolState> const& pool, std::size_t number)
        : pool_(pool), number_(number) {}
    ~Count() {
        if (auto const pool = pool_.lock()) pool->end(number_);
    }
    Count(Count const&) = delete;
    Count& operator=(Count const&) = delete;

private:
    std::weak_ptr<PoolState> pool_;
    std::size_t number_;
};

Task<CallToolResult> call_in_pool(std::shared_ptr<PoolState> pool, std::string name,
                                  Arguments arguments, CallOptions options) {
    if (pool->begin_reading()) {
        auto reading = PoolState::read_tools(pool);
        co_await std::move(reading);
    }
    auto const number = pool->begin(name);
    Count const count(pool, number);
    auto calling = pool->member(number).call_tool(std::move(name), std::move(arguments), options);
    pool.reset();
    auto result = co_await std::move(calling);
    co_return result;
}

Task<ClientPool> open_with(std::function<std::unique_ptr<Connector>()> make_connector,
                           PoolOptions options) {
    constexpr std::size_t most_members = 1'000;
    if (options.size() < 1 || options.size() > most_members) {
        throw Error(Errc::invalid_argument, "a pool has 1 to 1,000 members");
    }
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const state = std::make_shared<PoolState>(executor, std::move(make_connector), options);
    co_await state->open();
    co_return state->handle();
}

std::shared_ptr<PoolState> const& opened(std::shared_ptr<PoolState> const& state) {
    if (!state) throw Error(Errc::closed, "the pool was never opened");
    return state;
}

}  // namespace

Task<CallToolResult> ClientPool::call_tool(std::string name, Arguments arguments,
                                           CallOptions const& options) const {
    return call_in_pool(opened(state_), std::move(name), std::move(arguments), options);
}

Client ClientPool::first() const {
    return member(0);
}

Client ClientPool::member(std::size_t number) const {
    if (number >= size()) throw Error(Errc::invalid_argument, "the pool has no such member");
    return state_->member(number);
}

std::size_t ClientPool::size() const noexcept {
    return state_ ? state_->size() : 0;
}

std::vector<ClientPool::Member> ClientPool::members() const {
    return state_ ? state_->describe() : std::vector<Member>();
}

void ClientPool::close() const noexcept {
    if (!state_) return;
    state_->end_replacing();
    for (auto const& client : state_->clients()) client.close();
}

Task<> ClientPool::stop(Duration grace) const {
    opened(state_)->end_replacing();
    return client::stop_all(state_->clients(), grace);
}

Task<ClientPool> open_pool(std::function<std::unique_ptr<Connector>()> make_connector,
                           PoolOptions const& options) {
    return open_with(std::move(make_connector), options);
}

}  // namespace lanyard
