// The queue of notifications for the user's handlers. Notifications are handled in order and one at
// a time, and their number is limited.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lanyard/client/options.hpp"
#include "lanyard/json/document.hpp"
#include "peer/notification_queue.hpp"

namespace lanyard::client {

class ClientSession;

class NotificationInbox {
public:
    explicit NotificationInbox(ClientSession& session);

    /// Queues the notification if there is a handler for it.
    void take(std::string_view method, std::optional<json::View> params);

private:
    /// Adds the size of a queued notification to a total for as long as the notification exists.
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

    ClientSession& session_;
    std::size_t queued_bytes_ = 0;
    rpc::NotificationQueue<Item> queue_;
};

}  // namespace lanyard::client
