// NotificationHandle and NotificationChannel: receive notifications from a client that is already
// in use. ReceivedNotification: one notification of the server.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

class Client;

/// A notification of the server.
struct ReceivedNotification {
    std::string method{};
    RawJson params{};
};

/// The registration of a handler that was added with Client::on_notification(). The destructor
/// removes the handler. May be used on any thread, and may outlive the client.
class NotificationHandle {
public:
    NotificationHandle() noexcept = default;
    explicit NotificationHandle(std::function<void()> remove) noexcept
        : remove_(std::move(remove)) {}
    ~NotificationHandle() { remove(); }
    NotificationHandle(NotificationHandle&& other) noexcept
        : remove_(std::exchange(other.remove_, nullptr)) {}
    NotificationHandle& operator=(NotificationHandle&& other) noexcept {
        std::swap(remove_, other.remove_);
        return *this;
    }

    /// Removes the handler: no further call of the handler begins. A call in progress continues.
    void remove() noexcept {
        if (auto const function = std::exchange(remove_, nullptr)) function();
    }

private:
    std::function<void()> remove_;
};

/// A bounded queue of notifications, for a coroutine that awaits them one by one. If the queue is
/// full, the client handles no further notification until there is room. Made by
/// Client::notification_channel(). Copies share the queue; the destructor of the last copy closes
/// it. May be used on any thread.
class NotificationChannel {
public:
    /// Completes with the next notification, or with nullopt if there will be no more
    /// notifications, because the channel was closed or the client has ended. Cancelling the
    /// awaiting coroutine throws Error (cancelled).
    Task<std::optional<ReceivedNotification>> next() const;
    /// Ends the channel: no further notification is queued, and the queued notifications are
    /// dropped.
    void close() const noexcept;

private:
    friend class Client;
    class ChannelLease;

    explicit NotificationChannel(std::shared_ptr<ChannelLease> lease) noexcept
        : lease_(std::move(lease)) {}

    std::shared_ptr<ChannelLease> lease_;
};

}  // namespace lanyard
