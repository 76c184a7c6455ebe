// ClientSession: the state that client handles share. It owns the connection and opens a new one
// when the connection is lost, stores the information about the server, sends requests and
// dispatches incoming messages. Runs on one executor.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>

#include "base/shared_counts.hpp"
#include "client/connection_machine.hpp"
#include "client/notification_inbox.hpp"
#include "client/open_calls.hpp"
#include "client/output_schemas.hpp"
#include "client/questions.hpp"
#include "client/response_cache.hpp"
#include "client/user_calls.hpp"
#include "lanyard/client/call_options.hpp"
#include "lanyard/client/client.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "peer/negotiation.hpp"
#include "peer/phase.hpp"
#include "runtime/event.hpp"
#include "runtime/peer_connection.hpp"
#include "wire/codec.hpp"

namespace lanyard::client {

/// Decodes the result of a request. read() is called while the message is valid.
class ResultReader {
public:
    virtual ~ResultReader() = default;
    virtual Result<void> read(json::View result, Version version) = 0;
};

/// A request ready to be sent. The objects that its views and references refer to must outlive the
/// request.
struct Outgoing {
    Outgoing(std::string_view name, std::string text, CallOptions const& call)
        : method(name), params(std::move(text)), options(call) {}

    std::string_view method;
    std::string params;
    CallOptions const& options;
    std::optional<std::string_view> name;  ///< rpc::Route::name; not set if it is not known
    std::optional<ProgressToken> progress_token;
    std::optional<Duration> default_timeout;
    std::string_view task;  ///< the task whose result is requested; empty if there is none
    bool opens = false;     ///< whether the request is part of opening the connection
};

/// The information about a server, as received when the connection was opened.
struct ServerInfo {
    Version version = newest_version;
    Implementation info{};
    ServerCapabilities capabilities{};
    std::string instructions{};
    WallTime decided{};
};

class LivenessCheck;
class ClientSubscriptions;

class ClientSession final : public rpc::PeerEvents,
                            public std::enable_shared_from_this<ClientSession> {
public:
    ClientSession(boost::asio::any_io_executor executor, ClientOptions const& options);
    ~ClientSession() override;

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    ClientOptions const& options() const noexcept { return *options_; }
    ServerInfo const& server() const noexcept { return server_; }
    Version version() const noexcept { return server_.version; }
    TimePoint now() const noexcept { return options_->time().now(); }

    /// The information about the server from the last time the client became ready. Any thread.
    std::shared_ptr<ServerInfo const> server_info() const;
    /// Any thread.
    ConnectionState state() const noexcept { return state_.load(std::memory_order_relaxed); }
    /// The number of times the client has become ready. Any thread.
    std::uint64_t connect_count() const noexcept {
        return connect_count_.load(std::memory_order_relaxed);
    }

    /// Any thread.
    SharedCounts<ClientLimitCounts>& limits() noexcept { return limits_; }

    // Opening connections (negotiation.cpp, reconnect.cpp).

    /// Sets the connector. The session also uses it to replace a lost connection, if the options
    /// allow that. Without a connector (null), the session never reconnects.
    void set_connector(std::unique_ptr<Connector> connector);
    Connector* connector() noexcept { return connector_.get(); }
    /// Attaches the transport and negotiates. If that fails, closes everything that was opened and
    /// throws Error.
    Task<> open(std::unique_ptr<Transport> transport);
    /// From now on, a lost connection is replaced, and the end of the session is reported to the
    /// user.
    void hand_out();

    /// Starts to serve a connection. There must be no connection yet, or it must be released.
    void attach(std::unique_ptr<Transport> transport);
    /// Uses this protocol version from now on.
    void speak(Version version);
    void learn(ServerInfo info);
    rpc::PhaseMachine<rpc::ClientPhase>& phase() noexcept { return phase_; }
    /// The server's protocol version as remembered from an earlier connection.
    std::optional<KnownServer> const& known_server() const noexcept { return known_server_; }
    /// Closes the connection; `why` may be empty. The session itself stays open.
    void drop_connection(std::string_view why) noexcept;
    /// Completes when the connection is released.
    Task<> released();

    // Calls.

    /// Checks whether a request of this method may be sent now, to this server, in this version.
    Result<void> check(MethodInfo const& method) const;
    /// Sends a request and completes when the reader has its result. Throws Error if the request
    /// fails. On cancellation, the server is notified and Error (cancelled) is thrown.
    Task<> exchange(Outgoing outgoing, ResultReader& reader);
    /// Whether a request can be sent now: false if too many unsent bytes are queued for a server
    /// that does not read.
    bool has_room() const noexcept { return connection_->unsent_bytes() <= unsent_limits_.at_once; }
    /// Completes when the server has read enough of the queued bytes. Throws Error (busy) if the
    /// server does not read.
    Task<> await_room();
    /// Sends a notification; does nothing if the connection has ended.
    void notify(std::string_view method, std::string_view params);
    /// Returns a token for a request if its options, or the client's, have a progress handler.
    std::optional<ProgressToken> new_progress_token(CallOptions const& options);

    wire::RequestStamp const& stamp() const noexcept { return stamp_; }
    /// Stores the level, which is sent with every request or, in older versions, after a reconnect.
    void set_log_level(LoggingLevel level) { stamp_.log_level = level; }
    bool wants_log_messages() const;
    /// Called with the kind of list that has changed. Returns false if it is not to be called any
    /// more. Must not throw.
    using ListWatcher = std::function<bool(ListKind)>;
    /// Calls the watcher, on the session's executor, when a list of the server has changed or may
    /// have changed during a reconnect.
    void watch_lists(ListWatcher watcher);
    bool watches_lists() const noexcept { return !list_watchers_.empty(); }
    /// Whether some arguments of tools have to be copied to headers. This is the case over HTTP, in
    /// versions in which every request carries metadata.
    bool mirrors_arguments() const noexcept;

    Questions& questions() noexcept { return questions_; }
    OpenCalls& open_calls() noexcept { return open_calls_; }
    ResponseCache& cache() noexcept { return cache_; }
    OutputSchemas& output_schemas() noexcept { return output_schemas_; }
    ClientSubscriptions& subscriptions() noexcept { return *subscriptions_; }
    /// Returns a shared pointer, for code that has to keep the connection alive.
    std::shared_ptr<runtime::PeerConnection> const& shared_connection() const noexcept {
        return connection_;
    }
    runtime::PeerConnection& connection() noexcept { return *connection_; }

    // Whether the client is ready, and how it ends.

    /// Whether messages can be sent.
    bool is_connected() const noexcept;
    /// Whether calls can be made.
    bool is_ready() const noexcept {
        return machine_.state() == ConnectionState::ready && is_connected();
    }
    /// Succeeds if requests can be sent; otherwise the error is the reason why not.
    Result<void> check_ready() const;
    /// Whether a call with these options has to wait until the client is ready.
    bool must_wait(CallOptions const& options) const noexcept {
        return options.wait_until_ready() && machine_.may_become_ready() && !stopping_;
    }
    /// Completes when the client is ready. Throws Error: timeout, cancelled, or the reason why the
    /// client cannot become ready.
    Task<> await_ready(Duration timeout, std::stop_token stop = {});
    /// The same, with the timeout and the stop token of a call.
    Task<> await_ready(CallOptions const& options) {
        return await_ready(options.timeout().value_or(options_->timeout()), options.stop_token());
    }
    void close() noexcept;
    Task<> stop(Duration grace);
    Task<> closed();
    /// Whether the server refused this client's credentials.
    bool is_refused() const noexcept;
    /// Returns why the connection ended, as far as that is known. If the server has refused this
    /// client, `transport_down` is replaced by `unauthorized`.
    Error end_error(Errc code, std::string_view what) const;
    /// Called when a pending call has ended.
    void on_call_ended(rpc::Outcome outcome);
    void on_call_ended() {
        if (stopping_) changed_.notify();
    }

    // User code. If the executor belongs to a runtime::Loop, user code may block; it is then never
    // called in the middle of the session's own work.

    /// The executor for the user's coroutines.
    boost::asio::any_io_executor user_executor() const;
    /// Makes a queue for calls of user functions. Returns null if the functions are to be called
    /// directly.
    std::shared_ptr<UserCalls> make_user_calls(UserCalls::Limits limits) const;
    /// Passes the text to the user's on_diagnostic handler, if there is one. Any thread.
    void diagnose(std::string_view text) const noexcept;
    /// If there is an observer, calls `tell(observer, info...)`. If the call has to be queued, the
    /// arguments are copied.
    template <class Tell, class... Facts>
    void observe(Tell tell, Facts const&... info) const noexcept {
        if (!options_->observer()) return;
        try {
            if (!events_) {
                tell(*options_->observer(), info...);
                return;
            }
            auto const bytes = (size_of(info) + ...);
            push_event([tell, options = options_,
                        ... copies = owned(info)] { tell(*options->observer(), copies...); },
                       "the observer failed", bytes);
        } catch (...) {
            diagnose("the observer failed");
        }
    }

    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override;
    void on_notification(rpc::Envelope const& notification) override;
    void on_violation(std::string_view what) override;
    void on_stray_cancellation(RequestId const& id) override;
    void on_unknown_answer(RequestId const& id) override;
    void on_renewed() override;
    void on_closed() override;

private:
    static Task<> serve(std::shared_ptr<ClientSession> self);
    static Task<> keep_connected(std::shared_ptr<ClientSession> self);
    Task<> wait_for_attempt();
    Task<> connect_again();
    void on_released();
    void on_lost(Error const& reason);
    /// An event of the state machine. Returns whether the state has changed.
    using Event = bool (*)(ConnectionMachine& machine, TimePoint now);
    /// Applies an event to the state machine and reports a change of the state.
    void step(Event event);
    /// If nothing is left to wait for, enters the final state and reports the end to the user.
    void settle();
    void forget_server();
    void report_list(ListKind kind);
    bool reconnects() const noexcept { return connector_ && options_->reconnect().enabled(); }
    /// Invalidates the cached data that a notification affects, before the user's handlers get the
    /// notification.
    void apply(std::string_view method, std::optional<json::View> params);

    // Copies of the observer's arguments, for calls that are made later.

    struct OwnedRequest {
        operator ClientObserver::Request() const { return {method, id, trace}; }

        std::string method;
        std::int64_t id;
        std::optional<TraceContext> trace;
    };
    template <class T>
    static T owned(T const& fact) {
        return fact;
    }
    static std::string owned(std::string_view text) { return std::string(text); }
    static OwnedRequest owned(ClientObserver::Request const& request) {
        return {std::string(request.method), request.id, request.trace};
    }
    template <class T>
    static std::size_t size_of(T const& fact) noexcept {
        if constexpr (std::convertible_to<T, std::string_view>) return fact.size();
        return sizeof(fact);
    }
    /// Queues the call after all earlier events; reports `failure` if the call throws.
    template <class Event>
    void push_event(Event event, std::string_view failure, std::size_t bytes) const {
        auto call = [event = std::move(event), failure, options = options_] {
            try {
                event();
            } catch (...) {
                report(*options, failure);
            }
        };
        limits_.add(&ClientLimitCounts::dropped, events_->push(std::move(call), bytes));
    }
    /// Calls on_diagnostic, if it is set.
    static void report(ClientOptions const& options, std::string_view text) noexcept;

    boost::asio::any_io_executor executor_;
    // Shared with queued calls of the handlers that the options contain.
    std::shared_ptr<ClientOptions const> options_;
    std::shared_ptr<std::atomic<bool>> handlers_block_;
    // Queued calls of the observer, on_diagnostic and on_closed; null if they are called directly.
    std::shared_ptr<UserCalls> events_;
    rpc::VersionOptions versions_;
    std::unique_ptr<Connector> connector_;
    ConnectionMachine machine_;
    std::atomic<ConnectionState> state_{ConnectionState::starting};
    std::atomic<std::uint64_t> connect_count_{0};
    mutable SharedCounts<ClientLimitCounts> limits_;
    runtime::PeerConnection::UnsentLimits unsent_limits_;
    std::shared_ptr<runtime::PeerConnection> connection_;
    rpc::PhaseMachine<rpc::ClientPhase> phase_;
    ServerInfo server_;
    mutable std::mutex info_mutex_;
    std::shared_ptr<ServerInfo const> info_;
    std::optional<KnownServer> known_server_;
    std::string drop_reason_;    // why this side has closed the connection
    std::optional<Error> loss_;  // why the last connection, or attempt to connect, has ended
    wire::RequestStamp stamp_;
    Questions questions_;
    OpenCalls open_calls_;
    NotificationInbox inbox_;
    ResponseCache cache_;
    OutputSchemas output_schemas_;
    std::vector<ListWatcher> list_watchers_;
    std::unique_ptr<ClientSubscriptions> subscriptions_;
    std::unique_ptr<LivenessCheck> liveness_;
    runtime::Event changed_;
    boost::asio::cancellation_signal give_up_;
    std::int64_t last_token_ = 0;
    bool handed_out_ = false;
    bool keeping_ = false;  // whether keep_connected() is running
    bool released_ = true;
    bool reported_ = false;
    bool stopping_ = false;
};

}  // namespace lanyard::client

namespace lanyard::detail {

/// The shared owner of a session for its client handles. The destructor of the last handle closes
/// the session.
struct Lease {
    explicit Lease(std::shared_ptr<client::ClientSession> held) noexcept
        : session(std::move(held)) {}
    ~Lease() { close(); }
    Lease(Lease const&) = delete;
    Lease& operator=(Lease const&) = delete;

    /// Returns a client that owns the session.
    static Client open(std::shared_ptr<client::ClientSession> session) {
        return Client(std::make_shared<Lease>(std::move(session)));
    }

    /// Closes the session. Any thread.
    void close() const noexcept;

    std::shared_ptr<client::ClientSession> session;
};

/// Returns the session of a client. Throws Error (closed) if the client has none.
std::shared_ptr<client::ClientSession> const& session_of(std::shared_ptr<Lease> const& lease);

/// Gives other parts of the library access to the session of a client.
struct SessionOf {
    /// Throws Error (closed) if the client was never connected.
    static std::shared_ptr<client::ClientSession> const& get(Client const& client) {
        return session_of(client.lease_);
    }
};

}  // namespace lanyard::detail

namespace lanyard::client {

using lanyard::detail::Lease;
using lanyard::detail::SessionOf;

/// Opens a session on the transport. If the transport is null, the connector opens one. The
/// connector is used again if the probe made the server exit, and for every reconnect.
Task<std::shared_ptr<ClientSession>> open_session(std::unique_ptr<Transport> transport,
                                                  std::unique_ptr<Connector> connector,
                                                  ClientOptions options);
/// Creates a client without waiting for a connection. The client opens its first connection on this
/// executor, in the same way as it reconnects.
Client start_client_on(boost::asio::any_io_executor executor, std::unique_ptr<Connector> connector,
                       ClientOptions const& options);

/// Throws Error (invalid_argument) for invalid versions.
rpc::VersionOptions version_options(ClientOptions const& options);

/// The capabilities implied by the handlers, plus those set explicitly.
ClientCapabilities declared_capabilities(ClientOptions const& options);

}  // namespace lanyard::client
