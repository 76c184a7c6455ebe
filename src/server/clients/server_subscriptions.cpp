#include "server/clients/server_subscriptions.hpp"

#include <algorithm>

#include "base/at_end.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/methods.hpp"
#include "server/call/notification.hpp"
#include "wire/registry.hpp"

namespace lanyard::server {

namespace {

using namespace std::chrono_literals;

constexpr Duration interval = 100ms;
// The memory that is counted for a URI in addition to its characters.
constexpr std::size_t uri_overhead = 64;

std::size_t cost_of(std::string_view uri) noexcept {
    return uri.size() + uri_overhead;
}

}  // namespace

bool ResourceUpdates::changed(std::string_view uri, TimePoint now) {
    // Removes entries whose interval is over, because they are not needed any more.
    std::erase_if(states_, [now](auto const& entry) {
        return !entry.second.held && entry.second.open_at <= now;
    });
    auto const found = states_.find(uri);
    if (found == states_.end()) {
        states_.emplace(uri, State{after(now, interval)});
        return true;
    }
    found->second.held = true;
    next_due_ = std::min(next_due_, found->second.open_at);
    return false;
}

std::optional<std::string> ResourceUpdates::take_due(TimePoint now) {
    if (next_due_ > now) return std::nullopt;
    for (auto& [uri, state] : states_) {
        if (!state.held || state.open_at > now) continue;
        state.held = false;
        state.open_at = after(now, interval);
        find_next();
        return uri;
    }
    find_next();
    return std::nullopt;
}

void ResourceUpdates::find_next() noexcept {
    next_due_ = never;
    for (auto const& [uri, state] : states_) {
        if (state.held) next_due_ = std::min(next_due_, state.open_at);
    }
}

ServerSubscriptions::~ServerSubscriptions() {
    for (auto const& uri : uris_) core_.unsubscribed(uri);
    for (auto const& stream : streams_) report_end(*stream);
    core_.give_back_subscription_bytes(bytes_);
}

std::optional<std::string> ServerSubscriptions::take(std::size_t count, std::size_t bytes,
                                                     std::size_t held_count,
                                                     std::size_t held_bytes) {
    auto const& options = core_.options();
    std::optional<std::string> refusal;
    if (held_count + count > options.max_subscriptions() || count_ + count > most_) {
        refusal = "too many subscriptions: a client may have " +
                  std::to_string(options.max_subscriptions());
    } else if (held_bytes + bytes > options.max_subscription_bytes()) {
        refusal = "the URIs that a client subscribes to must not have more than " +
                  std::to_string(options.max_subscription_bytes()) + " bytes together";
    } else if (!core_.take_subscription_bytes(bytes)) {
        refusal = "all clients together have too many subscriptions";
    }
    if (refusal) {
        core_.limits().add(&LimitCounts::subscriptions);
    } else {
        count_ += count;
        bytes_ += bytes;
    }
    return refusal;
}

void ServerSubscriptions::give_back(std::size_t count, std::size_t bytes) noexcept {
    count_ -= count;
    bytes_ -= bytes;
    core_.give_back_subscription_bytes(bytes);
}

std::optional<std::string> ServerSubscriptions::subscribe(std::string uri) {
    if (uris_.contains(uri)) return std::nullopt;
    auto refusal = take(1, cost_of(uri), count_, bytes_);
    if (refusal) return refusal;
    core_.subscribed(uri);
    uris_.insert(std::move(uri));
    return std::nullopt;
}

void ServerSubscriptions::unsubscribe(std::string_view uri) {
    auto const found = uris_.find(uri);
    if (found == uris_.end()) return;
    give_back(1, cost_of(uri));
    core_.unsubscribed(*found);
    uris_.erase(found);
}

void ServerSubscriptions::unsubscribe_all() noexcept {
    for (auto const& uri : uris_) {
        give_back(1, cost_of(uri));
        core_.unsubscribed(uri);
    }
    uris_.clear();
}

void ServerSubscriptions::listen(RequestId id, std::unique_ptr<rpc::Responder>& responder,
                                 SubscriptionFilter wanted, Version version) {
    std::set<std::string, std::less<>> once;
    std::erase_if(wanted.resource_subscriptions,
                  [&once](std::string const& uri) { return !once.insert(uri).second; });
    auto const offered = core_.capabilities();
    if (!has_capability(offered, Capability::resources_subscribe)) {
        wanted.resource_subscriptions.clear();
    }
    auto const needed = wanted.resource_subscriptions.size() + 1;
    std::size_t bytes = 0;
    for (auto const& uri : wanted.resource_subscriptions) bytes += cost_of(uri);
    std::optional<std::string> refusal;
    if (!responder->can_stream()) {
        refusal = "nothing can be sent ahead of the answer to this request";
    } else {
        // All streams of a session belong to the same client, so the client's earlier subscriptions
        // count towards its limit. Streams without a session may belong to different clients, so
        // each stream is checked alone.
        bool const has_session = static_cast<bool>(send_notification_);
        refusal = take(needed, bytes, has_session ? count_ : 0, has_session ? bytes_ : 0);
    }
    if (refusal) {
        responder->fail(
            wire::translate(wire::Condition::subscription_failed, version, {.message = *refusal}));
        return;
    }
    bool kept = false;
    AtEnd const give_up([&] {
        if (!kept) give_back(needed, bytes);
    });
    auto stream = std::make_unique<Stream>(*this, std::move(responder));
    stream->bytes = bytes;
    stream->id = std::move(id);
    stream->version = version;
    auto& filter = stream->filter;
    filter.tools_list_changed =
        wanted.tools_list_changed && has_capability(offered, Capability::tools_list_changed);
    filter.prompts_list_changed =
        wanted.prompts_list_changed && has_capability(offered, Capability::prompts_list_changed);
    filter.resources_list_changed = wanted.resources_list_changed &&
                                    has_capability(offered, Capability::resources_list_changed);
    filter.resource_subscriptions = std::move(wanted.resource_subscriptions);
    SubscriptionsAcknowledgedParams acknowledged;
    acknowledged.notifications = filter;
    notify(methods::SubscriptionsAcknowledged::info.name, acknowledged, version, stream.get());
    if (!stream->responder->attach(*stream)) return;
    kept = true;
    try {
        stream->responder->flush();
        for (auto const& uri : filter.resource_subscriptions) {
            watchers_[uri].push_back(stream.get());
            core_.subscribed(uri);
            ++stream->reported;
        }
        stream->index = streams_.size();
        streams_.push_back(std::move(stream));
    } catch (...) {
        // The peer must not refer to the stream any more.
        unwatch(*stream);
        throw;
    }
}

void ServerSubscriptions::report_end(Stream& stream) noexcept {
    auto const& uris = stream.filter.resource_subscriptions;
    for (; stream.reported > 0; --stream.reported) core_.unsubscribed(uris[stream.reported - 1]);
}

void ServerSubscriptions::unwatch(Stream& stream) noexcept {
    report_end(stream);
    stream.responder->abandon();
    for (auto const& uri : stream.filter.resource_subscriptions) {
        auto const found = watchers_.find(uri);
        if (found == watchers_.end()) continue;
        std::erase(found->second, &stream);
        if (found->second.empty()) watchers_.erase(found);
    }
    give_back(stream.filter.resource_subscriptions.size() + 1, stream.bytes);
}

void ServerSubscriptions::drop(Stream& stream) noexcept {
    unwatch(stream);
    auto const index = stream.index;
    streams_.back()->index = index;
    std::swap(streams_[index], streams_.back());
    streams_.pop_back();
}

void ServerSubscriptions::end_streams() {
    auto const ending = std::exchange(streams_, {});
    watchers_.clear();
    for (auto const& stream : ending) {
        report_end(*stream);
        give_back(stream->filter.resource_subscriptions.size() + 1, stream->bytes);
        auto* const out = stream->responder->begin_result();
        if (out == nullptr) continue;
        auto stamp = core_.stamp(stream->version);
        stamp.subscription_id = stream->id;
        json::Writer writer(*out);
        wire::encode_result(writer, SubscriptionsListenResult(), stamp).value();
        stream->responder->end_result();
    }
}

void ServerSubscriptions::flush_streams() {
    for (auto const& stream : streams_) stream->responder->flush();
}

bool ServerSubscriptions::wants(Stream const& stream, rpc::NotifiedList kind) const noexcept {
    switch (kind) {
        case rpc::NotifiedList::tools:
            return stream.filter.tools_list_changed;
        case rpc::NotifiedList::resources:
            return stream.filter.resources_list_changed;
        case rpc::NotifiedList::prompts:
            return stream.filter.prompts_list_changed;
        case rpc::NotifiedList::roots:
            break;
    }
    return false;
}

void ServerSubscriptions::list_changed(rpc::NotifiedList kind, SessionView const& session) {
    if (lists_.changed(kind, core_.time().now())) send_list_changed(kind, session);
}

void ServerSubscriptions::resource_updated(std::string_view uri, SessionView const& session) {
    if (anybody_wants(uri) && updates_.changed(uri, core_.time().now())) send_updated(uri, session);
}

void ServerSubscriptions::on_time(TimePoint now, SessionView const& session) {
    while (auto const kind = lists_.take_due(now)) send_list_changed(*kind, session);
    while (auto const uri = updates_.take_due(now)) send_updated(*uri, session);
}

TimePoint ServerSubscriptions::next_due() const noexcept {
    return std::min(lists_.next_due(), updates_.next_due());
}

void ServerSubscriptions::send_list_changed(rpc::NotifiedList kind, SessionView const& session) {
    auto const method = rpc::list_changed_method(kind);
    auto const found = wire::find_notification(method, session.version, wire::Side::client);
    if (session.open && found && session.declared != nullptr &&
        has_capability(*session.declared, found.info->capability)) {
        notify(method, EmptyParams(), session.version, nullptr);
    }
    for (auto const& stream : streams_) {
        if (wants(*stream, kind)) notify(method, EmptyParams(), stream->version, stream.get());
    }
}

void ServerSubscriptions::send_updated(std::string_view uri, SessionView const& session) {
    auto const method = methods::ResourceUpdated::info.name;
    ResourceUpdatedParams params;
    params.uri = uri;
    if (session.open && uris_.contains(uri)) notify(method, params, session.version, nullptr);
    auto const found = watchers_.find(uri);
    if (found == watchers_.end()) return;
    for (auto* const stream : found->second) notify(method, params, stream->version, stream);
}

template <class Params>
void ServerSubscriptions::notify(std::string_view method, Params const& params, Version version,
                                 Stream* stream) {
    wire::NotificationStamp stamp;
    stamp.version = version;
    if (stream != nullptr) stamp.subscription_id = stream->id;
    auto const text = notification_params(params, stamp);
    if (!text) return;
    if (stream != nullptr) {
        stream->responder->notify(method, *text);
    } else {
        send_notification_(method, *text);
    }
}

}  // namespace lanyard::server
