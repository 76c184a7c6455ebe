// Session: one connection of a client. It owns the connection, knows the server, sends requests and
// takes what the server sends. Everything here happens on one executor.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/notification_inbox.hpp"
#include "client/output_schemas.hpp"
#include "client/questions.hpp"
#include "client/response_cache.hpp"
#include "lanyard/client/call_options.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "rpc/phase.hpp"
#include "runtime/event.hpp"
#include "runtime/peer_connection.hpp"
#include "wire/codec.hpp"

namespace lanyard::client {

/// Reads the result of a request while it is at hand.
class ResultReader {
public:
    virtual ~ResultReader() = default;
    virtual Result<void> read(json::View result, Version version) = 0;
};

/// A request ready to be sent. What it refers to must outlive the exchange.
struct Outgoing {
    Outgoing(std::string_view name, std::string text, CallOptions const& call)
        : method(name), params(std::move(text)), options(call) {}

    std::string_view method;
    std::string params;
    CallOptions const& options;
    std::optional<ProgressToken> progress_token;
    std::optional<Duration> default_timeout;
};

/// What the opening of a connection has found out.
struct ServerFacts {
    Version version = newest_version;
    Implementation info{};
    ServerCapabilities capabilities{};
    std::string instructions{};
    WallTime decided{};
};

class Subscriptions;

class Session final : public rpc::PeerEvents, public std::enable_shared_from_this<Session> {
public:
    Session(boost::asio::any_io_executor executor, ClientOptions const& options);
    ~Session() override;

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    ClientOptions const& options() const noexcept { return options_; }
    ServerFacts const& server() const noexcept { return server_; }
    Version version() const noexcept { return server_.version; }
    TimePoint now() const noexcept { return options_.time().now(); }

    // Opening (negotiation.cpp).

    /// Starts to serve the connection. There must be none, or one that has ended.
    void attach(std::unique_ptr<Transport> transport);
    /// Speaks this version from now on.
    void speak(Version version);
    void learn(ServerFacts facts);
    rpc::PhaseMachine<rpc::ClientPhase>& phase() noexcept { return phase_; }

    // Calls.

    /// Whether a request of this method may be sent now, to this server, in this version.
    Result<void> check(MethodInfo const& method) const;
    /// Sends a request and completes when the reader has its result. Throws Error. Cancellation:
    /// the server is told, Error (cancelled) is thrown.
    Task<> exchange(Outgoing outgoing, ResultReader& reader);
    /// Completes when the server has taken enough of what waits for it. Throws Error (busy) where
    /// it does not.
    Task<> await_room();
    /// Sends a notification; nothing where the connection has ended.
    void notify(std::string_view method, std::string_view params);
    /// The token for a request whose options, or whose client, want to hear of progress.
    std::optional<ProgressToken> new_progress_token(CallOptions const& options);

    wire::RequestStamp const& stamp() const noexcept { return stamp_; }
    void set_log_level(LoggingLevel level) { stamp_.log_level = level; }
    /// The server has taken this level with a request of its own, and may have to be told again.
    void remember_log_level(LoggingLevel level) noexcept { told_log_level_ = level; }
    /// Whether tools reach the server over HTTP, where some of their arguments become headers.
    bool mirrors_arguments() const noexcept;

    Questions& questions() noexcept { return questions_; }
    ResponseCache& cache() noexcept { return cache_; }
    OutputSchemas& output_schemas() noexcept { return output_schemas_; }
    Subscriptions& subscriptions() noexcept { return *subscriptions_; }
    runtime::PeerConnection& connection() noexcept { return *connection_; }

    // The end.

    /// Whether messages can be sent.
    bool is_connected() const noexcept;
    bool is_open() const noexcept { return open_.load(std::memory_order_relaxed); }
    void close() noexcept;
    Task<> stop(Duration grace);
    Task<> closed();
    /// Why the connection ended, as far as that is known.
    Error end_error(Errc code, std::string_view what) const;
    /// A pending call has ended.
    void on_call_ended() {
        if (stopping_) changed_.notify();
    }

    /// Reports something worth a log record.
    void diagnose(std::string_view text) const noexcept;

    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override;
    void on_notification(rpc::Envelope const& notification) override;
    void on_violation(std::string_view what) override;
    void on_stray_cancellation(RequestId const& id) override;
    void on_renewed() override;

private:
    static Task<> serve(std::shared_ptr<Session> self);
    void on_released();
    /// What must happen before anybody else looks at the connection again.
    void apply(std::string_view method, std::optional<json::View> params);

    boost::asio::any_io_executor executor_;
    ClientOptions options_;
    std::unique_ptr<runtime::PeerConnection> connection_;
    rpc::PhaseMachine<rpc::ClientPhase> phase_;
    ServerFacts server_;
    wire::RequestStamp stamp_;
    Questions questions_;
    NotificationInbox inbox_;
    ResponseCache cache_;
    OutputSchemas output_schemas_;
    std::unique_ptr<Subscriptions> subscriptions_;
    std::optional<LoggingLevel> told_log_level_;
    runtime::Event changed_;
    std::int64_t last_token_ = 0;
    std::atomic<bool> open_{false};
    bool established_ = false;
    bool released_ = true;
    bool closed_here_ = false;
    bool stopping_ = false;
};

/// What client handles share: the last one to go closes the session.
struct Lease {
    explicit Lease(std::shared_ptr<Session> held) noexcept : session(std::move(held)) {}
    ~Lease() { close(); }
    Lease(Lease const&) = delete;
    Lease& operator=(Lease const&) = delete;

    /// Closes the session, from whatever thread.
    void close() const noexcept;

    std::shared_ptr<Session> session;
};

/// Opens a session. The connector, where there is one, is asked again if the server ended because
/// of the probe.
Task<std::shared_ptr<Session>> open_session(std::unique_ptr<Transport> transport,
                                            std::unique_ptr<Connector> connector,
                                            ClientOptions options);

/// What the options imply, and what they add.
ClientCapabilities declared_capabilities(ClientOptions const& options);

}  // namespace lanyard::client
