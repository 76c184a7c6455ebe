// Decides when to send `notifications/<kind>/list_changed`: at most one per kind in each interval,
// but always one after the last change (MCP specification, server/tools, server/resources,
// server/prompts, client/roots).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/deadline.hpp"

namespace lanyard::rpc {

enum class NotifiedList : std::uint8_t { tools, resources, prompts, roots };
inline constexpr std::size_t notified_list_count = 4;

/// Returns the name of the notification, such as "notifications/tools/list_changed".
std::string_view list_changed_method(NotifiedList kind) noexcept;

/// Rate-limits list_changed notifications. Not thread-safe.
class ListChanged {
public:
    explicit ListChanged(Duration interval = std::chrono::milliseconds(100)) noexcept
        : interval_(interval) {}

    /// Records a change. Returns true if the notification must be sent now, false if a later
    /// notification will cover this change.
    bool changed(NotifiedList kind, TimePoint now) noexcept;
    /// Returns a kind of list whose notification was held back and must be sent now. Call it until
    /// it returns nullopt.
    std::optional<NotifiedList> take_due(TimePoint now) noexcept;
    /// Whether a notification for this kind of list is being held back. take_due() returns the kind
    /// when the notification is due.
    bool is_held(NotifiedList kind) const noexcept {
        return kinds_[static_cast<std::size_t>(kind)].held;
    }
    /// The time at which the next notification that is held back will be due; `never` if none is
    /// held back.
    TimePoint next_due() const noexcept;

private:
    struct State {
        TimePoint open_at = TimePoint::min();  // when the next notification may be sent
        bool held = false;
    };

    Duration interval_;
    std::array<State, notified_list_count> kinds_;
};

}  // namespace lanyard::rpc
