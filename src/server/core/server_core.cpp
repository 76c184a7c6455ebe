#include "server/core/server_core.hpp"

#include <algorithm>
#include <iterator>

#include "base/control_characters.hpp"
#include "base/option_check.hpp"
#include "lanyard/error.hpp"
#include "runtime/line_writer.hpp"
#include "server/core/client_info.hpp"
#include "server/core/peer_group.hpp"

namespace lanyard::server {

namespace {

// The maximum number of ClientInfo objects that are remembered. A new client with equal information
// shares the remembered object.
constexpr std::size_t max_clients_remembered = 16;

crypto::KeyRing make_keys(ServerOptions const& options) {
    auto const& secrets = options.request_state_secrets();
    if (secrets.empty()) return crypto::KeyRing(options.random());
    crypto::KeyRing keys(secrets.front());
    for (auto secret = secrets.begin() + 1; secret != secrets.end(); ++secret) {
        keys.rotate(*secret);
    }
    return keys;
}

void check(ServerOptions const& options) {
    check_at_least("ServerOptions::hard_unsent_bytes", options.hard_unsent_bytes(),
                   options.max_unsent_bytes(), "max_unsent_bytes");
    check_positive("ServerOptions::write_timeout", options.write_timeout());
    check_positive("ServerOptions::slow_reader_timeout", options.slow_reader_timeout());
    check_not_negative("ServerOptions::list_changed_interval", options.list_changed_interval());
    check_positive("ServerOptions::tombstone_sweep_interval", options.tombstone_sweep_interval());
}

// The URI of a resource before transforms, from the URI that peers use.
std::string original_uri(Catalog const& catalog, std::string uri) {
    return original(catalog.transforms(), &Transform::original_uri, std::move(uri));
}

}  // namespace

ServerCore::ServerCore(Implementation identity, ServerOptions options)
    : identity_(std::move(identity)),
      options_(std::move(options)),
      versions_(options_.versions()),
      pending_bytes_(options_.max_pending_bytes(), options_.max_pending_total()),
      workers_({.share = options_.worker_threads(),
                .max_threads = options_.max_spare_threads(),
                .max_queued = options_.max_queued_calls()}) {
    if (identity_.name.empty()) throw Error(Errc::invalid_argument, "a server needs a name");
    if (options_.versions().empty()) {
        throw Error(Errc::invalid_argument, "a server needs a protocol version to serve");
    }
    check(options_);
    for (auto const version : all_versions) {
        auto& stamp = stamps_.emplace_back();
        stamp.version = version;
        stamp.server_info = wire::encode_implementation(identity_, version);
    }
    auto settings = std::make_shared<Settings>();
    settings->instructions = options_.instructions();
    settings_ = std::move(settings);
    catalog_.on_change([this](rpc::NotifiedList kind) { list_changed(kind); });
    catalog_.on_update([this](std::string_view uri) { resource_updated(uri); });
}

ServerCore::~ServerCore() = default;

bool Settings::handles(std::string_view method) const noexcept {
    return !on_any_notification.empty() ||
           std::ranges::any_of(on_notification,
                               [&](auto const& handler) { return handler.first == method; });
}

crypto::SealedState const& ServerCore::seal() const {
    std::call_once(seal_made_, [this] {
        keys_ = make_keys(options_);
        seal_.emplace(*keys_, options_.random());
    });
    return *seal_;
}

ServerCapabilities ServerCore::capabilities() const {
    ServerCapabilities offered;
    auto const catalog = catalog_.snapshot();
    if (options_.declare_tools() || catalog->offers(FeatureKind::tool)) {
        offered.tools.emplace().list_changed = options_.tools_list_changed();
    }
    if (options_.declare_prompts() || catalog->offers(FeatureKind::prompt)) {
        offered.prompts.emplace().list_changed = options_.prompts_list_changed();
    }
    if (options_.declare_resources() || catalog->offers(FeatureKind::resource) ||
        catalog->offers(FeatureKind::resource_template)) {
        auto& resources = offered.resources.emplace();
        resources.subscribe = options_.resources_subscribe() &&
                              (options_.declare_resources() || catalog->reports_updates());
        resources.list_changed = options_.resources_list_changed();
    }
    if (options_.declare_completions() || catalog->completes()) offered.completions.emplace();
    if (options_.logging()) offered.logging.emplace();
    auto const now = settings();
    offered.experimental = now->experimental;
    offered.extensions = now->extensions;
    return offered;
}

std::shared_ptr<ServerCapabilities const> ServerCore::shared_capabilities() const {
    auto offered = capabilities();
    std::lock_guard const lock(mutex_);
    if (!shared_capabilities_ || *shared_capabilities_ != offered) {
        shared_capabilities_ = std::make_shared<ServerCapabilities const>(std::move(offered));
    }
    return shared_capabilities_;
}

void ServerCore::on_capabilities_changed(std::function<void(ServerCapabilities const&)> handler) {
    auto now = capabilities();
    auto& reports = capability_reports_;
    std::lock_guard const lock(reports.mutex);
    if (reports.handlers.empty()) reports.last = std::move(now);
    reports.handlers.push_back(std::move(handler));
}

void ServerCore::report_capabilities() {
    auto& reports = capability_reports_;
    std::unique_lock lock(reports.mutex);
    if (reports.handlers.empty()) return;
    reports.due = true;
    if (reports.reporting) return;
    reports.reporting = true;
    try {
        while (std::exchange(reports.due, false)) {
            lock.unlock();
            auto const now = capabilities();
            lock.lock();
            if (now == reports.last) continue;
            reports.last = now;
            auto const handlers = reports.handlers;
            lock.unlock();
            for (auto const& handler : handlers) handler(now);
            lock.lock();
        }
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        reports.reporting = false;
        throw;
    }
    reports.reporting = false;
}

std::shared_ptr<ClientInfo const> ServerCore::share(ClientInfo&& info) {
    std::lock_guard const lock(mutex_);
    for (auto at = clients_.begin(); at != clients_.end(); ++at) {
        auto known = at->lock();
        if (!known || *known != info) continue;
        std::rotate(clients_.begin(), at, std::next(at));
        return known;
    }
    if (clients_.size() == max_clients_remembered) clients_.pop_back();
    auto made = std::make_shared<ClientInfo const>(std::move(info));
    clients_.insert(clients_.begin(), made);
    return made;
}

bool ServerCore::take_subscription_bytes(std::size_t bytes) noexcept {
    auto const before = subscription_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= options_.max_subscription_total()) return true;
    give_back_subscription_bytes(bytes);
    return false;
}

std::shared_ptr<Settings const> ServerCore::settings() const {
    std::lock_guard const lock(mutex_);
    return settings_;
}

void ServerCore::change(std::function<void(Settings&)> const& change) {
    std::lock_guard const lock(mutex_);
    auto settings = std::make_shared<Settings>(*settings_);
    change(*settings);
    settings_ = std::move(settings);
    settings_generation_.fetch_add(1, std::memory_order_release);
}

void ServerCore::log(LoggingLevel level, std::string_view text) {
    if (!is_heard(level)) return;
    std::lock_guard const lock(log_mutex_);
    write_log(level, text);
}

void ServerCore::log(LoggingLevel level, PeerInfo const& cause, std::string_view text) {
    if (!is_heard(level)) return;
    std::lock_guard const lock(log_mutex_);
    if (log_limit_.take(cause, time().now())) {
        write_log(level, text);
    } else {
        limits_.add(&LimitCounts::log_suppressed);
    }
}

void ServerCore::log_skipped(PeerInfo const& client, std::string_view method,
                             std::vector<DecodeError> const& entries) {
    for (auto const& entry : entries) {
        log(LoggingLevel::warning, client,
            "the client broke a rule: an entry of a list that it sent for " + std::string(method) +
                " cannot be read and is left out: " + entry.to_string());
    }
}

void ServerCore::report_suppressed() {
    std::lock_guard const lock(log_mutex_);
    write_suppressed();
}

void ServerCore::write_suppressed() {
    auto const count = log_limit_.take_suppressed();
    if (count == 0) return;
    write_line(LoggingLevel::warning, std::to_string(count) +
                                          (count == 1 ? " line was" : " lines were") +
                                          " left out, because clients cause too many");
}

void ServerCore::write_log(LoggingLevel level, std::string_view text) {
    write_suppressed();
    write_line(level, text);
}

void ServerCore::write_line(LoggingLevel level, std::string_view text) const {
    if (auto const& sink = options_.on_log()) {
        try {
            sink(level, visible_line(text));
        } catch (...) {
            // An exception in the log sink is ignored.
        }
    } else {
        runtime::print_error_line({identity_.name, ": ", text});
    }
}

void ServerCore::add(std::shared_ptr<PeerGroup> const& group) {
    Duration grace{0};
    {
        std::lock_guard const lock(groups_mutex_);
        groups_.push_back(group);
        if (!stopping()) return;
        grace = grace_;
    }
    group->stop(grace);
}

void ServerCore::remove(PeerGroup& group) {
    std::lock_guard const lock(groups_mutex_);
    std::erase_if(groups_, [&](auto const& known) { return known.get() == &group; });
}

void ServerCore::list_changed(rpc::NotifiedList kind) {
    list_changes_[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_release);
    each_group([kind](PeerGroup& group) {
        group.post([kind](PeerGroup& one) { one.list_changed(kind); });
    });
}

void ServerCore::resource_updated(std::string_view uri) {
    auto const seen = catalog_.snapshot()->exposed_uri(uri);
    if (!seen) return;
    read_cache_.drop(*seen);
    each_group([&](PeerGroup& group) {
        group.post([uri = *seen](PeerGroup& one) { one.resource_updated(uri); });
    });
}

void ServerCore::add(std::shared_ptr<Provider> provider) {
    // The lock is taken first, so that each subscription is reported to the provider once.
    std::lock_guard const lock(subscribed_mutex_);
    catalog_.add_provider(provider);
    auto const catalog = catalog_.snapshot();
    for (auto const& [uri, count] : subscribed_) provider->subscribed(original_uri(*catalog, uri));
}

void ServerCore::subscribed(std::string const& uri) {
    std::lock_guard const lock(subscribed_mutex_);
    auto const [entry, is_first] = subscribed_.try_emplace(uri, 0);
    ++entry->second;
    if (!is_first) return;
    try {
        auto const catalog = catalog_.snapshot();
        for (auto const& each : catalog->providers()) each->subscribed(original_uri(*catalog, uri));
    } catch (...) {
        subscribed_.erase(entry);
        throw;
    }
}

void ServerCore::unsubscribed(std::string const& uri) noexcept {
    std::lock_guard const lock(subscribed_mutex_);
    auto const found = subscribed_.find(uri);
    if (found == subscribed_.end() || --found->second > 0) return;
    subscribed_.erase(found);
    try {
        auto const catalog = catalog_.snapshot();
        for (auto const& each : catalog->providers()) {
            each->unsubscribed(original_uri(*catalog, uri));
        }
    } catch (...) {
        // Out of memory: the provider keeps a subscription that no client has.
    }
}

void ServerCore::send_log(LoggingLevel level, Json const& data, std::string_view logger) {
    LoggingMessageParams params;
    params.level = level;
    params.logger = logger;
    params.data = data;
    each_group(
        [&](PeerGroup& group) { group.post([params](PeerGroup& one) { one.send_log(params); }); });
}

void ServerCore::elicitation_complete(std::string_view id) {
    each_group([&](PeerGroup& group) {
        group.post([id = std::string(id)](PeerGroup& one) { one.elicitation_complete(id); });
    });
}

bool ServerCore::add(Listener& listener) {
    std::lock_guard const lock(listeners_mutex_);
    if (stopping()) return false;
    listeners_.push_back(&listener);
    return true;
}

void ServerCore::remove(Listener& listener) {
    std::lock_guard const lock(listeners_mutex_);
    // Removes one entry only, because a listener that is run twice is in the list twice.
    auto const found = std::find(listeners_.begin(), listeners_.end(), &listener);
    if (found != listeners_.end()) listeners_.erase(found);
}

void ServerCore::add(runtime::Loop& loop) {
    std::vector<std::shared_ptr<runtime::Loop>> unused;  // destroyed after the mutex is unlocked
    std::lock_guard const lock(mutex_);
    for (auto const& known : loops_) {
        if (known.get() == &loop) return;
    }
    // Releases the loops of listeners that have ended. A loop with a thread that is still blocked
    // in a handler is kept: the thread is another owner of the loop.
    auto const first = std::partition(loops_.begin(), loops_.end(),
                                      [](auto const& known) { return known.use_count() > 1; });
    std::move(first, loops_.end(), std::back_inserter(unused));
    loops_.erase(first, loops_.end());
    // Coroutines that must not run on the loop need a thread besides the one that owns the loop and
    // the one that watches it.
    loop.limit_threads(std::max<std::size_t>(options_.max_spare_threads(), 3));
    loops_.push_back(loop.shared_from_this());
}

void ServerCore::wait_for_loops(std::chrono::steady_clock::time_point until) {
    std::vector<std::shared_ptr<runtime::Loop>> loops;
    {
        std::lock_guard const lock(mutex_);
        loops = std::exchange(loops_, {});
    }
    for (auto const& loop : loops) loop->wait_for_handlers(until);
}

void ServerCore::log_stop(Duration grace) noexcept {
    try {
        auto const milliseconds =
            std::chrono::duration_cast<std::chrono::milliseconds>(grace).count();
        log(LoggingLevel::notice, "the server is stopping; pending requests may take " +
                                      std::to_string(milliseconds) + " ms");
    } catch (...) {
        // The server is stopped even if there is no memory for the log line.
    }
}

void ServerCore::stop(Duration grace) noexcept {
    bool log_it = false;
    {
        std::lock_guard const listeners_lock(listeners_mutex_);
        {
            std::lock_guard const lock(groups_mutex_);
            bool const serving = !listeners_.empty() || !groups_.empty();
            log_it = !stopping_.exchange(true) && serving;
            grace_ = grace;
        }
        for (auto* const listener : listeners_) listener->stop();
    }
    if (log_it) log_stop(grace);
    each_group([grace](PeerGroup& group) { group.stop(grace); });
}

}  // namespace lanyard::server
