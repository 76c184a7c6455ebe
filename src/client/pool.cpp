#include "lanyard/client/pool.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/deadline.hpp"
#include "base/option_check.hpp"
#include "client/open_session.hpp"
#include "client/stop_all.hpp"
#include "runtime/post.hpp"

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
          configured_stateful_(options.stateful().begin(), options.stateful().end()) {
        for (std::size_t i = 0; i < options.min_size(); ++i) add_member();
    }

    ~PoolState() {
        // The alarm is destroyed on its executor, because its callback may be running there now.
        if (alarm_) runtime::post_always(executor_, [alarm = std::move(alarm_)] {});
    }
    PoolState(PoolState const&) = delete;
    PoolState& operator=(PoolState const&) = delete;

    /// Returns a handle that shares the pool.
    ClientPool handle() { return ClientPool(shared_from_this()); }

    /// Opens the first connection, then starts to open the others.
    Task<> open() {
        auto const self = shared_from_this();
        alarm_ = options_.client().time().make_alarm(executor_, maintaining());
        auto opening = connect(make_connector_(), options_of(true));
        auto first = co_await std::move(opening);
        auto const members = all_members();
        put(members[0], std::move(first));
        for (std::size_t i = 1; i < members.size(); ++i) put(members[i], start_member(false));
        auto reading = read_tools(self);
        co_await std::move(reading);
    }

    std::size_t size() const noexcept {
        std::scoped_lock const lock(mutex_);
        return members_.size();
    }
    Client member(std::size_t number) const {
        std::scoped_lock const lock(mutex_);
        if (number < members_.size()) return members_[number]->client;
        throw Error(Errc::invalid_argument, "the pool has no such member");
    }
    std::vector<ClientPool::Member> describe() const {
        std::scoped_lock const lock(mutex_);
        std::vector<ClientPool::Member> described;
        for (auto const& member : members_) {
            described.push_back({member->client.state(), member->under_way, member->begun});
        }
        return described;
    }
    std::vector<Client> clients() const {
        std::scoped_lock const lock(mutex_);
        std::vector<Client> all;
        for (auto const& member : members_) all.push_back(member->client);
        return all;
    }

    /// Returns true if the caller must read the list of tools before it chooses a client of the
    /// pool. If the list is outdated, only the first of several callers gets true, so that the list
    /// is read only once.
    bool begin_reading() {
        std::scoped_lock const lock(mutex_);
        auto const& first = members_[0]->client;
        auto const connections = first.connect_count();
        if (reading_ || (!stale_ && connections == read_on_)) return false;
        if (!first.is_open()) return false;
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

    /// A client of the pool.
    struct Member {
        Client client{};
        bool is_first = false;
        std::size_t under_way = 0;
        std::uint64_t begun = 0;
        TimePoint idle_since{};   // when its last call ended
        TimePoint replaceable{};  // when it may be replaced again
    };
    using MemberPtr = std::shared_ptr<Member>;

    /// Replaces the pool's clients that have ended: at once, or later if their member was replaced
    /// recently. Closes members beyond the minimum that have been idle for long enough.
    void maintain() {
        auto next = TimePoint::max();
        std::vector<MemberPtr> dead;
        std::vector<Client> idle;  // closed by its destructor, after the lock is released
        {
            std::scoped_lock const lock(mutex_);
            if (closed_) return;
            auto const time = now();
            close_idle(time, idle, next);
            find_dead(time, dead, next);
            check_at_ = next;
        }
        // The lock is not held here, because the connector is user code.
        for (auto const& member : dead) put(member, start_member(member->is_first));
        alarm_->set(next);
    }

    /// Chooses the client of the pool for a call of this tool and counts the call as started.
    MemberPtr begin(std::string const& tool) {
        std::scoped_lock const lock(mutex_);
        bool const stateless = is_stateless(tool);
        if (stateless && !growing_ && is_loaded()) grow_later();
        auto const& member = members_[stateless ? choose() : 0];
        ++member->under_way;
        ++member->begun;
        return member;
    }
    void end(Member& member) noexcept {
        std::scoped_lock const lock(mutex_);
        if (--member.under_way > 0) return;
        member.idle_since = now();
        bool const may_expire = members_.size() > options_.min_size();
        if (!may_expire || check_at_ <= after(member.idle_since, options_.idle_expiry())) return;
        try {
            boost::asio::post(executor_, maintaining());
        } catch (...) {
            // Out of memory: the member is closed when the pool is maintained for another reason.
        }
    }
    Client client_of(Member const& member) const {
        std::scoped_lock const lock(mutex_);
        return member.client;
    }

    /// Stops replacing members.
    void end_replacing() noexcept {
        {
            std::scoped_lock const lock(mutex_);
            closed_ = true;
        }
        runtime::post_always(executor_,
                             [self = shared_from_this()] { self->alarm_->set(TimePoint::max()); });
    }
    /// Closes all clients.
    void close() noexcept {
        end_replacing();
        for (std::size_t i = 0;; ++i) {
            // The lock is not held during close(), because that function may call user code.
            Client client;
            {
                std::scoped_lock const lock(mutex_);
                if (i >= members_.size()) return;
                client = members_[i]->client;
            }
            client.close();
        }
    }

private:
    TimePoint now() const noexcept { return options_.client().time().now(); }

    void add_member() {
        auto const member = std::make_shared<Member>();
        member->is_first = members_.empty();
        member->idle_since = now();
        members_.push_back(member);
    }
    std::vector<MemberPtr> all_members() const {
        std::scoped_lock const lock(mutex_);
        return members_;
    }

    // Whether another member is needed: every member has at least PoolOptions::grow_at() calls.
    bool is_loaded() const {
        if (closed_ || members_.size() >= options_.size()) return false;
        return std::ranges::all_of(members_, [this](auto const& member) {
            return member->under_way >= options_.grow_at();
        });
    }
    // Posts grow() to the pool's executor. Starting a member calls the connector, which is user
    // code and must be called only on that executor.
    void grow_later() {
        growing_ = true;
        boost::asio::post(executor_, [pool = weak_from_this()] {
            if (auto const self = pool.lock()) self->grow();
        });
    }
    void grow() {
        MemberPtr added;
        {
            std::scoped_lock const lock(mutex_);
            growing_ = false;
            if (!is_loaded()) return;
            add_member();
            added = members_.back();
        }
        try {
            put(added, start_member(false));
        } catch (...) {
            // The pool continues without the new member. The next call tries again to add one.
            std::scoped_lock const lock(mutex_);
            std::erase(members_, added);
        }
        maintain();
    }

    // Moves the clients of members that have been idle for long enough to `idle`, newest first, and
    // lowers `next` to the time when another member may be closed.
    void close_idle(TimePoint time, std::vector<Client>& idle, TimePoint& next) {
        auto const expiry = options_.idle_expiry();
        for (auto i = members_.size(); i-- > 1 && members_.size() > options_.min_size();) {
            auto const& member = members_[i];
            if (member->under_way > 0) continue;
            auto const due = after(member->idle_since, expiry);
            if (due > time) {
                next = std::min(next, due);
                continue;
            }
            idle.push_back(std::move(member->client));
            members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    void find_dead(TimePoint time, std::vector<MemberPtr>& dead, TimePoint& next) {
        for (auto const& member : members_) {
            bool const ended = member->client.state() == ConnectionState::failed ||
                               member->client.state() == ConnectionState::closed;
            if (!ended) continue;
            if (time < member->replaceable) {
                next = std::min(next, member->replaceable);
                continue;
            }
            member->replaceable = after(time, options_.client().reconnect().longest_interval());
            dead.push_back(member);
        }
    }

    ClientOptions options_of(bool is_first) {
        auto options = options_.client();
        if (!is_first) {
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

    Client start_member(bool is_first) {
        return client::start_client_on(executor_, make_connector_(), options_of(is_first));
    }

    void put(MemberPtr const& member, Client client) {
        auto ended = [maintain = maintaining()](std::exception_ptr const&) { maintain(); };
        boost::asio::co_spawn(executor_, client.closed(), std::move(ended));
        std::scoped_lock const lock(mutex_);
        std::swap(member->client, client);
        if (closed_) member->client.close();
    }

    // Returns a callback that calls maintain() if the pool still exists.
    std::function<void()> maintaining() {
        return [pool = weak_from_this()] {
            if (auto const self = pool.lock()) self->maintain();
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
            if (!members_[number]->client.is_open()) continue;
            if (options_.policy() != PoolPolicy::least_loaded) return number;
            if (!best || members_[number]->under_way < members_[*best]->under_way) best = number;
        }
        return best.value_or(start);
    }

    boost::asio::any_io_executor executor_;
    std::function<std::unique_ptr<Connector>()> make_connector_;
    PoolOptions options_;
    std::set<std::string> configured_stateless_;
    std::set<std::string> configured_stateful_;
    std::shared_ptr<Alarm> alarm_;  // used on the executor
    mutable std::mutex mutex_;      // protects all data members below
    std::vector<MemberPtr> members_;
    std::set<std::string> declared_stateless_;
    std::size_t next_ = 0;
    TimePoint check_at_ = TimePoint::max();  // when maintain() is called next
    // The connect_count() of the pool's first client when the list of tools was last read.
    std::uint64_t read_on_ = 0;
    bool stale_ = false;
    bool reading_ = false;
    bool growing_ = false;  // whether grow() was posted
    bool closed_ = false;
};

}  // namespace detail

namespace {

using detail::PoolState;

// Removes a call from the count of pending calls when the call ends. Refers to the pool weakly, so
// that a pending call does not keep an abandoned pool alive.
class Count {
public:
    Count(std::shared_ptr<PoolState> const& pool, PoolState::MemberPtr const& member)
        : pool_(pool), member_(member) {}
    ~Count() {
        auto const pool = pool_.lock();
        auto const member = member_.lock();
        if (pool && member) pool->end(*member);
    }
    Count(Count const&) = delete;
    Count& operator=(Count const&) = delete;

private:
    std::weak_ptr<PoolState> pool_;
    std::weak_ptr<PoolState::Member> member_;  // weak, because a member keeps its client open
};

Task<CallToolResult> call_in_pool(std::shared_ptr<PoolState> pool, std::string name,
                                  Arguments arguments, CallOptions options) {
    if (pool->begin_reading()) {
        auto reading = PoolState::read_tools(pool);
        co_await std::move(reading);
    }
    auto member = pool->begin(name);
    Count const count(pool, member);
    auto calling =
        pool->client_of(*member).call_tool(std::move(name), std::move(arguments), options);
    member.reset();
    pool.reset();
    auto result = co_await std::move(calling);
    co_return result;
}

Task<ClientPool> open_with(std::function<std::unique_ptr<Connector>()> make_connector,
                           PoolOptions options) {
    constexpr std::size_t most_members = 1'000;
    if (options.min_size() < 1 || options.size() > most_members) {
        throw Error(Errc::invalid_argument, "PoolOptions::size: a pool has 1 to 1,000 members");
    }
    check_at_least("PoolOptions::size", options.size(), options.min_size(), "the minimum");
    check_at_least("PoolOptions::grow_at", options.grow_at(), 1);
    check_positive("PoolOptions::idle_expiry", options.idle_expiry());
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
    return opened(state_)->member(number);
}

std::size_t ClientPool::size() const noexcept {
    return state_ ? state_->size() : 0;
}

std::vector<ClientPool::Member> ClientPool::members() const {
    return state_ ? state_->describe() : std::vector<Member>();
}

void ClientPool::close() const noexcept {
    if (state_) state_->close();
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
