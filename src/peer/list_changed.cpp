#include "peer/list_changed.hpp"

#include <algorithm>

namespace lanyard::rpc {

std::string_view list_changed_method(NotifiedList kind) noexcept {
    constexpr std::array<std::string_view, notified_list_count> methods{
        "notifications/tools/list_changed", "notifications/resources/list_changed",
        "notifications/prompts/list_changed", "notifications/roots/list_changed"};
    return methods[static_cast<std::size_t>(kind)];
}

bool ListChanged::changed(NotifiedList kind, TimePoint now) noexcept {
    auto& state = kinds_[static_cast<std::size_t>(kind)];
    if (now < state.open_at) {
        state.held = true;
        return false;
    }
    state = {after(now, interval_), false};
    return true;
}

std::optional<NotifiedList> ListChanged::take_due(TimePoint now) noexcept {
    for (std::size_t i = 0; i < notified_list_count; ++i) {
        auto& state = kinds_[i];
        if (!state.held || now < state.open_at) continue;
        state = {after(now, interval_), false};
        return static_cast<NotifiedList>(i);
    }
    return std::nullopt;
}

TimePoint ListChanged::next_due() const noexcept {
    auto due = never;
    for (auto const& state : kinds_) {
        if (state.held) due = std::min(due, state.open_at);
    }
    return due;
}

}  // namespace lanyard::rpc
