// ClientSession: the state shared by all handles of one client. It owns the parts of the client and
// dispatches the messages of the server to them.
#pragma once

#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "client/notification_inbox.hpp"
#include "client/session/connection_keeper.hpp"
#include "client/session/current_connection.hpp"
#include "client/session/event_reports.hpp"
#include "client/session/questions.hpp"
#include "client/session/requester.hpp"
#include "client/session/server_record.hpp"
#include "lanyard/client/options.hpp"
#include "peer/negotiation.hpp"
#include "runtime/lane_code.hpp"

namespace lanyard::client {

class ClientSubscriptions;

/// Runs on one executor.
///
/// Each of the following parts uses only the parts listed before it: EventReports, ServerRecord,
/// CurrentConnection, ConnectionKeeper, Requester. Code that needs the whole session uses all these
/// parts: the negotiation, calls, subscriptions and the handling of the server's messages.
class ClientSession final : public rpc::PeerEvents,
                            public std::enable_shared_from_this<ClientSession>,
                            private ConnectionOwner {
public:
    ClientSession(boost::asio::any_io_executor executor, ClientOptions const& options);
    ~ClientSession() override;

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    /// The executor for coroutines of the user. These may block if the session's executor belongs
    /// to a runtime::Loop.
    boost::asio::any_io_executor user_executor() const;
    ClientOptions const& options() const noexcept { return *options_; }
    TimePoint now() const noexcept { return options_->time().now(); }

    EventReports const& reports() const noexcept { return reports_; }
    ServerRecord& server() noexcept { return server_; }
    CurrentConnection& connection() noexcept { return connection_; }
    ConnectionKeeper& keeper() noexcept { return keeper_; }
    Requester& requests() noexcept { return requests_; }
    Questions& questions() noexcept { return questions_; }
    NotificationInbox& inbox() noexcept { return inbox_; }
    ClientSubscriptions& subscriptions() noexcept { return *subscriptions_; }

    /// The protocol version of the current connection. During the negotiation, this is the version
    /// that the client is trying.
    Version version() const noexcept { return server_.info().version; }
    /// Uses this protocol version from now on.
    void set_version(Version version);
    /// Makes the session ready, after the negotiation.
    void become_ready(ServerInfo info);
    /// Whether some arguments of tools have to be copied to headers. This is the case over HTTP, in
    /// versions in which every request carries metadata.
    bool mirrors_arguments() const noexcept;
    /// Registers the watcher. It is called on the session's executor when one of the server's lists
    /// (tools, prompts or resources) has changed, or may have changed during a reconnect.
    void watch_lists(ServerRecord::ListWatcher watcher);
    void watch_resources(ServerRecord::ResourceWatcher watcher) {
        server_.watch_resources(std::move(watcher));
    }
    /// Stops reading from the server while too many notifications wait for their handlers. Must be
    /// called when the result of NotificationInbox::must_pause() may have changed.
    void update_reading() noexcept;
    /// Called when handlers of notifications were added or removed. Subscribes to the notifications
    /// that the handlers need.
    void on_handlers_changed();
    /// Cancels the subscriptions, waits for pending calls, and closes the session.
    Task<> stop(Duration grace);

    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override;
    void on_notification(rpc::Envelope const& notification) override;
    void on_violation(std::string_view what) override;
    void on_stray_cancellation(RequestId const& id) override;
    void on_unknown_answer(RequestId const& id) override;
    void on_late_answer() override;
    void on_ids_used(rpc::IdNotice notice) override;
    void on_ids_used_up() override;
    void on_renewed() override;
    void on_closed() override;

private:
    std::shared_ptr<void> share() override { return shared_from_this(); }
    Task<> negotiate() override;
    std::size_t lasting_requests() const override;
    void on_ended() override;
    bool wants_log_messages() const;

    boost::asio::any_io_executor executor_;
    std::shared_ptr<ClientOptions const> options_;
    std::shared_ptr<runtime::BlockingCode> handlers_;  // all handlers together
    rpc::VersionOptions versions_;
    EventReports reports_;
    ServerRecord server_;
    CurrentConnection connection_;
    ConnectionKeeper keeper_;
    Requester requests_;
    Questions questions_;
    NotificationInbox inbox_;
    std::unique_ptr<ClientSubscriptions> subscriptions_;
};

}  // namespace lanyard::client
