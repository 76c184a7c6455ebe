// The client's subscriptions. In the revisions with a handshake, each subscription is a request. In
// later revisions, a single stream covers all subscriptions and is reopened when the subscriptions
// change (MCP specification, basic/patterns/subscriptions, server/resources "Subscriptions").
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/backoff.hpp"
#include "lanyard/client/call_options.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/protocol/subscriptions.hpp"
#include "lanyard/task.hpp"
#include "lanyard/time_source.hpp"
#include "peer/peer.hpp"
#include "runtime/event.hpp"

namespace lanyard::client {

class ClientSession;

class ClientSubscriptions {
public:
    explicit ClientSubscriptions(ClientSession& session);
    ~ClientSubscriptions();

    Task<> subscribe(std::string uri, CallOptions options);
    Task<> unsubscribe(std::string uri, CallOptions options);

    /// Opens the stream for the notifications that the user's handlers need, if the protocol
    /// version has subscription streams.
    void update();
    /// Like update(), but does nothing if the latest stream was opened for exactly these
    /// notifications.
    void refresh();
    /// Sends the subscriptions and the log level again to a server that has lost its state.
    void restore(std::optional<LoggingLevel> level);
    /// Cancels all subscriptions without waiting.
    void end_all();

    /// The number of streams whose request is pending.
    std::size_t open_streams() const noexcept { return streams_.size(); }

    /// Whether a notification is to be delivered. Notifications that belong on a stream are
    /// accepted only from the current stream.
    bool admit(std::string_view method, std::optional<json::View> params);
    /// Called when the server sends a cancellation whose id is not that of one of the server's own
    /// requests. If the id is that of a subscription stream, the server has ended the stream.
    void on_cancelled(RequestId const& id);

private:
    class Stream;
    class Ignored;

    bool uses_streams() const;
    SubscriptionFilter wanted() const;
    bool grants(std::string const& uri) const;
    void open_stream();
    void drop(std::shared_ptr<Stream>& stream);
    void acknowledge(std::optional<json::View> params);
    void compare(SubscriptionFilter const& asked, SubscriptionFilter const& granted);
    void on_stream_ended(Stream& stream, std::optional<Error> const& error);
    void reopen_later();
    bool send_ignored(std::string_view method, std::string const& params);
    bool send_uri(std::string_view method, std::string const& uri);
    Task<> subscribe_on_stream(std::string const& uri, CallOptions const& options);

    ClientSession& session_;
    runtime::Event changed_;
    std::set<std::string> uris_;                    // the resources that the user has subscribed to
    std::vector<std::shared_ptr<Stream>> streams_;  // the streams whose request is pending
    std::shared_ptr<Stream> current_;               // the stream whose notifications are accepted
    std::shared_ptr<Stream> next_;                  // becomes current_ once it is acknowledged
    std::optional<Error> refusal_;                  // why the last stream in next_ failed
    std::unique_ptr<Ignored> ignored_;
    // Determines how long to wait before reopening a stream that the server has ended.
    Backoff backoff_;
    std::unique_ptr<Alarm> reopening_;
};

}  // namespace lanyard::client
