// ServerOptions: the options of a server; all have defaults.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

/// Options of a server.
class ServerOptions {
public:
    /// Called with each message for the operator of the server. May be called on any thread, but
    /// never by two threads at the same time.
    using LogSink = std::function<void(LoggingLevel level, std::string_view text)>;

    ServerOptions() = default;

    /// The protocol revisions that are served. Default: all.
    ServerOptions& versions(std::vector<Version> versions) {
        versions_ = std::move(versions);
        return *this;
    }
    /// Hints for clients and their models on how to use this server. Default: none.
    ServerOptions& instructions(std::string text) {
        instructions_ = std::move(text);
        return *this;
    }
    /// The function to call with each log message about the server itself. Default: warnings and
    /// worse go to stderr. A message is a single line; control characters in it are escaped.
    ServerOptions& on_log(LogSink sink) {
        on_log_ = std::move(sink);
        return *this;
    }
    /// Whether clients may receive log messages. Default: true.
    ServerOptions& logging(bool offered) noexcept {
        logging_ = offered;
        return *this;
    }
    /// Whether the server declares the capability `tools` even if no tool is registered yet.
    /// Default: false. Clients of protocol revisions up to 2025-11-25 get the capabilities once, in
    /// the handshake, and use only features that the handshake declared.
    ServerOptions& declare_tools(bool on) noexcept {
        declare_tools_ = on;
        return *this;
    }
    /// Whether the server declares the capability `resources` even if no resource is registered
    /// yet. Default: false.
    ServerOptions& declare_resources(bool on) noexcept {
        declare_resources_ = on;
        return *this;
    }
    /// Whether the server declares the capability `prompts` even if no prompt is registered yet.
    /// Default: false.
    ServerOptions& declare_prompts(bool on) noexcept {
        declare_prompts_ = on;
        return *this;
    }
    /// Whether the server declares the capability `completions` even if no completion is registered
    /// yet. Default: false.
    ServerOptions& declare_completions(bool on) noexcept {
        declare_completions_ = on;
        return *this;
    }
    /// Whether clients may be notified that the list of tools has changed. Default: true. If false,
    /// the capability `tools.listChanged` is not declared.
    ServerOptions& tools_list_changed(bool on) noexcept {
        tools_list_changed_ = on;
        return *this;
    }
    /// Whether clients may be notified that the list of resources has changed. Default: true. If
    /// false, the capability `resources.listChanged` is not declared.
    ServerOptions& resources_list_changed(bool on) noexcept {
        resources_list_changed_ = on;
        return *this;
    }
    /// Whether clients may be notified that the list of prompts has changed. Default: true. If
    /// false, the capability `prompts.listChanged` is not declared.
    ServerOptions& prompts_list_changed(bool on) noexcept {
        prompts_list_changed_ = on;
        return *this;
    }
    /// Whether clients may subscribe to resources. Default: true. If false, the capability
    /// `resources.subscribe` is not declared and requests to subscribe are refused.
    ServerOptions& resources_subscribe(bool on) noexcept {
        resources_subscribe_ = on;
        return *this;
    }
    /// The number of items on one page of a list. Default: 100.
    ServerOptions& page_size(std::size_t items) noexcept {
        page_size_ = items;
        return *this;
    }
    /// Whether tools ignore unknown arguments instead of refusing them, for hosts that add
    /// arguments of their own. Default: false. ToolOptions override it for one tool.
    ServerOptions& ignore_unknown_arguments(bool on) noexcept {
        ignore_unknown_arguments_ = on;
        return *this;
    }
    /// Whether the schemas of tools repeat structs instead of referring to `$defs`, for models that
    /// do not support references. Default: false. ToolOptions override it for one tool.
    ServerOptions& inline_references(bool on) noexcept {
        inline_references_ = on;
        return *this;
    }
    /// How long clients may cache lists, and whether caches may be shared. Default: no caching.
    ServerOptions& list_cache(CacheHint hint) noexcept {
        list_cache_ = hint;
        return *this;
    }

    /// Adds a secret that encrypts the state of a call while the client collects the user's
    /// answers. Default: a random secret of this process. The client keeps the encrypted state and
    /// sends it back with the answers. The server encrypts with the secret that was added last. To
    /// decrypt, it tries all secrets. Processes that serve the same clients must share a secret;
    /// with the default, the answers must reach the process that asked the questions.
    ServerOptions& request_state_secret(std::string secret) {
        request_state_secrets_.push_back(std::move(secret));
        return *this;
    }
    /// How long the client may take to answer the questions of a call (elicitation, sampling,
    /// roots). Default: 10 min. Later answers are refused.
    ServerOptions& request_state_expiry(Duration expiry) noexcept {
        request_state_expiry_ = expiry;
        return *this;
    }

    /// The maximum number of concurrent requests of one peer; further ones are refused. Default:
    /// 1,000.
    ServerOptions& max_in_flight(std::size_t requests) noexcept {
        max_in_flight_ = requests;
        return *this;
    }
    /// The maximum total size of the parameters of pending requests of one client, and the maximum
    /// for all clients together. Default: 64 MiB and 256 MiB. Further requests are refused with the
    /// error `too_many_pending`. Parameters of up to 64 KiB do not count. A client that has no
    /// larger parameters pending may send one request of any size up to the maximum for all
    /// clients. Clients are distinguished as described for worker_threads.
    ServerOptions& max_pending_bytes(std::size_t of_client, std::size_t of_all) noexcept {
        max_pending_bytes_ = of_client;
        max_pending_total_ = of_all;
        return *this;
    }
    /// The maximum number of subscriptions of one peer: subscribed resources, and open streams of
    /// change notifications. Default: 1,000.
    ServerOptions& max_subscriptions(std::size_t count) noexcept {
        max_subscriptions_ = count;
        return *this;
    }
    /// The maximum length of the URI of a resource that a client reads, subscribes to or listens
    /// for. Default: 8 KiB.
    ServerOptions& max_uri_bytes(std::size_t bytes) noexcept {
        max_uri_bytes_ = bytes;
        return *this;
    }
    /// The maximum total size of the URIs that one client is subscribed to, and the maximum for all
    /// clients together. Default: 256 KiB and 64 MiB.
    ServerOptions& max_subscription_bytes(std::size_t of_client, std::size_t of_all) noexcept {
        max_subscription_bytes_ = of_client;
        max_subscription_total_ = of_all;
        return *this;
    }
    /// The maximum size of a client's description of itself, and of its capabilities, each as JSON
    /// text. Default: 16 KiB. If the description is larger, its icons are removed. If the
    /// description is still too large without them, or if the capabilities are too large, the
    /// client is refused.
    ServerOptions& max_client_info_bytes(std::size_t bytes) noexcept {
        max_client_info_bytes_ = bytes;
        return *this;
    }
    /// The number of bytes that may be queued for a peer that reads slowly. Default: 8 MiB. Applies
    /// to all transports except HTTP responses, which have HttpServerOptions::max_unsent_bytes.
    /// While more than 1 MiB is queued, no requests are read from the peer, progress and log
    /// messages are dropped, and write_timeout applies. While more than this limit is queued,
    /// slow_reader_timeout applies; the message that is being sent does not count, so that a single
    /// large result can always be sent.
    ServerOptions& max_unsent_bytes(std::size_t bytes) noexcept {
        max_unsent_bytes_ = bytes;
        return *this;
    }
    /// If more than this many bytes are queued for a peer, the peer is disconnected at once.
    /// Default: eight times max_unsent_bytes, which is 64 MiB. Must not be less than
    /// max_unsent_bytes. Not used for HTTP responses.
    ServerOptions& hard_unsent_bytes(std::size_t bytes) noexcept {
        hard_unsent_bytes_ = bytes;
        return *this;
    }
    /// How long a peer may read nothing while more than 1 MiB is queued for it. Default: 30 s. A
    /// slower peer is disconnected. HTTP responses have HttpServerOptions::write_timeout instead;
    /// WebSockets have WebSocketOptions::write_timeout in addition.
    ServerOptions& write_timeout(Duration timeout) noexcept {
        write_timeout_ = timeout;
        return *this;
    }
    /// While more than max_unsent_bytes are queued, the peer must read at least max_unsent_bytes
    /// within this time; otherwise it is disconnected. Default: 5 s. Not used for HTTP responses.
    ServerOptions& slow_reader_timeout(Duration timeout) noexcept {
        slow_reader_timeout_ = timeout;
        return *this;
    }
    /// The number of worker threads for the calls of one client. Default: 0, which means the number
    /// of cores, but at least four. Handlers that are not known to be fast run in worker threads.
    /// Clients are distinguished by their identity. A client without an identity is distinguished
    /// by its session, and without a session by its address.
    ServerOptions& worker_threads(std::size_t threads) noexcept {
        worker_threads_ = threads;
        return *this;
    }
    /// The maximum number of worker threads for all clients together. Default: 64. The same
    /// maximum, but at least three, applies separately to the threads of each event loop: the loop
    /// of run(), and the loops of StreamServerOptions::threads(). Threads that are blocked in
    /// handlers count. When a loop has reached the maximum, its handlers run only in worker threads
    /// and wait until one is free.
    ServerOptions& max_spare_threads(std::size_t threads) noexcept {
        max_spare_threads_ = threads;
        return *this;
    }
    /// The maximum number of calls that wait for a worker thread; further ones are refused.
    /// Default: 2,000. A single client may have at most half of this number waiting, so that it
    /// cannot fill the queue. With the defaults, a client that has one connection reaches
    /// max_in_flight() first.
    ServerOptions& max_queued_calls(std::size_t calls) noexcept {
        max_queued_calls_ = calls;
        return *this;
    }
    /// The maximum number of notifications of one connection that wait for their handlers. Default:
    /// 1,000. Beyond this limit, or if more than 16 MiB are waiting, the oldest notification is
    /// dropped.
    ServerOptions& max_queued_notifications(std::size_t count) noexcept {
        max_queued_notifications_ = count;
        return *this;
    }

    /// How often an MCP ping is sent to an idle peer, and how long the peer may take to answer.
    /// Default: 30 s and 10 s. Late peers are disconnected. An interval of zero: no pings.
    ServerOptions& ping(Duration interval, Duration timeout) noexcept {
        ping_interval_ = interval;
        ping_timeout_ = timeout;
        return *this;
    }
    /// The shortest time between two `list_changed` notifications for the same list to one client.
    /// Default: 100 ms. Changes within this time are announced together when it has passed. Zero:
    /// every change is announced.
    ServerOptions& list_changed_interval(Duration interval) noexcept {
        list_changed_interval_ = interval;
        return *this;
    }
    /// The maximum number of requests to one client that are remembered after they ended without an
    /// answer. Default: 10,000. If the answer to a remembered request arrives, it is recognized as
    /// late. Beyond the limit, the oldest requests are forgotten, and their answers count as
    /// unknown.
    ServerOptions& max_tombstones(std::size_t count) noexcept {
        max_tombstones_ = count;
        return *this;
    }
    /// How often the server looks for remembered requests (see max_tombstones) that are old enough
    /// to be forgotten. Default: 60 s.
    ServerOptions& tombstone_sweep_interval(Duration interval) noexcept {
        tombstone_sweep_interval_ = interval;
        return *this;
    }
    /// How long a peer may take to complete the handshake. Default: 60 s.
    ServerOptions& initialization_timeout(Duration timeout) noexcept {
        initialization_timeout_ = timeout;
        return *this;
    }

    /// Whether a second `initialize` on a stream connection (stdio, sockets, WebSocket, memory) is
    /// accepted like the first. Default: true, because some programs share or reuse a server
    /// process. In an HTTP session a second `initialize` is always refused.
    ServerOptions& repeated_initialize(bool accepted) noexcept {
        repeated_initialize_ = accepted;
        return *this;
    }

    /// The clock and timers to use. Default: real_time(). Must outlive the server.
    ServerOptions& time(TimeSource& source) noexcept {
        time_ = &source;
        return *this;
    }
    /// The source of random numbers. Default: system_random(). Must outlive the server.
    ServerOptions& random(Random& source) noexcept {
        random_ = &source;
        return *this;
    }

    std::vector<Version> const& versions() const noexcept { return versions_; }
    std::string const& instructions() const noexcept { return instructions_; }
    LogSink const& on_log() const noexcept { return on_log_; }
    bool logging() const noexcept { return logging_; }
    bool declare_tools() const noexcept { return declare_tools_; }
    bool declare_resources() const noexcept { return declare_resources_; }
    bool declare_prompts() const noexcept { return declare_prompts_; }
    bool declare_completions() const noexcept { return declare_completions_; }
    bool tools_list_changed() const noexcept { return tools_list_changed_; }
    bool resources_list_changed() const noexcept { return resources_list_changed_; }
    bool prompts_list_changed() const noexcept { return prompts_list_changed_; }
    bool resources_subscribe() const noexcept { return resources_subscribe_; }
    std::size_t page_size() const noexcept { return page_size_; }
    bool ignore_unknown_arguments() const noexcept { return ignore_unknown_arguments_; }
    bool inline_references() const noexcept { return inline_references_; }
    CacheHint list_cache() const noexcept { return list_cache_; }
    /// The secrets, oldest first. The last one encrypts new states.
    std::vector<std::string> const& request_state_secrets() const noexcept {
        return request_state_secrets_;
    }
    Duration request_state_expiry() const noexcept { return request_state_expiry_; }
    std::size_t max_in_flight() const noexcept { return max_in_flight_; }
    std::size_t max_pending_bytes() const noexcept { return max_pending_bytes_; }
    std::size_t max_pending_total() const noexcept { return max_pending_total_; }
    std::size_t max_subscriptions() const noexcept { return max_subscriptions_; }
    std::size_t max_uri_bytes() const noexcept { return max_uri_bytes_; }
    std::size_t max_subscription_bytes() const noexcept { return max_subscription_bytes_; }
    std::size_t max_subscription_total() const noexcept { return max_subscription_total_; }
    std::size_t max_client_info_bytes() const noexcept { return max_client_info_bytes_; }
    std::size_t max_unsent_bytes() const noexcept { return max_unsent_bytes_; }
    std::size_t hard_unsent_bytes() const noexcept {
        auto const eightfold = max_unsent_bytes_ < SIZE_MAX / 8 ? max_unsent_bytes_ * 8 : SIZE_MAX;
        return hard_unsent_bytes_.value_or(eightfold);
    }
    Duration write_timeout() const noexcept { return write_timeout_; }
    Duration slow_reader_timeout() const noexcept { return slow_reader_timeout_; }
    std::size_t worker_threads() const noexcept { return worker_threads_; }
    std::size_t max_spare_threads() const noexcept { return max_spare_threads_; }
    std::size_t max_queued_calls() const noexcept { return max_queued_calls_; }
    std::size_t max_queued_notifications() const noexcept { return max_queued_notifications_; }
    Duration ping_interval() const noexcept { return ping_interval_; }
    Duration ping_timeout() const noexcept { return ping_timeout_; }
    Duration list_changed_interval() const noexcept { return list_changed_interval_; }
    std::size_t max_tombstones() const noexcept { return max_tombstones_; }
    Duration tombstone_sweep_interval() const noexcept { return tombstone_sweep_interval_; }
    Duration initialization_timeout() const noexcept { return initialization_timeout_; }
    bool repeated_initialize() const noexcept { return repeated_initialize_; }
    TimeSource& time() const noexcept { return *time_; }
    Random& random() const noexcept { return *random_; }

private:
    std::vector<Version> versions_{all_versions.begin(), all_versions.end()};
    std::string instructions_;
    LogSink on_log_;
    bool logging_ = true;
    bool declare_tools_ = false;
    bool declare_resources_ = false;
    bool declare_prompts_ = false;
    bool declare_completions_ = false;
    bool tools_list_changed_ = true;
    bool resources_list_changed_ = true;
    bool prompts_list_changed_ = true;
    bool resources_subscribe_ = true;
    std::size_t page_size_ = 100;
    bool ignore_unknown_arguments_ = false;
    bool inline_references_ = false;
    CacheHint list_cache_;
    std::vector<std::string> request_state_secrets_;
    Duration request_state_expiry_ = std::chrono::minutes(10);
    std::size_t max_in_flight_ = 1'000;
    std::size_t max_pending_bytes_ = std::size_t{64} * 1024 * 1024;
    std::size_t max_pending_total_ = std::size_t{256} * 1024 * 1024;
    std::size_t max_subscriptions_ = 1'000;
    std::size_t max_uri_bytes_ = std::size_t{8} * 1024;
    std::size_t max_subscription_bytes_ = std::size_t{256} * 1024;
    std::size_t max_subscription_total_ = std::size_t{64} * 1024 * 1024;
    std::size_t max_client_info_bytes_ = std::size_t{16} * 1024;
    std::size_t max_unsent_bytes_ = 8 * 1024 * 1024;
    std::optional<std::size_t> hard_unsent_bytes_;
    Duration write_timeout_ = std::chrono::seconds(30);
    Duration slow_reader_timeout_ = std::chrono::seconds(5);
    std::size_t worker_threads_ = 0;
    std::size_t max_spare_threads_ = 64;
    std::size_t max_queued_calls_ = 2'000;
    std::size_t max_queued_notifications_ = 1'000;
    Duration ping_interval_ = std::chrono::seconds(30);
    Duration ping_timeout_ = std::chrono::seconds(10);
    Duration list_changed_interval_ = std::chrono::milliseconds(100);
    std::size_t max_tombstones_ = 10'000;
    Duration tombstone_sweep_interval_ = std::chrono::seconds(60);
    Duration initialization_timeout_ = std::chrono::seconds(60);
    bool repeated_initialize_ = true;
    TimeSource* time_ = &real_time();
    Random* random_ = &system_random();
};

}  // namespace lanyard
