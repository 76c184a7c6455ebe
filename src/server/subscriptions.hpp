// Subscriptions: what one peer wants to be told about, and when to tell it. By resource for the
// whole session (resources/subscribe), or on streams of its own (basic/patterns/subscriptions).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/protocol/subscriptions.hpp"
#include "rpc/list_changed.hpp"
#include "server/core.hpp"
#include "server/duplex_exchange.hpp"

namespace lanyard::server {

/// When to tell that a resource has changed: at most once an interval for each, and always once
/// after the last change. Not thread-safe.
class ResourceUpdates {
public:
    /// True: tell it now. False: it will be due soon.
    bool changed(std::string_view uri, TimePoint now);
    /// A resource whose change is due to be told; call until it returns nothing.
    std::optional<std::string> take_due(TimePoint now);
    TimePoint next_due() const noexcept { return next_due_; }

private:
    struct State {
        TimePoint open_at;  // from when on it may be told again
        bool held = false;
    };
    void find_next() noexcept;

    std::map<std::string, State, std::less<>> states_;
    TimePoint next_due_ = rpc::never;
};

/// Used on the session's executor.
class Subscriptions {
public:
    Subscriptions(ServerCore& core, runtime::PeerConnection& connection)
        : core_(core), connection_(connection) {}

    // For the whole session.

    /// False where there are too many.
    bool subscribe(std::string uri);
    void unsubscribe(std::string_view uri);

    /// Opens a stream: acknowledges it, and answers the request when the stream ends.
    void listen(rpc::Envelope const& request, DuplexExchange exchange,
                SubscriptionFilter const& wanted, Version version);
    /// Ends the streams with their results.
    void end_streams();

    /// Tells about a change, now or soon. `session` says what the session as a whole is told.
    struct SessionView {
        bool open = false;  ///< whether it is told anything at all
        Version version{};
        ServerCapabilities const* declared = nullptr;
    };
    void list_changed(rpc::ListKind kind, SessionView const& session);
    void resource_updated(std::string_view uri, SessionView const& session);
    void on_time(TimePoint now, SessionView const& session);
    TimePoint next_due() const noexcept;

    std::size_t count() const noexcept;

private:
    struct Stream final : rpc::InboundWork {
        Stream(Subscriptions& subscriptions, DuplexExchange request) noexcept
            : owner(subscriptions), exchange(request) {}
        void on_cancel(std::string_view) noexcept override { owner.drop(*this); }

        Subscriptions& owner;
        DuplexExchange exchange;
        RequestId id;
        Version version{};
        SubscriptionFilter filter;
        std::set<std::string, std::less<>> uris;
    };

    bool wants(Stream const& stream, rpc::ListKind kind) const noexcept;
    void drop(Stream& stream) noexcept;
    void send_list_changed(rpc::ListKind kind, SessionView const& session);
    void send_updated(std::string_view uri, SessionView const& session);
    bool anybody_wants(std::string_view uri) const noexcept;
    template <class Params>
    void notify(std::string_view method, Params const& params, Version version,
                Stream const* stream);

    ServerCore& core_;
    runtime::PeerConnection& connection_;
    std::set<std::string, std::less<>> uris_;
    std::vector<std::unique_ptr<Stream>> streams_;
    rpc::ListChanged lists_;
    ResourceUpdates updates_;
};

}  // namespace lanyard::server
