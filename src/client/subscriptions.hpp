// What the client wants to be told of: requests of their own in the revisions with a handshake, one
// stream that is opened anew when the wishes change in the later ones
// (basic/patterns/subscriptions, server/resources "Subscriptions").
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/client/call_options.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/protocol/subscriptions.hpp"
#include "lanyard/task.hpp"
#include "lanyard/time_source.hpp"
#include "rpc/backoff.hpp"
#include "rpc/peer.hpp"
#include "runtime/event.hpp"

namespace lanyard::client {

class Session;

class Subscriptions {
public:
    explicit Subscriptions(Session& session);
    ~Subscriptions();

    Task<> subscribe(std::string uri, CallOptions options);
    Task<> unsubscribe(std::string uri, CallOptions options);

    /// Opens the stream that the handlers want, where this version has one.
    void update();
    /// Tells a server that has forgotten everything what it is to tell of, and from which level on.
    void restore(std::optional<LoggingLevel> level);
    /// Gives everything up without waiting.
    void end_all();

    /// Whether a notification is to be passed on: of those that belong on a stream, only what comes
    /// on the one in use.
    bool admit(std::string_view method, std::optional<json::View> params);
    /// The server cancelled what is not a request of its own: a stream, perhaps.
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

    Session& session_;
    runtime::Event changed_;
    std::set<std::string> uris_;                    // wanted
    std::vector<std::shared_ptr<Stream>> streams_;  // whose request is pending
    std::shared_ptr<Stream> current_;               // acknowledged: its notifications count
    std::shared_ptr<Stream> next_;  // replaces the current one once it is acknowledged
    std::optional<Error> refusal_;  // why the last one that was to replace it did not
    std::unique_ptr<Ignored> ignored_;
    rpc::Backoff backoff_;  // between attempts to open a stream that the server has ended
    std::unique_ptr<Alarm> reopening_;
};

}  // namespace lanyard::client
