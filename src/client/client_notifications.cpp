// Adds handlers and channels for notifications to a client that is already in use.
#include <atomic>
#include <memory>

#include <boost/asio/post.hpp>

#include "base/option_check.hpp"
#include "client/client_session.hpp"
#include "client/lease.hpp"
#include "lanyard/client/client.hpp"
#include "runtime/await_on.hpp"

namespace lanyard {

// Shared by the copies of a NotificationChannel.
class NotificationChannel::ChannelLease {
public:
    ChannelLease(std::shared_ptr<client::ChannelState> channel,
                 NotificationHandle registration) noexcept
        : channel_(std::move(channel)), registration_(std::move(registration)) {}
    ~ChannelLease() { close(); }
    ChannelLease(ChannelLease const&) = delete;
    ChannelLease& operator=(ChannelLease const&) = delete;

    client::ChannelState& channel() const noexcept { return *channel_; }

    void close() noexcept {
        if (closed_.exchange(true)) return;
        registration_.remove();
        try {
            boost::asio::post(channel_->executor(), [channel = channel_] { channel->close(); });
        } catch (...) {
            // Out of memory: the channel ends with the client.
        }
    }

private:
    std::shared_ptr<client::ChannelState> channel_;
    NotificationHandle registration_;
    std::atomic<bool> closed_ = false;
};

namespace {

NotificationHandle handle_of(std::shared_ptr<client::ClientSession> const& session,
                             std::uint64_t number) {
    return NotificationHandle([weak = std::weak_ptr(session), number] {
        if (auto const held = weak.lock()) held->inbox().remove(number);
    });
}

}  // namespace

NotificationHandle Client::on_notification(std::string method,
                                           ClientOptions::NotificationHandler handler,
                                           std::size_t max_concurrent) const {
    check_at_least("Client::on_notification: max_concurrent", max_concurrent, 1);
    auto const& session = session_of(lease_);
    auto const number = session->inbox().add(std::move(method), std::move(handler), max_concurrent);
    return handle_of(session, number);
}

NotificationChannel Client::notification_channel(std::string method, std::size_t capacity) const {
    check_at_least("Client::notification_channel: capacity", capacity, 1);
    auto const& session = session_of(lease_);
    auto opened = session->inbox().open_channel(std::move(method), capacity);
    return NotificationChannel(std::make_shared<NotificationChannel::ChannelLease>(
        std::move(opened.channel), handle_of(session, opened.number)));
}

Task<std::optional<ReceivedNotification>> NotificationChannel::next() const {
    auto& channel = lease_->channel();
    return runtime::await_on(channel.executor(), channel.next());
}

void NotificationChannel::close() const noexcept {
    lease_->close();
}

}  // namespace lanyard
