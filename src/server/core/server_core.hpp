// ServerCore: the part of a server that all its peers share. The server, its sessions and its
// handlers share the ownership of this object, so it lives as long as any of them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/shared_counts.hpp"
#include "crypto/sealed_state.hpp"
#include "lanyard/protocol/capabilities.hpp"
#include "lanyard/server/limit_counts.hpp"
#include "lanyard/server/middleware.hpp"
#include "lanyard/server/notification.hpp"
#include "lanyard/server/options.hpp"
#include "lanyard/transport.hpp"
#include "peer/list_changed.hpp"
#include "peer/negotiation.hpp"
#include "runtime/loop.hpp"
#include "server/catalog/catalog.hpp"
#include "server/catalog/dispatch_stats.hpp"
#include "server/catalog/read_cache.hpp"
#include "server/core/event_jobs.hpp"
#include "server/core/log_limit.hpp"
#include "server/core/pending_bytes.hpp"
#include "server/core/worker_pool.hpp"
#include "wire/codec.hpp"

namespace lanyard {
struct SessionInfo;
}  // namespace lanyard

namespace lanyard::server {

class PeerGroup;
struct ClientInfo;

/// Returns the list of the protocol (such as tools/list) that contains features of this kind.
constexpr rpc::NotifiedList list_of(FeatureKind kind) noexcept {
    switch (kind) {
        case FeatureKind::tool:
            return rpc::NotifiedList::tools;
        case FeatureKind::prompt:
            return rpc::NotifiedList::prompts;
        default:
            return rpc::NotifiedList::resources;
    }
}

/// The settings that may be changed while the server runs. A change replaces the whole object.
struct Settings {
    std::string instructions{};
    JsonObject experimental{};
    JsonObject extensions{};
    std::vector<Middleware> middlewares{};
    std::vector<Filter> filters{};
    boost::asio::any_io_executor handler_executor{};
    /// Handlers of clients' notifications, by method.
    std::vector<std::pair<std::string, NotificationHandler>> on_notification{};
    std::vector<NotificationHandler> on_any_notification{};
    std::vector<std::function<void(SessionInfo const&)>> on_phase{};

    /// Whether a handler exists for notifications of this method.
    bool handles(std::string_view method) const noexcept;
};

/// Thread-safe.
class ServerCore : public std::enable_shared_from_this<ServerCore> {
public:
    ServerCore(Implementation identity, ServerOptions options);
    ~ServerCore();

    Implementation const& identity() const noexcept { return identity_; }
    ServerOptions const& options() const noexcept { return options_; }
    rpc::VersionSet versions() const noexcept { return versions_; }
    TimeSource& time() const noexcept { return options_.time(); }
    Random& random() const noexcept { return options_.random(); }
    /// The metadata that every result in this revision contains.
    wire::ResultStamp const& stamp(Version version) const noexcept {
        return stamps_[static_cast<std::size_t>(version)];
    }
    /// The object that encrypts the request states which clients store while they answer questions
    /// (see mrtr.hpp). Created on first use, because most servers never ask questions.
    crypto::SealedState const& seal() const;
    WorkerPool& workers() noexcept { return workers_; }
    EventJobs& event_jobs() noexcept { return event_jobs_; }
    CatalogStore& catalog() noexcept { return catalog_; }
    ReadCache& read_cache() noexcept { return read_cache_; }
    SharedCounts<LimitCounts>& limits() noexcept { return limits_; }
    PendingBytes& pending_bytes() noexcept { return pending_bytes_; }
    /// The statistics of the filters, middleware and providers, which are measured together.
    DispatchStats& common_stats() noexcept { return common_stats_; }

    /// Reserves memory for subscriptions; returns false if the reservation would exceed the limit
    /// for all clients together.
    bool take_subscription_bytes(std::size_t bytes) noexcept;
    void give_back_subscription_bytes(std::size_t bytes) noexcept { subscription_bytes_ -= bytes; }

    /// Returns the capabilities that the server offers now.
    ServerCapabilities capabilities() const;
    /// Same as capabilities(), as a shared copy for callers that keep it. A new copy is made only
    /// after a change.
    std::shared_ptr<ServerCapabilities const> shared_capabilities() const;

    /// Adds a handler that is called when the capabilities have changed.
    void on_capabilities_changed(std::function<void(ServerCapabilities const&)> handler);
    /// To be called after every change that may affect the capabilities. The caller must hold no
    /// lock. Calls the handlers if the capabilities have changed.
    void report_capabilities();

    /// Returns a shared object equal to `info`. Sharing saves memory, because most clients are the
    /// same few programs.
    std::shared_ptr<ClientInfo const> share(ClientInfo&& info);

    std::shared_ptr<Settings const> settings() const;
    std::uint64_t settings_generation() const noexcept {
        return settings_generation_.load(std::memory_order_acquire);
    }
    void change(std::function<void(Settings&)> const& change);

    /// Writes a line to the server's log.
    void log(LoggingLevel level, std::string_view text);
    /// Writes a line for an event that a client can cause as often as it likes. If a client, or all
    /// clients together, exceed a rate limit, the line is counted but not written.
    void log(LoggingLevel level, PeerInfo const& cause, std::string_view text);
    /// Logs the list entries of a client's message that were left out because they cannot be read.
    void log_skipped(PeerInfo const& client, std::string_view method,
                     std::vector<DecodeError> const& entries);
    /// Logs the number of lines that were suppressed since the last report, if there were any.
    void report_suppressed();

    // Peers.

    void add(std::shared_ptr<PeerGroup> const& group);
    void remove(PeerGroup& group);
    /// Calls `show` for all current groups, the newest first. A session may be suspended during the
    /// calls. The StatelessPeer that then holds the session was added earlier than the session, so
    /// its turn comes later, and it still notifies the client. The lock is held during the calls. A
    /// group that ends in the meantime is therefore destroyed on its own executor, not here.
    template <class F>
    void each_group(F const& show) const {
        std::lock_guard const lock(groups_mutex_);
        for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) show(**group);
    }

    void list_changed(rpc::NotifiedList kind);
    /// The number of calls of list_changed() for this list.
    std::uint64_t list_changes(rpc::NotifiedList kind) const noexcept {
        return list_changes_[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
    }
    void resource_updated(std::string_view uri);
    /// Adds a provider to the catalog, and reports the current subscriptions to it.
    void add(std::shared_ptr<Provider> provider);
    /// To be called for each subscription of a client when it begins and when it ends. The first
    /// and the last one for a URI are reported to the providers.
    void subscribed(std::string const& uri);
    void unsubscribed(std::string const& uri) noexcept;
    void send_log(LoggingLevel level, Json const& data, std::string_view logger);
    void elicitation_complete(std::string_view id);

    // These functions register the running listeners, so that stop() can stop them.

    bool add(Listener& listener);
    void remove(Listener& listener);
    void stop(Duration grace) noexcept;

    /// Adds a loop that runs handlers of the server, and limits its threads. Does nothing if the
    /// loop has been added before.
    void add(runtime::Loop& loop);
    /// Waits for handlers that have blocked their loop and are still running, but not longer than
    /// until the time `until`.
    void wait_for_loops(std::chrono::steady_clock::time_point until);

    /// Whether stop() has been called.
    bool stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }

private:
    bool is_heard(LoggingLevel level) const noexcept {
        return options_.on_log() || level >= LoggingLevel::warning;
    }
    void log_stop(Duration grace) noexcept;
    void write_log(LoggingLevel level, std::string_view text);
    void write_suppressed();
    void write_line(LoggingLevel level, std::string_view text) const;

    Implementation identity_;
    ServerOptions options_;
    rpc::VersionSet versions_;
    std::vector<wire::ResultStamp> stamps_;  // the index is the version
    mutable std::once_flag seal_made_;
    mutable std::optional<crypto::KeyRing> keys_;
    mutable std::optional<crypto::SealedState> seal_;
    CatalogStore catalog_;
    ReadCache read_cache_;
    SharedCounts<LimitCounts> limits_;
    PendingBytes pending_bytes_;
    DispatchStats common_stats_;
    std::atomic<std::size_t> subscription_bytes_ = 0;
    std::mutex subscribed_mutex_;
    // The number of subscriptions of each URI.
    std::map<std::string, std::size_t, std::less<>> subscribed_;  // guarded by subscribed_mutex_
    mutable std::mutex mutex_;
    std::shared_ptr<Settings const> settings_;
    mutable std::shared_ptr<ServerCapabilities const> shared_capabilities_;
    std::vector<std::weak_ptr<ClientInfo const>> clients_;  // recent clients, the latest first
    std::atomic<std::uint64_t> settings_generation_ = 1;
    mutable std::mutex groups_mutex_;
    std::vector<std::shared_ptr<PeerGroup>> groups_;
    std::array<std::atomic<std::uint64_t>, rpc::notified_list_count> list_changes_{};
    // Held while listeners are stopped. Stopping may wait for a connection that is being added to
    // the groups, so this mutex is separate from groups_mutex_, and is locked first.
    std::mutex listeners_mutex_;
    std::vector<Listener*> listeners_;
    std::atomic<bool> stopping_ = false;
    Duration grace_{0};
    std::vector<std::shared_ptr<runtime::Loop>> loops_;  // guarded by mutex_
    // Reports of changed capabilities. One thread reports at a time; changes that happen meanwhile
    // are reported by that thread.
    struct CapabilityReports {
        std::mutex mutex;
        std::vector<std::function<void(ServerCapabilities const&)>> handlers;
        ServerCapabilities last;
        bool due = false;
        bool reporting = false;
    } capability_reports_;
    std::mutex log_mutex_;
    LogLimit log_limit_;
    EventJobs event_jobs_;
    WorkerPool workers_;  // the last member, so destroyed first: running handlers use other members
};

}  // namespace lanyard::server
