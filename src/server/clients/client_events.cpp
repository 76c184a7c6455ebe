#include "server/clients/client_events.hpp"

#include <algorithm>
#include <optional>

#include <boost/asio/post.hpp>

#include "base/utf8.hpp"

namespace lanyard::server {

namespace {

// The maximum total size of the notifications that wait.
constexpr std::size_t max_waiting_bytes = std::size_t{16} * 1024 * 1024;

}  // namespace

void ClientEvents::add(ClientNotification notification) {
    auto const client = notification.sender;
    auto const cost = cost_of(notification);
    auto const most = core_->options().max_queued_notifications();
    bool dropped = false;
    {
        std::lock_guard const lock(mutex_);
        auto const is_full = [&] {
            return notifications_ + 1 > most ||
                   (notifications_ != 0 && bytes_ + cost > max_waiting_bytes);
        };
        while (is_full()) {
            dropped = true;
            core_->limits().add(&LimitCounts::dropped_notifications);
            if (!drop_oldest_notification()) return;
        }
        ++notifications_;
        bytes_ += cost;
        waiting_.emplace_back(std::move(notification));
    }
    if (dropped) {
        core_->log(LoggingLevel::warning, client,
                   "notifications of a client are dropped: their handlers are too slow");
    }
    start();
}

void ClientEvents::add(Event event) {
    {
        std::lock_guard const lock(mutex_);
        waiting_.push_back(std::move(event));
    }
    start();
}

// Called with the lock held. Returns false if no notification is waiting.
bool ClientEvents::drop_oldest_notification() {
    auto const oldest = std::ranges::find_if(waiting_, [](Event const& event) {
        return std::holds_alternative<ClientNotification>(event);
    });
    if (oldest == waiting_.end()) return false;
    --notifications_;
    bytes_ -= cost_of(std::get<ClientNotification>(*oldest));
    waiting_.erase(oldest);
    return true;
}

// Starts work() unless it is running.
void ClientEvents::start() {
    {
        std::lock_guard const lock(mutex_);
        if (running_) return;
        running_ = true;
    }
    submit_or_drop();
}

void ClientEvents::submit_or_drop() {
    if (submit()) return;
    // No thread accepts the work, so the waiting notifications are dropped. Phases stay in the
    // queue; the next event tries again to start work().
    std::lock_guard const lock(mutex_);
    running_ = false;
    while (drop_oldest_notification()) {
        core_->limits().add(&LimitCounts::dropped_notifications);
    }
}

bool ClientEvents::submit() {
    auto const executor = core_->settings()->handler_executor;
    auto const job = [self = shared_from_this()] { self->work(); };
    {
        std::lock_guard const lock(mutex_);
        on_executor_ = static_cast<bool>(executor);
    }
    if (executor) {
        boost::asio::post(executor, job);
        return true;
    }
    core_->event_jobs().begin();
    if (core_->workers().submit(client_, job)) return true;
    core_->event_jobs().end();
    return false;
}

void ClientEvents::work() noexcept {
    bool counted = false;
    {
        std::lock_guard const lock(mutex_);
        counted = !on_executor_;
    }
    handle_events();
    if (counted) core_->event_jobs().end();
}

// Handles the waiting events. On the user's executor, handles one event only and posts itself
// again, so that the executor can run other functions in between.
void ClientEvents::handle_events() {
    for (bool first = true;; first = false) {
        std::optional<Event> event;
        bool again = false;
        {
            std::lock_guard const lock(mutex_);
            if (waiting_.empty()) {
                running_ = false;
                return;
            }
            again = on_executor_ && !first;
            if (!again) {
                event = std::move(waiting_.front());
                waiting_.pop_front();
                if (auto const* const taken = std::get_if<ClientNotification>(&*event)) {
                    --notifications_;
                    bytes_ -= cost_of(*taken);
                }
            }
        }
        if (again) {
            submit_or_drop();
            return;
        }
        std::visit([this](auto const& each) { run(each); }, *event);
    }
}

void ClientEvents::run(ClientNotification const& notification) {
    // The handlers are looked up now, because the server removes them when it is destroyed.
    auto const settings = core_->settings();
    for (auto const& [method, handler] : settings->on_notification) {
        if (method == notification.method) call(handler, notification, notification.sender, method);
    }
    for (auto const& handler : settings->on_any_notification) {
        call(handler, notification, notification.sender, notification.method);
    }
}

void ClientEvents::run(SessionInfo const& session) {
    auto const settings = core_->settings();
    for (auto const& handler : settings->on_phase) {
        call(handler, session, any_client, "a change of the phase");
    }
}

template <class Argument>
void ClientEvents::call(std::function<void(Argument const&)> const& handler,
                        Argument const& argument, PeerInfo const& client, std::string_view event) {
    std::string failure;
    try {
        handler(argument);
        return;
    } catch (std::exception const& error) {
        failure = error.what();
    } catch (...) {
        failure = "an exception of unknown type";
    }
    core_->log(LoggingLevel::error, client,
               "a handler of " + std::string(utf8_prefix(event, 200)) + " failed: " + failure);
}

}  // namespace lanyard::server
