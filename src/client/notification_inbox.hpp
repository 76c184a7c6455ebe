// The queue of notifications for the user's handlers and channels. Notifications are handled in
// order and one at a time, and their number is limited.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lanyard/client/notifications.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/json/document.hpp"
#include "peer/notification_queue.hpp"
#include "runtime/event.hpp"

namespace lanyard::client {

class ClientSession;

/// The queue of a NotificationChannel. Used on one executor, unless a comment says otherwise.
class ChannelState : public std::enable_shared_from_this<ChannelState> {
public:
    ChannelState(boost::asio::any_io_executor executor, std::size_t capacity)
        : executor_(std::move(executor)), capacity_(capacity), changed_(executor_) {}

    /// Appends the notification when there is room; drops it if the channel is closed.
    Task<> push(ReceivedNotification notification);
    /// Completes with the next notification, or with nullopt if the channel has ended and is empty.
    Task<std::optional<ReceivedNotification>> next();
    /// From now on, the capacity is not limited, so that push() does not wait for room.
    void lift_limit();
    /// No further notifications are appended; those that are queued can still be taken.
    void end();
    /// Drops all notifications.
    void close();
    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }

private:
    boost::asio::any_io_executor executor_;
    std::size_t capacity_;
    runtime::Event changed_;
    std::deque<ReceivedNotification> queue_;
    bool ended_ = false;
};

class NotificationInbox {
public:
    explicit NotificationInbox(ClientSession& session);

    /// Queues the notification if there is a handler for it.
    void take(std::string_view method, std::optional<json::View> params);
    /// Whether notifications wait for their handlers.
    bool has_waiting() const noexcept { return queue_.waiting() != 0; }
    /// Whether the client must pause reading from the server, because too many notifications wait.
    /// `paused`: whether reading is already paused. `calling`: whether the client waits for answers
    /// to its calls.
    bool must_pause(bool paused, bool calling) const noexcept;
    /// Called when the client has ended. Ends the channels once the queued notifications have been
    /// delivered.
    void on_client_ended();

    using Handler = ClientOptions::NotificationHandler;
    /// Adds a handler; see Client::on_notification(). Returns its number for remove(). May be
    /// called on any thread.
    std::uint64_t add(std::string method, Handler handler, std::size_t max_concurrent);
    /// Removes a handler or channel, if it was not removed before. May be called on any
    /// thread.
    void remove(std::uint64_t number);
    /// Adds a channel; see Client::notification_channel(). May be called on any thread.
    struct OpenedChannel {
        std::shared_ptr<ChannelState> channel;
        std::uint64_t number;
    };
    OpenedChannel open_channel(std::string method, std::size_t capacity);
    /// Whether a handler or channel was added for this method, or for all methods. May be called
    /// on any thread.
    bool has_added(std::string_view method) const;

private:
    /// A handler or channel that was added while the client was in use.
    struct Added {
        bool takes(std::string_view name) const noexcept {
            return method.empty() || method == name;
        }

        std::uint64_t number = 0;
        std::string method{};  ///< empty for all methods
        Handler handler{};
        std::shared_ptr<ChannelState> channel{};  ///< null if there is a handler
        std::size_t max_concurrent = 1;
        std::size_t running = 0;  ///< calls in progress; used on the session's executor
        std::atomic<bool> removed = false;
    };
    using AddedPtr = std::shared_ptr<Added>;

    /// Counts the size of a queued notification in `total` while the notification exists.
    class Weight {
    public:
        Weight() = default;
        Weight(std::size_t& total, std::size_t bytes) : total_(&total), bytes_(bytes) {
            total += bytes;
        }
        ~Weight() {
            if (total_ != nullptr) *total_ -= bytes_;
        }
        Weight(Weight&& other) noexcept
            : total_(std::exchange(other.total_, nullptr)), bytes_(other.bytes_) {}
        Weight& operator=(Weight&& other) noexcept {
            std::swap(total_, other.total_);
            std::swap(bytes_, other.bytes_);
            return *this;
        }

    private:
        std::size_t* total_ = nullptr;
        std::size_t bytes_ = 0;
    };

    struct Item {
        std::string method{};
        RawJson params{};
        Weight weight{};
    };

    bool wanted(std::string_view method) const;
    static Task<> drain(std::shared_ptr<ClientSession> session, NotificationInbox* inbox);
    Task<> handle(Item const& item, Version version);
    Task<> handle_typed(Item const& item, Version version);
    Task<> call(Handler const& handler, std::string const& method, RawJson const& params);
    Task<> pass_on(Item const& item);
    Task<> call_concurrently(AddedPtr added, Item const& item);
    static Task<> call_apart(std::shared_ptr<ClientSession> session, NotificationInbox* inbox,
                             AddedPtr added, ReceivedNotification notification);
    void report_failure(std::string const& method, std::exception_ptr const& failure);
    void report_dropped(std::string_view why);
    void append(AddedPtr added);
    std::vector<AddedPtr> added_for(std::string_view method) const;
    void end_channels();

    ClientSession& session_;
    std::size_t queued_bytes_ = 0;
    rpc::NotificationQueue<Item> queue_;
    runtime::Event call_ended_;  // notified when a concurrent call has ended
    bool client_ended_ = false;
    mutable std::mutex mutex_;  // protects the data members below
    std::vector<AddedPtr> added_;
    std::atomic<bool> has_any_ = false;  // whether added_ is not empty; written under the mutex
    std::uint64_t last_number_ = 0;
};

}  // namespace lanyard::client
