// RestingSessions: sessions whose clients are silent and whose carriers have let go of all but what
// it takes to go on. What the server tells its clients they are told from here.
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
#include "rpc/exchange.hpp"
#include "rpc/list_changed.hpp"
#include "rpc/rate_limiter.hpp"

namespace lanyard::server {

class RestingSessions;

/// What a session goes on from. There are many of them, so it is kept small: what the client has
/// said about itself is text.
struct RestedSession final : rpc::Rested {
    RestedSession() = default;
    ~RestedSession() override;
    RestedSession(RestedSession const&) = delete;
    RestedSession& operator=(RestedSession const&) = delete;

    void write_client(InitializeParams const& said);
    InitializeParams read_client() const;

    /// Whether it would still be told of a change of this list if it went on to rest; there have
    /// been so many.
    bool awaits(rpc::ListKind kind, std::uint64_t changes) const noexcept;

    std::shared_ptr<ServerCapabilities const> declared;
    TimePoint initialized_at;
    TimePoint ready_at;
    std::int64_t next_id = 1;  // of the server's requests
    std::uint64_t requests = 0;
    std::uint32_t violations = 0;
    Version version{};
    std::optional<LoggingLevel> log_level;

private:
    friend class RestingSessions;

    std::uint32_t client_size_ = 0;
    std::uint32_t place_ = 0;
    // Where it rests, if it does.
    RestingSessions* room_ = nullptr;
    rpc::RestingCarrier* carrier_ = nullptr;
    std::unique_ptr<char[]> client_;
};

/// Those of one executor. Used on it, but for what is said to be for any thread.
class RestingSessions {
public:
    /// Until the session is destroyed.
    void add(RestedSession& session, rpc::RestingCarrier& carrier);
    void remove(RestedSession& session) noexcept;

    /// There have been so many changes, this one and perhaps some that are yet to be told here.
    void list_changed(rpc::ListKind kind, std::uint64_t changes, TimePoint now);
    void count_from(rpc::ListKind kind, std::uint64_t changes) noexcept {
        changes_[static_cast<std::size_t>(kind)] = changes;
    }
    void send_log(LoggingMessageParams const& message, TimePoint now);
    void on_time(TimePoint now);
    TimePoint next_due() const noexcept { return lists_.next_due(); }

    /// Adds what is known about them. Any thread.
    void list(std::vector<SessionInfo>& sessions) const;

private:
    friend struct RestedSession;
    void tell_list_changed(rpc::ListKind kind);

    mutable std::mutex mutex_;  // for who looks from other threads: only the executor changes it
    std::vector<RestedSession*> sessions_;
    rpc::ListChanged lists_;
    std::array<std::uint64_t, rpc::list_kind_count> changes_{};  // of each list, seen here
    // As each would have for itself: what is said here is said to all.
    rpc::TokenBucket log_bucket_{rpc::Rate{100, 200}};
};

}  // namespace lanyard::server
