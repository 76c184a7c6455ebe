// ServerOptions: everything about a server that has a sensible default.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/protocol/cache.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/protocol/logging.hpp>
#include <lanyard/time_source.hpp>

namespace lanyard {

class ServerOptions {
public:
    /// Gets what the server has to say to whoever runs it. Called from any thread, never twice at a
    /// time.
    using LogSink = std::function<void(LoggingLevel level, std::string_view text)>;

    ServerOptions() = default;

    /// The protocol revisions that are served; all that exist unless set.
    ServerOptions& versions(std::vector<Version> versions) {
        versions_ = std::move(versions);
        return *this;
    }
    /// What clients are told about how to use this server.
    ServerOptions& instructions(std::string text) {
        instructions_ = std::move(text);
        return *this;
    }
    /// Where messages about the server itself go; warnings and worse go to stderr unless set.
    ServerOptions& on_log(LogSink sink) {
        on_log_ = std::move(sink);
        return *this;
    }
    /// Whether clients may receive log messages.
    ServerOptions& logging(bool offered) noexcept {
        logging_ = offered;
        return *this;
    }
    /// Items on one page of a list.
    ServerOptions& page_size(std::size_t items) noexcept {
        page_size_ = items;
        return *this;
    }
    /// Whether tools ignore arguments they do not have instead of refusing them, for hosts that add
    /// some of their own. ToolOptions decide otherwise for one tool.
    ServerOptions& ignore_unknown_arguments(bool on) noexcept {
        ignore_unknown_arguments_ = on;
        return *this;
    }
    /// Whether the schemas of tools repeat structs instead of referring to `$defs`, for models that
    /// do not take references. ToolOptions decide otherwise for one tool.
    ServerOptions& inline_references(bool on) noexcept {
        inline_references_ = on;
        return *this;
    }
    /// How long clients may keep lists, and whether for everybody.
    ServerOptions& list_cache(CacheHint hint) noexcept {
        list_cache_ = hint;
        return *this;
    }

    /// What seals the state of a call that waits for the user's answers. Replicas of one server
    /// share it; without it, a retry has to reach the same process.
    ServerOptions& request_state_secret(std::string secret) {
        request_state_secrets_.push_back(std::move(secret));
        return *this;
    }
    /// How long a user may take to answer.
    ServerOptions& request_state_ttl(Duration ttl) noexcept {
        request_state_ttl_ = ttl;
        return *this;
    }

    /// Requests of one peer that are served at a time.
    ServerOptions& max_in_flight(std::size_t requests) noexcept {
        max_in_flight_ = requests;
        return *this;
    }
    /// Resources and streams one peer may subscribe to.
    ServerOptions& max_subscriptions(std::size_t count) noexcept {
        max_subscriptions_ = count;
        return *this;
    }
    /// The longest URI that a client may read, subscribe to or listen for; longer ones are refused.
    ServerOptions& max_uri_bytes(std::size_t bytes) noexcept {
        max_uri_bytes_ = bytes;
        return *this;
    }
    /// Limits the total size of the URIs that one client, and all clients, are subscribed to.
    ServerOptions& max_subscription_bytes(std::size_t of_client, std::size_t of_all) noexcept {
        max_subscription_bytes_ = of_client;
        max_subscription_total_ = of_all;
        return *this;
    }
    /// What a client may say about itself, as JSON text: its description and, apart from that, its
    /// capabilities. Icons beyond it are not kept; a client that says more is refused.
    ServerOptions& max_client_info_bytes(std::size_t bytes) noexcept {
        max_client_info_bytes_ = bytes;
        return *this;
    }
    /// What may wait for a peer that reads slowly. Beyond a megabyte no more requests are read from
    /// it, progress and log messages are dropped, and it is cut off if it takes nothing for half a
    /// minute. Beyond this many bytes (8 MiB unless set) it has five seconds to take as much; the
    /// message being sent does not count, so that a single large result always gets through. Beyond
    /// eight times as much it is cut off at once.
    ServerOptions& max_unsent_bytes(std::size_t bytes) noexcept {
        max_unsent_bytes_ = bytes;
        return *this;
    }
    /// Worker threads for the calls of one client: handlers that are not known to be fast run
    /// there. As many as the machine has cores, and at least four, unless set. A client is known by
    /// its identity, or else by its session, or else by its address.
    ServerOptions& worker_threads(std::size_t threads) noexcept {
        worker_threads_ = threads;
        return *this;
    }
    /// Worker threads for all clients together, and threads that run() may use for its connections
    /// and for handlers that block them: 64 of each unless set. At this limit handlers run in the
    /// worker threads only, and wait for one of these.
    ServerOptions& spare_threads(std::size_t threads) noexcept {
        spare_threads_ = threads;
        return *this;
    }
    /// Calls that may wait for a worker; more are refused.
    ServerOptions& max_queued_calls(std::size_t calls) noexcept {
        max_queued_calls_ = calls;
        return *this;
    }

    /// How often a silent peer is asked whether it is there, and how long it has to answer. An
    /// interval of zero switches it off.
    ServerOptions& keepalive(Duration interval, Duration patience) noexcept {
        keepalive_interval_ = interval;
        keepalive_patience_ = patience;
        return *this;
    }
    /// How long a peer may take to complete the handshake.
    ServerOptions& initialization_timeout(Duration timeout) noexcept {
        initialization_timeout_ = timeout;
        return *this;
    }

    /// Whether a second `initialize` on a stream connection (stdio, sockets, WebSocket, memory) is
    /// answered like the first; true unless set. Programs that share or reuse the process of a
    /// server need it. In an HTTP session a second `initialize` is always refused.
    ServerOptions& repeated_initialize(bool accepted) noexcept {
        repeated_initialize_ = accepted;
        return *this;
    }

    ServerOptions& time(TimeSource& source) noexcept {
        time_ = &source;
        return *this;
    }
    ServerOptions& random(Random& source) noexcept {
        random_ = &source;
        return *this;
    }

    std::vector<Version> const& versions() const noexcept { return versions_; }
    std::string const& instructions() const noexcept { return instructions_; }
    LogSink const& on_log() const noexcept { return on_log_; }
    bool logging() const noexcept { return logging_; }
    std::size_t page_size() const noexcept { return page_size_; }
    bool ignore_unknown_arguments() const noexcept { return ignore_unknown_arguments_; }
    bool inline_references() const noexcept { return inline_references_; }
    CacheHint list_cache() const noexcept { return list_cache_; }
    /// Newest last.
    std::vector<std::string> const& request_state_secrets() const noexcept {
        return request_state_secrets_;
    }
    Duration request_state_ttl() const noexcept { return request_state_ttl_; }
    std::size_t max_in_flight() const noexcept { return max_in_flight_; }
    std::size_t max_subscriptions() const noexcept { return max_subscriptions_; }
    std::size_t max_uri_bytes() const noexcept { return max_uri_bytes_; }
    std::size_t max_subscription_bytes() const noexcept { return max_subscription_bytes_; }
    std::size_t max_subscription_total() const noexcept { return max_subscription_total_; }
    std::size_t max_client_info_bytes() const noexcept { return max_client_info_bytes_; }
    std::size_t max_unsent_bytes() const noexcept { return max_unsent_bytes_; }
    std::size_t worker_threads() const noexcept { return worker_threads_; }
    std::size_t spare_threads() const noexcept { return spare_threads_; }
    std::size_t max_queued_calls() const noexcept { return max_queued_calls_; }
    Duration keepalive_interval() const noexcept { return keepalive_interval_; }
    Duration keepalive_patience() const noexcept { return keepalive_patience_; }
    Duration initialization_timeout() const noexcept { return initialization_timeout_; }
    bool repeated_initialize() const noexcept { return repeated_initialize_; }
    TimeSource& time() const noexcept { return *time_; }
    Random& random() const noexcept { return *random_; }

private:
    std::vector<Version> versions_{all_versions.begin(), all_versions.end()};
    std::string instructions_;
    LogSink on_log_;
    bool logging_ = true;
    std::size_t page_size_ = 100;
    bool ignore_unknown_arguments_ = false;
    bool inline_references_ = false;
    CacheHint list_cache_;
    std::vector<std::string> request_state_secrets_;
    Duration request_state_ttl_ = std::chrono::minutes(10);
    std::size_t max_in_flight_ = 1'000;
    std::size_t max_subscriptions_ = 1'000;
    std::size_t max_uri_bytes_ = std::size_t{8} * 1024;
    std::size_t max_subscription_bytes_ = std::size_t{256} * 1024;
    std::size_t max_subscription_total_ = std::size_t{64} * 1024 * 1024;
    std::size_t max_client_info_bytes_ = std::size_t{16} * 1024;
    std::size_t max_unsent_bytes_ = 8 * 1024 * 1024;
    std::size_t worker_threads_ = 0;
    std::size_t spare_threads_ = 64;
    std::size_t max_queued_calls_ = 1'000;
    Duration keepalive_interval_ = std::chrono::seconds(30);
    Duration keepalive_patience_ = std::chrono::seconds(10);
    Duration initialization_timeout_ = std::chrono::seconds(60);
    bool repeated_initialize_ = true;
    TimeSource* time_ = &real_time();
    Random* random_ = &system_random();
};

}  // namespace lanyard
