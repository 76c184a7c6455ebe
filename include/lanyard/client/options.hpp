// What a client is, offers and allows itself: identity, versions, limits, and the handlers for what
// the server sends.
#pragma once

#include <cstddef>
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

/// A list of the server that can change.
enum class ListKind { tools, prompts, resources };

/// What opening a connection found out about the server. Kept, and given to the next connection to
/// the same server, it spares the probe.
struct Verdict {
    Version version = newest_version;
    WallTime decided{};  ///< Older than a day it counts for nothing: servers are updated.

    bool operator==(Verdict const&) const = default;
};

/// What is set once for a client. Which handlers are set decides what the client declares as its
/// capabilities.
///
/// All handlers run on the connection's executor, or for a blocking client on its own threads,
/// where they may block. A handler may return its value or a Task of it. One that throws does no
/// harm: the server gets a neutral error, on_diagnostic the details.
class ClientOptions {
public:
    ClientOptions() = default;
    /// The name and version the server sees.
    ClientOptions(std::string name, std::string version) {
        info_.name = std::move(name);
        info_.version = std::move(version);
    }

    ClientOptions& info(Implementation info) {
        info_ = std::move(info);
        return *this;
    }

    /// The protocol versions to speak; all where not set.
    ClientOptions& versions(std::vector<Version> offered) {
        versions_ = std::move(offered);
        return *this;
    }
    /// The version to ask for first; the newest offered where not set.
    ClientOptions& preferred_version(Version version) {
        preferred_version_ = version;
        return *this;
    }
    /// How long a server may take to show that it knows `server/discover` before it is taken for
    /// one that does not. Over HTTP silence says nothing about versions, and initialization_timeout
    /// holds.
    ClientOptions& probe_timeout(Duration wait) {
        probe_timeout_ = wait;
        return *this;
    }
    ClientOptions& initialization_timeout(Duration wait) {
        initialization_timeout_ = wait;
        return *this;
    }
    /// What an earlier connection to the same server found out.
    ClientOptions& verdict(Verdict known) {
        verdict_ = known;
        return *this;
    }

    /// How a lost connection is opened again. Only for clients of a Connector: one that was given
    /// an open Transport ends with it.
    ClientOptions& reconnect(ReconnectOptions const& options) {
        reconnect_ = options;
        return *this;
    }

    /// How long calls wait that set no timeout of their own.
    ClientOptions& timeout(Duration wait) {
        timeout_ = wait;
        return *this;
    }
    ClientOptions& max_pending(std::size_t calls) {
        max_pending_ = calls;
        return *this;
    }
    /// Bytes of answers that may wait for a server that does not read. From 1 MiB on (or this, if
    /// it is less) nothing more is read from the server; it is cut off if it takes nothing for 30
    /// s, too little for 5 s once more than this waits, and at once beyond eight times this. Calls
    /// fail with Error (busy) while eight times this waits. Default 8 MiB. HTTP has limits of its
    /// own: HttpClientOptions::max_queued.
    ClientOptions& max_unsent_bytes(std::size_t bytes) {
        max_unsent_bytes_ = bytes;
        return *this;
    }
    /// Notifications that may wait for their handler; beyond that the oldest is dropped. Together
    /// they hold at most 16 MiB.
    ClientOptions& max_queued_notifications(std::size_t count) {
        max_queued_notifications_ = count;
        return *this;
    }
    /// How many entries a list may have that is fetched as a whole (list_tools() and the like);
    /// beyond that it fails with Error (too_large). Iterators hold one page at a time and have no
    /// such limit. Default 100,000.
    ClientOptions& max_list_entries(std::size_t count) {
        max_list_entries_ = count;
        return *this;
    }
    /// The same for the bytes of its pages. Default 64 MiB.
    ClientOptions& max_list_bytes(std::size_t bytes) {
        max_list_bytes_ = bytes;
        return *this;
    }
    /// How often one call answers questions of the server before it gives up.
    ClientOptions& max_input_rounds(std::size_t rounds) {
        max_input_rounds_ = rounds;
        return *this;
    }
    /// How much of what the server declares fresh is kept; 0 keeps nothing.
    ClientOptions& cache_bytes(std::size_t bytes) {
        cache_bytes_ = bytes;
        return *this;
    }
    /// Whether structured results are checked against the schema of their tool, where it is known
    /// from a list.
    ClientOptions& check_output(bool on) {
        check_output_ = on;
        return *this;
    }
    ClientOptions& time(TimeSource& source) {
        time_ = &source;
        return *this;
    }
    ClientOptions& random(Random& source) {
        random_ = &source;
        return *this;
    }

    /// Lets the server ask this client's model.
    ClientOptions& on_sampling(client::Handler<CreateMessageResult, CreateMessageParams> handler) {
        on_sampling_ = std::move(handler);
        return *this;
    }
    /// Says that on_sampling understands tools (`sampling.tools`).
    ClientOptions& sampling_with_tools(bool on) {
        sampling_with_tools_ = on;
        return *this;
    }
    /// Says that on_sampling honours `includeContext` (`sampling.context`).
    ClientOptions& sampling_with_context(bool on) {
        sampling_with_context_ = on;
        return *this;
    }
    /// Lets the server ask the user by a form. Defaults are filled in for fields an accepted answer
    /// leaves out; an answer that does not fit the form is not sent.
    ClientOptions& on_elicitation(client::Handler<ElicitResult, ElicitFormParams> handler) {
        on_elicitation_ = std::move(handler);
        return *this;
    }
    /// Lets the server send the user to a web page. Accepting means that the user consents to open
    /// it.
    ClientOptions& on_url_elicitation(client::Handler<ElicitResult, ElicitUrlParams> handler) {
        on_url_elicitation_ = std::move(handler);
        return *this;
    }
    /// The folders the server may work in. Client::set_roots() changes them.
    ClientOptions& roots(std::vector<Root> roots) {
        roots_ = std::move(roots);
        return *this;
    }
    /// The same, asked for every time.
    ClientOptions& on_roots(client::Handler<std::vector<Root>> handler) {
        on_roots_ = std::move(handler);
        return *this;
    }
    /// Capabilities beyond those the handlers imply: `experimental`, `extensions`, unknown ones.
    ClientOptions& capabilities(ClientCapabilities capabilities) {
        capabilities_ = std::move(capabilities);
        return *this;
    }

    // Notifications are handled one after the other, in the order they came.

    ClientOptions& on_log(client::Handler<void, LoggingMessageParams> handler) {
        on_log_ = std::move(handler);
        return *this;
    }
    /// A list of the server has changed.
    ClientOptions& on_list_changed(client::Handler<void, ListKind> handler) {
        on_list_changed_ = std::move(handler);
        return *this;
    }
    /// A resource that Client::subscribe() named has changed; gets its URI.
    ClientOptions& on_resource_updated(client::Handler<void, std::string> handler) {
        on_resource_updated_ = std::move(handler);
        return *this;
    }
    /// The user has finished on the web page with this elicitation id.
    ClientOptions& on_elicitation_complete(client::Handler<void, std::string> handler) {
        on_elicitation_complete_ = std::move(handler);
        return *this;
    }
    ClientOptions& on_task_status(client::Handler<void, TaskStatusParams> handler) {
        on_task_status_ = std::move(handler);
        return *this;
    }
    using NotificationHandler = client::Handler<void, std::string, RawJson>;
    /// Gets the method and the params of every notification with this method.
    ClientOptions& on_notification(std::string method, NotificationHandler handler) {
        on_notification_.emplace_back(std::move(method), std::move(handler));
        return *this;
    }
    /// The same for every notification but progress and cancellation, after the handlers of its
    /// method.
    ClientOptions& on_any_notification(NotificationHandler handler) {
        on_any_notification_ = std::move(handler);
        return *this;
    }
    /// Asks for progress on every call, and gets it.
    ClientOptions& on_progress(std::function<void(ProgressParams const&)> handler) {
        on_progress_ = std::move(handler);
        return *this;
    }
    /// The client has ended and will not reconnect; gets the reason, or nothing where this side
    /// closed it.
    ClientOptions& on_closed(std::function<void(std::optional<Error> const&)> handler) {
        on_closed_ = std::move(handler);
        return *this;
    }
    /// Gets a sentence about everything worth a log record: a server that breaks a rule, a handler
    /// that threw, a downgrade, a dropped notification.
    ClientOptions& on_diagnostic(std::function<void(std::string_view)> handler) {
        on_diagnostic_ = std::move(handler);
        return *this;
    }
    /// Is told of requests, transitions, notifications and violations.
    ClientOptions& observer(std::shared_ptr<ClientObserver> observer) {
        observer_ = std::move(observer);
        return *this;
    }

    Implementation const& info() const noexcept { return info_; }
    std::vector<Version> const& versions() const noexcept { return versions_; }
    std::optional<Version> preferred_version() const noexcept { return preferred_version_; }
    Duration probe_timeout() const noexcept { return probe_timeout_; }
    Duration initialization_timeout() const noexcept { return initialization_timeout_; }
    std::optional<Verdict> const& verdict() const noexcept { return verdict_; }
    ReconnectOptions const& reconnect() const noexcept { return reconnect_; }
    Duration timeout() const noexcept { return timeout_; }
    std::size_t max_pending() const noexcept { return max_pending_; }
    std::size_t max_unsent_bytes() const noexcept { return max_unsent_bytes_; }
    std::size_t max_queued_notifications() const noexcept { return max_queued_notifications_; }
    std::size_t max_list_entries() const noexcept { return max_list_entries_; }
    std::size_t max_list_bytes() const noexcept { return max_list_bytes_; }
    std::size_t max_input_rounds() const noexcept { return max_input_rounds_; }
    std::size_t cache_bytes() const noexcept { return cache_bytes_; }
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
    std::optional<Verdict> verdict_;
    ReconnectOptions reconnect_;
    Duration timeout_ = std::chrono::seconds(30);
    std::size_t max_pending_ = 1'000;
    std::size_t max_unsent_bytes_ = 8 * 1024 * 1024;
    std::size_t max_queued_notifications_ = 1'000;
    std::size_t max_list_entries_ = 100'000;
    std::size_t max_list_bytes_ = 64 * 1024 * 1024;
    std::size_t max_input_rounds_ = 10;
    std::size_t cache_bytes_ = 16 * 1024 * 1024;
    bool check_output_ = true;
    bool sampling_with_tools_ = false;
    bool sampling_with_context_ = false;
    TimeSource* time_ = &real_time();
    Random* random_ = &system_random();
    client::Handler<CreateMessageResult, CreateMessageParams> on_sampling_;
    client::Handler<ElicitResult, ElicitFormParams> on_elicitation_;
    client::Handler<ElicitResult, ElicitUrlParams> on_url_elicitation_;
    std::optional<std::vector<Root>> roots_;
    client::Handler<std::vector<Root>> on_roots_;
    ClientCapabilities capabilities_;
    client::Handler<void, LoggingMessageParams> on_log_;
    client::Handler<void, ListKind> on_list_changed_;
    client::Handler<void, std::string> on_resource_updated_;
    client::Handler<void, std::string> on_elicitation_complete_;
    client::Handler<void, TaskStatusParams> on_task_status_;
    std::vector<std::pair<std::string, NotificationHandler>> on_notification_;
    NotificationHandler on_any_notification_;
    std::function<void(ProgressParams const&)> on_progress_;
    std::function<void(std::optional<Error> const&)> on_closed_;
    std::function<void(std::string_view)> on_diagnostic_;
    std::shared_ptr<ClientObserver> observer_;
};

}  // namespace lanyard
