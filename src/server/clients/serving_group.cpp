#include "server/clients/serving_group.hpp"

#include "lanyard/protocol/methods.hpp"
#include "protocol/capability_check.hpp"
#include "server/call/text_limits.hpp"
#include "wire/registry.hpp"

namespace lanyard::server {

ServingGroup::ServingGroup(std::shared_ptr<ServerCore> core,
                           boost::asio::any_io_executor const& executor,
                           std::size_t max_subscriptions,
                           ServerSubscriptions::SendNotification send_notification)
    : core_(std::move(core)),
      calls_(core_, executor, *this),
      features_(*core_),
      subscriptions_(*core_, max_subscriptions, std::move(send_notification)) {
    calls_.on_deadline_change([this] { rearm(); });
}

std::optional<wire::WireError> ServingGroup::check_offered(
    rpc::Envelope const& request, Version version, ServerCapabilities const* declared) const {
    auto const found = wire::find_request(request.method, version, wire::Side::server);
    if (!found) {
        return wire::translate(wire::Condition::method_not_found, version,
                               {.method = request.method});
    }
    if (found.info->capability == Capability::none) return std::nullopt;
    auto const offered =
        declared != nullptr
            ? protocol::check_capability(*found.info, *declared, version)
            : protocol::check_capability(*found.info, core_->capabilities(), version);
    if (offered) return std::nullopt;
    return wire::translate(wire::Condition::capability_not_offered, version,
                           {.method = request.method});
}

void ServingGroup::discover(rpc::Responder& responder, Version version) {
    DiscoverResult result;
    for (auto const served : core_->versions().list()) {
        result.supported_versions.emplace_back(to_string(served));
    }
    result.capabilities = core_->capabilities();
    result.instructions = core_->settings()->instructions;
    result.cache = core_->options().list_cache();
    answer(responder, result, version);
}

void ServingGroup::listen(Arrival const& arrival, Call& call,
                          std::unique_ptr<CallResponder> responder) {
    auto params = decode<SubscriptionsListenParams>(arrival.envelope, *responder, arrival.version);
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
        responder->fail(*refused);
        call.dismiss();
        return;
    }
    auto uris = std::exchange(wanted.resource_subscriptions, {});
    auto const opening = std::make_shared<Opening>();
    opening->id = *rpc::to_id(*arrival.envelope.id);
    opening->wanted = std::move(wanted);
    opening->version = arrival.version;
    auto& opened = *responder;
    opening->responder = std::move(responder);
    auto const later = [this, opening](std::vector<std::string> readable) {
        open_stream(*opening, std::move(readable));
        // If open_stream() has opened a stream, the stream now owns the responder.
        if (opening->responder) opening->responder->flush();
        subscriptions_.flush_streams();
    };
    bool const now = features_.keep_readable(call, opened, arrival, uris, later);
    if (now) open_stream(*opening, std::move(uris));
}

void ServingGroup::open_stream(Opening& opening, std::vector<std::string> readable) {
    if (!opening.responder->active()) {
        opening.responder->abandon();
        return;
    }
    opening.wanted.resource_subscriptions = std::move(readable);
    subscriptions_.listen(std::move(opening.id), opening.responder, std::move(opening.wanted),
                          opening.version);
}

}  // namespace lanyard::server
