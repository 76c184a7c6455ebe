// ServerRecord: the information that a client keeps about its server.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/session/output_schemas.hpp"
#include "client/session/response_cache.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/protocol/base.hpp"
#include "lanyard/protocol/capabilities.hpp"

namespace lanyard::client {

/// The information about a server, as received when the connection was opened.
struct ServerInfo {
    Version version = newest_version;
    Implementation info{};
    ServerCapabilities capabilities{};
    std::string instructions{};
    WallTime decided{};
};

/// The server's identity and capabilities, its cached results, and the output schemas of its tools.
/// Used on the session's executor, unless a comment says otherwise.
class ServerRecord {
public:
    explicit ServerRecord(std::size_t max_cache_bytes);

    /// `version` is the version of the current connection or, during the negotiation, the version
    /// that the client is trying. The other members are from the last time the client became ready.
    ServerInfo const& info() const noexcept { return info_; }
    void set_info(ServerInfo info);
    void set_version(Version version) noexcept { info_.version = version; }
    /// The information from the last time the client became ready. May be called on any thread.
    std::shared_ptr<ServerInfo const> published() const;

    ResponseCache& cache() noexcept { return cache_; }
    OutputSchemas& output_schemas() noexcept { return output_schemas_; }
    /// Drops the cached data that the notification makes outdated.
    void on_notification(std::string_view method, std::optional<json::View> params);
    /// Drops all cached data, because the server may offer other features from now on.
    void forget_features();

    /// A function that is called with the kind of list that has changed. It must not throw. It
    /// returns false if it must not be called again.
    using ListWatcher = std::function<bool(ListKind)>;
    /// Registers a watcher. It is called when one of the server's lists (tools, prompts or
    /// resources) has changed or may have changed.
    void watch_lists(ListWatcher watcher) { list_watchers_.push_back(std::move(watcher)); }
    std::size_t list_watchers() const noexcept { return list_watchers_.size(); }
    /// The same for notifications that a resource has changed; called with its URI.
    using ResourceWatcher = std::function<bool(std::string_view uri)>;
    void watch_resources(ResourceWatcher watcher) {
        resource_watchers_.push_back(std::move(watcher));
    }

private:
    void report_list(ListKind kind);

    ServerInfo info_;
    mutable std::mutex mutex_;                     // protects published_
    std::shared_ptr<ServerInfo const> published_;  // never null
    ResponseCache cache_;
    OutputSchemas output_schemas_;
    std::vector<ListWatcher> list_watchers_;
    std::vector<ResourceWatcher> resource_watchers_;
};

}  // namespace lanyard::client
