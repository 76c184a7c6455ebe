// ServerSubscriptions: the changes that peers have subscribed to, and when to notify the peers. A
// peer subscribes to a resource for its whole session (resources/subscribe), or opens streams of
// notifications (MCP specification, basic/patterns/subscriptions).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/protocol/subscriptions.hpp"
#include "peer/list_changed.hpp"
#include "peer/responder.hpp"
#include "server/core/server_core.hpp"

namespace lanyard::server {

/// Decides when to announce that a resource has changed: at most once per interval for each
/// resource, and always once after the last change. Not thread-safe.
class ResourceUpdates {
public:
    /// Records a change. Returns true if the change is to be announced now, false if take_due()
    /// will return the resource later.
    bool changed(std::string_view uri, TimePoint now);
    /// Returns a resource whose change is due to be announced; nullopt if there is none. To be
    /// called until it returns nullopt.
    std::optional<std::string> take_due(TimePoint now);
    TimePoint next_due() const noexcept { return next_due_; }

private:
    struct State {
        TimePoint open_at;  // when the next change may be announced
        bool held = false;
    };
    void find_next() noexcept;

    std::map<std::string, State, std::less<>> states_;
    TimePoint next_due_ = never;
};

/// All functions must be called on one executor.
class ServerSubscriptions {
public:
    /// Sends a notification to the client of a session, outside of all streams.
    using SendNotification = std::function<void(std::string_view method, std::string_view params)>;

    /// `most` is the maximum number of streams and subscribed resources, for all peers that use
    /// this object together. `send_notification` is set only if the object belongs to a session.
    ServerSubscriptions(ServerCore& core, std::size_t most, SendNotification send_notification = {})
        : core_(core),
          most_(most),
          send_notification_(std::move(send_notification)),
          lists_(core.options().list_changed_interval()) {}
    ~ServerSubscriptions();
    ServerSubscriptions(ServerSubscriptions const&) = delete;
    ServerSubscriptions& operator=(ServerSubscriptions const&) = delete;

    // These functions manage the resources to which a session has subscribed (resources/subscribe).

    /// Subscribes the session. If a limit is exceeded, returns an error message and adds one to
    /// LimitCounts::subscriptions.
    std::optional<std::string> subscribe(std::string uri);
    void unsubscribe(std::string_view uri);
    /// Ends all subscriptions of the session; streams stay open.
    void unsubscribe_all() noexcept;

    /// Opens a stream: acknowledges it now and answers the request when the stream ends. Moves from
    /// `responder`, unless the request is refused.
    void listen(RequestId id, std::unique_ptr<rpc::Responder>& responder, SubscriptionFilter wanted,
                Version version);
    /// Ends all streams by answering their requests.
    void end_streams();
    /// Sends the notifications that were written to streams. Must not be called from a callback of
    /// the carrier.
    void flush_streams();

    /// How the client of a session is notified outside of streams.
    struct SessionView {
        bool open = false;  ///< whether the session gets notifications at all
        Version version{};
        ServerCapabilities const* declared = nullptr;
    };
    /// Announces a change of the list: now, or later if a change was announced a short time ago.
    void list_changed(rpc::NotifiedList kind, SessionView const& session);
    /// Announces a change of the resource: now, or later if a change was announced a short time
    /// ago.
    void resource_updated(std::string_view uri, SessionView const& session);
    void on_time(TimePoint now, SessionView const& session);
    TimePoint next_due() const noexcept;

    /// The number of streams plus the number of subscribed resources.
    std::size_t count() const noexcept { return count_; }

private:
    struct Stream final : rpc::InboundWork {
        Stream(ServerSubscriptions& subscriptions, std::unique_ptr<rpc::Responder> request) noexcept
            : owner(subscriptions), responder(std::move(request)) {}
        void on_cancel(std::string_view) noexcept override { owner.drop(*this); }

        ServerSubscriptions& owner;
        std::unique_ptr<rpc::Responder> responder;
        RequestId id;
        Version version{};
        SubscriptionFilter filter;
        std::size_t bytes = 0;
        std::size_t reported = 0;  // how many of the URIs the server core counts as subscribed
        std::size_t index = 0;     // the position in streams_
    };

    /// Reserves `count` more subscriptions of `bytes` bytes for a client that already has
    /// `held_count` and `held_bytes`. Returns an error message if a limit is exceeded.
    std::optional<std::string> take(std::size_t count, std::size_t bytes, std::size_t held_count,
                                    std::size_t held_bytes);
    void give_back(std::size_t count, std::size_t bytes) noexcept;
    bool wants(Stream const& stream, rpc::NotifiedList kind) const noexcept;
    void report_end(Stream& stream) noexcept;
    void unwatch(Stream& stream) noexcept;
    void drop(Stream& stream) noexcept;
    void send_list_changed(rpc::NotifiedList kind, SessionView const& session);
    void send_updated(std::string_view uri, SessionView const& session);
    bool anybody_wants(std::string_view uri) const noexcept {
        return uris_.contains(uri) || watchers_.contains(uri);
    }
    template <class Params>
    void notify(std::string_view method, Params const& params, Version version, Stream* stream);

    ServerCore& core_;
    std::size_t most_;
    SendNotification send_notification_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    std::set<std::string, std::less<>> uris_;
    std::vector<std::unique_ptr<Stream>> streams_;
    // For each resource, the streams that have subscribed to it.
    std::map<std::string, std::vector<Stream*>, std::less<>> watchers_;
    rpc::ListChanged lists_;
    ResourceUpdates updates_;
};

}  // namespace lanyard::server
