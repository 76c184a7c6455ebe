#include "wire/registry.hpp"

#include <algorithm>
#include <array>

namespace lanyard::wire {
namespace {

template <class... Methods>
constexpr auto sorted(std::tuple<Methods...> const*) {
    std::array<MethodInfo, sizeof...(Methods)> infos{Methods::info...};
    std::ranges::sort(infos, {}, &MethodInfo::name);
    return infos;
}

constexpr auto requests = sorted(static_cast<AllRequests const*>(nullptr));
constexpr auto notifications = sorted(static_cast<AllNotifications const*>(nullptr));

bool reaches(Direction direction, Side receiver) noexcept {
    return direction == Direction::both ||
           (direction == Direction::client_to_server) == (receiver == Side::server);
}

MethodLookup find(std::span<MethodInfo const> methods, std::string_view name, Version version,
                  Side receiver) noexcept {
    using Outcome = MethodLookup::Outcome;
    auto const found = std::ranges::lower_bound(methods, name, {}, &MethodInfo::name);
    if (found == methods.end() || found->name != name) return {};
    auto const& info = *found;
    if (!info.in(version)) return {Outcome::other_version, &info};
    if (!reaches(direction_in(info, version), receiver)) return {Outcome::other_direction, &info};
    return {Outcome::found, &info};
}

}  // namespace

MethodLookup find_request(std::string_view method, Version version, Side receiver) noexcept {
    return find(requests, method, version, receiver);
}

MethodLookup find_notification(std::string_view method, Version version, Side receiver) noexcept {
    return find(notifications, method, version, receiver);
}

std::span<MethodInfo const> all_requests() noexcept {
    return requests;
}

std::span<MethodInfo const> all_notifications() noexcept {
    return notifications;
}

Direction direction_in(MethodInfo const& method, Version version) noexcept {
    if (method.direction != Direction::both || era_of(version) == Era::legacy ||
        method.name == methods::Cancelled::info.name) {
        return method.direction;
    }
    return method.name == methods::Progress::info.name ? Direction::server_to_client
                                                       : Direction::client_to_server;
}

bool allows_input_required(MethodInfo const& method) noexcept {
    return method.name == methods::CallTool::info.name ||
           method.name == methods::GetPrompt::info.name ||
           method.name == methods::ReadResource::info.name;
}

}  // namespace lanyard::wire
