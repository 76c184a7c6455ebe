// ClientEvents: runs the user's handlers of a client's notifications and phases.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "lanyard/server/notification.hpp"
#include "lanyard/server/server.hpp"
#include "server/core/server_core.hpp"

namespace lanyard::server {

/// The events of one connection that wait for their handlers. Handlers run one at a time, in the
/// order of the events, in a worker thread or on the executor of the settings. Thread-safe; may
/// outlive the connection.
class ClientEvents final : public std::enable_shared_from_this<ClientEvents> {
public:
    ClientEvents(std::shared_ptr<ServerCore> core, PeerInfo const& client)
        : core_(std::move(core)), client_(client_name(client)) {}

    /// Passes a notification to its handlers later. If too many are waiting, the oldest is dropped.
    void add(ClientNotification notification);
    /// Passes a new phase to its handlers later. A phase is never dropped to make room for another
    /// event, because a connection enters only a few phases.
    void add(SessionInfo session) { add(Event(std::move(session))); }

    /// Whether no handler is running and no event waits.
    bool is_idle() {
        std::lock_guard const lock(mutex_);
        return !running_ && waiting_.empty();
    }

private:
    using Event = std::variant<ClientNotification, SessionInfo>;

    static std::size_t cost_of(ClientNotification const& notification) noexcept {
        return notification.params.text().size() + notification.method.size();
    }
    void add(Event event);
    bool drop_oldest_notification();
    bool submit();
    void submit_or_drop();
    void start();
    void work() noexcept;
    void handle_events();
    void run(ClientNotification const& notification);
    void run(SessionInfo const& session);
    template <class Argument>
    void call(std::function<void(Argument const&)> const& handler, Argument const& argument,
              PeerInfo const& client, std::string_view event);

    std::shared_ptr<ServerCore> core_;
    std::string client_;  // the name of the client in the worker pool
    std::mutex mutex_;
    // The following members are guarded by the mutex.
    std::deque<Event> waiting_;
    std::size_t notifications_ = 0;  // the number of notifications in waiting_
    std::size_t bytes_ = 0;          // the total size of these notifications
    bool running_ = false;           // whether work() runs or will run
    bool on_executor_ = false;       // whether work() runs on the executor of the settings
};

}  // namespace lanyard::server
