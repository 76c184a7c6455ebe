// Notifications on their way to the user's handlers: in order, one at a time, a bounded number.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lanyard/client/options.hpp"
#include "lanyard/json/document.hpp"
#include "rpc/notification_queue.hpp"

namespace lanyard::client {

class Session;

class NotificationInbox {
public:
    explicit NotificationInbox(Session& session);

    /// Queues the notification, if anybody wants it.
    void take(std::string_view method, std::optional<json::View> params);

private:
    struct Item {
        std::string method;
        RawJson params;
    };

    bool wanted(std::string_view method) const;
    static Task<> drain(std::shared_ptr<Session> session, NotificationInbox* inbox);
    Task<> handle(Item item);
    Task<> handle_typed(Item const& item);

    Session& session_;
    rpc::NotificationQueue<Item> queue_;
};

}  // namespace lanyard::client
