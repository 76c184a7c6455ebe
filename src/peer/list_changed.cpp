#include "peer/list_changed.hpp"

#include <algorithm>

namespace lanyard::rpc {

std::string_view list_changed_method(ListKind kind) noexcept {
    constexpr std::array<std::string_view, list_kind_count> methods{
        "notifications/tools/list_changed", "notifications/resources/list_changed",
        "notifications/prompts/list_changed", "notifications/roots/list_changed"};
    return methods[static_cast<std::size_t>(kind)];
}

bool ListChanged::changed(ListKind kind, TimePoint now) noexcept {
    auto& state = kinds_[static_cast<std::size_t>(kind)];
    if (now < state.open_at) {
        state.held = true;
        return false;
    }
    state = {after(now, interval_), false};
    return true;
}

std::optional<ListKind> ListChanged::take_due(TimePoint now) noexcept {
    for (std::size_t i = 0; i < list_kind_count; ++i) {
        auto& state = kinds_[i];
        if (!state.held || now < state.open_at) continue;
        state = {after(now, interval_), false};
        return static_cast<ListKind>(i);
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
