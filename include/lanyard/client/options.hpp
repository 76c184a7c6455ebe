// ClientOptions: the identity, versions and limits of a client, and its handlers for requests and
// notifications of the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanyard/client/connection.hpp>
#include <lanyard/client/handler.hpp>
#include <lanyard/client/observer.hpp>
#include <lanyard/client/question_handler.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/error.hpp>
#include <lanyard/json/raw_json.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/elicitation.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/protocol/logging.hpp>
#include <lanyard/protocol/progress.hpp>
#include <lanyard/protocol/roots.hpp>
#include <lanyard/protocol/sampling.hpp>
#include <lanyard/protocol/tasks.hpp>
#include <lanyard/time_source.hpp>
#include <lanyard/version.hpp>

namespace lanyard {

/// One of the server's lists that can change: the tools, the prompts or the resources.
enum class ListKind { tools, prompts, resources };

/// What a client does when more notifications wait for their handlers than
/// ClientOptions::max_queued_notifications.
enum class NotificationOverflow {
    /// It stops reading from the server until a quarter of the queue is free, so nothing is lost.
    /// While the client waits for an answer it continues to read, because a handler may wait for
    /// this answer, but only until 16 MiB of notifications wait.
    stop_reading,
    /// It drops the oldest notification that waits, counts it (ClientLimitCounts::dropped) and
    /// calls ClientOptions::on_diagnostic. A notification is also dropped if more than 16 MiB would
    /// wait.
    drop_oldest,
};

/// The protocol version that a client and a server have negotiated. If it is passed to the next
/// connection to the same server, the client need not detect the version again.
struct KnownServer {
    Version version = newest_version;
    /// When the version was negotiated. A version that was negotiated more than a day ago is not
    /// used, because the server may have been updated.
    WallTime decided{};

    bool operator==(KnownServer const&) const = default;
};

/// The options of a client. The handlers that are set determine the capabilities that the client
/// declares. CallOptions can set other handlers for a single call.
///
/// All handlers run on the connection's executor. The handlers of a blocking client run on its own
/// threads and may block. A handler may return a value or a Task of the value. If a handler throws,
/// the server gets an error without details, and on_diagnostic gets the details. A handler that
/// answers a question of the server may have a ProgressReporter as its last parameter.
class ClientOptions {
public:
    ClientOptions() = default;
    /// The name and version that the server sees.
    ClientOptions(std::string name, std::string version) {
        info_.name = std::move(name);
        info_.version = std::move(version);
    }

    /// The name, version, title and icons that the server sees. Default: "lanyard" and the
    /// library's version.
    ClientOptions& info(Implementation info) {
        info_ = std::move(info);
        return *this;
    }

    /// The protocol versions to offer. Default: all.
    ClientOptions& versions(std::vector<Version> offered) {
        versions_ = std::move(offered);
        return *this;
    }
    /// The protocol version to ask for first. Default: the newest of the offered versions.
    ClientOptions& preferred_version(Version version) {
        preferred_version_ = version;
        return *this;
    }
    /// How long a server may take to answer `server/discover` before the client assumes an older
    /// server and falls back to the handshake. Default: 3 s. HTTP connections use
    /// initialization_timeout instead, because over HTTP a missing answer does not indicate an
    /// older server.
    ClientOptions& probe_timeout(Duration timeout) {
        probe_timeout_ = timeout;
        return *this;
    }
    /// How long each of the requests that open a connection may take. Default: 10 s.
    ClientOptions& initialization_timeout(Duration timeout) {
        initialization_timeout_ = timeout;
        return *this;
    }
    /// The version negotiated by an earlier connection to the same server (Client::known_server()).
    /// Default: none.
    ClientOptions& known_server(KnownServer known) {
        known_server_ = known;
        return *this;
    }

    /// How a lost connection is opened again. Default: ReconnectOptions(), which never gives up.
    /// Applies only to clients made with a Connector. A client made with an open Transport cannot
    /// reconnect: it ends when the transport is closed.
    ClientOptions& reconnect(ReconnectOptions const& options) {
        reconnect_ = options;
        return *this;
    }

    /// The timeout of calls that do not set one. Default: 30 s.
    ClientOptions& timeout(Duration timeout) {
        timeout_ = timeout;
        return *this;
    }
    /// The maximum number of pending calls; further calls fail with Error (too_many_pending).
    /// Default: 1,000.
    ClientOptions& max_pending(std::size_t calls) {
        max_pending_ = calls;
        return *this;
    }
    /// The maximum size of the params of a request. Default: 16 MiB without 1 KiB, so that the
    /// whole message stays below the usual limit of servers. A larger request is not sent; the call
    /// fails with Error (too_large).
    ClientOptions& max_params_bytes(std::size_t bytes) {
        max_params_bytes_ = bytes;
        return *this;
    }
    /// The number of bytes of answers that may be queued for a server that does not read. Default:
    /// 8 MiB. Applies to all transports except HTTP, which has
    /// HttpClientOptions::hard_unsent_bytes. While more than 1 MiB (or this limit, if it is
    /// smaller) is queued, nothing is read from the server, and write_timeout applies. While more
    /// than this limit is queued, slow_reader_timeout applies.
    ClientOptions& max_unsent_bytes(std::size_t bytes) {
        max_unsent_bytes_ = bytes;
        return *this;
    }
    /// If more than this many bytes of answers are queued, the connection is closed at once.
    /// Default: eight times max_unsent_bytes, which is 64 MiB. If more than this many bytes are
    /// queued in total, including the client's own requests, calls fail with Error (busy); see
    /// busy_retries. Not used over HTTP. Must not be less than max_unsent_bytes.
    ClientOptions& hard_unsent_bytes(std::size_t bytes) {
        hard_unsent_bytes_ = bytes;
        return *this;
    }
    /// How long the connection stays open if the server reads nothing while more than 1 MiB of
    /// answers is queued for it. Default: 30 s. Not used over HTTP.
    ClientOptions& write_timeout(Duration timeout) {
        write_timeout_ = timeout;
        return *this;
    }
    /// While more than max_unsent_bytes of answers are queued, the server must read at least
    /// max_unsent_bytes within this time; otherwise the connection is closed. Default: 5 s. Not
    /// used over HTTP.
    ClientOptions& slow_reader_timeout(Duration timeout) {
        slow_reader_timeout_ = timeout;
        return *this;
    }
    /// The number of times that a call tries again to send its request if too many bytes are queued
    /// (hard_unsent_bytes), and the wait before each retry. Default: 2 and 10 ms. After the last
    /// retry the call fails with Error (busy). Each wait varies by up to 50 % at random.
    ClientOptions& busy_retries(std::uint32_t retries, Duration interval) {
        max_busy_retries_ = retries;
        busy_retry_interval_ = interval;
        return *this;
    }
    /// How long the server may take to answer the ping that the client sends after a call has timed
    /// out. Default: 5 s. If the server does not answer the ping, the connection is closed and
    /// opened again. Zero: no pings. Clients that do not reconnect, and clients over HTTP, send no
    /// pings. This value is also the default timeout of Client::ping(); if it is zero,
    /// Client::ping() uses `timeout`.
    ClientOptions& ping_timeout(Duration timeout) {
        ping_timeout_ = timeout;
        return *this;
    }
    /// The maximum number of requests that are remembered after they ended without an answer.
    /// Default: 10,000. If the answer to a remembered request arrives, it is recognized as late.
    /// Beyond the limit, the oldest requests are forgotten, and their answers count as unknown.
    ClientOptions& max_tombstones(std::size_t count) {
        max_tombstones_ = count;
        return *this;
    }
    /// How often the client looks for remembered requests (see max_tombstones) that are old enough
    /// to be forgotten. Default: 60 s.
    ClientOptions& tombstone_sweep_interval(Duration interval) {
        tombstone_sweep_interval_ = interval;
        return *this;
    }
    /// The largest id of a request. Default: 2^53, the largest integer that every JSON
    /// implementation represents exactly. Set it for a server that stores ids in smaller integers.
    /// At least 1,000. When 80 % and 90 % of the ids are used, on_diagnostic is called. When 96 %
    /// are used, the client opens a new connection, whose ids begin with 1, as soon as no call is
    /// pending; when all are used, at once. A client that cannot reconnect fails with Error
    /// (unavailable) when all ids are used.
    ClientOptions& max_request_id(std::int64_t id) {
        max_request_id_ = id;
        return *this;
    }
    /// The maximum number of notifications that wait for their handlers. Default: 1,000. What
    /// happens if there are more depends on notification_overflow().
    ClientOptions& max_queued_notifications(std::size_t count) {
        max_queued_notifications_ = count;
        return *this;
    }
    /// What happens if more notifications wait for their handlers than max_queued_notifications().
    /// Default: stop_reading.
    ClientOptions& notification_overflow(NotificationOverflow overflow) {
        notification_overflow_ = overflow;
        return *this;
    }
    /// The maximum number of entries of a list that is fetched as a whole (by list_tools(),
    /// Pages::rest() and the like); fetching a longer list fails with Error (too_large). Default:
    /// 100,000. Pages::next() needs only one page at a time and has no such limit.
    ClientOptions& max_list_entries(std::size_t count) {
        max_list_entries_ = count;
        return *this;
    }
    /// The maximum total size in bytes of the pages of a list that is fetched as a whole (see
    /// max_list_entries). Default: 64 MiB.
    ClientOptions& max_list_bytes(std::size_t bytes) {
        max_list_bytes_ = bytes;
        return *this;
    }
    /// The maximum number of rounds in one call; in each round, the server asks questions and the
    /// client answers them. Default: 10. If the server starts another round, the call fails.
    ClientOptions& max_input_rounds(std::size_t rounds) {
        max_input_rounds_ = rounds;
        return *this;
    }
    /// The size of the cache for results that the server allows the client to cache. Default: 16
    /// MiB. Zero: no cache.
    ClientOptions& max_cache_bytes(std::size_t bytes) {
        max_cache_bytes_ = bytes;
        return *this;
    }
    /// Whether the structured result of a call is checked against the output schema of the tool.
    /// Default: true. Tools that the client has not listed are not checked.
    ClientOptions& check_output(bool on) {
        check_output_ = on;
        return *this;
    }
    /// The clock and timers to use. Default: real_time(). Must outlive the client.
    ClientOptions& time(TimeSource& source) {
        time_ = &source;
        return *this;
    }
    /// The source of random numbers. Default: system_random(). Must outlive the client.
    ClientOptions& random(Random& source) {
        random_ = &source;
        return *this;
    }

    /// Handles requests for a message of the client's model (sampling). Default: none.
    ClientOptions& on_sampling(QuestionHandler<CreateMessageResult, CreateMessageParams> handler) {
        on_sampling_ = std::move(handler);
        return *this;
    }
    /// Whether the handler on_sampling supports tools (capability `sampling.tools`). Default:
    /// false.
    ClientOptions& sampling_with_tools(bool on) {
        sampling_with_tools_ = on;
        return *this;
    }
    /// Whether the handler on_sampling honours `includeContext` (capability `sampling.context`).
    /// Default: false.
    ClientOptions& sampling_with_context(bool on) {
        sampling_with_context_ = on;
        return *this;
    }
    /// Handles forms that the server asks the user to fill in. Default: none. Fields that an
    /// accepted answer leaves out get their defaults. If the answer does not fit the form, the
    /// server gets an error instead.
    ClientOptions& on_elicitation(QuestionHandler<ElicitResult, ElicitFormParams> handler) {
        on_elicitation_ = std::move(handler);
        return *this;
    }
    /// Handles requests to send the user to a web page. Default: none. Accepting means that the
    /// user consents to opening the page.
    ClientOptions& on_url_elicitation(QuestionHandler<ElicitResult, ElicitUrlParams> handler) {
        on_url_elicitation_ = std::move(handler);
        return *this;
    }
    /// The folders that the server may work in. Default: none. Client::set_roots() changes them.
    ClientOptions& roots(std::vector<Root> roots) {
        roots_ = std::move(roots);
        return *this;
    }
    /// Called when the server asks for the roots; returns them. Default: none.
    ClientOptions& on_roots(QuestionHandler<std::vector<Root>> handler) {
        on_roots_ = std::move(handler);
        return *this;
    }
    /// Whether the client declares the capability to answer forms even if on_elicitation is not
    /// set. Default: false. Set it if single calls have handlers for forms
    /// (CallOptions::on_elicitation). Questions without a handler are refused.
    ClientOptions& declare_elicitation(bool on) {
        declare_elicitation_ = on;
        return *this;
    }
    /// Whether the client declares the capability to send users to web pages even if
    /// on_url_elicitation is not set. Default: false. Set it if single calls have handlers
    /// (CallOptions::on_url_elicitation).
    ClientOptions& declare_url_elicitation(bool on) {
        declare_url_elicitation_ = on;
        return *this;
    }
    /// Whether the client declares the capability of sampling even if on_sampling is not set.
    /// Default: false. Set it if single calls have handlers (CallOptions::on_sampling).
    /// sampling_with_tools() and sampling_with_context() then describe these handlers.
    ClientOptions& declare_sampling(bool on) {
        declare_sampling_ = on;
        return *this;
    }
    /// Whether the client declares the capability to list roots even if neither roots nor on_roots
    /// are set. Default: false. Set it if single calls have handlers (CallOptions::on_roots).
    ClientOptions& declare_roots(bool on) {
        declare_roots_ = on;
        return *this;
    }
    /// Whether the client declares the capabilities for all kinds of questions, even without
    /// handlers. Default: false. Calls the four functions above and sampling_with_tools() with this
    /// value. Set it if the handlers of single calls pass the questions on, for example from a
    /// proxy to the clients of the proxy (lanyard/proxy.hpp).
    ClientOptions& declare_questions(bool on) {
        sampling_with_tools_ = on;
        return declare_elicitation(on)
            .declare_url_elicitation(on)
            .declare_sampling(on)
            .declare_roots(on);
    }
    /// Capabilities beyond those that the handlers imply: `experimental`, `extensions`, and
    /// capabilities unknown to the library. Default: none.
    ClientOptions& capabilities(ClientCapabilities capabilities) {
        capabilities_ = std::move(capabilities);
        return *this;
    }

    // Notifications are handled one at a time, in the order of arrival.

    /// Called with each log message of the server. Default: none.
    ClientOptions& on_log(ClientHandler<void, LoggingMessageParams> handler) {
        on_log_ = std::move(handler);
        return *this;
    }
    /// Called when one of the server's lists has changed. Default: none.
    ClientOptions& on_list_changed(ClientHandler<void, ListKind> handler) {
        on_list_changed_ = std::move(handler);
        return *this;
    }
    /// Called with the URI of a resource that was passed to Client::subscribe(), when the resource
    /// has changed. Default: none.
    ClientOptions& on_resource_updated(ClientHandler<void, std::string> handler) {
        on_resource_updated_ = std::move(handler);
        return *this;
    }
    /// Called when the user has finished on a web page, with the id of the elicitation that named
    /// the page. Default: none.
    ClientOptions& on_elicitation_complete(ClientHandler<void, std::string> handler) {
        on_elicitation_complete_ = std::move(handler);
        return *this;
    }
    /// Called when the status of a task has changed. Default: none.
    ClientOptions& on_task_status(ClientHandler<void, TaskStatusParams> handler) {
        on_task_status_ = std::move(handler);
        return *this;
    }
    using NotificationHandler = ClientHandler<void, std::string, RawJson>;
    /// Adds a handler for notifications of this method. Default: none. The handler gets the method
    /// and the params. May be called several times, for the same or other methods.
    ClientOptions& on_notification(std::string method, NotificationHandler handler) {
        on_notification_.emplace_back(std::move(method), std::move(handler));
        return *this;
    }
    /// Called for every notification except progress and cancellation. Default: none. Handlers for
    /// the method of the notification are called first.
    ClientOptions& on_any_notification(NotificationHandler handler) {
        on_any_notification_ = std::move(handler);
        return *this;
    }
    /// Requests progress notifications for every call, and passes them to the handler. Default:
    /// none.
    ClientOptions& on_progress(std::function<void(ProgressParams const&)> handler) {
        on_progress_ = std::move(handler);
        return *this;
    }
    /// Called when the client has ended and will not reconnect. Default: none. The argument is the
    /// reason; it is empty if the client itself closed the connection.
    ClientOptions& on_closed(std::function<void(std::optional<Error> const&)> handler) {
        on_closed_ = std::move(handler);
        return *this;
    }
    /// Called with a sentence for every event that should be logged. Default: none. Such events
    /// are: the server broke a rule, a handler threw, the protocol version was downgraded, a
    /// notification was dropped.
    ClientOptions& on_diagnostic(std::function<void(std::string_view)> handler) {
        on_diagnostic_ = std::move(handler);
        return *this;
    }
    /// An object that is notified of requests, state changes, notifications and protocol
    /// violations. Default: none.
    ClientOptions& observer(std::shared_ptr<ClientObserver> observer) {
        observer_ = std::move(observer);
        return *this;
    }

    Implementation const& info() const noexcept { return info_; }
    std::vector<Version> const& versions() const noexcept { return versions_; }
    std::optional<Version> preferred_version() const noexcept { return preferred_version_; }
    Duration probe_timeout() const noexcept { return probe_timeout_; }
    Duration initialization_timeout() const noexcept { return initialization_timeout_; }
    std::optional<KnownServer> const& known_server() const noexcept { return known_server_; }
    ReconnectOptions const& reconnect() const noexcept { return reconnect_; }
    Duration timeout() const noexcept { return timeout_; }
    std::size_t max_pending() const noexcept { return max_pending_; }
    std::size_t max_params_bytes() const noexcept { return max_params_bytes_; }
    std::size_t max_unsent_bytes() const noexcept { return max_unsent_bytes_; }
    std::size_t hard_unsent_bytes() const noexcept {
        auto const eightfold = max_unsent_bytes_ < SIZE_MAX / 8 ? max_unsent_bytes_ * 8 : SIZE_MAX;
        return hard_unsent_bytes_.value_or(eightfold);
    }
    Duration write_timeout() const noexcept { return write_timeout_; }
    Duration slow_reader_timeout() const noexcept { return slow_reader_timeout_; }
    std::uint32_t max_busy_retries() const noexcept { return max_busy_retries_; }
    Duration busy_retry_interval() const noexcept { return busy_retry_interval_; }
    Duration ping_timeout() const noexcept { return ping_timeout_; }
    std::size_t max_tombstones() const noexcept { return max_tombstones_; }
    Duration tombstone_sweep_interval() const noexcept { return tombstone_sweep_interval_; }
    std::int64_t max_request_id() const noexcept { return max_request_id_; }
    std::size_t max_queued_notifications() const noexcept { return max_queued_notifications_; }
    NotificationOverflow notification_overflow() const noexcept { return notification_overflow_; }
    std::size_t max_list_entries() const noexcept { return max_list_entries_; }
    std::size_t max_list_bytes() const noexcept { return max_list_bytes_; }
    std::size_t max_input_rounds() const noexcept { return max_input_rounds_; }
    std::size_t max_cache_bytes() const noexcept { return max_cache_bytes_; }
    bool check_output() const noexcept { return check_output_; }
    TimeSource& time() const noexcept { return *time_; }
    Random& random() const noexcept { return *random_; }
    auto const& on_sampling() const noexcept { return on_sampling_; }
    bool sampling_with_tools() const noexcept { return sampling_with_tools_; }
    bool sampling_with_context() const noexcept { return sampling_with_context_; }
    auto const& on_elicitation() const noexcept { return on_elicitation_; }
    auto const& on_url_elicitation() const noexcept { return on_url_elicitation_; }
    std::optional<std::vector<Root>> const& roots() const noexcept { return roots_; }
    auto const& on_roots() const noexcept { return on_roots_; }
    bool declare_elicitation() const noexcept { return declare_elicitation_; }
    bool declare_url_elicitation() const noexcept { return declare_url_elicitation_; }
    bool declare_sampling() const noexcept { return declare_sampling_; }
    bool declare_roots() const noexcept { return declare_roots_; }
    ClientCapabilities const& capabilities() const noexcept { return capabilities_; }
    auto const& on_log() const noexcept { return on_log_; }
    auto const& on_list_changed() const noexcept { return on_list_changed_; }
    auto const& on_resource_updated() const noexcept { return on_resource_updated_; }
    auto const& on_elicitation_complete() const noexcept { return on_elicitation_complete_; }
    auto const& on_task_status() const noexcept { return on_task_status_; }
    std::vector<std::pair<std::string, NotificationHandler>> const& on_notification()
        const noexcept {
        return on_notification_;
    }
    auto const& on_any_notification() const noexcept { return on_any_notification_; }
    auto const& on_progress() const noexcept { return on_progress_; }
    auto const& on_closed() const noexcept { return on_closed_; }
    auto const& on_diagnostic() const noexcept { return on_diagnostic_; }
    std::shared_ptr<ClientObserver> const& observer() const noexcept { return observer_; }

private:
    Implementation info_{.name = "lanyard", .version = LANYARD_VERSION_STRING};
    std::vector<Version> versions_{all_versions.begin(), all_versions.end()};
    std::optional<Version> preferred_version_;
    Duration probe_timeout_ = std::chrono::seconds(3);
    Duration initialization_timeout_ = std::chrono::seconds(10);
    std::optional<KnownServer> known_server_;
    ReconnectOptions reconnect_;
    Duration timeout_ = std::chrono::seconds(30);
    std::size_t max_pending_ = 1'000;
    std::size_t max_params_bytes_ = 16 * 1024 * 1024 - 1024;
    std::size_t max_unsent_bytes_ = 8 * 1024 * 1024;
    std::optional<std::size_t> hard_unsent_bytes_;
    Duration write_timeout_ = std::chrono::seconds(30);
    Duration slow_reader_timeout_ = std::chrono::seconds(5);
    std::uint32_t max_busy_retries_ = 2;
    Duration busy_retry_interval_ = std::chrono::milliseconds(10);
    Duration ping_timeout_ = std::chrono::seconds(5);
    std::size_t max_tombstones_ = 10'000;
    Duration tombstone_sweep_interval_ = std::chrono::seconds(60);
    std::int64_t max_request_id_ = std::int64_t{1} << 53;
    std::size_t max_queued_notifications_ = 1'000;
    NotificationOverflow notification_overflow_ = NotificationOverflow::stop_reading;
    std::size_t max_list_entries_ = 100'000;
    std::size_t max_list_bytes_ = 64 * 1024 * 1024;
    std::size_t max_input_rounds_ = 10;
    std::size_t max_cache_bytes_ = 16 * 1024 * 1024;
    bool check_output_ = true;
    bool sampling_with_tools_ = false;
    bool sampling_with_context_ = false;
    bool declare_elicitation_ = false;
    bool declare_url_elicitation_ = false;
    bool declare_sampling_ = false;
    bool declare_roots_ = false;
    TimeSource* time_ = &real_time();
    Random* random_ = &system_random();
    QuestionHandler<CreateMessageResult, CreateMessageParams> on_sampling_;
    QuestionHandler<ElicitResult, ElicitFormParams> on_elicitation_;
    QuestionHandler<ElicitResult, ElicitUrlParams> on_url_elicitation_;
    std::optional<std::vector<Root>> roots_;
    QuestionHandler<std::vector<Root>> on_roots_;
    ClientCapabilities capabilities_;
    ClientHandler<void, LoggingMessageParams> on_log_;
    ClientHandler<void, ListKind> on_list_changed_;
    ClientHandler<void, std::string> on_resource_updated_;
    ClientHandler<void, std::string> on_elicitation_complete_;
    ClientHandler<void, TaskStatusParams> on_task_status_;
    std::vector<std::pair<std::string, NotificationHandler>> on_notification_;
    NotificationHandler on_any_notification_;
    std::function<void(ProgressParams const&)> on_progress_;
    std::function<void(std::optional<Error> const&)> on_closed_;
    std::function<void(std::string_view)> on_diagnostic_;
    std::shared_ptr<ClientObserver> observer_;
};

}  // namespace lanyard
