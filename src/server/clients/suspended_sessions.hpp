// SuspendedSessions: keeps sessions whose clients are idle, storing only the state needed to resume
// them, and sends the server's notifications to these clients.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/protocol/initialize.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/server/server.hpp"
#include "peer/list_changed.hpp"
#include "peer/responder.hpp"
#include "server/core/client_log_limit.hpp"

namespace lanyard::server {

class SuspendedSessions;

/// The state from which a session is resumed. There may be many such objects, so they are small:
/// the client's data is stored as text.
struct SuspendedSession final : rpc::Suspended {
    SuspendedSession() = default;
    ~SuspendedSession() override;
    SuspendedSession(SuspendedSession const&) = delete;
    SuspendedSession& operator=(SuspendedSession const&) = delete;

    void write_client(InitializeParams const& params);
    InitializeParams read_client() const;

    /// Whether this list has changed and the change has not been announced to the suspended
    /// session. `changes` is the total number of changes of the list.
    bool awaits(rpc::NotifiedList kind, std::uint64_t changes) const noexcept;

    std::shared_ptr<ServerCapabilities const> declared;
    TimePoint initialized_at;
    TimePoint ready_at;
    std::int64_t next_id = 1;  // the id of the server's next request
    std::uint64_t requests = 0;
    std::uint32_t violations = 0;
    Version version{};
    std::optional<LoggingLevel> log_level;

private:
    friend class SuspendedSessions;

    std::uint32_t client_size_ = 0;
    std::uint32_t place_ = 0;
    // These two pointers are set while the session is suspended.
    SuspendedSessions* room_ = nullptr;
    rpc::SuspendingCarrier* carrier_ = nullptr;
    std::unique_ptr<char[]> client_;
};

/// The suspended sessions of one executor. All functions must be called on the executor, unless
/// their comments say otherwise.
class SuspendedSessions {
public:
    /// The interval limits the rate of list_changed notifications.
    explicit SuspendedSessions(Duration list_changed_interval) noexcept
        : lists_(list_changed_interval) {}

    /// Adds a session. The destructor of the session removes it.
    void add(SuspendedSession& session, rpc::SuspendingCarrier& carrier);
    void remove(SuspendedSession& session) noexcept;

    /// Announces a change of a list. `changes` is the total number of changes of the list so far;
    /// this number may include changes that are announced by a later call of this function.
    void list_changed(rpc::NotifiedList kind, std::uint64_t changes, TimePoint now);
    void count_from(rpc::NotifiedList kind, std::uint64_t changes) noexcept {
        changes_[static_cast<std::size_t>(kind)] = changes;
    }
    /// Returns false if the message was dropped because of the rate limit.
    bool send_log(LoggingMessageParams const& message, TimePoint now);
    void on_time(TimePoint now);
    TimePoint next_due() const noexcept { return lists_.next_due(); }

    /// Appends information about the sessions. May be called on any thread.
    void list(std::vector<SessionInfo>& sessions) const;

private:
    friend struct SuspendedSession;
    void send_list_changed(rpc::NotifiedList kind);

    // Guards sessions_ for readers on other threads. Only the executor modifies it.
    mutable std::mutex mutex_;
    std::vector<SuspendedSession*> sessions_;
    rpc::ListChanged lists_;
    // For each list, the latest value of `changes` that was passed to list_changed() or
    // count_from().
    std::array<std::uint64_t, rpc::notified_list_count> changes_{};
    // Applies to each session. One limit suffices for all sessions, because all sessions get the
    // same messages.
    ClientLogLimit log_limit_;
};

}  // namespace lanyard::server
