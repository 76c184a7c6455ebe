#include "server/peer_group.hpp"

#include "lanyard/protocol/methods.hpp"
#include "protocol/capability_check.hpp"
#include "server/text_limits.hpp"
#include "wire/registry.hpp"

namespace lanyard::server {

PeerGroup::PeerGroup(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor,
                     std::size_t max_subscriptions, Subscriptions::Tell tell)
    : core_(std::move(core)),
      calls_(core_, executor, *this),
      features_(*core_),
      subscriptions_(*core_, max_subscriptions, std::move(tell)) {
    calls_.on_deadline_change([this] { rearm(); });
}

std::optional<wire::WireError> PeerGroup::check_offered(rpc::Envelope const& request,
                                                        Version version,
                                                        ServerCapabilities const* declared) const {
    wire::Details details;
    details.method = request.method;
    auto const found = wire::find_request(request.method, version, wire::Side::server);
    if (!found) return wire::translate(wire::Condition::method_not_found, version, details);
    if (found.info->capability == Capability::none) return std::nullopt;
    auto const offered =
        declared != nullptr
            ? protocol::check_capability(*found.info, *declared, version)
            : protocol::check_capability(*found.info, core_->capabilities(), version);
    if (offered) return std::nullopt;
    return wire::translate(wire::Condition::capability_not_offered, version, details);
}

void PeerGroup::discover(rpc::Exchange& exchange, Version version) {
    DiscoverResult result;
    for (auto const served : core_->versions().list()) {
        result.supported_versions.emplace_back(to_string(served));
    }
    result.capabilities = core_->capabilities();
    result.instructions = core_->settings()->instructions;
    result.cache = core_->options().list_cache();
    answer(exchange, result, version);
}

void PeerGroup::listen(Arrival const& arrival, Call& call, std::unique_ptr<Exchange> exchange) {
    auto params = decode<SubscriptionsListenParams>(arrival.envelope, *exchange, arrival.version);
    if (!params) {
        call.dismiss();
        return;
    }
    auto& wanted = params->notifications;
    for (std::size_t i = 0; i < wanted.resource_subscriptions.size(); ++i) {
        auto const refused = check_uri_length(
            *core_, wanted.resource_subscriptions[i],
            "/notifications/resourceSubscriptions/" + std::to_string(i), arrival.version);
        if (!refused) continue;
        exchange->fail(*refused);
        call.dismiss();
        return;
    }
    features_.keep_readable(call, *exchange, arrival, wanted.resource_subscriptions);
    subscriptions_.listen(*rpc::to_id(*arrival.envelope.id), std::move(exchange), std::move(wanted),
                          arrival.version);
}

}  // namespace lanyard::server
